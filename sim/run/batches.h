/* batches.h - parts and copies of batches */
#ifndef MARGAY_SIM_RUN_BATCHES_H
#define MARGAY_SIM_RUN_BATCHES_H

#include <margay/traces.h>

/* `entries` entries of a batch from `from` on, in the same arrays. */
struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries);

/* A batch that outlives the reading of the next.  Zero it to begin; its arrays
   grow and are used again. */
struct margay_batch_copy {
    struct margay_batch batch;
    size_t capacity; /* in references, of each array that there is */
#define MARGAY_COLUMN(name, NAME, bit, type, words) type *name;
#include <margay/columns.def>
};

/* MARGAY_NO_MEMORY on failure. */
enum margay_status margay_batch_copy(struct margay_batch_copy *copy,
                                     const struct margay_batch *batch,
                                     struct margay_error *error);

void margay_batch_copy_clear(struct margay_batch_copy *copy);

#endif
