/* batch_part.h - some of the entries of a batch */
#ifndef MARGAY_SIM_BATCH_PART_H
#define MARGAY_SIM_BATCH_PART_H

#include <margay/traces.h>

/* `entries` entries of a batch from `from` on, in the same arrays.  Repeats
   that are only added up belong to a batch as a whole, which is then not to be
   parted. */
struct margay_batch batch_part(const struct margay_batch *batch, size_t from,
                               size_t entries);

#endif
