/*
 * sizes.h - cache sizes as people write them
 *
 * A cache size counts blocks, or bytes where it carries a suffix.  What it is
 * in blocks is known only with a trace and a block size at hand.
 */
#ifndef MARGAY_SIM_SIZES_H
#define MARGAY_SIM_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>
#include <margay/status.h>

struct cache_size {
    uint64_t value; /* >= 1 */
    bool in_bytes;
    bool given; /* on the command line */
};

/* Which sizes a curve is asked for; see struct margay_sizes. */
struct cache_sizes {
    enum margay_sizes_kind kind;
    uint64_t per_octave;
    struct cache_size *list; /* owned */
    size_t count;
};

/*
 * Text to size; `what` names it in messages ("--bound").  MARGAY_BAD_ARGUMENT
 * if it is none, or 0.
 */
enum margay_status cache_size_parse(const char *text, const char *what,
                                    struct cache_size *size,
                                    struct margay_error *error);

/*
 * Size to blocks of `block_bytes` (0 = unknown).  MARGAY_BAD_ARGUMENT when
 * bytes are not a multiple of the block, or the block is unknown, or the
 * cache would be over 64 bits of bytes.
 */
enum margay_status cache_size_blocks(const struct cache_size *size,
                                     const char *what, uint64_t block_bytes,
                                     uint64_t *blocks,
                                     struct margay_error *error);

/*
 * The same for what a curve is asked for.  resolved->list_blocks is the
 * caller's to free().
 */
enum margay_status cache_sizes_resolve(const struct cache_sizes *sizes,
                                       uint64_t block_bytes,
                                       struct margay_sizes *resolved,
                                       struct margay_error *error);

/* Sort ascending and drop repetitions; returns how many are left. */
size_t sort_unique(uint64_t *values, size_t count);

#endif
