/* references.c - the arrays of a batch, and the counts in them */
#include <stdlib.h>

#include "traces/formats/format.h"

/* Allocate an array if it is wanted; true if there is no memory for it. */
static bool lacks(bool wanted, size_t capacity, size_t bytes, void **array)
{
    if (wanted)
        *array = malloc(capacity * bytes);
    return wanted && *array == NULL;
}

bool margay_references_allocate(struct margay_references *references,
                                unsigned columns)
{
    size_t capacity = references->capacity;
    return !(
        lacks(columns & MARGAY_COLUMN_KINDS, capacity,
              sizeof *references->kinds, (void **)&references->kinds) ||
        lacks(columns & MARGAY_COLUMN_EXTENTS, capacity,
              sizeof *references->extents, (void **)&references->extents) ||
        lacks(columns & MARGAY_COLUMN_COUNTS, capacity,
              sizeof *references->counts, (void **)&references->counts) ||
        lacks(columns & MARGAY_COLUMN_THREADS, capacity,
              sizeof *references->threads, (void **)&references->threads) ||
        lacks(columns & MARGAY_COLUMN_SITES, capacity,
              sizeof *references->sites, (void **)&references->sites) ||
        lacks(columns & MARGAY_COLUMN_SIZES, capacity,
              sizeof *references->sizes, (void **)&references->sizes) ||
        lacks(columns & MARGAY_COLUMN_TIMES, capacity,
              sizeof *references->times, (void **)&references->times) ||
        lacks(columns & MARGAY_COLUMN_TTLS, capacity, sizeof *references->ttls,
              (void **)&references->ttls) ||
        lacks(columns & MARGAY_COLUMN_OPS, capacity, sizeof *references->ops,
              (void **)&references->ops) ||
        lacks(columns & MARGAY_COLUMN_REQUESTS, capacity,
              sizeof *references->requests, (void **)&references->requests) ||
        lacks(columns & MARGAY_COLUMN_TENANTS, capacity,
              sizeof *references->tenants, (void **)&references->tenants));
}

void margay_references_free(struct margay_references *references)
{
    free(references->numbers);
    free(references->kinds);
    free(references->extents);
    free(references->counts);
    free(references->threads);
    free(references->sites);
    free(references->sizes);
    free(references->times);
    free(references->ttls);
    free(references->ops);
    free(references->requests);
    free(references->tenants);
    *references = (struct margay_references){0};
}

/* Compilers turn loops of fixed length into vector instructions. */
#define SUM_PIECE 32

static uint64_t sum_counts(const uint32_t *counts, size_t entries)
{
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + SUM_PIECE <= entries; i += SUM_PIECE) {
        for (size_t k = 0; k < SUM_PIECE; k++)
            sum += counts[i + k];
    }
    for (; i < entries; i++)
        sum += counts[i];
    return sum;
}

uint64_t margay_batch_references(const struct margay_batch *batch)
{
    return batch->counts == NULL ? batch->references
                                 : sum_counts(batch->counts, batch->references);
}

size_t margay_references_within(const struct margay_references *references,
                                size_t from, uint64_t *limit)
{
    size_t left = references->count - from, i = from;
    uint64_t held = references->counted
                        ? sum_counts(references->counts + from, left)
                        : left;
    if (held <= *limit) {
        *limit = held;
        return left;
    }
    if (!references->counted)
        return (size_t)*limit;
    held = 0;
    while (references->counts[i] <= *limit - held)
        held += references->counts[i++];
    *limit = held;
    return i - from;
}

static void copy_reference(const struct margay_references *from, size_t i,
                           struct margay_references *to)
{
    size_t k = to->count++;
    to->numbers[k] = from->numbers[i];
    if (from->kinds != NULL)
        to->kinds[k] = from->kinds[i];
    if (from->extents != NULL)
        to->extents[k] = from->extents[i];
    if (from->threaded)
        to->threads[k] = from->threads[i];
    if (from->sited)
        to->sites[k] = from->sites[i];
}

void margay_references_expand(const struct margay_references *from,
                              size_t *entry, uint32_t *done,
                              struct margay_references *to)
{
    to->count = 0;
    to->counted = false;
    to->threaded = from->threaded;
    to->sited = from->sited;
    while (*entry < from->count && to->count < to->capacity) {
        if (*done < from->counts[*entry]) {
            copy_reference(from, *entry, to);
            ++*done;
        } else {
            ++*entry;
            *done = 0;
        }
    }
}
