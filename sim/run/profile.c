/*
 * profile.c - the question of the contents of a trace: popularity, sizes, rate
 *
 * Algorithm: the exponent of Zipf's law is the slope of the line of least
 *   squares through the logarithms of ranks and uses (uses.h), of groups of
 *   ranks that grow by a quarter; blocks used less than LEAST_USES times are
 *   left out, as chance orders them.
 *
 * Source: Breslau et al., "Web caching and Zipf-like distributions", INFOCOM
 *   1999.
 *
 * Guarantee: exact up to 2^20 distinct blocks; of more, numbers and shares of
 *   blocks are estimates, of 2^19 blocks or more.  A quantile of sizes is less
 *   than 1/64 below the true one, up to 2^56 bytes; larger sizes count as
 *   2^56 - 1.
 *
 * Cost: 57 MiB at most, and 2 bytes for each second of the trace.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/run/uses.h"
#include "stackdist/stackdist_internal.h"
#include <margay/questions.h>

#define MOST_BLOCKS (1 << 20)
#define LEAST_USES  10
#define LEAST_RANKS 16 /* to say anything of a law */
#define INTERVALS   64
#define MOST_VALUE  ((UINT64_C(1) << 56) - 1) /* of a histogram */

struct profile {
    struct margay_uses uses; /* begins with the analysis */
    uint64_t references;     /* as they stand */
    uint64_t of_op[MARGAY_OPS];
    bool has_ops;
    margay_histogram *sizes, *seconds; /* these since the first time */
    double size_sum;
    uint64_t first_time;
};

static struct profile *self(margay_analysis *analysis)
{
    return (struct profile *)analysis;
}

/* -------------------------------------------------------------- feeding -- */

/* Seven binary digits count, so that there are few different sizes. */
static enum margay_status count_size(struct profile *profile, uint64_t size,
                                     struct margay_error *error)
{
    profile->size_sum += (double)size;
    size = size < MOST_VALUE ? size : MOST_VALUE;
    if (size >= 128)
        size &= UINT64_MAX << (margay_log2_floor(size) - 6);
    return margay_histogram_add(profile->sizes, size, 1, error);
}

/* Count the columns of a reference. */
static enum margay_status count_entry(struct profile *profile,
                                      const struct margay_span *span, size_t i,
                                      struct margay_error *error)
{
    const struct margay_pass *pass = profile->uses.analysis.pass;
    const uint64_t unit_bytes = pass->block_bytes >> pass->shift;
    enum margay_status status = MARGAY_OK;
    if (span->ops != NULL)
        profile->of_op[span->ops[i]]++;
    if (span->times != NULL) {
        uint64_t time = span->times[i];
        if (profile->references == 0)
            profile->first_time = time;
        time -= time < profile->first_time ? time : profile->first_time;
        time /= MARGAY_SECOND;
        status = margay_histogram_add(
            profile->seconds, time < MOST_VALUE ? time : MOST_VALUE, 1, error);
    }
    profile->references++;
    if (status == MARGAY_OK && span->sizes != NULL &&
        (span->ops == NULL || span->ops[i] != MARGAY_DELETE))
        return count_size(profile, span->sizes[i], error);
    if (status == MARGAY_OK && span->sizes == NULL && span->extents != NULL &&
        unit_bytes > 0) {
        uint64_t size;
        if (!margay_multiply_u64(span->extents[i], unit_bytes, &size))
            size = UINT64_MAX;
        return count_size(profile, size, error);
    }
    return status;
}

static enum margay_status profile_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct profile *profile = self(analysis);
    enum margay_status status = MARGAY_OK;
    profile->has_ops |= span->ops != NULL;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++)
        status = count_entry(profile, span, i, error);
    return status == MARGAY_OK ? margay_uses_feed(analysis, span, error)
                               : status;
}

/* -------------------------------------------------------------- results -- */

/* Where the rows go. */
struct rows {
    const struct profile *profile;
    margay_profile_take *take;
    void *context;
};

static void put(const struct rows *rows, const char *property, const char *at,
                double value, double share)
{
    const struct margay_profile_row row = {property, at, value, share};
    rows->take(rows->context, &row);
}

static void put_at(const struct rows *rows, const char *property, double at,
                   double value, double share)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", at);
    put(rows, property, text, value, share);
}

static void put_names(const struct rows *rows, const char *property,
                      const char *const names[3], const uint64_t counts[3])
{
    double all = (double)(counts[0] + counts[1] + counts[2]);
    for (size_t i = 0; i < 3 && all > 0; i++)
        put(rows, property, names[i], (double)counts[i],
            (double)counts[i] / all);
}

static void put_sizes(const struct rows *rows)
{
    static const double quantiles[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
    const margay_histogram *sizes = rows->profile->sizes;
    const double all = (double)margay_histogram_references(sizes);
    uint64_t size = 0, next = 0, references = 0;
    double found = 0;
    if (all > 0)
        put(rows, "size", "mean", rows->profile->size_sum / all, -1);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles && all > 0;
         i++) {
        while ((next == 0 || found < quantiles[i] * all) &&
               margay_histogram_next(sizes, next, &size, &references)) {
            found += (double)references;
            next = size + 1;
        }
        put_at(rows, "size", quantiles[i], (double)size, -1);
    }
}

/* Requests in parts of the time that are alike. */
static void put_rate(const struct rows *rows)
{
    const margay_histogram *seconds = rows->profile->seconds;
    uint64_t last;
    if (!margay_histogram_largest(seconds, &last))
        return;
    const uint64_t width = last / INTERVALS + 1;
    for (uint64_t from = 0; from <= last; from += width) {
        double references =
            (double)margay_histogram_between(seconds, from, from + width);
        put_at(rows, "second", (double)from, references / (double)width,
               references / (double)rows->profile->references);
    }
}

static int descending(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[1], y = ((const uint64_t *)b)[1];
    return (x < y) - (x > y);
}

/* The slope of uses over ranks, and how much of the variance of uses it
   explains; `sums` are those of 1, x, y, xx, xy and yy. */
static void put_law(const struct rows *rows, const double sums[6], double ranks,
                    double share)
{
    double xx = sums[3] - sums[1] * sums[1] / sums[0];
    double xy = sums[4] - sums[1] * sums[2] / sums[0];
    double yy = sums[5] - sums[2] * sums[2] / sums[0];
    put(rows, "zipf", "exponent", fmax(-xy / xx, 0), -1);
    put(rows, "zipf", "r squared", yy > 0 ? xy * xy / (xx * yy) : 1, -1);
    put(rows, "zipf", "ranks", ranks, share);
}

/* Blocks, how they rank, and the law that they follow. */
static void put_popularity(const struct rows *rows)
{
    const struct margay_uses *uses = &rows->profile->uses;
    const size_t count = margay_uses_count(uses);
    const double scale = ldexp(1, (int)uses->halvings);
    double sums[6] = {0}, all = 0, once = 0, sum = 0;
    size_t ranks = 0;
    qsort(uses->records, count, 2 * sizeof *uses->records, descending);
    for (size_t i = 0; i < count; i++) {
        uint64_t times = margay_uses_record(uses, i)[1];
        all += (double)times;
        once += times == 1;
        ranks += times >= LEAST_USES;
    }
    put(rows, "blocks", "distinct", scale * (double)count, -1);
    put(rows, "blocks", "counted", (double)count, 1 / scale);
    put(rows, "blocks", "used once", scale * once,
        once / fmax((double)count, 1));
    for (size_t from = 0, to; from < count; from = to) {
        double before = sum;
        to = from + 1 + from / 4;
        to = from < ranks && to > ranks ? ranks : to > count ? count : to;
        for (size_t i = from; i < to; i++)
            sum += (double)margay_uses_record(uses, i)[1];
        double x = log((double)(from + to + 1) / 2);
        double y = log((sum - before) / (double)(to - from));
        const double point[] = {1, x, y, x * x, x * y, y * y};
        for (size_t k = 0; k < 6 && from < ranks; k++)
            sums[k] += point[k];
        put_at(rows, "rank", scale * (double)to,
               (double)margay_uses_record(uses, to - 1)[1], sum / all);
    }
    if (ranks >= LEAST_RANKS)
        put_law(rows, sums, scale * (double)ranks,
                (double)ranks / (double)count);
}

void margay_profile_visit(margay_analysis *analysis, margay_profile_take *take,
                          void *context)
{
    static const char *const kinds[] = {"read", "write", "fetch"};
    static const char *const ops[] = {"get", "set", "delete"};
    const struct profile *profile = self(analysis);
    const struct rows rows = {profile, take, context};
    put(&rows, "references", "", (double)profile->references, -1);
    put(&rows, "block references", "", (double)profile->uses.refs, -1);
    put_names(&rows, "kind", kinds, profile->uses.of_kind);
    if (profile->has_ops)
        put_names(&rows, "op", ops, profile->of_op);
    put_sizes(&rows);
    put_popularity(&rows);
    put_rate(&rows);
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct profile *profile = self(analysis);
    enum margay_status status = margay_uses_begin(analysis, share, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&profile->sizes, error);
    return status == MARGAY_OK
               ? margay_histogram_create(&profile->seconds, error)
               : status;
}

static void profile_free(margay_analysis *analysis)
{
    margay_uses_free(analysis);
    margay_histogram_free(self(analysis)->sizes);
    margay_histogram_free(self(analysis)->seconds);
}

enum margay_status margay_profile_question(margay_question **question,
                                           struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct profile),
        .begin = begin,
        .feed = profile_feed,
        .free = profile_free,
    };
    static const struct margay_uses_asked asked = {MOST_BLOCKS, 1};
    static const margay_question kind = {
        .functions = &functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES |
                        MARGAY_COLUMN_OPS,
                .references = true},
        .name = "the profile",
    };
    return margay_question_create(&kind, &asked, 0, question, error);
}
