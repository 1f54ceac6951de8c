/*
 * shared.h - the miss curve of a program as steps, and its fill times
 *
 * Step j holds from sizes[j] blocks up to the next step: misses[j] references
 * miss there.  The first step is that of 0 blocks, where all do; sizes ascend
 * and misses descend.
 */
#ifndef MARGAY_STACKDIST_SHARING_SHARED_H
#define MARGAY_STACKDIST_SHARING_SHARED_H

#include <margay/sharing.h>

struct margay_fill {
    size_t count;
    uint64_t *sizes, *misses; /* owned */
    double *filled;      /* references after which sizes[j] blocks are in use */
    uint64_t references; /* misses[0] */
    uint64_t distinct;   /* blocks: it never uses more */
    double share;        /* of the references of all programs in a time */
};

struct margay_sharing {
    struct margay_fill *programs; /* owned */
    size_t count;
};

/* The step that holds at this size. */
size_t margay_fill_at(const struct margay_fill *steps, uint64_t size);

#endif
