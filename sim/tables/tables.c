/* tables.c - the tables that more than one command writes */
#include "sim/tables/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct margay_result result_of(const margay_histogram *histogram)
{
    return (struct margay_result){
        .histogram = (margay_histogram *)histogram, /* only read */
        .references = margay_histogram_references(histogram),
        .infinite = margay_histogram_infinite(histogram),
    };
}

struct measured measured_by(const struct margay_job *job,
                            const struct margay_pass *pass)
{
    return (struct measured){
        .trace = pass->trace,
        .block_bytes = pass->block_bytes,
        .result = margay_engine_consumer_result(job->consumer, pass),
    };
}

uint64_t whole_of(const struct measured *measured, uint64_t mass)
{
    return margay_round_count(mass, measured->result->fraction_bits);
}

/* ------------------------------------------------------------- summary -- */

/* "1409 distinct blocks, 1409 cold misses" */
static void format_misses(char *text, size_t bytes,
                          const struct margay_result *result)
{
    uint64_t bound = 0, infinite = margay_round_count(result->infinite,
                                                      result->fraction_bits);
    if (result->histogram != NULL)
        bound = margay_histogram_exceeded_bound(result->histogram);
    if (bound != 0)
        snprintf(text, bytes,
                 "distinct > %" PRIu64 " block%s, %" PRIu64 " infinite", bound,
                 margay_plural(bound, "s"), infinite);
    else
        snprintf(text, bytes,
                 "%" PRIu64 " distinct block%s, %" PRIu64 " cold miss%s",
                 result->distinct_blocks,
                 margay_plural(result->distinct_blocks, "s"), infinite,
                 margay_plural(infinite, "es"));
}

void table_summarise(const struct margay_pass *pass,
                     const struct margay_result *result)
{
    char block[64] = "", misses[128];
    if (pass->block_bytes != 0)
        snprintf(block, sizeof block, " in blocks of %" PRIu64 " byte%s",
                 pass->block_bytes, margay_plural(pass->block_bytes, "s"));
    uint64_t references =
        margay_round_count(result->references, result->fraction_bits);
    format_misses(misses, sizeof misses, result);
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    message_keep("%s: %" PRIu64 " reference%s%s, %s, %.1f M refs/s",
                 pass->trace, references, margay_plural(references, "s"), block,
                 misses, rate);
}

/* --------------------------------------------------------------- curve -- */

/* The fields of CURVE_COLUMNS. */
static enum margay_status curve_row(struct csv_writer *csv,
                                    const struct measured *measured,
                                    const struct margay_point *point,
                                    struct margay_error *error)
{
    uint64_t references = measured->result->references;
    uint64_t cache_bytes;
    if (!margay_multiply_u64(point->cache_blocks, measured->block_bytes,
                             &cache_bytes))
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: %" PRIu64 " blocks of %" PRIu64 " bytes are over 64 bits",
            measured->trace, point->cache_blocks, measured->block_bytes);
    csv_key(csv);
    csv_u64(csv, point->cache_blocks);
    if (measured->block_bytes == 0)
        csv_nothing(csv);
    else
        csv_u64(csv, cache_bytes);
    csv_u64(csv, whole_of(measured, references));
    csv_u64(csv, whole_of(measured, point->misses));
    csv_share(csv, point->misses, references);
    return MARGAY_OK;
}

static enum margay_status curve_rows(struct csv_writer *csv,
                                     const struct measured *measured,
                                     const struct margay_point *points,
                                     size_t count,
                                     const margay_writebacks *writebacks,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    if (counts == NULL)
        return margay_fail_memory(error, "the table of a curve");
    if (writebacks != NULL)
        margay_writebacks_curve(writebacks, points, count, counts);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = curve_row(csv, measured, &points[i], error);
        if (writebacks != NULL)
            csv_u64(csv, counts[i]);
        csv_end_row(csv);
    }
    free(counts);
    return status;
}

enum margay_status table_points(const struct measured *measured,
                                const struct cache_sizes *sizes,
                                struct margay_point **points, size_t *count,
                                struct margay_error *error)
{
    struct margay_sizes resolved;
    *points = NULL;
    *count = 0;
    enum margay_status status =
        cache_sizes_resolve(sizes, measured->block_bytes, &resolved, error);
    if (status != MARGAY_OK)
        return status;
    status =
        margay_result_curve(measured->result, &resolved, points, count, error);
    free((void *)resolved.list_blocks);
    return status;
}

/* The same, and the key of their rows. */
static enum margay_status begin_curve(struct csv_writer *csv,
                                      const struct measured *measured,
                                      const struct cache_sizes *sizes,
                                      struct margay_point **points,
                                      size_t *count, struct margay_error *error)
{
    *points = NULL;
    *count = 0;
    enum margay_status status =
        csv_set_key(csv, measured->trace, measured->block_bytes, error);
    return status == MARGAY_OK
               ? table_points(measured, sizes, points, count, error)
               : status;
}

enum margay_status table_curve(struct csv_writer *csv,
                               const struct measured *measured,
                               const struct cache_sizes *sizes,
                               const margay_writebacks *writebacks,
                               struct margay_error *error)
{
    struct margay_point *points;
    size_t count;
    enum margay_status status =
        begin_curve(csv, measured, sizes, &points, &count, error);
    if (status == MARGAY_OK)
        status = curve_rows(csv, measured, points, count, writebacks, error);
    free(points);
    return status;
}

/* The misses of caches that grow, from a histogram. */
struct misses {
    const margay_histogram *histogram;
    uint64_t next, left; /* `left` references are at distances from `next` on */
};

static uint64_t misses_at(struct misses *misses, uint64_t cache_blocks)
{
    uint64_t distance, references;
    while (margay_histogram_next(misses->histogram, misses->next, &distance,
                                 &references) &&
           distance < cache_blocks) {
        misses->left -= references;
        misses->next = distance + 1;
    }
    return misses->left;
}

static struct misses misses_of(const margay_histogram *histogram)
{
    return (struct misses){histogram, 0,
                           margay_histogram_references(histogram)};
}

enum margay_status table_request_curve(struct csv_writer *csv,
                                       const struct measured *measured,
                                       const struct cache_sizes *sizes,
                                       const margay_histogram *requests,
                                       struct margay_error *error)
{
    struct margay_point *points;
    size_t count;
    struct misses missed = misses_of(requests);
    enum margay_status status =
        begin_curve(csv, measured, sizes, &points, &count, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = curve_row(csv, measured, &points[i], error);
        csv_u64(csv, margay_histogram_references(requests));
        csv_u64(csv, misses_at(&missed, points[i].cache_blocks));
        csv_end_row(csv);
    }
    free(points);
    return status;
}

enum margay_status table_tenant_curve(struct csv_writer *csv,
                                      const struct measured *measured,
                                      const struct margay_point *points,
                                      size_t count, const char *tenant,
                                      const margay_histogram *shared,
                                      struct margay_error *error)
{
    struct misses own = misses_of(measured->result->histogram);
    struct misses together = misses_of(shared);
    enum margay_status status =
        csv_set_key(csv, measured->trace, measured->block_bytes, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t blocks = points[i].cache_blocks;
        const struct margay_point point = {blocks, misses_at(&own, blocks)};
        status = curve_row(csv, measured, &point, error);
        csv_text(csv, tenant);
        csv_u64(csv, misses_at(&together, blocks));
        csv_end_row(csv);
    }
    return status;
}

enum margay_status table_policy_curve(struct csv_writer *csv,
                                      const struct measured *measured,
                                      const struct margay_point *points,
                                      size_t count, const char *policy,
                                      struct margay_error *error)
{
    enum margay_status status =
        csv_set_key(csv, measured->trace, measured->block_bytes, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = curve_row(csv, measured, &points[i], error);
        csv_text(csv, policy);
        csv_end_row(csv);
    }
    return status;
}

/* ----------------------------------------------------------- histogram -- */

static void infinite_row(struct csv_writer *csv,
                         const struct measured *measured)
{
    const margay_histogram *histogram = measured->result->histogram;
    uint64_t bound = margay_histogram_exceeded_bound(histogram);
    uint64_t infinite = margay_histogram_infinite(histogram);
    csv_key(csv);
    if (bound == 0)
        csv_text(csv, "inf");
    else
        csv_u64(csv, bound);
    csv_text(csv, "inf");
    csv_u64(csv, whole_of(measured, infinite));
    csv_share(csv, infinite, measured->result->references);
    csv_end_row(csv);
}

enum margay_status table_histogram(struct csv_writer *csv,
                                   const struct measured *measured,
                                   const struct margay_bins *bins,
                                   struct margay_error *error)
{
    const margay_histogram *histogram = measured->result->histogram;
    uint64_t references = measured->result->references;
    struct margay_bin_cursor cursor = {0, 0, 0};
    struct margay_bin bin;
    enum margay_status status =
        csv_set_key(csv, measured->trace, measured->block_bytes, error);
    if (status != MARGAY_OK || references == 0)
        return status;
    while (margay_histogram_next_bin(histogram, bins, &cursor, &bin)) {
        csv_key(csv);
        csv_u64(csv, bin.from);
        csv_u64(csv, bin.to);
        csv_u64(csv, whole_of(measured, bin.references));
        csv_share(csv, bin.references, references);
        csv_end_row(csv);
    }
    infinite_row(csv, measured);
    return MARGAY_OK;
}

/* --------------------------------------------------------------- caches -- */

uint64_t cache_row_misses(const struct margay_cache_row *row)
{
    return row->misses[MARGAY_READ] + row->misses[MARGAY_WRITE] +
           row->misses[MARGAY_FETCH];
}

void table_cache(struct csv_writer *csv, const struct margay_pass *pass,
                 uint64_t sets, unsigned ways,
                 const struct margay_cache_row *row)
{
    csv_key(csv);
    csv_u64(csv, sets);
    csv_u64(csv, ways);
    csv_bytes(csv, sets * ways, pass->block_bytes);
    csv_u64(csv, row->references);
    csv_u64(csv, cache_row_misses(row));
    csv_share(csv, cache_row_misses(row), row->references);
}
