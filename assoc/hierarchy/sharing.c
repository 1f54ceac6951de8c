/*
 * sharing.c - where cores contend for a block
 *
 * Algorithm: each copy of a block has a list of the places, of a core, an
 *   offset and a site, that missed it for another core's write or took it from
 *   another core; a place is looked for from the front.
 *
 * Guarantee: the sums over all places are the counts of the level.
 *
 * Cost: as many steps as a block has places of a domain, for each coherence
 *   miss and each write that invalidates; 72 bytes for each place.
 */
#include <stdlib.h>

#include "assoc/hierarchy/node.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------------ noting --
 */

static struct margay_place *add_place(struct margay_directory *directory,
                                      struct margay_copy *copy,
                                      const struct margay_sharing_place *told)
{
    struct margay_place *places =
        directory->place_count == UINT32_MAX
            ? NULL
            : margay_grow(directory->places, directory->place_count,
                          &directory->place_room, sizeof *places);
    directory->failed |= places == NULL;
    if (places == NULL)
        return NULL;
    directory->places = places;
    places[directory->place_count++] =
        (struct margay_place){*told, copy->places};
    copy->places = (uint32_t)directory->place_count;
    return &places[directory->place_count - 1];
}

struct margay_place *margay_sharing_note(struct margay_hierarchy *hierarchy,
                                         const struct margay_domain *domain,
                                         struct margay_copy *copy,
                                         const struct margay_touch *touch)
{
    struct margay_directory *directory = domain->directory;
    unsigned piece = domain->root->shift > 6 ? domain->root->shift - 6 : 0;
    if (!hierarchy->notes_sharing)
        return NULL;
    const struct margay_sharing_place told = {
        .block = touch->block,
        .core = hierarchy->core,
        .offset = (uint64_t)__builtin_ctzll(touch->pieces) << piece,
        .site = hierarchy->site,
    };
    uint32_t at = copy->places;
    for (; at != 0; at = directory->places[at - 1].next) {
        struct margay_place *place = &directory->places[at - 1];
        if (place->told.core == told.core && place->told.site == told.site &&
            place->told.offset == told.offset)
            return place;
    }
    return add_place(directory, copy, &told);
}

/* ----------------------------------------------------------------- telling --
 */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_block(const void *a, const void *b)
{
    const struct margay_sharing_place *first = a, *second = b;
    return compare(first->block, second->block);
}

static int by_false_sharing(const void *a, const void *b)
{
    const struct margay_sharing_place *first = a, *second = b;
    int order = compare(second->block_false_sharing_misses,
                        first->block_false_sharing_misses);
    if (order == 0)
        order = compare(first->block, second->block);
    if (order == 0)
        order = compare(first->core, second->core);
    if (order == 0)
        order = compare(first->offset, second->offset);
    return order == 0 ? compare(first->site, second->site) : order;
}

/* Have each place of a block know what all of them have. */
static void add_up_blocks(struct margay_sharing_place *places, size_t count)
{
    for (size_t from = 0, to; from < count; from = to) {
        uint64_t misses = 0;
        for (to = from; to < count && places[to].block == places[from].block;
             to++)
            misses +=
                places[to].coherence_misses - places[to].true_sharing_misses;
        for (size_t i = from; i < to; i++)
            places[i].block_false_sharing_misses = misses;
    }
}

/* The directory of a level, which may be that of its victim blocks. */
static const struct margay_directory *directory_of(
    const struct margay_hierarchy *hierarchy, size_t level)
{
    size_t next = hierarchy->levels[level].next;
    const struct margay_directory *own = hierarchy->instances[level].directory;
    return own == NULL && next != MARGAY_NO_LEVEL &&
                   next >= hierarchy->level_count
               ? hierarchy->instances[next].directory
               : own;
}

/* The places of a level that have counts; returns how many. */
static size_t tell_level(const struct margay_directory *directory, size_t level,
                         struct margay_sharing_place *places)
{
    size_t count = 0;
    for (size_t i = 0; i < directory->place_count; i++) {
        places[count] = directory->places[i].told;
        places[count].level = level;
        count += places[count].coherence_misses > 0 ||
                 places[count].invalidations > 0;
    }
    qsort(places, count, sizeof *places, by_block);
    add_up_blocks(places, count);
    qsort(places, count, sizeof *places, by_false_sharing);
    return count;
}

enum margay_status margay_hierarchy_sharing(
    const margay_hierarchy *hierarchy, struct margay_sharing_place **places,
    size_t *count, struct margay_error *error)
{
    size_t room = 1;
    *count = 0;
    for (size_t i = 0; i < hierarchy->all_count; i++) {
        const struct margay_directory *directory =
            hierarchy->instances[i].directory;
        room += directory == NULL ? 0 : directory->place_count;
    }
    *places = calloc(room, sizeof **places);
    if (*places == NULL)
        return margay_fail_memory(error, "where cores share blocks");
    for (size_t i = 0; i < hierarchy->level_count; i++) {
        const struct margay_directory *directory = directory_of(hierarchy, i);
        if (directory != NULL)
            *count += tell_level(directory, i, *places + *count);
    }
    return MARGAY_OK;
}
