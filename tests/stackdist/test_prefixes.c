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
#include "tests/stackdist/belady.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/prefixes.h>

#define MOST_REFS 120

struct trace {
    size_t count, warmup;
    uint64_t blocks[MOST_REFS], requests[MOST_REFS];
    uint64_t tokens[MOST_REFS];
    bool has_tokens;
    uint64_t block_tokens; /* 0 = not known */
};

/* ---------------------------------------------------------------- caches -- */

static size_t find(const struct cache *cache, uint64_t block)
{
    size_t i = 0;
    while (i < cache->count && cache->blocks[i] != block)
        i++;
    return i;
}

/* The most recent block comes first. */
static void use(struct cache *cache, size_t room, uint64_t block)
{
    size_t i = find(cache, block);
    if (i == cache->count && cache->count < room)
        cache->count++;
    else if (i == cache->count)
        i--;
    memmove(cache->blocks + 1, cache->blocks, i * sizeof *cache->blocks);
    cache->blocks[0] = block;
}

struct misses {
    uint64_t blocks, requests, tokens;
};

/* The tokens of the blocks [from, to) of a request, and those after its
   blocks. */
static uint64_t tokens_between(const struct trace *trace, size_t first,
                               size_t from, size_t to)
{
    uint64_t tokens = 0;
    for (size_t i = from; i < to; i++) {
        uint64_t before = (i - first) * trace->block_tokens;
        uint64_t all =
            trace->has_tokens ? trace->tokens[first] : MARGAY_TOKENS_UNKNOWN;
        uint64_t left = all < before ? 0 : all - before;
        tokens += left < trace->block_tokens ? left : trace->block_tokens;
    }
    return tokens;
}

static uint64_t tail_of(const struct trace *trace, size_t first, size_t to)
{
    uint64_t blocks = (to - first) * trace->block_tokens;
    uint64_t all = trace->has_tokens ? trace->tokens[first] : 0;
    return all >= MARGAY_TOKENS_UNKNOWN || all < blocks ? 0 : all - blocks;
}

static struct misses simulate(const struct trace *trace, size_t room,
                              enum margay_touch touch,
                              enum margay_measure measure)
{
    struct cache cache = {.count = 0};
    struct misses misses = {0};
    for (size_t from = 0, to; from < trace->count; from = to) {
        for (to = from;
             to < trace->count && trace->requests[to] == trace->requests[from];)
            to++;
        if (trace->has_tokens && trace->tokens[from] >= MARGAY_NO_BLOCK) {
            uint64_t alone = trace->tokens[from] - MARGAY_NO_BLOCK;
            if (to > trace->warmup && alone != MARGAY_TOKENS_UNKNOWN)
                misses.tokens += alone;
            continue;
        }
        size_t missing = from;
        while (missing < to &&
               find(&cache, trace->blocks[missing]) < cache.count)
            missing++;
        size_t counted = missing > trace->warmup ? missing : trace->warmup;
        misses.blocks += counted < to ? to - counted : 0;
        misses.requests += to > trace->warmup && missing < to;
        if (counted < to)
            misses.tokens += tokens_between(trace, from, counted, to);
        if (to > trace->warmup)
            misses.tokens += tail_of(trace, from, to);
        for (size_t i = from; i < to; i++) {
            size_t at = touch == MARGAY_FRONT_TO_BACK ? i : to - 1 - (i - from);
            if (measure == MARGAY_REUSE_DISTANCES)
                use(&cache, room, trace->blocks[at]);
            else
                refer(&cache, room, trace->blocks, trace->count, i,
                      measure == MARGAY_OPTIMAL_BYPASS_DISTANCES);
        }
    }
    return misses;
}

/* --------------------------------------------------------------- margay -- */

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
        fine &= margay_prefixes_feed(
                    prefixes, trace->blocks + from, trace->requests + from,
                    trace->has_tokens ? trace->tokens + from : NULL, piece,
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
    uint64_t ids = 2 + below(MOST_BLOCKS - 1);
    uint64_t longest = 1 + below(12);
    bool any = one_in(3);
    trace->count = below(MOST_REFS + 1);
    trace->has_tokens = below(3) > 0;
    trace->block_tokens = below(6);
    trace->warmup = one_in(3) ? below(trace->count + 1) : 0;
    for (size_t from = 0, i = 0; i < trace->count; from = i) {
        uint64_t length = 1 + below(longest);
        uint64_t first = below(ids);
        uint64_t tokens = one_in(4) ? MARGAY_TOKENS_UNKNOWN : below(8 * length);
        if (trace->has_tokens && one_in(8)) {
            tokens |= MARGAY_NO_BLOCK;
            length = 1;
        }
        for (; i < trace->count && i < from + length; i++) {
            trace->requests[i] = from;
            trace->tokens[i] = tokens;
            trace->blocks[i] =
                any || one_in(8) ? below(ids) : (first + (i - from)) % ids;
            /* It is no use of a block. */
            if (trace->has_tokens && tokens >= MARGAY_NO_BLOCK)
                trace->blocks[i] = UINT64_MAX;
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
    for (size_t size = 1; size <= (within ? MOST_BLOCKS : bound); size++) {
        struct misses expected = simulate(trace, size, options->touch,
                                          options->engine_options.measure);
        wrong += misses_of(result.blocks.histogram, size) != expected.blocks;
        wrong += misses_of(result.requests, size) != expected.requests;
        if (trace->block_tokens > 0)
            wrong += misses_of(result.tokens, size) != expected.tokens;
        else
            wrong += result.tokens != NULL;
    }
    margay_prefixes_result_clear(&result);
    return wrong;
}

static void test_random(enum margay_touch touch, bool bounded,
                        enum margay_measure measure)
{
    static const char *const engines[] = {"exact", "exact", "naive", "olken"};
    bool optimal = measure != MARGAY_REUSE_DISTANCES;
    struct trace trace;
    unsigned wrong = 0;
    uint64_t cases = rounds(5000);
    seed_chance(20 + touch + 2 * bounded);
    for (uint64_t i = 0; i < cases; i++) {
        struct margay_prefixes_options options =
            MARGAY_PREFIXES_OPTIONS_DEFAULT;
        make_trace(&trace);
        options.engine = optimal ? "exact" : engines[below(4)];
        options.engine_options.measure = measure;
        options.touch = touch;
        options.block_tokens = trace.block_tokens;
        if (bounded)
            options.engine_options.bound_blocks = 1 + below(MOST_BLOCKS);
        wrong += wrong_sizes(&trace, &options);
    }
    CHECK_U64(wrong, 0, "%" PRIu64 " random traces, %s%s%s", cases,
              optimal ? "the optimum, " : "",
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
    test_random(MARGAY_FRONT_TO_BACK, false, MARGAY_REUSE_DISTANCES);
    test_random(MARGAY_BACK_TO_FRONT, false, MARGAY_REUSE_DISTANCES);
    test_random(MARGAY_FRONT_TO_BACK, true, MARGAY_REUSE_DISTANCES);
    test_random(MARGAY_BACK_TO_FRONT, true, MARGAY_REUSE_DISTANCES);
    test_random(MARGAY_FRONT_TO_BACK, false, MARGAY_OPTIMAL_DISTANCES);
    test_random(MARGAY_BACK_TO_FRONT, true, MARGAY_OPTIMAL_DISTANCES);
    test_random(MARGAY_FRONT_TO_BACK, false, MARGAY_OPTIMAL_BYPASS_DISTANCES);
    test_random(MARGAY_BACK_TO_FRONT, true, MARGAY_OPTIMAL_BYPASS_DISTANCES);
    test_refusals();
    return tap_done();
}
