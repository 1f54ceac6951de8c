/*
 * test_levels.c - every cache of many grids against one that is simulated
 * alone
 */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define REFS 400
/* More than one of the lists that levels are passed with. */
#define LONG_REFS 140000

static uint64_t numbers[LONG_REFS], blocks[LONG_REFS];
static uint8_t kinds[LONG_REFS];
static size_t refs = REFS;

/* A grid that owns its lists. */
struct case_grid {
    unsigned block_shifts[8], set_shifts[16];
    struct margay_grid grid;
};

static void random_list(unsigned *list, size_t *count, size_t most_count,
                        unsigned most)
{
    unsigned value = (unsigned)below(3);
    size_t wanted = 1 + below(most_count);
    for (*count = 0; *count < wanted && value <= most; (*count)++) {
        list[*count] = value;
        value += 1 + (one_in(4));
    }
}

/* `spread` shifts the last block size away from the others, which leaves room
   for few regions in a 32-bit number, or none. */
static void random_grid(struct case_grid *g, unsigned spread)
{
    g->grid.block_shifts = g->block_shifts;
    g->grid.set_shifts = g->set_shifts;
    random_list(g->block_shifts, &g->grid.block_count, 3, 12);
    random_list(g->set_shifts, &g->grid.set_count, 7, 10);
    /* Few ways of many sets share the lines of the processor's cache. */
    unsigned further = one_in(8) ? 6 : 0;
    for (size_t i = 0; i < g->grid.set_count; i++)
        g->set_shifts[i] += further;
    g->block_shifts[g->grid.block_count] =
        g->block_shifts[g->grid.block_count - 1] + 1 + spread;
    g->grid.block_count++;
    static const unsigned most[] = {1, 3, 4, 8, 12, 16, 17, 20, 33, 64};
    g->grid.most_ways = most[below(10)];
}

/* The misses of one cache alone, of each kind. */
static struct margay_cache_counts alone(const struct case_grid *g,
                                        size_t block_index, size_t set_index,
                                        unsigned ways, size_t warmup)
{
    struct margay_cache_options options = {
        .sets = UINT64_C(1) << g->set_shifts[set_index], .ways = ways};
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        abort();
    for (size_t i = 0; i < refs; i++)
        blocks[i] = numbers[i] >> g->block_shifts[block_index];
    margay_cache_feed(cache, blocks, kinds, warmup);
    margay_cache_reset_counts(cache);
    margay_cache_feed(cache, blocks + warmup, kinds + warmup, refs - warmup);
    struct margay_cache_counts counts = *margay_cache_counts(cache);
    margay_cache_free(cache);
    return counts;
}

static margay_assoc *simulate(const struct case_grid *g, const char *target,
                              unsigned threads, bool by_kind, size_t warmup)
{
    struct margay_assoc_options options = {threads, by_kind, target};
    margay_assoc *assoc;
    struct margay_error error;
    if (margay_assoc_create(&g->grid, &options, &assoc, &error) != MARGAY_OK) {
        printf("# %s\n", error.message);
        exit(1);
    }
    if (margay_assoc_feed(assoc, numbers, kinds, warmup, NULL) != MARGAY_OK)
        exit(1);
    margay_assoc_reset_counts(assoc);
    /* In odd portions, so that lists end in odd places. */
    for (size_t done = warmup; done < refs;) {
        size_t portion = refs - done < 77 ? refs - done : 77;
        if (margay_assoc_feed(assoc, numbers + done, kinds + done, portion,
                              NULL) != MARGAY_OK)
            exit(1);
        done += portion;
    }
    return assoc;
}

#define VARIANTS 12

/* Every target, threads, kinds. */
static void simulate_variants(const struct case_grid *g, size_t warmup,
                              margay_assoc **variants)
{
    size_t count = 0;
    for (int target = MARGAY_TARGET_PORTABLE; target <= MARGAY_TARGET_V4;
         target++) {
        const char *name = margay_target_name((enum margay_target)target);
        bool there = margay_target_available((enum margay_target)target);
        for (unsigned i = 0; i < 4; i++)
            variants[count++] =
                there ? simulate(g, name, 1 + 2 * (i / 2), i % 2, warmup)
                      : NULL;
    }
}

static bool same_misses(margay_assoc *assoc, bool by_kind, size_t block_index,
                        size_t set_index, unsigned ways,
                        const struct margay_cache_counts *expected)
{
    uint64_t all = 0;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        all += expected->misses[kind];
        if (by_kind && margay_assoc_misses(assoc, block_index, set_index, ways,
                                           MARGAY_KIND_BIT(kind)) !=
                           expected->misses[kind])
            return false;
    }
    return margay_assoc_misses(assoc, block_index, set_index, ways,
                               MARGAY_ALL_KINDS) == all;
}

/* All caches of a grid; returns how many were wrong. */
static uint64_t check_grid(const struct case_grid *g, size_t warmup,
                           uint64_t *caches)
{
    margay_assoc *variants[VARIANTS];
    uint64_t wrong = 0;
    simulate_variants(g, warmup, variants);
    for (size_t b = 0; b < g->grid.block_count; b++) {
        for (size_t s = 0; s < g->grid.set_count; s++) {
            for (unsigned ways = 1; ways <= g->grid.most_ways;
                 ways += refs == REFS ? 1 : 3) {
                struct margay_cache_counts counts =
                    alone(g, b, s, ways, warmup);
                (*caches)++;
                for (unsigned v = 0; v < VARIANTS; v++) {
                    if (variants[v] == NULL ||
                        same_misses(variants[v], v % 2, b, s, ways, &counts))
                        continue;
                    if (wrong++ == 0)
                        printf("# variant %u, block shift %u, set shift %u, "
                               "%u of %u ways\n",
                               v, g->block_shifts[b], g->set_shifts[s], ways,
                               g->grid.most_ways);
                }
            }
        }
    }
    for (unsigned v = 0; v < VARIANTS; v++)
        margay_assoc_free(variants[v]);
    return wrong;
}

/* The spreads: many regions, a few, none. */
static void test_shape(enum shape shape, uint64_t cases, uint64_t *caches)
{
    static const unsigned spreads[] = {0, 18, 40};
    uint64_t wrong = 0;
    seed_chance(100 + shape);
    for (uint64_t i = 0; i < cases; i++) {
        struct case_grid g;
        random_grid(&g, spreads[i % 3]);
        make_accesses(shape, numbers, kinds, REFS);
        wrong += check_grid(&g, i % 4 == 0 ? 50 : 0, caches);
    }
    CHECK_U64(wrong, 0, "%s traces: every cache as if it were alone",
              shape_names[shape]);
}

/* Levels that are passed together, from list to list, with tags of 32 bits and
   of 64: the last of the block sizes leaves no room for narrow ones. */
static void test_long(enum shape shape, unsigned ways, uint64_t *caches)
{
    struct case_grid g = {.block_shifts = {0, 2, ways == 8 ? 50 : 3},
                          .set_shifts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                          .grid = {.block_count = 3, .set_count = 11}};
    g.grid.block_shifts = g.block_shifts;
    g.grid.set_shifts = g.set_shifts;
    g.grid.most_ways = ways;
    refs = rounds(LONG_REFS);
    refs = refs < LONG_REFS ? refs : LONG_REFS;
    seed_chance(200 + shape);
    make_accesses(shape, numbers, kinds, refs);
    CHECK_U64(check_grid(&g, 100, caches), 0, "%s, %u ways, %zu references",
              shape_names[shape], ways, refs);
    refs = REFS;
}

static void test_refusals(void)
{
    static const unsigned one[] = {0}, far[] = {25}, twice[] = {3, 3},
                          over[] = {64}, most[] = {24};
    unsigned finest[40];
    static const struct margay_grid bad[] = {
        {one, 0, one, 1, 1},   {one, 1, one, 0, 1},   {one, 1, one, 1, 0},
        {one, 1, one, 1, 65},  {one, 1, far, 1, 1},   {over, 1, one, 1, 1},
        {twice, 2, one, 1, 1}, {one, 1, twice, 2, 1},
    };
    struct margay_assoc_options options = MARGAY_ASSOC_OPTIONS_DEFAULT;
    struct margay_error error;
    margay_assoc *assoc;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(margay_assoc_create(&bad[i], &options, &assoc, &error) ==
                      MARGAY_BAD_ARGUMENT &&
                  assoc == NULL,
              "bad grid %zu", i);
    }
    for (unsigned i = 0; i < 40; i++)
        finest[i] = i;
    struct margay_grid huge = {finest, 40, most, 1, 64};
    CHECK_U64(margay_grid_bytes(&huge), UINT64_C(40) << 32, "40 times 4 GiB");
    CHECK(margay_grid_bytes(&bad[0]) == UINT64_MAX, "a bad grid has no size");
    options.target = "v9";
    struct margay_grid good = {one, 1, one, 1, 1};
    CHECK(margay_assoc_create(&good, &options, &assoc, &error) ==
              MARGAY_BAD_ARGUMENT,
          "unknown target: %s", error.message);
}

/* Nothing fed, and counts taken in between. */
static void test_empty(void)
{
    static const unsigned zero[] = {0};
    static const uint64_t block = UINT64_MAX;
    struct margay_grid grid = {zero, 1, zero, 1, 2};
    struct margay_assoc_options options = MARGAY_ASSOC_OPTIONS_DEFAULT;
    margay_assoc *assoc;
    if (margay_assoc_create(&grid, &options, &assoc, NULL) != MARGAY_OK)
        exit(1);
    CHECK_U64(margay_assoc_misses(assoc, 0, 0, 1, 7), 0, "no references");
    margay_assoc_feed(assoc, &block, NULL, 1, NULL);
    CHECK_U64(margay_assoc_misses(assoc, 0, 0, 1, 7), 1, "one, 2^64 - 1");
    margay_assoc_feed(assoc, &block, NULL, 1, NULL);
    CHECK_U64(margay_assoc_misses(assoc, 0, 0, 1, 7), 1, "the same again");
    CHECK_U64(margay_assoc_references(assoc, 7), 2, "two references");
    margay_assoc_free(assoc);
    margay_assoc_free(NULL);
}

int main(void)
{
    uint64_t caches = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        test_shape((enum shape)shape, rounds(70), &caches);
    test_long(DRIFT, 16, &caches);
    test_long(UNIFORM, 40, &caches);
    test_long(LOOP, 8, &caches);
    printf("# %" PRIu64 " caches\n", caches);
    test_refusals();
    test_empty();
    return tap_done();
}
