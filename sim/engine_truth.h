/*
 * engine_truth.h - the exact curve of a trace, and how far off another one is
 *
 * Curves are compared at powers of two, between which are the bars of the
 * histogram; on octaves; and in equal steps.
 */
#ifndef MARGAY_SIM_ENGINE_TRUTH_H
#define MARGAY_SIM_ENGINE_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>

enum truth_grid { TRUTH_POWERS, TRUTH_OCTAVES, TRUTH_STEPS, TRUTH_GRIDS };

struct truth {
    struct margay_result result;
    uint64_t *sizes; /* of all grids, ascending */
    size_t size_count;
    struct margay_point *grids[TRUTH_GRIDS]; /* sizes and misses */
    size_t grid_counts[TRUTH_GRIDS];
};

/* Analyse a trace.  truth_clear() releases what there is, whatever the
   outcome. */
enum margay_status truth_find(const uint64_t *blocks, size_t count,
                              struct truth *truth, struct margay_error *error);
void truth_clear(struct truth *truth);

/* The errors of miss ratios on a grid.  Misses are at truth->sizes. */
struct truth_errors {
    double most, mean;
};
struct truth_errors truth_compare(const struct truth *truth,
                                  const uint64_t *misses, enum truth_grid grid);

/* 1 - sum |y - x| / 2 over the log2 bars, what is infinite being one. */
double truth_overlap(const struct truth *truth, const uint64_t *misses);

#endif
