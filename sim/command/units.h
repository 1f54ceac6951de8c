/* units.h - from the numbers of a trace to those of a format */
#ifndef MARGAY_SIM_COMMAND_UNITS_H
#define MARGAY_SIM_COMMAND_UNITS_H

#include <margay/run.h>
#include <margay/writing.h>

#include "sim/options/options.h"

/* A number written is one read times `multiplier` or over `divisor`; one of
   them is 1. */
struct units {
    uint64_t multiplier, divisor;
    bool splits; /* a reference is one to each unit that it covers, */
    bool split;  /* and becomes a record for each */
};

/*
 * Find the factor for a trace that is open and called `name`, and describe it
 * to a format that has a header for it.  Other formats refuse collapsed
 * repeats, because a reader could not know of them.  MARGAY_BAD_ARGUMENT if
 * ids become addresses and nothing says what an id stands for.
 */
enum margay_status units_of_trace(const struct options *options,
                                  const char *name, const margay_trace *trace,
                                  margay_writer *writer, struct units *units,
                                  struct margay_error *error);

/*
 * The same for blocks of a pass: numbers written are those of the first byte of
 * a block, in what the format's numbers stand for or, where nothing says that,
 * as in the trace.  *multiplier times the block is its number, and its extent.
 * `splits`: references ask for all blocks that they cover.
 */
enum margay_status units_of_blocks(const struct margay_pass *pass, bool splits,
                                   margay_writer *writer, uint64_t *multiplier,
                                   struct margay_error *error);

#endif
