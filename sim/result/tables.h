/* tables.h - the tables that more than one command writes */
#ifndef MARGAY_SIM_RESULT_TABLES_H
#define MARGAY_SIM_RESULT_TABLES_H

#include "sim/result/csv.h"
#include "sim/terminal/output.h"
#include <margay/questions.h>
#include <margay/run.h>

/* References of a pass per second, in millions. */
double pass_rate(const struct margay_pass *pass);

/* Keep a message about the pass, whose blocks are estimated where it was
   `sampled`; it appears once the command has succeeded, unless --quiet asks for
   none. */
void table_summarise(const struct margay_pass *pass,
                     const struct margay_series *series, bool sampled);

/* A histogram alone, as a result that owns nothing. */
struct margay_result result_of_histogram(const margay_histogram *histogram);

/* Whose references a series is of, apart from its policy. */
struct series_labels {
    const char *trace;
    uint64_t block_bytes;   /* 0 = unknown */
    const uint64_t *window; /* NULL = all are one */
    const char *tenant;     /* NULL = there are no keys */
    const char *sampled;    /* the share that was counted, "" or NULL = all */
};

/* Rows of CURVE_COLUMNS, and of a column for each further count. */
enum margay_status table_series(struct csv_writer *csv,
                                const struct series_labels *labels,
                                const struct margay_series *series,
                                struct margay_error *error);

/* Do tables of these tiers begin with SPLIT_COLUMN? */
bool tiers_have_splits(const struct margay_tiers *tiers);

/* Rows of TIER_COLUMNS, after a window and before a tenant, of each split of
   which the series has points at all sums. */
enum margay_status table_tiers(struct csv_writer *csv,
                               const struct series_labels *labels,
                               const struct margay_tiers *tiers,
                               const struct margay_series *series,
                               struct margay_error *error);

/* Rows of HISTOGRAM_COLUMNS.  Shares are of the references of the series, of
   which its histogram may count a part; without one there are no rows. */
enum margay_status table_histogram(struct csv_writer *csv,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   const struct margay_bins *bins,
                                   struct margay_error *error);

/* The fields of ASSOC_COLUMNS; the caller may add fields and ends the row. */
void table_cache(struct csv_writer *csv, const struct margay_pass *pass,
                 uint64_t sets, unsigned ways,
                 const struct margay_cache_row *row);

/* The sum of counts of each kind. */
uint64_t of_all_kinds(const uint64_t counts[MARGAY_KINDS]);

/* --------------------- the text format of Prometheus (prometheus.c) -- */

/* The samples to be written: those of each gauge, which stand together. */
#define PROMETHEUS_GAUGES 6
struct prometheus {
    struct output *samples[PROMETHEUS_GAUGES]; /* owned; NULL = none yet */
};

/* Take a series: the gauge margay_miss_ratio at each of its sizes, and
   margay_references; where it counts bytes, requests or misses in a cache that
   others use, the ratios of these, too.  MARGAY_NO_MEMORY, MARGAY_IO. */
enum margay_status prometheus_take(struct prometheus *prometheus,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   struct margay_error *error);

/* Write the samples taken to `output`, which keeps failures, unless it is NULL,
   and release them. */
void prometheus_end(struct prometheus *prometheus, struct output *output);

#endif
