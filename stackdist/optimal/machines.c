/* machines.c - the machines of Belady's optimum: their memory */
#include "stackdist/optimal/machines.h"

#include <stdlib.h>

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
    /* Room in the arrays, and a group behind it that may be read. */
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

void margay_machines_visit_moments(struct margay_machines *machines,
                                   uint32_t (*visit)(void *context,
                                                     uint32_t moment),
                                   void *context)
{
    for (uint32_t i = 0; i < machines->stretch_count; i++) {
        struct margay_stretch *stretch = machines->stretches[i];
        for (uint32_t n = stretch->first; n < stretch->end; n++)
            stretch->moments[n] = visit(context, stretch->moments[n]);
        machines->firsts[i] = stretch->moments[stretch->first];
    }
}
