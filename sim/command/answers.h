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
#include "sim/result/tables.h"

/*
 * Answer what the options ask about a series at every size where it steps, or
 * that was simulated:
 *
 * --at-most and --at-most-bytes: the smallest cache with at most this ratio;
 * *unreached is set where there is none.
 *
 * --knees N: at which of the sizes the curve falls most, N at most.  The fall
 * at a size is the difference between the misses at half of it, rounded down,
 * and there; a cache of 0 misses always.  Of sizes with the same fall the
 * smallest one counts.  A knee has no size between its half and itself that
 * another knee has, and no fall of 0.
 */
void answer_series(const struct options *options,
                   const struct series_labels *labels,
                   const struct margay_series *series, bool *unreached);

/* Do the options ask anything? */
bool answers_are_asked(const struct options *options);

#endif
