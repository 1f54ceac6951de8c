/* batch_copy.h - a batch that outlives the reading of the next */
#ifndef MARGAY_SIM_RUN_BATCH_COPY_H
#define MARGAY_SIM_RUN_BATCH_COPY_H

#include <margay/traces.h>

/* Zero it to begin; its arrays grow and are used again. */
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
