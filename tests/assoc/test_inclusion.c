/*
 * test_inclusion.c - what must hold between the caches of a grid, on traces
 * too long for simulating each alone
 */
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define REFS (UINT64_C(1) << 17)
#define SETS 13
#define WAYS 40

static const unsigned set_shifts[SETS] = {0, 1, 2, 3,  4,  5, 6,
                                          7, 8, 9, 10, 11, 12};
static uint64_t numbers[REFS], blocks[REFS];

/* Misses of one set of w ways are those of the miss curve at w blocks. */
static unsigned compare_curve(margay_assoc *assoc, size_t block_index)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    struct margay_result result;
    uint64_t list[WAYS];
    struct margay_point *points;
    size_t count;
    unsigned wrong = 0;
    for (unsigned w = 0; w < WAYS; w++)
        list[w] = w + 1;
    struct margay_sizes sizes = {MARGAY_SIZES_LIST, 0, list, WAYS};
    if (margay_engine_create("exact", &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, REFS, NULL, NULL) != MARGAY_OK ||
        margay_engine_finish(engine, &result, NULL) != MARGAY_OK ||
        margay_histogram_curve(result.histogram, &sizes, &points, &count,
                               NULL) != MARGAY_OK)
        exit(1);
    for (unsigned w = 0; w < WAYS; w++)
        wrong += points[w].misses !=
                 margay_assoc_misses(assoc, block_index, 0, w + 1, 7);
    free(points);
    margay_histogram_free(result.histogram);
    margay_engine_free(engine);
    return wrong;
}

/* More ways, or more sets, never miss more often. */
static unsigned count_breaches(margay_assoc *assoc, size_t block_index)
{
    unsigned wrong = 0;
    for (size_t s = 0; s < SETS; s++) {
        for (unsigned w = 1; w <= WAYS; w++) {
            uint64_t misses = margay_assoc_misses(assoc, block_index, s, w, 7);
            wrong += w > 1 && misses > margay_assoc_misses(assoc, block_index,
                                                           s, w - 1, 7);
            wrong += s > 0 && misses > margay_assoc_misses(assoc, block_index,
                                                           s - 1, w, 7);
        }
    }
    return wrong;
}

static void test_trace(const char *name, unsigned threads)
{
    static const unsigned shifts[] = {0, 3};
    struct margay_grid grid = {shifts, 2, set_shifts, SETS, WAYS};
    struct margay_assoc_options options = {threads, false, NULL};
    margay_assoc *assoc;
    if (margay_assoc_create(&grid, &options, &assoc, NULL) != MARGAY_OK ||
        margay_assoc_feed(assoc, numbers, NULL, REFS, NULL) != MARGAY_OK)
        exit(1);
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < REFS; i++)
            blocks[i] = numbers[i] >> shifts[b];
        CHECK_U64(compare_curve(assoc, b), 0,
                  "%s, block shift %u: one set is fully associative", name,
                  shifts[b]);
        CHECK_U64(count_breaches(assoc, b), 0,
                  "%s, block shift %u: inclusion and refinement", name,
                  shifts[b]);
    }
    margay_assoc_free(assoc);
}

/* Each of them fills several lists of references, on one thread or more. */
int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 5);
    for (uint64_t i = 0; i < REFS; i++)
        numbers[i] = margay_random_below(&random, 20000);
    test_trace("uniform", 1);
    for (uint64_t i = 0; i < REFS; i++)
        numbers[i] = i % 3 == 0 ? margay_random_u64(&random)
                                : margay_random_below(&random, 500);
    test_trace("half scattered", 1);
    test_trace("half scattered, threads", 3);
    for (uint64_t i = 0; i < REFS; i++)
        numbers[i] = i % 7000;
    test_trace("a loop", 2);
    return tap_done();
}
