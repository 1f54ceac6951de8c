/*
 * sizes.h - the size of each request's object, where some do not say it
 *
 * A format marks a size that a request does not say: a get that missed, a
 * response without a body.  Batches hold sizes that are known.
 *
 * Algorithm: a table has the size that counts of each object.  By default a
 *   request without a size has that of the last request that said one, or else
 *   of the next one.  What comes later is found by reading the file once more,
 *   when it is first needed.  Requests that are skipped say sizes to later
 *   ones, but not which is the first, last or largest.  What a delete says, or
 *   0, is its own size and no other request's.  Tenants' objects are their own,
 *   where references say their tenant.
 * Guarantee: exact in a file.  A pipe is read once: there, requests before the
 *   first known size of their object count 0 bytes, and are counted.
 * Cost: nothing until a size is missing or another rule than the default is
 *   asked for; then 24 to 48 bytes an object and a look-up for each request.
 */
#ifndef MARGAY_TRACES_FORMATS_SIZES_H
#define MARGAY_TRACES_FORMATS_SIZES_H

#include "traces/formats/format.h"

struct margay_object_size {
    uint64_t object, size;
    uint32_t tenant; /* whose it is, where the trace tells; else 0 */
    bool used, known;
};

struct margay_object_table {
    struct margay_object_size *entries;
    size_t capacity, count; /* the former a power of two, or 0 */
};

struct margay_object_sizes {
    enum margay_sizes_from from;
    struct margay_object_table table;
    uint64_t first, end; /* the references that are read: [first, end) */
    bool fills;          /* each known size goes into the table */
    bool looked;         /* the file has been read once more */
    uint64_t given;      /* references of the trace so far */
    /* Of those that are read, requests without a size, and without any. */
    uint64_t unknown, never;
};

void margay_object_sizes_clear(struct margay_object_sizes *rule);

/* Note the sizes of a batch that is read to know what comes: of references
   before `position`, the last one counts, and of later ones the first. */
enum margay_status margay_object_sizes_look(struct margay_object_sizes *rule,
                                            const struct margay_batch *batch,
                                            uint64_t position,
                                            struct margay_error *error);

/* Does a reference of the batch need what comes later? */
bool margay_object_sizes_needs_look(const struct margay_object_sizes *rule,
                                    const struct margay_references *references);

/* Give each reference of the next batch the size that counts. */
enum margay_status margay_object_sizes_apply(
    struct margay_object_sizes *rule, struct margay_references *references,
    struct margay_error *error);

#endif
