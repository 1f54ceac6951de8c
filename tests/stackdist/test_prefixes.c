/*
 * test_prefixes.c - caches of prefixes, against plain LRU caches
 *
 * Random requests, and for each size a cache that is simulated by itself: it
 * looks up a request from its front until a block is missing, and then uses all
 * blocks of the request in their order.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/prefixes.h>

#define MOST_BLOCKS 120
#define MOST_IDS    24

struct trace {
    size_t count, warmup;
    uint64_t blocks[MOST_BLOCKS], requests[MOST_BLOCKS];
};

/* ---------------------------------------------------------------- caches -- */

/* The most recent block first. */
struct cache {
    uint64_t blocks[MOST_IDS];
    size_t count, room;
};

static size_t find(const struct cache *cache, uint64_t block)
{
    size_t i = 0;
    while (i < cache->count && cache->blocks[i] != block)
        i++;
    return i;
}

static void use(struct cache *cache, uint64_t block)
{
    size_t i = find(cache, block);
    if (i == cache->count && cache->count < cache->room)
        cache->count++;
    else if (i == cache->count)
        i--;
    memmove(cache->blocks + 1, cache->blocks, i * sizeof *cache->blocks);
    cache->blocks[0] = block;
}

struct misses {
    uint64_t blocks, requests;
};

static struct misses simulate(const struct trace *trace, size_t room,
                              enum margay_touch touch)
{
    struct cache cache = {.room = room};
    struct misses misses = {0};
    for (size_t from = 0, to; from < trace->count; from = to) {
        for (to = from;
             to < trace->count && trace->requests[to] == trace->requests[from];)
            to++;
        size_t missing = from;
        while (missing < to &&
               find(&cache, trace->blocks[missing]) < cache.count)
            missing++;
        size_t counted = missing > trace->warmup ? missing : trace->warmup;
        misses.blocks += counted < to ? to - counted : 0;
        misses.requests += to > trace->warmup && missing < to;
        for (size_t i = from; i < to; i++)
            use(&cache, trace->blocks[touch == MARGAY_FRONT_TO_BACK
                                          ? i
                                          : to - 1 - (i - from)]);
    }
    return misses;
}

/* --------------------------------------------------------------- margay -- */

static uint64_t at_size(const margay_histogram *histogram, uint64_t size)
{
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = &size, .list_count = 1};
    struct margay_point *points = NULL;
    size_t count;
    uint64_t misses = 0;
    if (margay_histogram_curve(histogram, &sizes, &points, &count, NULL) ==
            MARGAY_OK &&
        count == 1)
        misses = points[0].misses;
    free(points);
    return misses;
}

/* Feed in pieces of random lengths; a look now and then changes nothing. */
static bool measure(const struct trace *trace,
                    const struct margay_prefixes_options *options,
                    struct margay_prefixes_result *result)
{
    margay_prefixes *prefixes;
    if (margay_prefixes_create(options, &prefixes, NULL) != MARGAY_OK)
        return false;
    bool fine = true;
    for (size_t from = 0, piece; from < trace->count; from += piece) {
        size_t left =
            (from < trace->warmup ? trace->warmup : trace->count) - from;
        piece = 1 + below(left);
        fine &= margay_prefixes_feed(prefixes, trace->blocks + from,
                                     trace->requests + from, piece,
                                     NULL) == MARGAY_OK;
        if (from + piece == trace->warmup)
            margay_prefixes_reset_counts(prefixes);
        if (one_in(4)) {
            fine &= margay_prefixes_peek(prefixes, result, NULL) == MARGAY_OK;
            margay_prefixes_result_clear(result);
        }
    }
    fine &= (below(2) ? margay_prefixes_peek : margay_prefixes_finish)(
                prefixes, result, NULL) == MARGAY_OK;
    margay_prefixes_free(prefixes);
    return fine;
}

/* Requests that share beginnings, now and then with a block twice, or of any
   blocks. */
static void make_trace(struct trace *trace)
{
    uint64_t ids = 2 + below(MOST_IDS - 1);
    uint64_t longest = 1 + below(12);
    bool any = one_in(3);
    trace->count = below(MOST_BLOCKS + 1);
    trace->warmup = one_in(3) ? below(trace->count + 1) : 0;
    for (size_t from = 0, i = 0; i < trace->count; from = i) {
        uint64_t length = 1 + below(longest);
        uint64_t first = below(ids);
        for (; i < trace->count && i < from + length; i++) {
            trace->requests[i] = from;
            trace->blocks[i] =
                any || one_in(8) ? below(ids) : (first + (i - from)) % ids;
        }
    }
}

static unsigned wrong_sizes(const struct trace *trace,
                            const struct margay_prefixes_options *options)
{
    struct margay_prefixes_result result;
    unsigned wrong = 0;
    if (!measure(trace, options, &result))
        return 1;
    uint64_t bound = options->engine_options.bound_blocks;
    bool within = margay_histogram_exceeded_bound(result.blocks.histogram) == 0;
    for (size_t size = 1; size <= (within ? MOST_IDS : bound); size++) {
        struct misses expected = simulate(trace, size, options->touch);
        wrong += at_size(result.blocks.histogram, size) != expected.blocks;
        wrong += at_size(result.requests, size) != expected.requests;
    }
    margay_prefixes_result_clear(&result);
    return wrong;
}

static void test_random(enum margay_touch touch, bool bounded)
{
    static const char *const engines[] = {"exact", "exact", "naive", "olken"};
    struct trace trace;
    unsigned wrong = 0;
    uint64_t cases = rounds(5000);
    seed_chance(20 + touch + 2 * bounded);
    for (uint64_t i = 0; i < cases; i++) {
        struct margay_prefixes_options options =
            MARGAY_PREFIXES_OPTIONS_DEFAULT;
        make_trace(&trace);
        options.engine = engines[below(4)];
        options.touch = touch;
        if (bounded)
            options.engine_options.bound_blocks = 1 + below(MOST_IDS);
        wrong += wrong_sizes(&trace, &options);
    }
    CHECK_U64(wrong, 0, "%" PRIu64 " random traces, %s%s", cases,
              touch == MARGAY_FRONT_TO_BACK ? "front to back" : "back to front",
              bounded ? ", with bounds" : "");
}

static void test_refusals(void)
{
    struct margay_prefixes_options options = MARGAY_PREFIXES_OPTIONS_DEFAULT;
    margay_prefixes *prefixes;
    struct margay_error error;
    options.engine = "shards";
    CHECK(margay_prefixes_create(&options, &prefixes, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              prefixes == NULL,
          "an engine that samples is refused");
    CHECK(strstr(error.message, "shards") != NULL, "by name");
    options.engine = "nothing";
    CHECK(margay_prefixes_create(&options, &prefixes, &error) ==
              MARGAY_BAD_ARGUMENT,
          "so is one that there is not");
    margay_prefixes_free(NULL);
}

int main(void)
{
    test_random(MARGAY_FRONT_TO_BACK, false);
    test_random(MARGAY_BACK_TO_FRONT, false);
    test_random(MARGAY_FRONT_TO_BACK, true);
    test_random(MARGAY_BACK_TO_FRONT, true);
    test_refusals();
    return tap_done();
}
