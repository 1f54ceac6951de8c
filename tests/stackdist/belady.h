/*
 * belady.h - the optimum without haste, and long traces to compare it on
 *
 * Belady's rule simulates one cache at a time and looks for the next use of
 * each block in the references that follow.  On longer traces the distances of
 * all sizes come from machines in an array, which is the definition in
 * machines.h and is compared with Belady's rule, too.
 */
#ifndef MARGAY_TESTS_STACKDIST_BELADY_H
#define MARGAY_TESTS_STACKDIST_BELADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <margay/stackdist.h>

#include "tests/chance.h"
#include "traces/traces_internal.h"

#define MOST_BLOCKS 24 /* of a trace for Belady's rule */

#define LONG_REFS   24000
#define LONG_BLOCKS 4000

/* -------------------------------------------------------------- Belady -- */

struct cache {
    uint64_t blocks[MOST_BLOCKS + 1];
    size_t count;
};

/* When `block` is referenced next, from `from` on; `count` if never. */
static inline size_t next_use(const uint64_t *trace, size_t count, size_t from,
                              uint64_t block)
{
    while (from < count && trace[from] != block)
        from++;
    return from;
}

/* Remove the block that is used again last. */
static inline void evict(struct cache *cache, const uint64_t *trace,
                         size_t count, size_t now)
{
    size_t victim = 0, latest = 0;
    for (size_t i = 0; i < cache->count; i++) {
        size_t use = next_use(trace, count, now + 1, cache->blocks[i]);
        if (use >= latest) {
            latest = use;
            victim = i;
        }
    }
    cache->blocks[victim] = cache->blocks[--cache->count];
}

/* A reference to a cache of `size` blocks; true: it hits.  Without bypass room
   is made before the block comes, with bypass after. */
static inline bool refer(struct cache *cache, size_t size,
                         const uint64_t *trace, size_t count, size_t now,
                         bool bypass)
{
    for (size_t i = 0; i < cache->count; i++) {
        if (cache->blocks[i] == trace[now])
            return true;
    }
    if (!bypass && cache->count == size)
        evict(cache, trace, count, now);
    cache->blocks[cache->count++] = trace[now];
    if (cache->count > size)
        evict(cache, trace, count, now);
    return false;
}

static inline void ask_belady(const uint64_t *trace, size_t count,
                              size_t most_blocks, bool bypass,
                              uint64_t *distances)
{
    for (size_t i = 0; i < count; i++)
        distances[i] = MARGAY_INFINITE;
    for (size_t size = most_blocks; size > 0; size--) {
        struct cache cache = {.count = 0};
        for (size_t i = 0; i < count; i++) {
            if (refer(&cache, size, trace, count, i, bypass))
                distances[i] = size - 1;
        }
    }
}

/* ------------------------------------------------ machines in an array -- */

struct array {
    uint32_t moments[LONG_BLOCKS], numbers[LONG_BLOCKS]; /* ascending moments */
    size_t count;
};

/* From the newest moment up to `from` to the oldest: a carried number changes
   places with each that is lower. */
static inline uint32_t give_in_array(struct array *array, uint32_t from,
                                     uint32_t moment)
{
    size_t free = 0;
    while (free < array->count && array->moments[free] <= from)
        free++;
    uint32_t carried = (uint32_t)array->count + 1;
    if (free > 0) {
        carried = array->numbers[free - 1];
        for (size_t i = free - 1; i-- > 0;) {
            uint32_t number = array->numbers[i];
            array->numbers[i] = number < carried ? carried : number;
            carried = number < carried ? number : carried;
        }
        size_t later = array->count-- - free;
        memmove(array->numbers + free - 1, array->numbers + free,
                later * sizeof *array->numbers);
        memmove(array->moments + free - 1, array->moments + free,
                later * sizeof *array->moments);
    }
    array->numbers[array->count] = carried;
    array->moments[array->count++] = moment;
    return carried;
}

/* Of a trace of numbers below LONG_BLOCKS. */
static inline void ask_array(const uint64_t *trace, size_t count, bool bypass,
                             uint64_t *distances)
{
    static struct array array;
    static uint32_t last[LONG_BLOCKS];
    array.count = 0;
    memset(last, 0, sizeof last);
    for (size_t i = 0; i < count; i++) {
        uint32_t now = (uint32_t)i + 1, past = last[trace[i]];
        last[trace[i]] = now;
        distances[i] = MARGAY_INFINITE;
        if (past != 0 && past == now - 1 && !bypass)
            distances[i] = 0;
        else if (past != 0)
            distances[i] = give_in_array(&array, past, now - !bypass) - bypass;
    }
}

/* --------------------------------------------------------- long traces -- */

enum pattern {
    EVEN,    /* all blocks are as likely */
    STEEP,   /* some are more likely than others, over many octaves */
    CIRCLE,  /* all, again and again */
    ZIGZAG,  /* all, there and back */
    UNEVEN,  /* the same, but neighbours change places */
    SWEEPS,  /* stretches of random length, up or down, from random places */
    TURNING, /* a circle that is left for a short way back now and then */
    PATTERNS
};

__attribute__((unused)) static const char *const pattern_names[] = {
    "even", "steep", "circular", "zigzag", "uneven", "sweeping", "turning"};

/* Of a walk in stretches: where it is, which way it goes, and how far. */
struct walk {
    uint64_t at, step, left;
};

static inline uint64_t next_of_walk(struct walk *walk, enum pattern pattern,
                                    uint64_t blocks)
{
    if (walk->left-- == 0) {
        bool up = one_in(2);
        walk->left = 1 + below(1 + below(blocks));
        if (pattern == SWEEPS)
            walk->at = below(blocks);
        walk->step = up ? 1 : blocks - 1;
    }
    walk->at = (walk->at + walk->step) % blocks;
    return walk->at;
}

static inline void make_long(enum pattern pattern, uint64_t *trace,
                             uint64_t blocks)
{
    struct walk walk = {0};
    for (size_t i = 0; i < LONG_REFS; i++) {
        uint64_t draw = below(blocks);
        uint64_t round = i % (2 * blocks);
        if (pattern == EVEN)
            trace[i] = draw;
        else if (pattern == STEEP)
            trace[i] = draw >> below(12);
        else if (pattern == CIRCLE)
            trace[i] = i % blocks;
        else if (pattern == ZIGZAG || pattern == UNEVEN)
            trace[i] = round < blocks ? round : 2 * blocks - 1 - round;
        else
            trace[i] = next_of_walk(&walk, pattern, blocks);
        if (pattern == UNEVEN)
            trace[i] = (trace[i] ^ below(8)) % blocks;
    }
}

#endif
