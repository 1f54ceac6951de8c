/*
 * answers.h - what a miss curve says, in words on standard error
 *
 * --at-most asks for the smallest cache with at most the miss ratio that it
 * names, and --knees for the sizes at which the curve falls most.  Both look at
 * every size at which the curve steps, and not only at those of the table.
 */
#ifndef MARGAY_SIM_COMMAND_ANSWERS_H
#define MARGAY_SIM_COMMAND_ANSWERS_H

#include "sim/options/options.h"
#include "sim/tables/tables.h"

/* A curve at every size where it steps, ascending. */
struct answer_curve {
    const char *trace;
    const char *ratio;   /* what is asked about: "miss ratio" */
    uint64_t unit_bytes; /* of a size; 0 = unknown */
    bool in_bytes;       /* sizes are bytes themselves */
    const struct margay_point *points;
    size_t count;
    uint64_t all;           /* what the misses are a share of */
    uint64_t cold;          /* the misses of every cache, however large */
    uint64_t bound;         /* nothing is known beyond; 0 = all is */
    unsigned fraction_bits; /* of counts, as in struct margay_result */
};

/* Say which is the smallest cache with at most this ratio; false: none has. */
bool answer_at_most(const struct answer_curve *curve, double most);

/*
 * Say at which of the sizes where the curve steps it falls most, `wanted` at
 * most.  The fall at a size is the difference between the misses at half of it,
 * rounded down, and there; a cache of 0 misses always.  Of sizes with the same
 * fall the smallest one counts.  A knee has no size between its half and itself
 * that another knee has, and no fall of 0.
 */
void answer_knees(const struct answer_curve *curve, uint64_t wanted);

/* Answer what the options ask about a result.  *unreached: some trace has no
   cache for --at-most.  Fails with MARGAY_NO_MEMORY. */
enum margay_status answer_result(const struct options *options,
                                 const struct measured *measured,
                                 bool *unreached, struct margay_error *error);

#endif
