/*
 * curve.h - the parts of curve; other commands use some of them, too
 *
 * --at-most asks for the smallest cache with at most the miss ratio that it
 * names, and --knees for the sizes at which falls of the curve end.  Both look
 * at every size at which the curve steps, and not only at those of the table.
 */
#ifndef MARGAY_SIM_COMMAND_CURVE_H
#define MARGAY_SIM_COMMAND_CURVE_H

#include "sim/options/options.h"
#include "sim/result/tables.h"
#include <margay/questions.h>
#include <margay/run.h>

/* --------------------------------------------------------- the question -- */

/* The wanted results of a question of objects. */
struct objects_wanted {
    /* A curve at the sizes of the options, which are put here and outlive
       the question; the caller frees sizes->list_blocks.  NULL = no curve. */
    struct margay_sizes *sizes;
    bool histogram;
    bool distances;        /* of each reference, for a further question */
    margay_question *next; /* that question; NULL = none */
};

/* The question of byte distances of the options.  MARGAY_BAD_ARGUMENT,
   MARGAY_NO_MEMORY. */
enum margay_status objects_question(const struct options *options,
                                    const struct objects_wanted *wanted,
                                    margay_question **question,
                                    struct margay_error *error);

/* The question of a curve: distances, policies, requests, objects or tenants.
   `sizes` is as above. */
enum margay_status curve_question(const struct options *options,
                                  struct margay_sizes *sizes,
                                  margay_question **question,
                                  struct margay_error *error);

/* The engine of objects that the options ask for, without a curve or a
   histogram.  MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY. */
enum margay_status objects_options(const struct options *options,
                                   struct margay_objects_options *engine,
                                   struct margay_error *error);

/* The additional counts of policies of objects, a set of enum
   margay_counter. */
unsigned curve_object_counters(const struct options *options);

/* Is the question of tenants one of the cache that they share, too?  It is
   where a reference has one distance that does not fade. */
bool curve_shares(const struct options *options);

/* ---------------------------------------------------------- the samples -- */

/* Say on how much of its trace a series was measured, "1 in 100 blocks (1,234
   of about 123,400)" or "" = all, and return the first of these numbers.  The
   sample is no guide of caches below series->unsure_below, which it raises;
   where it is empty, the series loses its points and its histogram. */
#define CURVE_SAMPLE_TEXT 120
uint64_t curve_sample(const struct options *options,
                      struct margay_series *series,
                      char text[CURVE_SAMPLE_TEXT]);

/* ----------------------------------------------------------- the tables -- */

#define CURVE_COLUMNS_TEXT 320
void curve_columns(const struct options *options,
                   char text[CURVE_COLUMNS_TEXT]);
const char *curve_histogram_columns(const struct options *options);

/* Where series go, as the options ask; NULL is nowhere. */
struct curve_sinks {
    const struct options *options;
    struct csv_writer *csv, *histogram_csv;
    struct prometheus *prometheus;
    bool *unreached; /* of answer_series(), which writes words */
};

enum margay_status curve_write(const struct curve_sinks *sinks,
                               const struct series_labels *labels,
                               const struct margay_series *series,
                               struct margay_error *error);

/* The sizes at which rows are: those of the options, or the sums of tiers.  The
   caller frees sizes->list_blocks. */
enum margay_status curve_sizes(const struct options *options,
                               uint64_t block_bytes, struct margay_sizes *sizes,
                               struct margay_error *error);

/* Write the series of a result at these sizes, or at each where it steps. */
enum margay_status curve_draw(const struct curve_sinks *sinks,
                              const struct series_labels *labels,
                              const struct margay_result *result, bool in_steps,
                              struct margay_error *error);

/* Write the series of the histograms in the table of --from, and the answers
   about them. */
enum margay_status curve_from(const struct curve_sinks *tables,
                              const struct curve_sinks *answers,
                              struct margay_error *error);

/* ------------------------------------------------------------- in words -- */

/* Keep messages about a pass, of which this is a series, or the common part of
   all; they appear once the command has succeeded, warnings even with
   --quiet. */
void summarise_pass(const struct options *options, const struct margay_job *job,
                    const struct margay_pass *pass,
                    const struct margay_series *series);

/* Add a series to those that the summary is of, which are zeroed before the
   first: of several policies the first one's references count, of several keys
   all.  Its `unsure_below` is 0 where no row is of a cache below that. */
void summary_add(struct margay_series *all, const struct margay_series *series);

/* Warn where the sizes of objects change in a series that is not the only one
   of its trace: in a window, or of a tenant. */
void warn_of_part(const struct options *options,
                  const struct series_labels *labels,
                  const struct margay_series *series);

/*
 * Answer the options' questions about a series at every size where it steps, or
 * that was simulated:
 *
 * --at-most and --at-most-bytes: the smallest cache with at most this ratio;
 * *unreached is set where there is none.
 *
 * --knees N: at which of the sizes the misses stop falling, N at most, the
 * sharpest first (sim/result/knees.c).
 * MARGAY_NO_MEMORY.
 */
enum margay_status answer_series(const struct options *options,
                                 const struct series_labels *labels,
                                 const struct margay_series *series,
                                 bool *unreached, struct margay_error *error);

/* Warn where objects expire and no summary counts whose ages are not exact. */
void warn_of_ages(const struct options *options, const struct margay_job *job);

/* Warn of options whose results may surprise. */
void curve_warn(const struct options *options);

/* Do the options ask anything? */
bool answers_are_asked(const struct options *options);

#endif
