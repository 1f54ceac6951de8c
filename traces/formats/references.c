/* references.c - the arrays of a batch, and counts in them */
#include <stdlib.h>

#include "traces/formats/format.h"

/* An array that is wanted, and could not be had? */
static bool lacks(bool wanted, size_t capacity, size_t bytes, void **array)
{
    if (wanted)
        *array = malloc(capacity * bytes);
    return wanted && *array == NULL;
}

bool margay_references_allocate(struct margay_references *references,
                                const struct margay_format_info *format)
{
    size_t capacity = references->capacity;
    return !(lacks(format->has_kinds, capacity, sizeof *references->kinds,
                   (void **)&references->kinds) ||
             lacks(format->has_extents, capacity, sizeof *references->extents,
                   (void **)&references->extents) ||
             lacks(format->has_counts, capacity, sizeof *references->counts,
                   (void **)&references->counts) ||
             lacks(format->has_threads, capacity, sizeof *references->threads,
                   (void **)&references->threads) ||
             lacks(format->has_sites, capacity, sizeof *references->sites,
                   (void **)&references->sites));
}

void margay_references_free(struct margay_references *references)
{
    free(references->numbers);
    free(references->kinds);
    free(references->extents);
    free(references->counts);
    free(references->threads);
    free(references->sites);
    *references = (struct margay_references){0};
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
