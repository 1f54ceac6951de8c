/*
 * feeder.h - batches of references to analyses, pass by pass
 *
 * A batch goes to every block size.  Where the plan has several of them fed at
 * the same time, batches are copied and fed meanwhile, by a crew in which each
 * thread takes one block size at a time.
 */
#ifndef MARGAY_SIM_RUN_FEEDER_H
#define MARGAY_SIM_RUN_FEEDER_H

#include "sim/run/running.h"

struct margay_feeder;

/*
 * Feed the passes of a trace as the plan has it.  The trace must outlive the
 * feeder.  MARGAY_NO_MEMORY on failure; the caller owns *feeder.
 */
enum margay_status margay_feeder_create(struct margay_running *running,
                                        struct margay_feeder **feeder,
                                        struct margay_error *error);

/* Feed a batch, now or later.  A failure may be that of an earlier batch. */
enum margay_status margay_feeder_put(struct margay_feeder *feeder,
                                     const struct margay_batch *batch,
                                     struct margay_error *error);

/* References that the reader has added up, each an immediate repeat of one that
   has been put: every pass is fed this many by the next flush. */
void margay_feeder_repeat(struct margay_feeder *feeder, uint64_t repeats);

/* Wait until everything has been fed: the passes are then the caller's. */
enum margay_status margay_feeder_flush(struct margay_feeder *feeder,
                                       struct margay_error *error);

/* Wait likewise, and end the warm-up if the trace has not gone beyond it. */
enum margay_status margay_feeder_end(struct margay_feeder *feeder,
                                     struct margay_error *error);

/* NULL is fine. */
void margay_feeder_free(struct margay_feeder *feeder);

#endif
