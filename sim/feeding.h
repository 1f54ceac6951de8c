/*
 * feeding.h - batches of references to all passes over a trace
 *
 * A batch goes to every block size.  Where threads are allowed for that, and
 * there is more than one block size, batches are copied and fed meanwhile, by
 * a crew in which each takes one block size at a time.
 */
#ifndef MARGAY_SIM_FEEDING_H
#define MARGAY_SIM_FEEDING_H

#include "sim/analysis.h"

struct feeding;

/* May several passes, and traces, be fed at the same time? */
bool feeding_is_shared(const struct analysis_hooks *hooks);

/*
 * Feed `count` passes with up to `threads` threads, one of them the caller's.
 * Everything given must outlive the feeding.  MARGAY_NO_MEMORY on failure;
 * the caller owns *feeding.
 */
enum margay_status feeding_create(const struct analysis_hooks *hooks,
                                  void *context, struct analysis_pass *passes,
                                  size_t count, unsigned threads, bool warming,
                                  struct feeding **feeding,
                                  struct margay_error *error);

/* Feed a batch, now or later.  What fails may have been an earlier batch. */
enum margay_status feeding_put(struct feeding *feeding,
                               const struct margay_batch *batch,
                               struct margay_error *error);

/* Wait until everything has been fed: the passes are then the caller's. */
enum margay_status feeding_flush(struct feeding *feeding,
                                 struct margay_error *error);

/* After that, where no more than the warm-up may have come: it is over. */
enum margay_status feeding_end_warmup(struct feeding *feeding,
                                      struct margay_error *error);

/* After a flush, or instead of one.  NULL is fine. */
void feeding_free(struct feeding *feeding);

#endif
