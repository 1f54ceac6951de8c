/*
 * test_opt.c - optimal replacement in many caches at a time, against single
 * ones that know when each block is used next
 */
#include "tests/assoc/naive_cache.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define REFS 700

static uint64_t numbers[REFS], blocks[REFS], next_uses[REFS];
static uint8_t kinds[REFS];

static void feed(margay_opt *opt, size_t from, size_t to)
{
    if (margay_opt_feed(opt, blocks + from, kinds + from, to - from, NULL) !=
        MARGAY_OK)
        exit(1);
}

static void find_next_uses(void)
{
    for (size_t i = 0; i < REFS; i++) {
        size_t next = i + 1;
        while (next < REFS && blocks[next] != blocks[i])
            next++;
        next_uses[i] = next < REFS ? next : UINT64_MAX;
    }
}

/* Do the misses of each kind differ from those of one cache?  References
   before `warmup` do not count. */
static bool differs(const margay_opt *opt, size_t set,
                    const struct margay_cache_options *options, size_t warmup)
{
    struct naive_cache naive;
    bool wrong = false;
    naive_create(&naive, options);
    for (size_t i = 0; i < REFS; i++) {
        if (i == warmup)
            naive.counts = (struct margay_cache_counts){0};
        naive_reference(&naive, blocks[i], next_uses[i],
                        (enum margay_kind)kinds[i]);
    }
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        wrong |=
            margay_opt_misses(opt, set, options->ways, MARGAY_KIND_BIT(kind)) !=
            naive.counts.misses[kind];
    naive_free(&naive);
    return wrong;
}

/* Of some numbers of sets, up to a number of ways that is large for some. */
static uint64_t compare(uint64_t *caches)
{
    bool fold = one_in(3);
    uint64_t sets[3], wrong = 0;
    for (size_t i = 0; i < 3; i++)
        sets[i] = fold ? UINT64_C(1) << below(10) : 1 + below(i == 0 ? 4 : 300);
    const struct margay_opt_options options = {
        .sets = sets,
        .set_count = 3,
        .index = fold ? MARGAY_INDEX_XOR : MARGAY_INDEX_MODULO,
        .most_ways = 1 + (unsigned)below(2) * 125 + (unsigned)below(20),
        .bypass = one_in(2),
        .threads = 1 + (unsigned)below(3),
    };
    margay_opt *opt;
    if (margay_opt_create(&options, &opt, NULL) != MARGAY_OK)
        exit(1);
    size_t warmup = (size_t)below(REFS);
    feed(opt, 0, warmup);
    margay_opt_reset_counts(opt);
    feed(opt, warmup, REFS);
    for (size_t i = 0; i < 6; i++, ++*caches) {
        const struct margay_cache_options alone = {
            .sets = sets[i % 3],
            .index = options.index,
            .ways = 1 + (uint32_t)below(options.most_ways),
            .policy = options.bypass ? "opt:bypass=on" : "opt",
        };
        wrong += differs(opt, i % 3, &alone, warmup);
    }
    margay_opt_free(opt);
    return wrong;
}

static void test_caches(enum shape shape)
{
    uint64_t wrong = 0, caches = 0;
    seed_chance(300 + shape);
    for (uint64_t i = 0; i < rounds(100); i++) {
        make_accesses(shape, numbers, kinds, REFS);
        uint64_t few = 1 + below(400);
        for (size_t j = 0; j < REFS; j++)
            blocks[j] = i % 3 == 0 ? numbers[j] % few : numbers[j] >> i % 8;
        find_next_uses();
        wrong += compare(&caches);
    }
    CHECK_U64(wrong, 0, "%s traces: as single caches (%" PRIu64 " caches)",
              shape_names[shape], caches);
}

static void test_refused(void)
{
    static const uint64_t sets[] = {1, 3, 0};
    const struct margay_opt_options good = {
        .sets = sets, .set_count = 2, .most_ways = 4, .threads = 1};
    struct margay_opt_options bad[4] = {good, good, good, good};
    bad[0].index = MARGAY_INDEX_XOR;
    bad[1].set_count = 3;
    bad[2].set_count = 0;
    bad[3].most_ways = 0;
    for (size_t i = 0; i < 4; i++) {
        margay_opt *opt;
        struct margay_error error;
        CHECK(margay_opt_create(&bad[i], &opt, &error) == MARGAY_BAD_ARGUMENT &&
                  opt == NULL,
              "refused: %s", error.message);
    }
    const struct margay_cache_options alone = {.ways = 4, .policy = "opt"};
    margay_cache *cache;
    struct margay_error error;
    CHECK(margay_cache_create(&alone, &cache, &error) == MARGAY_BAD_ARGUMENT &&
              cache == NULL,
          "refused: %s", error.message);
}

int main(void)
{
    test_refused();
    for (int shape = 0; shape < SHAPES; shape++)
        test_caches((enum shape)shape);
    return tap_done();
}
