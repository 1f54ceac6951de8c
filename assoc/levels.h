/*
 * levels.h - the state of the all-associativity engine, shared by its files
 *
 * kernel.h, compiled once per processor level and width of tags, holds the
 * loops over references; simulation.h has what is around them.
 */
#ifndef MARGAY_ASSOC_LEVELS_H
#define MARGAY_ASSOC_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/assoc.h>

#define MARGAY_LINE_BYTES 64

/* Sets whose tags are fetched ahead of their use. */
#define MARGAY_FETCH_AHEAD 32

/* All caches with a certain block size and number of sets. */
struct margay_level {
    unsigned set_shift;
    unsigned stride; /* tags per set, >= the most ways */
    /*
     * Each set's tags, the most recent first.  A tag is the block's number
     * with bit 0 set: that bit is the same in all of a set, so nothing is
     * lost, and 0 is an empty way.  The only set of level 0 has plain numbers
     * for tags, the first `filled` of which are there.
     */
    void *tags;
    size_t tags_bytes;
    unsigned filled;
    /* hits[kind * (stride + 1) + i]: references that found their block at
       recency i; at `stride`, those that did not. */
    uint64_t *hits;
};

/*
 * References on their way through the levels.  `blocks` are tags, u32 or u64;
 * there is room for MARGAY_FETCH_AHEAD more, which may be anything.
 */
struct margay_work {
    void *blocks;
    uint8_t *kinds; /* NULL = not told apart */
    size_t count;
};

/* The loops for one processor level and one width of tags. */
struct margay_levels_kernel {
    /*
     * Copy `from`, its blocks shifted right, without those that repeat their
     * predecessor, and count the repeats of each kind.  *last is the
     * predecessor of the first, and becomes the last.
     */
    void (*begin)(const struct margay_work *from, unsigned shift,
                  uint64_t *last, struct margay_work *to, uint64_t *repeats);
    /*
     * Reference `work` at a level, then leave in it only what was not the
     * most recent of its set: a block that is most recent here is most recent
     * at all levels of more sets.
     */
    void (*pass)(struct margay_level *level, struct margay_work *work);
};

extern const struct margay_levels_kernel margay_levels_kernel_portable_32;
extern const struct margay_levels_kernel margay_levels_kernel_portable_64;
extern const struct margay_levels_kernel margay_levels_kernel_v3_32;
extern const struct margay_levels_kernel margay_levels_kernel_v3_64;
extern const struct margay_levels_kernel margay_levels_kernel_v4_32;
extern const struct margay_levels_kernel margay_levels_kernel_v4_64;

#endif
