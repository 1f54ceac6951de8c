/*
 * needs.h - what is asked of a trace
 *
 * Not every trace says of its references what a run asks about, and what it
 * does not say must not look like an answer: no writes, one thread.
 */
#ifndef MARGAY_SIM_RUN_NEEDS_H
#define MARGAY_SIM_RUN_NEEDS_H

#include <margay/run.h>

/* The trace, called `name`, is ready.  MARGAY_BAD_ARGUMENT if it does not say
   what one of these asks. */
enum margay_status margay_needs_check(const struct margay_need *needs,
                                      size_t count, const char *name,
                                      const margay_trace *trace,
                                      struct margay_error *error);

#endif
