/* results.h - what an engine says of a trace, and whether two say the same */
#ifndef MARGAY_TESTS_STACKDIST_RESULTS_H
#define MARGAY_TESTS_STACKDIST_RESULTS_H

#include <stdio.h>
#include <stdlib.h>

#include <margay/stackdist.h>

/* Counts are those of the references from `reset` on. */
static inline struct margay_result run_engine(
    const char *spec, const struct margay_engine_options *options,
    const uint64_t *blocks, size_t count, size_t reset)
{
    struct margay_error error;
    struct margay_result result;
    margay_engine *engine;
    size_t half = reset + (count - reset) / 2;
    if (margay_engine_create(spec, options, &engine, &error) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, reset, NULL, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    if (reset != 0)
        margay_engine_reset_counts(engine);
    if (margay_engine_feed(engine, blocks + reset, half - reset, NULL,
                           &error) != MARGAY_OK ||
        margay_engine_feed(engine, blocks + half, count - half, NULL, &error) !=
            MARGAY_OK ||
        margay_engine_finish(engine, &result, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    margay_engine_free(engine);
    return result;
}

static inline struct margay_result run_plainly(const char *spec,
                                               const uint64_t *blocks,
                                               size_t count)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    return run_engine(spec, &options, blocks, count, 0);
}

/* distances may be NULL.  The caller frees what the result holds. */
static inline struct margay_result ask(const char *spec, const uint64_t *blocks,
                                       size_t count, uint64_t *distances)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    if (margay_engine_create(spec, &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, count, distances, NULL) !=
            MARGAY_OK ||
        margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        abort();
    margay_engine_free(engine);
    return result;
}

/* The distances only; returns the distinct blocks. */
static inline uint64_t ask_distances(const char *spec, const uint64_t *blocks,
                                     size_t count, uint64_t *distances)
{
    struct margay_result result = ask(spec, blocks, count, distances);
    margay_histogram_free(result.histogram);
    return result.distinct_blocks;
}

static inline margay_histogram *new_histogram(void)
{
    margay_histogram *histogram;
    if (margay_histogram_create(&histogram, NULL) != MARGAY_OK)
        abort();
    return histogram;
}

static inline uint64_t count_at(const margay_histogram *histogram,
                                uint64_t distance)
{
    uint64_t found, count;
    return margay_histogram_next(histogram, distance, &found, &count) &&
                   found == distance
               ? count
               : 0;
}

/* The misses of a cache of that size. */
static inline uint64_t misses_of(const margay_histogram *histogram,
                                 uint64_t size)
{
    uint64_t misses = margay_histogram_references(histogram), distance, count;
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count) &&
         distance < size;
         from = distance + 1)
        misses -= count;
    return misses;
}

/* The same counts, whatever bound was exceeded. */
static inline bool same_histogram(const margay_histogram *a,
                                  const margay_histogram *b)
{
    uint64_t d[2] = {0}, n[2] = {0}, at = 0;
    bool more[2];
    do {
        more[0] = margay_histogram_next(a, at, &d[0], &n[0]);
        more[1] = margay_histogram_next(b, at, &d[1], &n[1]);
        at = d[0] + 1;
    } while (more[0] && more[1] && d[0] == d[1] && n[0] == n[1]);
    return !more[0] && !more[1] &&
           margay_histogram_infinite(a) == margay_histogram_infinite(b);
}

static inline bool same_bound(const margay_histogram *a,
                              const margay_histogram *b)
{
    return margay_histogram_exceeded_bound(a) ==
           margay_histogram_exceeded_bound(b);
}

static inline bool same_results(const struct margay_result *a,
                                const struct margay_result *b)
{
    return same_histogram(a->histogram, b->histogram) &&
           same_bound(a->histogram, b->histogram) &&
           a->references == b->references && a->infinite == b->infinite &&
           a->fraction_bits == b->fraction_bits &&
           a->distinct_blocks == b->distinct_blocks;
}

#endif
