/*
 * levels.h - the state of the all-associativity engine, shared by its files
 *
 * kernel.h, compiled once per processor level and width of tags, holds the
 * loops over references; lru.c has everything around the loops.
 */
#ifndef MARGAY_ASSOC_LEVELS_H
#define MARGAY_ASSOC_LEVELS_H

#include <margay/assoc.h>

#include "traces/traces_internal.h"

#define MARGAY_LINE_BYTES 64

/* The references ahead of a reference whose tags are prefetched. */
#define MARGAY_FETCH_AHEAD 32

/* All caches of one block size and one number of sets. */
struct margay_level {
    unsigned set_shift;
    unsigned stride; /* tags per set, >= the most ways */
    /* Each set's tags, the most recent first.  A tag is the block's number with
       bit 0 set.  Bit 0 is the same in all blocks of a set, so that tags stay
       distinct, and a tag of 0 is an empty way.  Where there is one set only,
       tags are plain numbers, and the first `filled` ways hold one. */
    void *tags;
    unsigned filled;
    /* hits[kind * (stride + 1) + i]: references that found their block at
       recency i, or for i = stride, that did not find it.  Those that were
       dropped on their way are at recency 0, and not counted. */
    uint64_t *hits;
};

/* References on their way through the levels.  `blocks` are tags, u32 or u64;
   after the last, MARGAY_FETCH_AHEAD more are readable and of any value. */
struct margay_work {
    void *blocks;
    uint8_t *kinds; /* NULL = unknown */
    size_t count;
};

/* The loops for one processor level and one width of tags. */
struct margay_levels_kernel {
    /* Copy `from`, its blocks shifted right, without immediate repeats.  *last
       is the block before the first of `from`, and afterwards the last one. */
    void (*begin)(const struct margay_work *from, unsigned shift,
                  uint64_t *last, struct margay_work *to);
    /* Reference `work` at the first of `count` levels, or the first few, and
       drop from it each reference that found its block the most recent of its
       set: that block is the most recent at all levels of more sets, too.
       Returns the number of levels passed, at least 1. */
    size_t (*pass)(struct margay_level *levels, size_t count,
                   struct margay_work *work);
};

MARGAY_DECLARE_FOR_TARGETS(const struct margay_levels_kernel,
                           margay_levels_kernel)
MARGAY_DECLARE_FOR_TARGETS(const struct margay_levels_kernel,
                           margay_wide_levels_kernel)

#endif
