/* batch_copy.c - a batch that outlives the reading of the next */
#define _GNU_SOURCE
#include "sim/run/batch_copy.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

void margay_batch_copy_clear(struct margay_batch_copy *copy)
{
    free(copy->numbers);
    free(copy->sites);
    free(copy->kinds);
    free(copy->extents);
    free(copy->counts);
    free(copy->threads);
    free(copy->sizes);
    free(copy->times);
    free(copy->ttls);
    free(copy->ops);
    free(copy->requests);
    free(copy->tenants);
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

#define COPY(column)                                                           \
    copy->batch.column = copy_column((void **)&copy->column, batch->column,    \
                                     sizeof *batch->column, batch->references, \
                                     copy->capacity, &failed)

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
    COPY(numbers);
    COPY(kinds);
    COPY(extents);
    COPY(counts);
    COPY(threads);
    COPY(sites);
    COPY(sizes);
    COPY(times);
    COPY(ttls);
    COPY(ops);
    COPY(requests);
    COPY(tenants);
    return failed ? margay_fail_memory(error, "batches of references")
                  : MARGAY_OK;
}
