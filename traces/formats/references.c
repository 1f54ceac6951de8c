/* references.c - the arrays of a batch, and the counts in them */
#include <stdlib.h>

#include "traces/formats/format.h"

bool margay_references_allocate(struct margay_references *references,
                                unsigned columns)
{
    bool lacks = false;
#define MARGAY_COLUMN(name, NAME, bit, type, words)                     \
    if (columns & 1u << (bit)) {                                        \
        references->name = malloc(references->capacity * sizeof(type)); \
        lacks = lacks || references->name == NULL;                      \
    }
#include <margay/columns.def>
    return !lacks;
}

void margay_references_free(struct margay_references *references)
{
#define MARGAY_COLUMN(name, NAME, bit, type, words) free(references->name);
#include <margay/columns.def>
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
    bool counted = margay_references_columns(references) & MARGAY_COLUMN_COUNTS;
    uint64_t held =
        counted ? sum_counts(references->counts + from, left) : left;
    if (held <= *limit) {
        *limit = held;
        return left;
    }
    if (!counted)
        return (size_t)*limit;
    held = 0;
    while (references->counts[i] <= *limit - held)
        held += references->counts[i++];
    *limit = held;
    return i - from;
}

size_t margay_references_drop(struct margay_references *references, size_t from,
                              uint64_t *left)
{
    uint64_t dropped = *left;
    from += margay_references_within(references, from, &dropped);
    *left -= dropped;
    if (*left > 0 && from < references->count) {
        references->counts[from] -= (uint32_t)*left;
        *left = 0;
    }
    return from;
}

void margay_references_expand(const struct margay_references *from,
                              size_t *entry, uint32_t *done,
                              struct margay_references *to)
{
    to->count = 0;
    to->unfilled = from->unfilled;
    unsigned columns =
        margay_references_columns(from) & margay_references_columns(to);
    while (*entry < from->count && to->count < to->capacity) {
        if (*done < from->counts[*entry]) {
            margay_references_copy(from, columns, *entry, to, to->count++);
            ++*done;
        } else {
            ++*entry;
            *done = 0;
        }
    }
}
