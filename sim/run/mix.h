/*
 * mix.h - several traces that are read as one, each as a core of a machine
 *
 * Algorithm: turns of a fixed number of references or of one instruction, in
 *   the order of the request, or whichever trace has the earliest next
 *   reference.  A turn of an instruction ends before each fetch that does not
 *   begin it.  A trace that has ended leaves its turns to the others.
 * Guarantee: the order depends on the traces alone.  Where they are apart,
 *   addresses of different traces are different: core k has k in bits 48 to 58
 *   of a byte address, by an exclusive or, so that no two traces share a block
 *   as long as their own addresses have these bits and all above alike, like
 *   those of processors.
 */
#ifndef MARGAY_SIM_RUN_MIX_H
#define MARGAY_SIM_RUN_MIX_H

#include <margay/run.h>

struct margay_mix;

/* A mix without traces; the warm-up is that of all together. */
enum margay_status margay_mix_create(const struct margay_request *request,
                                     uint64_t warmup_refs,
                                     struct margay_mix **mix,
                                     struct margay_error *error);

/* Add the next trace, which is ready and has been opened without a warm-up and
   counts.  It belongs to the mix, also after a failure; but for the first one.
   MARGAY_BAD_ARGUMENT where its numbers do not mean what those of the first
   do. */
enum margay_status margay_mix_add(struct margay_mix *mix, const char *name,
                                  margay_trace *trace,
                                  struct margay_error *error);

/* As margay_trace_next() of all of them, of at most `most` references, with the
   number of its trace as the thread of each; kinds and operations are left out
   when they have been merged. */
enum margay_status margay_mix_next(struct margay_mix *mix, uint64_t most,
                                   int wait_ms, struct margay_batch *batch,
                                   struct margay_error *error);

/* As margay_trace_given(). */
uint64_t margay_mix_given(const struct margay_mix *mix);

/* The trace of that index in the request. */
const margay_trace *margay_mix_trace(const struct margay_mix *mix,
                                     size_t index);

/* But for the first trace.  NULL is fine. */
void margay_mix_free(struct margay_mix *mix);

#endif
