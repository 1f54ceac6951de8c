/* tables.h - the tables that more than one command writes */
#ifndef MARGAY_SIM_TABLES_TABLES_H
#define MARGAY_SIM_TABLES_TABLES_H

#include "sim/options/sizes.h"
#include "sim/tables/csv.h"
#include <margay/run.h>

/* One trace at one block size, and the result of measuring it. */
struct measured {
    const char *trace;
    uint64_t block_bytes; /* 0 = unknown */
    const struct margay_result *result;
};

/* The result of a pass of the engine that is a job's consumer. */
struct measured measured_by(const struct margay_job *job,
                            const struct margay_pass *pass);

/* The references that a count of the result comes to: rounded if they fade. */
uint64_t whole_of(const struct measured *measured, uint64_t mass);

/* Keep a message about the pass; it appears once the command has succeeded. */
void table_summarise(const struct margay_pass *pass,
                     const struct margay_result *result);

/* A result of the histogram alone, which the caller goes on owning. */
struct margay_result result_of(const margay_histogram *histogram);

/* Rows of CURVE_COLUMNS for one pass; the column of write-backs follows unless
   `writebacks` is NULL. */
enum margay_status table_curve(struct csv_writer *csv,
                               const struct measured *measured,
                               const struct cache_sizes *sizes,
                               const margay_writebacks *writebacks,
                               struct margay_error *error);

/* Rows of CURVE_COLUMNS with CURVE_REQUEST_COLUMNS for one pass, whose result
   counts the blocks of these requests. */
enum margay_status table_request_curve(struct csv_writer *csv,
                                       const struct measured *measured,
                                       const struct cache_sizes *sizes,
                                       const margay_histogram *requests,
                                       struct margay_error *error);

/* The points of a curve at these sizes, which the caller frees. */
enum margay_status table_points(const struct measured *measured,
                                const struct cache_sizes *sizes,
                                struct margay_point **points, size_t *count,
                                struct margay_error *error);

/* Rows of CURVE_COLUMNS with CURVE_TENANT_COLUMNS at the sizes of these points:
   a tenant's result alone, and its distances in the cache that it shares. */
enum margay_status table_tenant_curve(struct csv_writer *csv,
                                      const struct measured *measured,
                                      const struct margay_point *points,
                                      size_t count, const char *tenant,
                                      const margay_histogram *shared,
                                      struct margay_error *error);

/* Rows of CURVE_COLUMNS for these points, each with the policy behind it. */
enum margay_status table_policy_curve(struct csv_writer *csv,
                                      const struct measured *measured,
                                      const struct margay_point *points,
                                      size_t count, const char *policy,
                                      struct margay_error *error);

/* Rows of HISTOGRAM_COLUMNS for one pass.  Shares are of the result's
   references, of which the histogram may count a part. */
enum margay_status table_histogram(struct csv_writer *csv,
                                   const struct measured *measured,
                                   const struct margay_bins *bins,
                                   struct margay_error *error);

/* The fields of ASSOC_COLUMNS; the caller may add fields and ends the row. */
void table_cache(struct csv_writer *csv, const struct margay_pass *pass,
                 uint64_t sets, unsigned ways,
                 const struct margay_cache_row *row);

/* The misses of all kinds. */
uint64_t cache_row_misses(const struct margay_cache_row *row);

#endif
