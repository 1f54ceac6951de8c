/*
 * answers.h - what a miss curve says, in words on standard error
 *
 * --at-most asks for the smallest cache with at most the miss ratio that it
 * names, and --knees for the sizes at which falls of the curve end.  Both look
 * at every size at which the curve steps, and not only at those of the table.
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
 * --knees N: at which of the sizes the misses stop falling, N at most, the
 * sharpest first (sim/result/knees.c).
 * MARGAY_NO_MEMORY.
 */
enum margay_status answer_series(const struct options *options,
                                 const struct series_labels *labels,
                                 const struct margay_series *series,
                                 bool *unreached, struct margay_error *error);

/* Do the options ask anything? */
bool answers_are_asked(const struct options *options);

#endif
