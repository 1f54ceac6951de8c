/*
 * coherence.c - the protocol MESI between private caches
 *
 * Algorithm: a directory has for each block the domains that have touched it,
 *   and for each of these the state, how many caches of the domain have the
 *   block, and which of its bytes other domains have written.  Where places are
 *   noted, each copy of a block also has a list of places (core, offset and
 *   site) that missed it for another core's write or took it from another core;
 *   the list is searched from the front.
 *
 * Source: Papamarcos and Patel 1984 (the states); Dubois, Skeppstedt,
 *   Ricciulli, Ramamurthy and Stenstrom 1993 (true and false sharing).  A miss
 *   is useless unless the domain touches, before it loses the block again, a
 *   byte that another one has written since this domain's last miss that was
 *   not useless.  A coherence miss is one of a block that left the domain
 *   because another one wrote to it: true sharing, or useless: false sharing.
 *
 * Guarantee: exact; a block of over 64 bytes has 64 pieces instead of bytes.
 *   The sums over all places are the counts of the level.
 *
 * Cost: a look into a hash table for each reference of a coherent cache, and
 *   for each block that comes or leaves; 24 bytes for each block and domain
 *   that has touched it, and 16 for each block.  With places, as many steps as
 *   a block has places of a domain, for each coherence miss and each write that
 *   invalidates, and 72 bytes for each place.
 */
#include <stdlib.h>

#include "assoc/hierarchy/node.h"

/* --------------------------------------------------------- the directory -- */

enum margay_status margay_directory_create(struct margay_directory **directory,
                                           struct margay_error *error)
{
    struct margay_directory *made = calloc(1, sizeof *made);
    enum margay_status status =
        made == NULL ? margay_fail_memory(error, "the directory of blocks")
                     : margay_hash_create(&made->blocks, 0, error);
    *directory = status == MARGAY_OK ? made : NULL;
    if (status != MARGAY_OK)
        free(made);
    return status;
}

void margay_directory_free(struct margay_directory *directory)
{
    if (directory == NULL)
        return;
    margay_hash_destroy(&directory->blocks);
    free(directory->copies);
    free(directory->places);
    free(directory);
}

void margay_directory_reset(struct margay_directory *directory)
{
    for (size_t i = 0; i < directory->count; i++)
        directory->copies[i].pending = false;
    for (size_t i = 0; i < directory->place_count; i++) {
        struct margay_sharing_place *told = &directory->places[i].told;
        told->coherence_misses = told->true_sharing_misses = 0;
        told->invalidations = 0;
    }
}

/* The first copy of a block, plus 1; 0 = there is none. */
static inline uint32_t first_copy(const struct margay_directory *directory,
                                  uint64_t block)
{
    const uint32_t *first = margay_hash_find(&directory->blocks, block);
    return first == NULL ? 0 : *first;
}

/* The copy of a domain; NULL = it has none. */
static struct margay_copy *find_copy(const struct margay_domain *domain,
                                     uint64_t block)
{
    struct margay_directory *directory = domain->directory;
    uint32_t at = first_copy(directory, block);
    while (at != 0 && directory->copies[at - 1].domain != domain->index)
        at = directory->copies[at - 1].next;
    return at == 0 ? NULL : &directory->copies[at - 1];
}

/* The copy of a domain, made if there is none, at its place in the list of its
   block; NULL = without memory. */
static struct margay_copy *copy_of(const struct margay_domain *domain,
                                   uint64_t block)
{
    struct margay_copy *copy = find_copy(domain, block);
    if (copy != NULL)
        return copy;
    struct margay_directory *directory = domain->directory;
    directory->failed |=
        directory->count == UINT32_MAX ||
        !MARGAY_MAKE_ROOM(directory->copies, directory->count, 1,
                          directory->room) ||
        margay_hash_reserve(&directory->blocks, 1, NULL) != MARGAY_OK;
    if (directory->failed)
        return NULL;
    struct margay_copy *copies = directory->copies;
    uint32_t *link = margay_hash_insert(&directory->blocks, block);
    while (*link != 0 && copies[*link - 1].domain < domain->index)
        link = &copies[*link - 1].next;
    copy = &copies[directory->count++];
    *copy = (struct margay_copy){.domain = domain->index, .next = *link};
    *link = (uint32_t)directory->count;
    return copy;
}

void margay_directory_count(const struct margay_domain *domain, uint64_t block,
                            int change)
{
    struct margay_copy *copy = find_copy(domain, block);
    if (copy != NULL)
        copy->caches = (uint8_t)(copy->caches + change);
}

/* ---------------------------------------------------------------- places -- */

/* The place of a touch of a copy, which is the domain's, made if there is none;
   NULL = places are not noted, or there is no memory. */
static struct margay_place *note_place(struct margay_hierarchy *hierarchy,
                                       const struct margay_domain *domain,
                                       struct margay_copy *copy,
                                       const struct margay_touch *touch)
{
    struct margay_directory *directory = domain->directory;
    unsigned piece = domain->root->shift > 6 ? domain->root->shift - 6 : 0;
    if (!hierarchy->options.notes_sharing)
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
    directory->failed |=
        directory->place_count == UINT32_MAX ||
        !MARGAY_MAKE_ROOM(directory->places, directory->place_count, 1,
                          directory->place_room);
    if (directory->failed)
        return NULL;
    struct margay_place *place = &directory->places[directory->place_count++];
    *place = (struct margay_place){told, copy->places};
    copy->places = (uint32_t)directory->place_count;
    return place;
}

/* ---------------------------------------------------------- the protocol -- */

/* The effects of a touch on other domains; returns how many have the block. */
static uint32_t tell_others(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch)
{
    struct margay_copy *copies = domain->directory->copies;
    uint32_t at = first_copy(domain->directory, touch->block);
    uint32_t found = 0;
    for (; at != 0; at = copies[at - 1].next) {
        struct margay_copy *copy = &copies[at - 1];
        if (copy->domain == domain->index)
            continue;
        if (touch->write)
            copy->fresh |= touch->pieces;
        if (copy->caches == 0)
            continue;
        /* This domain asks for a block that the other one has. */
        struct margay_node *root = domain->roots->nodes[copy->domain];
        bool modified = copy->state == MARGAY_MODIFIED;
        root->counts.interventions += modified;
        copy->state = MARGAY_SHARED;
        if (touch->write) {
            copy->caches = 0;
            copy->invalidated = true;
            root->counts.invalidations++;
        }
        if (modified || touch->write)
            margay_node_recall(hierarchy, root, touch->block, touch->write);
        found++;
    }
    return found;
}

/* The domain lacks the block, and gets it if the reference brings it in. */
static void begin_stay(struct margay_hierarchy *hierarchy,
                       const struct margay_domain *domain,
                       struct margay_copy *copy,
                       const struct margay_touch *touch)
{
    copy->pending = copy->invalidated && touch->pieces != 0;
    copy->invalidated = false;
    if (!copy->pending) {
        copy->fresh = 0;
        return;
    }
    struct margay_directory *directory = domain->directory;
    struct margay_place *place = note_place(hierarchy, domain, copy, touch);
    domain->root->counts.coherence_misses++;
    copy->missed_at =
        place == NULL ? 0 : (uint32_t)(place - directory->places + 1);
    if (place != NULL)
        place->told.coherence_misses++;
}

void margay_coherence_touch(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch)
{
    struct margay_copy *copy = copy_of(domain, touch->block);
    if (copy == NULL)
        return;
    bool missed = copy->caches == 0;
    if (missed)
        begin_stay(hierarchy, domain, copy, touch);
    if ((copy->fresh & touch->pieces) != 0) {
        /* The touched bytes are new to the domain. */
        copy->fresh = 0;
        domain->root->counts.true_sharing_misses += copy->pending;
        if (copy->pending && copy->missed_at != 0)
            domain->directory->places[copy->missed_at - 1]
                .told.true_sharing_misses++;
        copy->pending = false;
    }
    if (!missed && !touch->write)
        return;
    domain->root->counts.upgrades +=
        touch->write && !missed && copy->state == MARGAY_SHARED;
    uint32_t found = tell_others(hierarchy, domain, touch);
    copy->state = touch->write ? MARGAY_MODIFIED
                  : found > 0  ? MARGAY_SHARED
                               : MARGAY_EXCLUSIVE_COPY;
    if (!touch->write || found == 0)
        return;
    struct margay_place *place = note_place(hierarchy, domain, copy, touch);
    if (place != NULL)
        place->told.invalidations += found;
}

/* -------------------------------------------- where cores share blocks -- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
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

/* Write the places of a level that have counts; returns how many. */
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
    /* By block, because the sums of the blocks are not known yet. */
    qsort(places, count, sizeof *places, by_false_sharing);
    for (size_t from = 0, to; from < count; from = to) {
        uint64_t misses = 0;
        for (to = from; to < count && places[to].block == places[from].block;
             to++)
            misses +=
                places[to].coherence_misses - places[to].true_sharing_misses;
        for (size_t i = from; i < to; i++)
            places[i].block_false_sharing_misses = misses;
    }
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
    for (size_t i = 0; i < hierarchy->options.level_count; i++) {
        /* The directory may be that of the level's victim blocks. */
        size_t next = hierarchy->levels[i].next;
        const struct margay_directory *own = hierarchy->instances[i].directory;
        const struct margay_directory *directory =
            own == NULL && next != MARGAY_NO_LEVEL &&
                    next >= hierarchy->options.level_count
                ? hierarchy->instances[next].directory
                : own;
        if (directory != NULL)
            *count += tell_level(directory, i, *places + *count);
    }
    return MARGAY_OK;
}
