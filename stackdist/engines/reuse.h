/*
 * reuse.h - how reuse times are distributed
 *
 * Counts the reuse times of all references, or of a random sample of them, in
 * bars (bars.h): the engines that infer distances from times begin with this.
 */
#ifndef MARGAY_STACKDIST_REUSE_H
#define MARGAY_STACKDIST_REUSE_H

#include "stackdist/engines/bars.h"
#include "stackdist/engines/clock.h"

struct margay_reuse {
    struct margay_clock clock; /* of all blocks; with a sample, of the blocks
                                  whose sampled references await a reuse */
    unsigned bits;             /* of the bars */
    uint64_t *counts;          /* MARGAY_BARS(bits) */
    double *sums;              /* of the times in each bar */
    uint64_t references;       /* since the counts were reset */
    uint64_t endless; /* first references; sampled ones that were not reused */
    uint64_t sampled; /* counted references */
    uint64_t threshold; /* a reference is sampled if its random number is below
                           this; 0 = all are */
    uint64_t seed;
};

/* A share `rate` of the references is sampled; 1 takes all. */
enum margay_status margay_reuse_create(struct margay_reuse *reuse,
                                       unsigned bits, double rate,
                                       uint64_t seed,
                                       struct margay_error *error);
void margay_reuse_destroy(struct margay_reuse *reuse);

enum margay_status margay_reuse_feed(struct margay_reuse *reuse,
                                     const uint64_t *blocks, size_t count,
                                     struct margay_error *error);
void margay_reuse_reset_counts(struct margay_reuse *reuse);

/* Count the sampled references that were not reused: once, at the end. */
void margay_reuse_end(struct margay_reuse *reuse);

/* Distinct blocks; where references are sampled, an estimate. */
uint64_t margay_reuse_blocks(const struct margay_reuse *reuse);

/* The mean time of a bar; its middle if it counts none. */
double margay_reuse_mean(const struct margay_reuse *reuse, size_t bar);

/*
 * tails[i] = the share of references with a reuse time of at least the low end
 * of bar i, endless ones included, for i <= *bars; *bars is one more than the
 * last bar that counts any.  Allocated; the caller frees it.
 */
double *margay_reuse_tails(const struct margay_reuse *reuse, size_t *bars);

#endif
