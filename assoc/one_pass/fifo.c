/* fifo.c - FIFO caches of many sizes at once, each fully associative */
#include "assoc/one_pass/fifo.h"

#include <inttypes.h>

/* The numbers of insertions are checked after this many references. */
#define PIECE_REFS ((size_t)1 << 20)

struct margay_fifo {
    /* Lanes without a cache have the capacity UINT32_MAX, and never insert. */
    margay_fifo_lanes capacity, inserted;
    margay_fifo_lanes *insertions; /* [object] */
    uint64_t misses[MARGAY_FIFO_SIZES];
    uint32_t objects;
    margay_fifo_kernel *kernel;
};

uint64_t margay_fifo_bytes(uint32_t objects)
{
    return (uint64_t)objects * sizeof(margay_fifo_lanes);
}

enum margay_status margay_fifo_create(const struct margay_fifo_options *options,
                                      margay_fifo **fifo,
                                      struct margay_error *error)
{
    *fifo = NULL;
    if (options->objects < 1 || options->objects > MARGAY_FIFO_MOST_OBJECTS ||
        options->count < 1 || options->count > MARGAY_FIFO_SIZES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "fifo: %" PRIu32 " objects in %zu caches (expected "
                           "at least 1, and at most %" PRIu32 " in %d)",
                           options->objects, options->count,
                           MARGAY_FIFO_MOST_OBJECTS, MARGAY_FIFO_SIZES);
    margay_fifo *made = margay_map(sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the caches");
    made->objects = options->objects;
    made->kernel = MARGAY_FOR_TARGET(margay_fifo_kernel, margay_target_best());
    made->insertions = margay_map(margay_fifo_bytes(options->objects));
    if (made->insertions == NULL) {
        margay_fifo_free(made);
        return margay_fail_memory(error, "the caches");
    }
    /* A cache for all objects never evicts, so that larger ones are the same.
       An object of number 0 is absent, as it is `capacity` insertions old. */
    for (size_t i = 0; i < MARGAY_FIFO_SIZES; i++) {
        made->capacity[i] = i < options->count ? options->objects : UINT32_MAX;
        if (i >= options->count)
            continue;
        if (options->cache_blocks[i] < options->objects)
            made->capacity[i] = (uint32_t)options->cache_blocks[i];
        made->inserted[i] = made->capacity[i] + options->earlier_insertions;
    }
    *fifo = made;
    return MARGAY_OK;
}

void margay_fifo_free(margay_fifo *fifo)
{
    if (fifo == NULL)
        return;
    margay_unmap(fifo->insertions, margay_fifo_bytes(fifo->objects));
    margay_unmap(fifo, sizeof *fifo);
}

/* Ages stay the same, and numbers too old to be present become 0. */
static void renumber(margay_fifo *fifo)
{
    for (uint32_t i = 0; i < fifo->objects; i++) {
        margay_fifo_lanes age = fifo->inserted - fifo->insertions[i];
        margay_fifo_lanes present =
            (margay_fifo_lanes)(age < fifo->capacity) &
            (margay_fifo_lanes)(fifo->capacity != UINT32_MAX);
        fifo->insertions[i] = (fifo->capacity - age) & present;
    }
    fifo->inserted =
        fifo->capacity & (margay_fifo_lanes)(fifo->capacity != UINT32_MAX);
}

void margay_fifo_feed(margay_fifo *fifo, const uint32_t *objects, size_t count)
{
    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        bool ends = false;
        for (size_t i = 0; i < MARGAY_FIFO_SIZES; i++)
            ends |= fifo->inserted[i] > UINT32_MAX - PIECE_REFS;
        if (ends)
            renumber(fifo);
        margay_fifo_lanes before = fifo->inserted;
        fifo->kernel(fifo->insertions, &fifo->capacity, &fifo->inserted,
                     objects + done, piece);
        for (size_t i = 0; i < MARGAY_FIFO_SIZES; i++)
            fifo->misses[i] += fifo->inserted[i] - before[i];
    }
}

void margay_fifo_reset_counts(margay_fifo *fifo)
{
    for (size_t i = 0; i < MARGAY_FIFO_SIZES; i++)
        fifo->misses[i] = 0;
}

uint64_t margay_fifo_misses(const margay_fifo *fifo, size_t i)
{
    return fifo->misses[i];
}
