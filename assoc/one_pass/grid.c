/* grid.c - the memory that the caches of a grid need, and the caches */
#include <inttypes.h>
#include <stdlib.h>

#include "assoc/one_pass/simulation.h"
#include "assoc/room.h"

/* Levels of up to 2^12 sets are 256 KiB at most, a line for each set. */
#define MOST_WHOLE_SET_SHIFT 12

static bool ascends(const unsigned *values, size_t count, unsigned most)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] > most || (i > 0 && values[i] <= values[i - 1]))
            return false;
    }
    return count > 0;
}

static bool valid_grid(const struct margay_grid *grid)
{
    return ascends(grid->block_shifts, grid->block_count, 63) &&
           ascends(grid->set_shifts, grid->set_count, MARGAY_MOST_SET_SHIFT) &&
           grid->most_ways >= 1 && grid->most_ways <= MARGAY_MOST_WAYS;
}

/*
 * A set that is a whole line of the processor's cache is faster than a part of
 * one, which is not loaded at once when it was just stored.  So a set is a line
 * where that takes little memory, or at most four times what is needed.
 */
unsigned margay_level_stride(unsigned ways, unsigned set_shift,
                             size_t tag_bytes)
{
    unsigned lanes = (unsigned)(MARGAY_LINE_BYTES / tag_bytes);
    if (ways > lanes)
        return (ways + lanes - 1) / lanes * lanes;
    if (ways > lanes / 4 || set_shift <= MOST_WHOLE_SET_SHIFT)
        return lanes;
    unsigned stride = 1;
    while (stride < ways)
        stride *= 2;
    return stride;
}

uint64_t margay_level_bytes(unsigned ways, unsigned set_shift, size_t tag_bytes)
{
    uint64_t stride = margay_level_stride(ways, set_shift, tag_bytes);
    return stride * tag_bytes << set_shift;
}

uint64_t margay_grid_bytes(const struct margay_grid *grid)
{
    uint64_t bytes = 0;
    if (!valid_grid(grid))
        return UINT64_MAX;
    for (size_t i = 0; i < grid->set_count; i++)
        bytes += margay_level_bytes(grid->most_ways, grid->set_shifts[i],
                                    sizeof(uint32_t));
    return bytes * grid->block_count;
}

/* The same grid with no more than 2^most_shift sets, or with 2^most_shift sets
   alone if it has none so small. */
static struct margay_grid shrink(const struct margay_grid *grid,
                                 const unsigned *most_shift)
{
    struct margay_grid smaller = *grid;
    while (smaller.set_count > 0 &&
           grid->set_shifts[smaller.set_count - 1] > *most_shift)
        smaller.set_count--;
    if (smaller.set_count == 0) {
        smaller.set_shifts = most_shift;
        smaller.set_count = 1;
    }
    return smaller;
}

static enum margay_status fail_too_large(const struct margay_grid *grid,
                                         uint64_t room,
                                         struct margay_error *error)
{
    char needed[MARGAY_ROOM_TEXT], there[MARGAY_ROOM_TEXT];
    unsigned shift = grid->set_shifts[grid->set_count - 1];
    struct margay_grid smaller = *grid;
    margay_room_text(needed, margay_grid_bytes(grid));
    margay_room_text(there, room);
    while (shift > 0 && margay_grid_bytes(&smaller) > room) {
        shift--;
        smaller = shrink(grid, &shift);
    }
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "the caches would take %s of memory, and there are %s: "
                       "up to %" PRIu64 " set%s would fit",
                       needed, there, UINT64_C(1) << shift,
                       margay_plural(UINT64_C(1) << shift, "s"));
}

enum margay_status margay_grid_check(const struct margay_grid *grid,
                                     struct margay_error *error)
{
    if (!valid_grid(grid))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "not a grid of caches (expected ascending block "
                           "shifts up to 63, set shifts up to %d, 1 to %d "
                           "ways)",
                           MARGAY_MOST_SET_SHIFT, MARGAY_MOST_WAYS);
    uint64_t room = margay_room_bytes();
    return margay_grid_bytes(grid) > room ? fail_too_large(grid, room, error)
                                          : MARGAY_OK;
}

/* --------------------------------------------------------------- caches -- */

static uint64_t bytes_of_tags(const margay_assoc *assoc, size_t tag_bytes)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < assoc->set_count; i++)
        bytes += margay_level_bytes(assoc->most_ways, assoc->set_shifts[i],
                                    tag_bytes);
    return bytes * assoc->block_count;
}

enum margay_status margay_caches_create(const margay_assoc *assoc,
                                        struct margay_caches *caches,
                                        struct margay_error *error)
{
    size_t tag_bytes = assoc->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    caches->count = assoc->block_count * assoc->set_count;
    caches->levels = calloc(caches->count, sizeof *caches->levels);
    caches->tags_bytes = bytes_of_tags(assoc, tag_bytes);
    caches->tags = margay_map(caches->tags_bytes);
    if (caches->levels == NULL || caches->tags == NULL)
        return margay_fail_memory(error, "the tags of the caches");
    char *tags = caches->tags;
    for (size_t i = 0; i < caches->count; i++) {
        struct margay_level *level = &caches->levels[i];
        level->set_shift = assoc->set_shifts[i % assoc->set_count];
        level->stride =
            margay_level_stride(assoc->most_ways, level->set_shift, tag_bytes);
        level->tags = tags;
        level->hits = calloc((size_t)MARGAY_KINDS * (level->stride + 1),
                             sizeof *level->hits);
        if (level->hits == NULL)
            return margay_fail_memory(error, "the counts of the caches");
        tags +=
            margay_level_bytes(assoc->most_ways, level->set_shift, tag_bytes);
    }
    return MARGAY_OK;
}

void margay_caches_destroy(struct margay_caches *caches)
{
    for (size_t i = 0; caches->levels != NULL && i < caches->count; i++)
        free(caches->levels[i].hits);
    free(caches->levels);
    margay_unmap(caches->tags, caches->tags_bytes);
    *caches = (struct margay_caches){0};
}
