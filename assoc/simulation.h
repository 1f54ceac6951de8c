/*
 * simulation.h - an object of the all-associativity engine, shared by its files
 *
 * levels.c makes it, feed.c feeds it and counts, widen.c gives it wide tags,
 * grid.c knows what a grid needs.
 */
#ifndef MARGAY_ASSOC_SIMULATION_H
#define MARGAY_ASSOC_SIMULATION_H

#include "assoc/levels.h"
#include "assoc/regions.h"
#include "traces/traces_internal.h"

/* References that go through the levels together: a list of them stays in the
   second-level cache. */
#define MARGAY_PIECE_REFS ((size_t)8192)

/* Adjacent levels of one block size: what one thread does at a time. */
struct margay_unit {
    size_t block_index;
    unsigned shift; /* from the finest blocks to these */
    size_t first_level, level_count;
    struct margay_level *levels;
    uint64_t last;                  /* block before */
    uint64_t repeats[MARGAY_KINDS]; /* at all levels the most recent */
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

    /* What is fed fills one list while the crew works on the other. */
    struct margay_work lists[2];
    unsigned filling;
    size_t list_refs;
    uint64_t last;
    uint64_t repeats[MARGAY_KINDS]; /* of the finest blocks */
    margay_crew *crew;
};

/* Tags per set, so that a set is some lines, or divides a line. */
unsigned margay_level_stride(unsigned ways, size_t tag_bytes);
uint64_t margay_level_bytes(unsigned ways, unsigned set_shift,
                            size_t tag_bytes);

/* MARGAY_BAD_ARGUMENT, or MARGAY_NO_MEMORY if it could not fit. */
enum margay_status margay_grid_check(const struct margay_grid *grid,
                                     struct margay_error *error);

/* An empty level of the width that `assoc` has; to be destroyed whatever
   comes of it. */
enum margay_status margay_level_create(const margay_assoc *assoc,
                                       unsigned set_shift,
                                       struct margay_level *level,
                                       struct margay_error *error);
void margay_level_destroy(struct margay_level *level);

const struct margay_levels_kernel *margay_levels_kernel_for(
    enum margay_target target, bool wide);

/* Finish what has been fed. */
void margay_assoc_flush(margay_assoc *assoc);

/* Make all tags wide; on failure the object can only be freed. */
enum margay_status margay_assoc_widen(margay_assoc *assoc,
                                      struct margay_error *error);

#endif
