/*
 * simulation.h - an object of the all-associativity engine, shared by its files
 *
 * simulation.c makes the object, grid.c its caches, feed.c feeds it and adds up
 * its counts, and widen.c gives it wide tags.
 */
#ifndef MARGAY_ASSOC_SIMULATION_H
#define MARGAY_ASSOC_SIMULATION_H

#include "assoc/one_pass/levels.h"
#include "assoc/one_pass/regions.h"
#include "traces/traces_internal.h"

/* References that pass through the levels together.  With more of them, a set
   is used more often while it is in the processor's caches. */
#define MARGAY_LIST_REFS ((size_t)1 << 17)

/* All levels of a simulation: [block index][set index].  Their tags are in one
   piece, so that they are on large pages. */
struct margay_caches {
    size_t count, tags_bytes;
    struct margay_level *levels;
    void *tags;
};

/* Adjacent levels of one block size: the work of one thread at a time. */
struct margay_unit {
    size_t block_index;
    unsigned shift; /* from the smallest blocks to these */
    size_t first_level, level_count;
    uint64_t last; /* the block of the reference before */
    struct margay_work work;
};

struct margay_assoc {
    size_t block_count, set_count, unit_count;
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    unsigned first_shift, most_ways;
    bool by_kind, wide, started;
    enum margay_target target;
    const struct margay_levels_kernel *kernel;
    struct margay_regions *regions;
    struct margay_caches caches;
    struct margay_unit *units;
    uint64_t references[MARGAY_KINDS];

    /* References fill one list while the crew works on the other. */
    struct margay_work lists[2];
    unsigned filling;
    uint64_t last; /* the smallest block of the reference before */
    margay_crew *crew;
};

/* Tags per set, so that a set fills whole cache lines or divides one. */
unsigned margay_level_stride(unsigned ways, unsigned set_shift,
                             size_t tag_bytes);
uint64_t margay_level_bytes(unsigned ways, unsigned set_shift,
                            size_t tag_bytes);

/* MARGAY_BAD_ARGUMENT for an invalid grid; MARGAY_NO_MEMORY for one that does
   not fit into the memory. */
enum margay_status margay_grid_check(const struct margay_grid *grid,
                                     struct margay_error *error);

/* Make empty levels of the width that `assoc` has, from zero.  Destroy them in
   any case. */
enum margay_status margay_caches_create(const margay_assoc *assoc,
                                        struct margay_caches *caches,
                                        struct margay_error *error);
void margay_caches_destroy(struct margay_caches *caches);

const struct margay_levels_kernel *margay_levels_kernel_for(
    enum margay_target target, bool wide);

/* Wait until all levels have seen all references. */
void margay_assoc_flush(margay_assoc *assoc);

/* Make all tags wide; after a failure the object can only be freed. */
enum margay_status margay_assoc_widen(margay_assoc *assoc,
                                      struct margay_error *error);

#endif
