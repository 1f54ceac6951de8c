/*
 * example.c - the miss curve of a trace, with libmargay
 *
 *     cc example.c -o example $(pkg-config --cflags --libs margay)
 *     ./example TRACE
 *
 * prints, for caches of 1, 2, 4, ... blocks of 64 bytes, how many references
 * miss in a fully associative LRU cache of that size.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <margay/stackdist.h>
#include <margay/traces.h>

#define LOG2_BLOCK_BYTES 6
#define BLOCKS_AT_A_TIME 4096

static enum margay_status feed_batch(margay_engine *engine,
                                     const struct margay_batch *batch,
                                     unsigned shift, struct margay_error *error)
{
    struct margay_block_cursor cursor = {0};
    uint64_t blocks[BLOCKS_AT_A_TIME];
    enum margay_status status = MARGAY_OK;
    size_t count;
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(batch, shift, false, &cursor, blocks,
                                        NULL, NULL, BLOCKS_AT_A_TIME)) != 0)
        status = margay_engine_feed(engine, blocks, count, NULL, error);
    return status;
}

/* Everything from the trace into the engine. */
static enum margay_status feed(margay_trace *trace, margay_engine *engine,
                               struct margay_error *error)
{
    struct margay_batch batch;
    enum margay_status status = margay_trace_ready(trace, -1, error);
    if (status != MARGAY_OK)
        return status;
    /* Block ids are blocks already; addresses are to be divided. */
    unsigned shift =
        margay_trace_facts(trace)->numbers == MARGAY_IDS ? 0 : LOG2_BLOCK_BYTES;
    while ((status = margay_trace_next(trace, -1, &batch, error)) ==
           MARGAY_OK) {
        status = feed_batch(engine, &batch, shift, error);
        if (status != MARGAY_OK)
            return status;
    }
    return status == MARGAY_END ? MARGAY_OK : status;
}

static enum margay_status print_curve(const struct margay_result *result,
                                      struct margay_error *error)
{
    const struct margay_sizes sizes = {.kind = MARGAY_SIZES_POW2};
    struct margay_point *points;
    size_t count;
    enum margay_status status =
        margay_result_curve(result, &sizes, &points, &count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu64 " blocks: %" PRIu64 " of %" PRIu64 " miss\n",
               points[i].cache_blocks, points[i].misses, result->references);
    free(points);
    return MARGAY_OK;
}

int main(int argument_count, char **arguments)
{
    const struct margay_trace_options trace_options =
        MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_engine_options engine_options =
        MARGAY_ENGINE_OPTIONS_DEFAULT;
    const char *path = argument_count > 1 ? arguments[1] : "-";
    margay_trace *trace = NULL;
    margay_engine *engine = NULL;
    struct margay_result result = {0};
    struct margay_error error;
    enum margay_status status =
        margay_trace_open(path, &trace_options, &trace, &error);
    if (status == MARGAY_OK)
        status =
            margay_engine_create("exact", &engine_options, &engine, &error);
    if (status == MARGAY_OK)
        status = feed(trace, engine, &error);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &result, &error);
    if (status == MARGAY_OK)
        status = print_curve(&result, &error);
    if (status != MARGAY_OK)
        fprintf(stderr, "example: %s\n", error.message);
    margay_result_clear(&result);
    margay_engine_free(engine);
    margay_trace_free(trace);
    return status == MARGAY_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
