/*
 * test_fifo.c - FIFO caches of many sizes against queues, and the numbers of
 * blocks against a list
 */
#include "assoc/numbering.h"
#include "assoc/one_pass/fifo.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS    4000
#define OBJECTS 300

static uint32_t refs[REFS];

static void make_refs(uint32_t objects)
{
    for (size_t i = 0; i < REFS; i++) {
        uint32_t limit = one_in(3) ? objects : objects / 4 + 1;
        refs[i] = (uint32_t)below(limit);
    }
}

/* The misses from `warmup` on in a queue of `size` objects. */
static uint64_t misses_of_queue(uint64_t size, size_t warmup)
{
    static uint32_t queue[REFS];
    size_t first = 0, end = 0;
    uint64_t misses = 0;
    for (size_t i = 0; i < REFS; i++) {
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
    size_t warmup = below(2) * (REFS / 3);
    unsigned wrong = 0;
    margay_fifo *fifo;
    if (margay_fifo_create(options, &fifo, NULL) != MARGAY_OK)
        exit(1);
    for (size_t done = 0, piece; done < REFS; done += piece) {
        size_t left = done < warmup ? warmup - done : REFS - done;
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
        .objects = 2 + (uint32_t)below(OBJECTS),
    };
    for (size_t i = 0; i < options.count; i++)
        sizes[i] = 1 + below(OBJECTS + 50);
    sizes[0] = one_in(4) ? UINT64_MAX : sizes[0];
    /* Numbers are renumbered when 2^20 of them are left: here soon, or before
       the first reference. */
    if (at_the_end)
        options.earlier_insertions = UINT32_MAX - OBJECTS - 2 -
                                     (uint32_t)below(REFS) -
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
    static margay_fifo_lanes tables[3][OBJECTS];
    margay_fifo_lanes capacity, inserted[3];
    seed_chance(6);
    make_refs(OBJECTS);
    for (uint32_t i = 0; i < MARGAY_FIFO_SIZES; i++)
        capacity[i] = 1 + 17 * i;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        if (!margay_target_available((enum margay_target)k)) {
            tap_skip("a level of the processor", "it does not run here");
            continue;
        }
        inserted[k] = capacity;
        kernels[k](tables[k], &capacity, &inserted[k], refs, REFS);
        CHECK(memcmp(tables[k], tables[0], sizeof tables[k]) == 0 &&
                  memcmp(&inserted[k], &inserted[0], sizeof inserted[k]) == 0,
              "the table of %s", margay_target_name((enum margay_target)k));
    }
}

static void test_refusals(void)
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
    static uint64_t blocks[REFS], seen[REFS];
    static uint32_t numbers[REFS];
    size_t distinct = 0, wrong = 0;
    margay_numbering *numbering;
    seed_chance(7);
    if (margay_numbering_create(&numbering, NULL) != MARGAY_OK)
        exit(1);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = UINT64_MAX - below(2500);
    blocks[100] = 0;
    for (size_t done = 0, piece; done < REFS; done += piece) {
        piece = 1 + below(REFS - done);
        if (margay_numbering_feed(numbering, blocks + done, piece,
                                  numbers + done, NULL) != MARGAY_OK)
            exit(1);
    }
    for (size_t i = 0; i < REFS; i++) {
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

int main(void)
{
    test_queues();
    test_kernels();
    test_refusals();
    test_numbering();
    return tap_done();
}
