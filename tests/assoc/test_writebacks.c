/*
 * test_writebacks.c - the write-backs of all cache sizes against caches that
 * are simulated alone
 */
#include "tests/assoc/shapes.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define REFS 500

static uint64_t blocks[REFS], distances[REFS];
static uint8_t kinds[REFS];

static uint64_t alone(unsigned ways, size_t warmup)
{
    struct margay_cache_options options = {.ways = ways};
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_cache_feed(cache, blocks, kinds, warmup);
    margay_cache_reset_counts(cache);
    margay_cache_feed(cache, blocks + warmup, kinds + warmup, REFS - warmup);
    uint64_t writebacks = margay_cache_counts(cache)->writebacks;
    margay_cache_free(cache);
    return writebacks;
}

static void find_distances(void)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    if (margay_engine_create("naive", &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, REFS, distances, NULL) != MARGAY_OK)
        exit(1);
    margay_engine_free(engine);
}

static uint64_t count_wrong(size_t warmup)
{
    margay_writebacks *w;
    const size_t some = (REFS - warmup) / 3; /* a look changes nothing */
    struct margay_point sizes[MARGAY_MOST_WAYS];
    uint64_t found[MARGAY_MOST_WAYS], wrong = 0;
    find_distances();
    if (margay_writebacks_create(&w, NULL) != MARGAY_OK ||
        margay_writebacks_feed(w, blocks, kinds, distances, warmup, NULL) !=
            MARGAY_OK ||
        margay_writebacks_reset_counts(w, NULL) != MARGAY_OK ||
        margay_writebacks_feed(w, blocks + warmup, kinds + warmup,
                               distances + warmup, some, NULL) != MARGAY_OK ||
        margay_writebacks_settle(w, NULL) != MARGAY_OK ||
        margay_writebacks_feed(w, blocks + warmup + some, kinds + warmup + some,
                               distances + warmup + some, REFS - warmup - some,
                               NULL) != MARGAY_OK ||
        margay_writebacks_settle(w, NULL) != MARGAY_OK)
        exit(1);
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++)
        sizes[i] = (struct margay_point){.cache_blocks = i + 1};
    margay_writebacks_curve(w, sizes, MARGAY_MOST_WAYS, found);
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++)
        wrong += found[i] != alone(i + 1, warmup);
    margay_writebacks_free(w);
    return wrong;
}

static void test_shape(enum shape shape)
{
    uint64_t wrong = 0;
    seed_chance(900 + shape);
    for (uint64_t i = 0; i < rounds(60); i++) {
        shape_fill(shape, blocks, kinds, REFS);
        for (size_t j = 0; j < REFS; j++) {
            blocks[j] >>= 2 * (i % 5);
            /* Writes are rare in some rounds. */
            if (kinds[j] == MARGAY_WRITE && j % 9 < i % 9)
                kinds[j] = MARGAY_READ;
        }
        wrong += count_wrong(i % 2 == 0 ? 0 : 150);
    }
    CHECK_U64(wrong, 0, "%s traces: write-backs of 64 sizes",
              shape_names[shape]);
}

int main(void)
{
    for (int shape = 0; shape < SHAPES; shape++)
        test_shape((enum shape)shape);
    return tap_done();
}
