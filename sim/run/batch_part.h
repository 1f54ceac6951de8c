/* batch_part.h - some of the entries of a batch */
#ifndef MARGAY_SIM_RUN_BATCH_PART_H
#define MARGAY_SIM_RUN_BATCH_PART_H

#include <margay/traces.h>

/* `entries` entries of a batch from `from` on, in the same arrays. */
struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries);

#endif
