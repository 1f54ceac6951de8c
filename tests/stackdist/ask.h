/* ask.h - what an engine says of a trace, without a bound */
#ifndef MARGAY_TESTS_STACKDIST_ASK_H
#define MARGAY_TESTS_STACKDIST_ASK_H

#include <stdlib.h>

#include <margay/stackdist.h>

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

#endif
