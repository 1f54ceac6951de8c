/* machines.c - the machines of Belady's optimum: their memory */
#include "stackdist/optimal/machines.h"

#include <stdlib.h>
#include <string.h>

/* Stretches whose memory is taken at once. */
#define FIRST_STRETCHES 16
#define SLAB_STRETCHES  256

void margay_machines_create(struct margay_machines *machines, uint64_t most,
                            enum margay_target target)
{
    *machines = (struct margay_machines){
        .kernel = MARGAY_FOR_TARGET(&margay_machines_kernel, target),
        .most = most};
}

/* Of which there are few in the first slab, as many traces need no more. */
static size_t slab_stretches(uint32_t slab)
{
    return slab == 0 ? FIRST_STRETCHES : SLAB_STRETCHES;
}

void margay_machines_destroy(struct margay_machines *machines)
{
    for (uint32_t i = 0; i < machines->slab_count; i++)
        margay_unmap(machines->slabs[i],
                     slab_stretches(i) * sizeof **machines->slabs);
    free(machines->slabs);
    free(machines->spares);
    free(machines->stretches);
    free(machines->firsts);
    free(machines->leasts);
    free(machines->counts);
    *machines = (struct margay_machines){0};
}

static bool resize(void *array, size_t count, size_t element_bytes)
{
    void **pointer = array;
    size_t bytes;
    if (!margay_multiply_size(count, element_bytes, &bytes))
        return false;
    void *resized = realloc(*pointer, bytes);
    if (resized != NULL)
        *pointer = resized;
    return resized != NULL;
}

enum margay_status margay_machines_reserve(struct margay_machines *machines,
                                           uint32_t more,
                                           struct margay_error *error)
{
    uint32_t stretches = more / MARGAY_STRETCH_NEWEST + 2;
    uint32_t wanted = machines->stretch_count + stretches;
    bool reserved = true;
    /* Room in the arrays, and a group after it that may be read. */
    if (wanted > machines->stretch_capacity) {
        wanted = 2 * wanted + FIRST_STRETCHES;
        uint32_t slots = wanted + MARGAY_STRETCH_GROUP;
        reserved =
            resize(&machines->stretches, slots, sizeof *machines->stretches) &&
            resize(&machines->firsts, slots, sizeof *machines->firsts) &&
            resize(&machines->leasts, slots, sizeof *machines->leasts) &&
            resize(&machines->counts, slots, sizeof *machines->counts);
        for (uint32_t i = machines->stretch_count; reserved && i < slots; i++)
            machines->firsts[i] = machines->leasts[i] = MARGAY_NO_NUMBER;
        if (reserved)
            machines->stretch_capacity = wanted;
    }
    while (reserved && machines->spare_count < stretches) {
        uint32_t slabs = machines->slab_count + 1;
        size_t count = slab_stretches(machines->slab_count);
        struct margay_stretch *slab = NULL;
        if (resize(&machines->slabs, slabs, sizeof *machines->slabs) &&
            resize(&machines->spares, (size_t)slabs * SLAB_STRETCHES,
                   sizeof *machines->spares))
            slab = margay_map(count * sizeof *slab);
        reserved = slab != NULL;
        if (reserved)
            machines->slabs[machines->slab_count++] = slab;
        for (size_t i = 0; reserved && i < count; i++)
            machines->spares[machines->spare_count++] = slab + i;
    }
    return reserved ? MARGAY_OK
                    : margay_fail_memory(error, "the machines of the optimum");
}

void margay_machines_list(const struct margay_machines *machines,
                          uint32_t *moments, uint32_t *numbers)
{
    for (uint32_t k = 0; k < machines->stretch_count; k++) {
        const struct margay_stretch *stretch = machines->stretches[k];
        uint32_t first = stretch->first, count = stretch->end - first;
        memcpy(moments, stretch->moments + first, count * sizeof *moments);
        memcpy(numbers, stretch->numbers + first, count * sizeof *numbers);
        for (uint32_t i = 0; i < stretch->edge_count; i++)
            numbers[stretch->places[i] - first] = stretch->edge[i];
        moments += count;
        numbers += count;
    }
}

uint32_t margay_moments_until(const uint32_t *moments, uint32_t count,
                              uint32_t time)
{
    return (uint32_t)MARGAY_BISECT(i, count, moments[i] <= time);
}

/* Find the edge of a stretch, from the newest machine to the oldest, and
   covers[] of its places. */
static void find_edge(struct margay_stretch *stretch)
{
    const uint32_t *numbers = stretch->numbers;
    uint32_t edge_count = 0, least = MARGAY_NO_NUMBER, i;
    for (i = stretch->end; i-- > 0;) {
        edge_count += numbers[i] < least;
        least = numbers[i] < least ? numbers[i] : least;
    }
    stretch->edge = stretch->edge_space;
    stretch->edge_count = i = edge_count;
    stretch->calm = 0;
    stretch->covering = edge_count < stretch->end;
    for (uint32_t k = 0; k <= MARGAY_STRETCH_GROUP; k++)
        stretch->edge[edge_count + k] = MARGAY_NO_NUMBER;
    for (uint32_t k = 0; k < edge_count + MARGAY_STRETCH_GROUP; k++)
        stretch->covers[k] = MARGAY_NO_NUMBER;
    least = MARGAY_NO_NUMBER;
    for (uint32_t at = stretch->end; at-- > 0;) {
        if (numbers[at] < least) {
            least = stretch->edge[--i] = numbers[at];
            stretch->places[i] = (uint16_t)at;
        } else if (numbers[at] < stretch->covers[i]) {
            stretch->covers[i] = numbers[at];
        }
    }
}

enum margay_status margay_machines_set(struct margay_machines *machines,
                                       const uint32_t *moments,
                                       const uint32_t *numbers, uint32_t count,
                                       struct margay_error *error)
{
    /* Stretches may be joined, and so they are not full. */
    const uint32_t each = MARGAY_STRETCH_MACHINES / 4 * 3;
    while (machines->stretch_count > 0)
        machines->spares[machines->spare_count++] =
            machines->stretches[--machines->stretch_count];
    enum margay_status status = margay_machines_reserve(
        machines, count / each * MARGAY_STRETCH_NEWEST, error);
    machines->count = status == MARGAY_OK ? count : 0;
    for (uint32_t done = 0; done < machines->count;) {
        uint32_t k = machines->stretch_count++;
        uint32_t some = count - done < each ? count - done : each;
        struct margay_stretch *stretch =
            machines->spares[--machines->spare_count];
        memcpy(stretch->moments, moments + done, some * sizeof *moments);
        memcpy(stretch->numbers, numbers + done, some * sizeof *numbers);
        stretch->first = 0;
        stretch->end = some;
        find_edge(stretch);
        machines->stretches[k] = stretch;
        machines->firsts[k] = moments[done];
        machines->leasts[k] = stretch->edge[0];
        machines->counts[k] = some;
        done += some;
    }
    return status;
}
