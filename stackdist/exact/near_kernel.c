/*
 * near_kernel.c - the top of the LRU stack: the loops over references
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it;
 * the table at the end is all that is visible outside.
 */
#include "stackdist/exact/near.h"

#include <string.h>

#include "stackdist/exact/condense.h"
#include "stackdist/exact/lanes.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE      __attribute__((noinline))

_Static_assert(MARGAY_NEAR_WORDS == MARGAY_LANES, "a lane for each word");
_Static_assert(MARGAY_NEAR_SPARE == CONDENSE_SPARE, "what near.h promises");

/* The time that stands for the previous one of a block that is not in the
   stack: that of the evicted block, or 0.  The reference will be counted as if
   its block had been the oldest; that is undone here, or after the batch if a
   block was evicted. */
static uint32_t make_room(struct margay_near *near)
{
    if (near->blocks == near->most_blocks) {
        /* The time of the oldest block, which leaves the stack. */
        uint32_t word = near->horizon / 64;
        while (near->bits[word] == 0)
            word++;
        uint32_t time = 64 * word + (uint32_t)__builtin_ctzll(near->bits[word]);
        near->horizon = time + 1;
        near->exceeded = true;
        near->block_at[time] ^= MARGAY_NEAR_OTHER_CHAIN;
        return time;
    }
    near->counts[near->blocks++]--;
    return 0;
}

/* References to blocks that are not in the stack. */
struct misses {
    uint16_t *beyond;
    uint64_t *gone;
    size_t found;
    size_t first; /* the index of the reference at time 0, wrapping around */
};

/* For a block that is not the head of its chain: its time, or that of the block
   that it evicts. */
static NOINLINE uint32_t find_time(struct margay_near *near, uint32_t now,
                                   uint32_t head, struct misses *misses)
{
    uint64_t block = near->block_at[now];
    near->older[now] = (uint16_t)head;
    /* Take it out of its chain. */
    for (uint32_t time = head, next; time >= near->horizon; time = next) {
        next = near->older[time];
        if (next >= near->horizon && near->block_at[next] == block) {
            near->older[time] = near->older[next];
            return next;
        }
    }
    uint32_t time = make_room(near);
    misses->beyond[misses->found] = (uint16_t)(misses->first + now);
    misses->gone[misses->found++] =
        near->block_at[time] ^ MARGAY_NEAR_OTHER_CHAIN;
    return time;
}

/*
 * During a batch, *less has for each word the number to be subtracted from
 * newer[]: the bits behind the word that were cleared since the beginning of
 * the batch, and those of the batch's own times, set at its beginning, that are
 * still to come. Each reference makes one fewer to come, for all words, and
 * clears a bit, for the words before it: together one less from its word on,
 * and no change before.
 */
static ALWAYS_INLINE void refer_times(struct margay_near *near, uint32_t begin,
                                      uint32_t end,
                                      union margay_lanes_read *less,
                                      struct misses *misses,
                                      uint64_t *distances)
{
    margay_lanes lanes = less->all;
    for (uint64_t now = begin; now < end; now++) {
        uint64_t block = near->block_at[now];
        uint16_t *head = &near->heads[margay_near_chain(block)];
        uint64_t time = *head;
        near->older[now] = near->older[time];
        if (__builtin_expect(near->block_at[time] != block, 0))
            time = find_time(near, (uint32_t)now, (uint32_t)time, misses);
        *head = (uint16_t)now;
        uint64_t word = time / 64;
        uint64_t bits = near->bits[word] & ~(UINT64_C(1) << (time % 64));
        near->bits[word] = bits;
        uint64_t newer = (uint64_t)near->newer[word] -
                         (uint64_t)less->lane[word] +
                         (unsigned)__builtin_popcountll(bits >> (time % 64));
        lanes = margay_lower_from(lanes, word);
        margay_show_lanes(less, lanes);
        near->counts[newer]++;
        if (distances != NULL)
            distances[misses->first + now] = newer;
    }
}

static ALWAYS_INLINE size_t refer_all(struct margay_near *near,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, uint64_t *gone,
                                      uint64_t *distances)
{
    struct misses misses = {.beyond = beyond, .gone = gone};
    for (size_t done = 0; done < count;) {
        if (near->now == MARGAY_NEAR_TIMES)
            margay_near_renumber(near);
        /* A batch, whose times are set beforehand. */
        uint32_t now = near->now, room = 64 - now % 64;
        uint32_t some = count - done < room ? (uint32_t)(count - done) : room;
        size_t i = 0;
        for (; i + 8 <= some; i += 8)
            memcpy(near->block_at + now + i, blocks + done + i,
                   8 * sizeof *blocks);
        for (; i < some; i++)
            near->block_at[now + i] = blocks[done + i];
        near->bits[now / 64] |= ~UINT64_C(0) >> (64 - some) << (now % 64);
        for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
            near->newer[word] += (uint16_t)(word < now / 64 ? some : 0);
        misses.first = done - now;
        union margay_lanes_read less = {margay_fill_lanes((int8_t)some)};
        size_t found = misses.found;
        uint32_t before = near->blocks;
        refer_times(near, now, now + some, &less, &misses, distances);
        for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
            near->newer[word] -= (uint8_t)less.lane[word];
        near->counts[near->most_blocks - 1] -=
            misses.found - found - (near->blocks - before);
        near->now = now + some;
        done += some;
    }
    return misses.found;
}

static size_t refer(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond, uint64_t *gone,
                    uint64_t *distances)
{
    /* Compiled for either. */
    return distances == NULL
               ? refer_all(near, blocks, count, beyond, gone, NULL)
               : refer_all(near, blocks, count, beyond, gone, distances);
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_near_kernel_, suffix)

const struct margay_near_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .refer = refer,
    .condense = margay_condense,
};
