/* batches.c - parts and copies of batches */
#define _GNU_SOURCE
#include "sim/run/batches.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries)
{
    struct margay_batch part = *batch;
    part.references = entries;
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (part.name != NULL)                          \
        part.name += from;
#include <margay/columns.def>
    return part;
}

void margay_batch_copy_clear(struct margay_batch_copy *copy)
{
#define MARGAY_COLUMN(name, NAME, bit, type, words) free(copy->name);
#include <margay/columns.def>
    *copy = (struct margay_batch_copy){.capacity = 0};
}

/* A column of the copy, in an array of its own that is made when a batch first
   has that column.  NULL where `from` is, and where there is no memory. */
static const void *copy_column(void **to, const void *from, size_t bytes_each,
                               size_t count, size_t capacity, bool *failed)
{
    if (from == NULL)
        return NULL;
    if (*to == NULL)
        *to = reallocarray(NULL, capacity, bytes_each);
    if (*to == NULL)
        *failed = true;
    else
        memcpy(*to, from, count * bytes_each);
    return *to;
}

enum margay_status margay_batch_copy(struct margay_batch_copy *copy,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    bool failed = false;
    if (copy->capacity < batch->references) {
        margay_batch_copy_clear(copy);
        copy->capacity = batch->references;
    }
    copy->batch = *batch;
#define MARGAY_COLUMN(name, NAME, bit, type, words)                  \
    copy->batch.name =                                               \
        copy_column((void **)&copy->name, batch->name, sizeof(type), \
                    batch->references, copy->capacity, &failed);
#include <margay/columns.def>
    return failed ? margay_fail_memory(error, "batches of references")
                  : MARGAY_OK;
}
