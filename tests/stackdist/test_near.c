/*
 * test_near.c - the top of the stack, on every target, against the naive one
 *
 * Time is used up after some thousands of references, so the traces are long
 * enough for that to happen with few blocks and with many.
 */
#include "stackdist/engines/near.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 20000

/* Does it tell apart what is beyond, and count all else? */
static bool is_right(uint32_t front, enum margay_target target,
                     const uint64_t *blocks, size_t count,
                     const uint64_t *distances)
{
    static uint16_t beyond[LONGEST_TRACE];
    static uint64_t wanted[MARGAY_NEAR_FRONT];
    struct margay_near *near;
    if (margay_near_create(front, target, &near, NULL) != MARGAY_OK)
        abort();
    memset(wanted, 0, sizeof wanted);
    bool right = true;
    for (size_t done = 0, some; done < count && right; done += some) {
        some = count - done < 3000 ? count - done : 3000;
        size_t found = near->kernel->refer(near, blocks + done, some, beyond);
        size_t next = 0;
        for (size_t i = 0; i < some && right; i++) {
            uint64_t distance = distances[done + i];
            if (distance < front)
                wanted[distance]++;
            else
                right = next < found && beyond[next++] == i;
        }
        right = right && next == found;
    }
    right = right && memcmp(wanted, near->counts, sizeof wanted) == 0;
    margay_near_free(near);
    return right;
}

static void test_target(enum margay_target target, struct margay_random *random)
{
    static uint64_t blocks[LONGEST_TRACE], distances[LONGEST_TRACE];
    uint64_t number = rounds(60), failures = 0;
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)margay_random_below(random, LONGEST_TRACE);
        uint64_t distinct =
            1 + margay_random_below(random, round % 3 == 0 ? 3000 : 300);
        uint32_t front =
            1 + (uint32_t)margay_random_below(
                    random, round % 2 == 0 ? MARGAY_NEAR_FRONT : 100);
        make_trace((enum shape)(round % SHAPES), blocks, count, distinct,
                   random);
        ask_naive(blocks, count, distances);
        failures += !is_right(front, target, blocks, count, distances);
        failures +=
            !is_right(MARGAY_NEAR_FRONT, target, blocks, count, distances);
    }
    CHECK_U64(failures, 0, "%" PRIu64 " traces, target %s", number,
              margay_target_name(target));
}

static void test_collapse(enum margay_target target)
{
    static const uint64_t blocks[] = {7, 7, 0, 0, 0, UINT64_MAX, 7, 7};
    uint64_t kept[9];
    const struct margay_near_kernel *kernel = margay_near_kernel_of(target);
    CHECK(kernel->collapse(blocks, 8, 1, kept) == 4 && kept[0] == 7 &&
              kept[1] == 0 && kept[2] == UINT64_MAX && kept[3] == 7,
          "repeats, target %s", margay_target_name(target));
    CHECK(kernel->collapse(blocks, 8, 7, kept) == 3 && kept[0] == 0,
          "the first repeats, target %s", margay_target_name(target));
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 2021);
    for (int target = 0; target <= MARGAY_TARGET_V4; target++) {
        if (!margay_target_available((enum margay_target)target))
            continue;
        test_collapse((enum margay_target)target);
        test_target((enum margay_target)target, &random);
    }
    return tap_done();
}
