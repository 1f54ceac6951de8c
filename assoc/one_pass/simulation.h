/*
 * simulation.h - an object of the all-associativity engine, shared by its files
 *
 * simulation.c makes the object, feed.c feeds it and adds up its counts,
 * widen.c gives it wide tags, and grid.c computes the memory of a grid.
 */
#ifndef MARGAY_ASSOC_SIMULATION_H
#define MARGAY_ASSOC_SIMULATION_H

#include "assoc/one_pass/levels.h"
#include "assoc/one_pass/regions.h"
#include "traces/traces_internal.h"

/* References that pass through the levels together: a list of this many stays
   in the second-level cache. */
#define MARGAY_PIECE_REFS ((size_t)8192)

/* Adjacent levels of one block size: the work of one thread at a time. */
struct margay_unit {
    size_t block_index;
    unsigned shift; /* from the smallest blocks to these */
    size_t first_level, level_count;
    struct margay_level *levels;
    uint64_t last;                  /* the block of the reference before */
    uint64_t repeats[MARGAY_KINDS]; /* hits at all levels and ways */
    struct margay_work work;
};

struct margay_assoc {
    size_t block_count, set_count, unit_count;
    unsigned first_shift, most_ways;
    bool by_kind, wide, started;
    enum margay_target target;
    const struct margay_levels_kernel *kernel;
    struct margay_regions *regions;
    struct margay_level *levels; /* [block index][set index] */
    struct margay_unit *units;
    struct margay_unit **unit_of; /* [block index][set index] */
    uint64_t references[MARGAY_KINDS];

    /* References fill one list while the crew works on the other. */
    struct margay_work lists[2];
    unsigned filling;
    size_t list_refs;
    uint64_t last;
    uint64_t repeats[MARGAY_KINDS]; /* of the smallest blocks */
    margay_crew *crew;
};

/* Tags per set, so that a set fills whole cache lines or divides one. */
unsigned margay_level_stride(unsigned ways, size_t tag_bytes);
uint64_t margay_level_bytes(unsigned ways, unsigned set_shift,
                            size_t tag_bytes);

/* MARGAY_BAD_ARGUMENT for an invalid grid; MARGAY_NO_MEMORY for one that does
   not fit into the memory. */
enum margay_status margay_grid_check(const struct margay_grid *grid,
                                     struct margay_error *error);

/* Make an empty level of the width that `assoc` has.  Destroy it in any case.
 */
enum margay_status margay_level_create(const margay_assoc *assoc,
                                       unsigned set_shift,
                                       struct margay_level *level,
                                       struct margay_error *error);
void margay_level_destroy(struct margay_level *level);

const struct margay_levels_kernel *margay_levels_kernel_for(
    enum margay_target target, bool wide);

/* Wait until all levels have seen all references. */
void margay_assoc_flush(margay_assoc *assoc);

/* Make all tags wide; after a failure the object can only be freed. */
enum margay_status margay_assoc_widen(margay_assoc *assoc,
                                      struct margay_error *error);

#endif
