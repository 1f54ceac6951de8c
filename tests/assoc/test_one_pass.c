/*
 * test_one_pass.c - caches of many sizes in one pass: FIFO against queues, the
 * optimum against single caches that know when each block is used next, and the
 * numbers of blocks against a list
 */
#include "assoc/numbering.h"
#include "assoc/one_pass/fifo.h"
#include "tests/assoc/naive_cache.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

/* ----------------------------------------------------------------- fifo -- */

#define FIFO_REFS    4000
#define FIFO_OBJECTS 300

static uint32_t refs[FIFO_REFS];

static void make_refs(uint32_t objects)
{
    for (size_t i = 0; i < FIFO_REFS; i++) {
        uint32_t limit = one_in(3) ? objects : objects / 4 + 1;
        refs[i] = (uint32_t)below(limit);
    }
}

/* The misses from `warmup` on in a queue of `size` objects. */
static uint64_t misses_of_queue(uint64_t size, size_t warmup)
{
    static uint32_t queue[FIFO_REFS];
    size_t first = 0, end = 0;
    uint64_t misses = 0;
    for (size_t i = 0; i < FIFO_REFS; i++) {
        size_t at = first;
        while (at < end && queue[at] != refs[i])
            at++;
        if (at < end)
            continue;
        misses += i >= warmup;
        first += end - first == size;
        queue[end++] = refs[i];
    }
    return misses;
}

/* Numbers begin anywhere, and references come in pieces. */
static unsigned wrong_sizes(const struct margay_fifo_options *options)
{
    size_t warmup = below(2) * (FIFO_REFS / 3);
    unsigned wrong = 0;
    margay_fifo *fifo;
    if (margay_fifo_create(options, &fifo, NULL) != MARGAY_OK)
        exit(1);
    for (size_t done = 0, piece; done < FIFO_REFS; done += piece) {
        size_t left = done < warmup ? warmup - done : FIFO_REFS - done;
        piece = 1 + below(left);
        if (done == warmup)
            margay_fifo_reset_counts(fifo);
        margay_fifo_feed(fifo, refs + done, piece);
    }
    for (size_t i = 0; i < options->count; i++)
        wrong += margay_fifo_misses(fifo, i) !=
                 misses_of_queue(options->cache_blocks[i], warmup);
    margay_fifo_free(fifo);
    return wrong;
}

static unsigned wrong_in_round(bool at_the_end)
{
    uint64_t sizes[MARGAY_FIFO_SIZES];
    struct margay_fifo_options options = {
        .cache_blocks = sizes,
        .count = 1 + below(MARGAY_FIFO_SIZES),
        .objects = 2 + (uint32_t)below(FIFO_OBJECTS),
    };
    for (size_t i = 0; i < options.count; i++)
        sizes[i] = 1 + below(FIFO_OBJECTS + 50);
    sizes[0] = one_in(4) ? UINT64_MAX : sizes[0];
    /* Numbers are renumbered when 2^20 of them are left: here soon, or before
       the first reference. */
    if (at_the_end)
        options.earlier_insertions = UINT32_MAX - FIFO_OBJECTS - 2 -
                                     (uint32_t)below(FIFO_REFS) -
                                     (uint32_t)(below(2) << 20);
    make_refs(options.objects);
    return wrong_sizes(&options);
}

static void test_queues(void)
{
    unsigned wrong = 0, wrong_at_end = 0;
    seed_chance(5);
    for (uint64_t i = 0; i < rounds(300); i++) {
        wrong += wrong_in_round(false);
        wrong_at_end += wrong_in_round(true);
    }
    CHECK_U64(wrong, 0, "as many misses as queues have");
    CHECK_U64(wrong_at_end, 0, "where numbers of insertions come to an end");
}

static void test_kernels(void)
{
    static margay_fifo_kernel *const kernels[] = {
        [MARGAY_TARGET_PORTABLE] = margay_fifo_kernel_portable,
#if defined(__x86_64__)
        [MARGAY_TARGET_V3] = margay_fifo_kernel_v3,
        [MARGAY_TARGET_V4] = margay_fifo_kernel_v4,
#endif
    };
    static margay_fifo_lanes tables[3][FIFO_OBJECTS];
    margay_fifo_lanes capacity, inserted[3];
    seed_chance(6);
    make_refs(FIFO_OBJECTS);
    for (uint32_t i = 0; i < MARGAY_FIFO_SIZES; i++)
        capacity[i] = 1 + 17 * i;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        if (!margay_target_available((enum margay_target)k)) {
            tap_skip("a level of the processor", "it does not run here");
            continue;
        }
        inserted[k] = capacity;
        kernels[k](tables[k], &capacity, &inserted[k], refs, FIFO_REFS);
        CHECK(memcmp(tables[k], tables[0], sizeof tables[k]) == 0 &&
                  memcmp(&inserted[k], &inserted[0], sizeof inserted[k]) == 0,
              "the table of %s", margay_target_name((enum margay_target)k));
    }
}

static void test_fifo_refusals(void)
{
    uint64_t sizes[MARGAY_FIFO_SIZES + 1] = {1};
    struct margay_fifo_options options = {.cache_blocks = sizes, .count = 1};
    margay_fifo *fifo;
    CHECK(margay_fifo_create(&options, &fifo, NULL) == MARGAY_BAD_ARGUMENT &&
              fifo == NULL,
          "no objects");
    options.objects = MARGAY_FIFO_MOST_OBJECTS + 1;
    CHECK(margay_fifo_create(&options, &fifo, NULL) == MARGAY_BAD_ARGUMENT,
          "too many objects");
    options.objects = 1;
    options.count = MARGAY_FIFO_SIZES + 1;
    CHECK(margay_fifo_create(&options, &fifo, NULL) == MARGAY_BAD_ARGUMENT,
          "too many sizes");
    margay_fifo_free(NULL);
    margay_numbering_free(NULL);
}

static void test_numbering(void)
{
    static uint64_t blocks[FIFO_REFS], seen[FIFO_REFS];
    static uint32_t numbers[FIFO_REFS];
    size_t distinct = 0, wrong = 0;
    margay_numbering *numbering;
    seed_chance(7);
    if (margay_numbering_create(&numbering, NULL) != MARGAY_OK)
        exit(1);
    for (size_t i = 0; i < FIFO_REFS; i++)
        blocks[i] = UINT64_MAX - below(2500);
    blocks[100] = 0;
    for (size_t done = 0, piece; done < FIFO_REFS; done += piece) {
        piece = 1 + below(FIFO_REFS - done);
        if (margay_numbering_feed(numbering, blocks + done, piece,
                                  numbers + done, NULL) != MARGAY_OK)
            exit(1);
    }
    for (size_t i = 0; i < FIFO_REFS; i++) {
        size_t at = 0;
        while (at < distinct && seen[at] != blocks[i])
            at++;
        wrong += numbers[i] != at;
        seen[at] = blocks[i];
        distinct += at == distinct;
    }
    CHECK_U64(wrong, 0, "blocks are numbered in the order of their first use");
    CHECK_U64(margay_numbering_count(numbering), distinct, "all of them");
    margay_numbering_free(numbering);
}

/* -------------------------------------------------------------- optimum -- */

#define OPT_REFS 700

static uint64_t numbers[OPT_REFS], blocks[OPT_REFS], next_uses[OPT_REFS];
static uint8_t kinds[OPT_REFS];

static void feed(margay_opt *opt, size_t from, size_t to)
{
    if (margay_opt_feed(opt, blocks + from, kinds + from, to - from, NULL) !=
        MARGAY_OK)
        exit(1);
}

static void find_next_uses(void)
{
    for (size_t i = 0; i < OPT_REFS; i++) {
        size_t next = i + 1;
        while (next < OPT_REFS && blocks[next] != blocks[i])
            next++;
        next_uses[i] = next < OPT_REFS ? next : UINT64_MAX;
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
    for (size_t i = 0; i < OPT_REFS; i++) {
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
    size_t warmup = (size_t)below(OPT_REFS);
    feed(opt, 0, warmup);
    margay_opt_reset_counts(opt);
    feed(opt, warmup, OPT_REFS);
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
        make_accesses(shape, numbers, kinds, OPT_REFS);
        uint64_t few = 1 + below(400);
        for (size_t j = 0; j < OPT_REFS; j++)
            blocks[j] = i % 3 == 0 ? numbers[j] % few : numbers[j] >> i % 8;
        find_next_uses();
        wrong += compare(&caches);
    }
    CHECK_U64(wrong, 0, "%s traces: as single caches (%" PRIu64 " caches)",
              shape_names[shape], caches);
}

static void test_opt_refusals(void)
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
    test_queues();
    test_kernels();
    test_fifo_refusals();
    test_numbering();
    test_opt_refusals();
    for (int shape = 0; shape < SHAPES; shape++)
        test_caches((enum shape)shape);
    return tap_done();
}
