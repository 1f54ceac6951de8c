/*
 * sizes.h - the size of each request's object, where some requests lack it
 *
 * A format marks the sizes that requests lack: of a get that missed, a response
 * without a body.  Batches hold only known sizes.
 *
 * Algorithm: a table has the size that counts of each object.  By default a
 *   request without a size has that of the last request with one, or else of
 *   the next one.  Later sizes are found by reading the file once more, when
 *   one is first needed.  Skipped requests give sizes to later ones, but do not
 *   count as the first, last or largest.  The size of a delete, or 0, is no
 *   other request's.  Tenants do not share objects, where references have a
 *   tenant.
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
    uint32_t tenant; /* the tenant, where the trace has tenants; else 0 */
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

/* Note the sizes of a batch of the second reading: the last one before
   `position` counts, and the first one after. */
enum margay_status margay_object_sizes_look(struct margay_object_sizes *rule,
                                            const struct margay_batch *batch,
                                            uint64_t position,
                                            struct margay_error *error);

/* Does a reference of the batch need a later size? */
bool margay_object_sizes_needs_look(const struct margay_object_sizes *rule,
                                    const struct margay_references *references);

/* Give each reference of the next batch the size that counts. */
enum margay_status margay_object_sizes_apply(
    struct margay_object_sizes *rule, struct margay_references *references,
    struct margay_error *error);

#endif
