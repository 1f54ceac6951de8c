/*
 * sizes.h - sizes as people write them
 *
 * A cache size counts blocks or, with a suffix, bytes.  The latter become
 * blocks once the trace and the block size are known.
 */
#ifndef MARGAY_SIM_OPTIONS_SIZES_H
#define MARGAY_SIM_OPTIONS_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/run.h>

/* The sizes of a curve; see struct margay_sizes. */
struct cache_sizes {
    enum margay_sizes_kind kind;
    uint64_t per_octave;
    struct margay_cache_size *list; /* owned */
    size_t count;
};

/*
 * Text to size; `what` names the size in messages ("--bound").
 * MARGAY_BAD_ARGUMENT if the text is no size, or the size is 0.
 */
enum margay_status cache_size_parse(const char *text, const char *what,
                                    struct margay_cache_size *size,
                                    struct margay_error *error);

/*
 * The sizes in blocks of `block_bytes` (0 = unknown).  Fails as
 * margay_cache_size_blocks() does.  The caller frees resolved->list_blocks with
 * free().
 */
enum margay_status cache_sizes_resolve(const struct cache_sizes *sizes,
                                       uint64_t block_bytes,
                                       struct margay_sizes *resolved,
                                       struct margay_error *error);

/* Fails where they cannot be resolved, and keeps nothing. */
enum margay_status cache_sizes_check(const struct cache_sizes *sizes,
                                     uint64_t block_bytes,
                                     struct margay_error *error);

/* Sort ascending and drop repetitions; returns the number of values left. */
size_t sort_unique(uint64_t *values, size_t count);

/*
 * The number that divides an address on its way into a format: the bytes that
 * an id of the format stands for, or 1 where the format holds addresses, or
 * ids of unknown size.
 */
uint64_t bytes_of_id(const struct margay_format_info *format);

#endif
