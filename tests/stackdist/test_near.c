/*
 * test_near.c - the top of the stack, on every target, against the naive one
 *
 * Time is used up after some thousands of references, so the traces are long
 * enough for that to happen with few blocks and with many.
 */
#include "stackdist/exact/condense.h"
#include "stackdist/exact/near.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 20000

/* Is each block of the stack, and nothing else, in a chain, and once? */
static bool chains_are_right(const struct margay_near *near)
{
    uint32_t chained = 0;
    for (size_t i = 0; i < sizeof near->heads / sizeof near->heads[0]; i++) {
        for (uint32_t time = near->heads[i];
             time >= near->horizon && chained <= near->blocks;
             time = near->older[time])
            chained++;
    }
    return chained == near->blocks;
}

/* Does it tell apart what is beyond, and count all else?  What leaves the stack
   is looked at where it goes, in the tests of engine exact. */
static bool is_right(uint32_t front, enum margay_target target,
                     const uint64_t *blocks, size_t count,
                     const uint64_t *distances)
{
    static uint16_t beyond[LONGEST_TRACE];
    static uint64_t gone[LONGEST_TRACE], wanted[MARGAY_NEAR_MOST_BLOCKS];
    static uint64_t got[LONGEST_TRACE];
    struct margay_near *near;
    if (margay_near_create(front, target, &near, NULL) != MARGAY_OK)
        abort();
    memset(wanted, 0, sizeof wanted);
    bool right = true;
    for (size_t done = 0, some; done < count && right; done += some) {
        some = count - done < 3000 ? count - done : 3000;
        bool each = done % 2000 == 0;
        size_t found = near->kernel->refer(near, blocks + done, some, beyond,
                                           gone, each ? got : NULL);
        size_t next = 0;
        for (size_t i = 0; i < some && right; i++) {
            uint64_t distance = distances[done + i];
            if (distance < front) {
                wanted[distance]++;
                right = !each || got[i] == distance;
            } else {
                right = next < found && beyond[next++] == i;
            }
        }
        right = right && next == found && chains_are_right(near);
    }
    right = right && memcmp(wanted, near->counts, sizeof wanted) == 0;
    margay_near_free(near);
    return right;
}

static void test_target(enum margay_target target)
{
    static uint64_t blocks[LONGEST_TRACE], distances[LONGEST_TRACE];
    uint64_t number = rounds(60), failures = 0;
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)below(LONGEST_TRACE);
        uint64_t distinct = 1 + below(round % 3 == 0 ? 3000 : 300);
        uint32_t front =
            1 + (uint32_t)below(round % 2 == 0 ? MARGAY_NEAR_MOST_BLOCKS : 100);
        make_trace((enum shape)(round % SHAPES), blocks, count, distinct);
        ask_distances("naive", blocks, count, distances);
        failures += !is_right(front, target, blocks, count, distances);
        failures += !is_right(MARGAY_NEAR_MOST_BLOCKS, target, blocks, count,
                              distances);
    }
    CHECK_U64(failures, 0, "%" PRIu64 " traces, target %s", number,
              margay_target_name(target));
}

/* The blocks that stand where there is none are not found before they come. */
static void test_sentinels(enum margay_target target)
{
    const uint64_t blocks[] = {MARGAY_NEAR_OTHER_CHAIN, 0,
                               MARGAY_NEAR_OTHER_CHAIN, 0};
    uint16_t beyond[4];
    uint64_t gone[4];
    struct margay_near *near;
    if (margay_near_create(100, target, &near, NULL) != MARGAY_OK)
        abort();
    size_t found = near->kernel->refer(near, blocks, 4, beyond, gone, NULL);
    CHECK(
        found == 2 && beyond[0] == 0 && beyond[1] == 1 && near->counts[1] == 2,
        "blocks like those of no time, target %s", margay_target_name(target));
    margay_near_free(near);
}

/* With any bits set: in each run of them all pairs from its beginning. */
static bool pairs_are_right(uint64_t hits)
{
    uint64_t wanted = 0;
    for (unsigned i = 0; i < 63; i++) {
        if ((hits >> i & 3) == 3) {
            wanted |= UINT64_C(3) << i;
            i++;
        }
    }
    return margay_pairs(hits) == wanted;
}

static void test_pairs(void)
{
    bool right = pairs_are_right(0) && pairs_are_right(~UINT64_C(0));
    for (int i = 0; i < 20000 && right; i++) {
        uint64_t hits = any_u64();
        if (i % 2 == 0)
            hits |= any_u64() | any_u64();
        right = pairs_are_right(hits);
    }
    CHECK(right, "the pairs of a run");
}

static void test_condense(enum margay_target target)
{
    static const uint64_t blocks[] = {5, 7, 5, 5, 7, 5, 0, 7, 0, 7, UINT64_MAX};
    uint64_t kept[11 + MARGAY_NEAR_SPARE], top[2] = {7, 5}, hits[2] = {0, 0};
    const struct margay_near_kernel *kernel =
        MARGAY_FOR_TARGET(&margay_near_kernel, target);
    size_t n = kernel->condense(blocks, 11, top, kept, hits);
    CHECK(n == 4 && kept[0] == 5 && kept[1] == 0 && kept[2] == 7 &&
              kept[3] == UINT64_MAX,
          "what is left, target %s", margay_target_name(target));
    CHECK(hits[0] == 1 && hits[1] == 6, "and what is not");
    CHECK(top[0] == UINT64_MAX && top[1] == 7, "and the top");
    top[0] = 5, top[1] = 7;
    hits[0] = hits[1] = 0;
    n = kernel->condense(blocks, 1, top, kept, hits);
    CHECK(n == 0 && hits[0] == 1 && top[0] == 5 && top[1] == 7,
          "a repeat alone");
}

int main(void)
{
    seed_chance(2021);
    for (int target = 0; target <= MARGAY_TARGET_V4; target++) {
        if (!margay_target_available((enum margay_target)target))
            continue;
        test_condense((enum margay_target)target);
        test_sentinels((enum margay_target)target);
        test_target((enum margay_target)target);
    }
    test_pairs();
    return tap_done();
}
