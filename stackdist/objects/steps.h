/*
 * steps.h - what hits at each cache size, counted on a grid
 *
 * Algorithm: a reference that hits in caches of p bytes and more counts at p;
 *   one that hits in [p, q) alone counts at p and is taken back at q.  The hits
 *   of a size are then all that was counted up to it.  A grid of sizes that is
 *   known beforehand has a counter for each, which takes what lies above the
 *   size before; a grid of all sizes is a table of those that occur.
 * Guarantee: exact at each size of the grid.
 * Cost: O(1) per count, O(log n) where the sizes are listed; 16 bytes per size
 *   of the grid, or up to 53 for each size that occurs.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_STEPS_H
#define MARGAY_STACKDIST_OBJECTS_STEPS_H

#include <margay/objects.h>

#include "stackdist/exact/hash.h"

/* Sums modulo 2^64: what is taken back may come before what it takes. */
struct margay_step {
    uint64_t refs, bytes;
};

struct margay_steps {
    struct margay_sizes sizes; /* USUAL has become OCTAVE */
    struct margay_step *steps;
    size_t count;
    /* Of all sizes: each one's place in `steps` and, less 1, in the table. */
    struct margay_hash hash;
    uint64_t *positions;
    size_t capacity;
};

/* Counters for this grid; a list stays the caller's and must outlive them.
   MARGAY_NO_MEMORY. */
enum margay_status margay_steps_create(struct margay_steps *steps,
                                       const struct margay_sizes *sizes,
                                       struct margay_error *error);

/* A zeroed struct is fine. */
void margay_steps_destroy(struct margay_steps *steps);

/* Forget all counts. */
void margay_steps_clear(struct margay_steps *steps);

/* Reserve room for `more` counts.  MARGAY_NO_MEMORY. */
enum margay_status margay_steps_reserve(struct margay_steps *steps, size_t more,
                                        struct margay_error *error);

/* The counter of all sizes from `position` on. */
struct margay_step *margay_steps_sparse(struct margay_steps *steps,
                                        uint64_t position);
struct margay_step *margay_steps_listed(struct margay_steps *steps,
                                        uint64_t position);

static inline struct margay_step *margay_steps_at(struct margay_steps *steps,
                                                  uint64_t position)
{
    if (steps->sizes.kind == MARGAY_SIZES_ALL)
        return margay_steps_sparse(steps, position);
    if (steps->sizes.kind == MARGAY_SIZES_LIST)
        return margay_steps_listed(steps, position);
    /* The first i with 2^k + floor(i 2^k / N) >= position. */
    uint64_t per_octave = steps->sizes.per_octave;
    unsigned k = margay_log2_floor(position | (position == 0));
    uint64_t octave = UINT64_C(1) << k;
    uint64_t beyond = position > octave ? position - octave : 0;
    uint64_t i =
        (uint64_t)(((margay_u128)beyond * per_octave + octave - 1) >> k);
    return &steps->steps[k * per_octave + i];
}

/* A size of the grid, and what hits there. */
struct margay_step_row {
    uint64_t cache_bytes;
    struct margay_step hits;
};

/*
 * All rows, where the objects have `all_bytes` bytes together: a new array of
 * *count rows, ascending, which the caller releases with free().
 * MARGAY_NO_MEMORY.
 */
enum margay_status margay_steps_rows(const struct margay_steps *steps,
                                     uint64_t all_bytes,
                                     struct margay_step_row **rows,
                                     size_t *count, struct margay_error *error);

/* The same at other sizes, where the steps were created with MARGAY_SIZES_ALL;
   otherwise, and for NULL, at those that they were created with. */
enum margay_status margay_steps_rows_at(const struct margay_steps *steps,
                                        const struct margay_sizes *sizes,
                                        uint64_t all_bytes,
                                        struct margay_step_row **rows,
                                        size_t *count,
                                        struct margay_error *error);

#endif
