/* tables.c - the tables that more than one command writes */
#include "sim/result/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/text.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct margay_result result_of_histogram(const margay_histogram *histogram)
{
    return (struct margay_result){
        .histogram = (margay_histogram *)histogram, /* only read */
        .references = margay_histogram_references(histogram),
        .infinite = margay_histogram_infinite(histogram),
    };
}

/* ------------------------------------------------------------- summary -- */

/* The references that a count of the series comes to, and the bytes. */
static uint64_t whole(const struct margay_series *series, uint64_t count)
{
    return margay_round_count(count, series->fraction_bits);
}

static uint64_t whole_bytes(const struct margay_series *series, uint64_t count)
{
    return margay_round_count(count, series->byte_fraction_bits);
}

double pass_rate(const struct margay_pass *pass)
{
    return pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6
                             : 0;
}

void table_summarise(const struct margay_pass *pass,
                     const struct margay_series *series, bool sampled)
{
    uint64_t infinite = whole(series, series->infinite);
    uint64_t bound = series->bound, bytes = pass->block_bytes;
    char block[64] = "", misses[160], text[2][WORDS_BYTES];
    if (bytes != 0)
        snprintf(block, sizeof block, " in blocks of %" PRIu64 " byte%s", bytes,
                 margay_plural(bytes, "s"));
    /* "1409 distinct blocks, 1409 cold misses" */
    if (bound != 0)
        snprintf(misses, sizeof misses, "distinct > %s, %s infinite",
                 words_of(bound, series->in_bytes ? "byte" : "block", text[0]),
                 words_number(infinite, text[1]));
    else
        snprintf(
            misses, sizeof misses, "%s%s, %s", sampled ? "about " : "",
            words_of(series->distinct,
                     series->in_bytes ? "distinct object" : "distinct block",
                     text[0]),
            words_of(infinite, "cold miss", text[1]));
    message_tell(
        "%s: %s%s, %s, %.1f M refs/s", pass->trace,
        words_of(whole(series, series->references), "reference", text[0]),
        block, misses, pass_rate(pass));
}

/* -------------------------------------------------------------- series -- */

/* The fields of a cache's size, in blocks and bytes. */
static enum margay_status size_fields(struct csv_writer *csv, const char *trace,
                                      uint64_t block_bytes, bool in_bytes,
                                      uint64_t size, struct margay_error *error)
{
    uint64_t bytes = size;
    if (!in_bytes && !margay_multiply_u64(size, block_bytes, &bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " blocks of %" PRIu64
                           " bytes are over 64 bits",
                           trace, size, block_bytes);
    csv_known(csv, !in_bytes, size);
    csv_known(csv, in_bytes || block_bytes != 0, bytes);
    return MARGAY_OK;
}

static void count_fields(struct csv_writer *csv,
                         const struct margay_series *series,
                         const struct margay_series_point *point)
{
    csv_u64(csv, whole(series, series->references));
    csv_u64(csv, whole(series, point->misses));
    csv_share(csv, point->misses, series->references);
    if (series->counters & MARGAY_COUNTS_BYTES) {
        csv_u64(csv, whole_bytes(series, series->reference_bytes));
        csv_u64(csv, whole_bytes(series, point->missed_bytes));
        csv_share(csv, point->missed_bytes, series->reference_bytes);
    }
    bool known = point->missed_cost != MARGAY_NO_COUNT;
    if (series->counters & MARGAY_COUNTS_COSTS)
        csv_known(csv, known, point->missed_cost);
    if (series->counters & MARGAY_COUNTS_WRITTEN)
        csv_known(csv, known, point->written_bytes);
    if (series->counters & MARGAY_COUNTS_TIERS) {
        csv_known(csv, known, whole(series, point->memory_hits));
        csv_known(csv, known,
                  whole(series, series->references - point->misses -
                                    point->memory_hits));
    }
    if (series->counters & MARGAY_COUNTS_WRITEBACKS)
        csv_u64(csv, whole(series, point->writebacks));
    if (series->counters & MARGAY_COUNTS_REQUESTS) {
        csv_u64(csv, whole(series, series->requests));
        csv_u64(csv, whole(series, point->missed_requests));
        /* Of all tokens, those that hit; empty where they are not known. */
        known = series->counters & MARGAY_COUNTS_TOKENS;
        uint64_t hit = series->request_tokens - point->missed_tokens;
        csv_known(csv, known, whole(series, series->request_tokens));
        csv_known(csv, known, whole(series, hit));
        csv_share(csv, hit, known ? series->request_tokens : 0);
    }
    if (series->policy != NULL)
        csv_text(csv, series->policy);
}

enum margay_status table_series(struct csv_writer *csv,
                                const struct series_labels *labels,
                                const struct margay_series *series,
                                struct margay_error *error)
{
    uint64_t block_bytes = series->in_bytes ? 0 : labels->block_bytes;
    const bool shows_sample = strstr(csv->columns, SAMPLED_COLUMNS) != NULL;
    csv->window = labels->window;
    enum margay_status status =
        csv_set_key(csv, labels->trace, block_bytes, error);
    for (size_t i = 0; i < series->count && status == MARGAY_OK; i++) {
        const struct margay_series_point *point = &series->points[i];
        csv_key(csv);
        status = size_fields(csv, labels->trace, block_bytes, series->in_bytes,
                             point->size, error);
        count_fields(csv, series, point);
        if (labels->tenant != NULL)
            csv_text(csv, labels->tenant);
        if (series->counters & MARGAY_COUNTS_SHARED)
            csv_u64(csv, point->shared_misses);
        if (shows_sample) {
            csv_text(csv, labels->sampled);
            csv_u64(csv, point->size < series->unsure_below);
        }
        csv_end_row(csv);
    }
    return status;
}

bool tiers_have_splits(const struct margay_tiers *tiers)
{
    return tiers->ends[tiers->count - 1] > tiers->count;
}

/* A tier hits what all up to it hit more than those before it; of exclusive
   ones these are one stack, as that of a cache of their sizes together. */
static enum margay_status tier_row(struct csv_writer *csv,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   const struct margay_series_point *before,
                                   const struct margay_series_point *point,
                                   struct margay_error *error)
{
    uint64_t hits = before->misses - point->misses;
    bool known = series->counters & MARGAY_COUNTS_TOKENS;
    enum margay_status status =
        size_fields(csv, labels->trace, labels->block_bytes, false,
                    point->size - before->size, error);
    csv_text(csv, labels->trace);
    csv_known(csv, labels->block_bytes != 0, labels->block_bytes);
    csv_u64(csv, whole(series, series->references));
    csv_share(csv, hits, series->references);
    csv_known(csv, known, whole(series, series->request_tokens));
    csv_known(csv, known,
              whole(series, before->missed_tokens - point->missed_tokens));
    csv_u64(csv, whole(series, hits));
    if (labels->tenant != NULL)
        csv_text(csv, labels->tenant);
    csv_end_row(csv);
    return status;
}

static int compare_sizes(const void *size, const void *point)
{
    uint64_t one = *(const uint64_t *)size;
    uint64_t other = ((const struct margay_series_point *)point)->size;
    return (one > other) - (one < other);
}

enum margay_status table_tiers(struct csv_writer *csv,
                               const struct series_labels *labels,
                               const struct margay_tiers *tiers,
                               const struct margay_series *series,
                               struct margay_error *error)
{
    const struct margay_series_point *points[1 + MARGAY_MOST_TIERS];
    const struct margay_series_point none = {
        .misses = series->references, .missed_tokens = series->request_tokens};
    uint64_t *sums;
    size_t splits, count = tiers->count;
    enum margay_status status =
        margay_tiers_resolve(tiers, labels->block_bytes, &sums, &splits, error);
    points[0] = &none;
    for (size_t i = 0; i < splits && status == MARGAY_OK; i++) {
        size_t found = 0;
        do
            points[found + 1] =
                bsearch(&sums[i * count + found], series->points, series->count,
                        sizeof *series->points, compare_sizes);
        while (points[found + 1] != NULL && ++found < count);
        for (size_t k = 0; found == count && k < count && status == MARGAY_OK;
             k++) {
            if (labels->window != NULL)
                csv_u64(csv, *labels->window);
            if (tiers_have_splits(tiers))
                csv_u64(csv, i + 1);
            csv_u64(csv, k + 1);
            status =
                tier_row(csv, labels, series, points[k], points[k + 1], error);
        }
    }
    free(sums);
    return status;
}

/* ----------------------------------------------------------- histogram -- */

enum margay_status table_histogram(struct csv_writer *csv,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   const struct margay_bins *bins,
                                   struct margay_error *error)
{
    const bool shows_sample = strstr(csv->columns, SAMPLED_COLUMN) != NULL;
    struct margay_bin_cursor cursor = {0, 0, 0};
    struct margay_bin bin;
    csv->window = labels->window;
    if (labels->tenant != NULL)
        csv->label = (struct csv_label){CSV_TEXT, .text = labels->tenant};
    enum margay_status status = csv_set_key(
        csv, labels->trace, series->in_bytes ? 0 : labels->block_bytes, error);
    if (status != MARGAY_OK || series->references == 0 ||
        series->histogram == NULL)
        return status;
    uint64_t bound = margay_histogram_exceeded_bound(series->histogram);
    for (bool more = true; more;) {
        more =
            margay_histogram_next_bin(series->histogram, bins, &cursor, &bin);
        if (!more)
            bin = (struct margay_bin){
                bound == 0 ? MARGAY_INFINITE : bound, MARGAY_INFINITE,
                margay_histogram_infinite(series->histogram)};
        csv_key(csv);
        csv_distance(csv, bin.from);
        csv_distance(csv, bin.to);
        csv_u64(csv, whole(series, bin.references));
        csv_share(csv, bin.references, series->references);
        if (shows_sample)
            csv_text(csv, labels->sampled);
        csv_end_row(csv);
    }
    return MARGAY_OK;
}

/* --------------------------------------------------------------- caches -- */

uint64_t of_all_kinds(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

void table_cache(struct csv_writer *csv, const struct margay_pass *pass,
                 uint64_t sets, unsigned ways,
                 const struct margay_cache_row *row)
{
    csv_key(csv);
    csv_u64(csv, sets);
    csv_u64(csv, ways);
    csv_bytes(csv, sets * ways, pass->block_bytes);
    csv_count(csv, row->references, 1);
    csv_count(csv, of_all_kinds(row->misses), 1);
    csv_share(csv, of_all_kinds(row->misses), row->references);
}
