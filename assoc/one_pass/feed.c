/* feed.c - references on their way through the levels, and the counts */
#include <string.h>

#include "assoc/one_pass/simulation.h"

/* Feed the full list to all levels of a unit. */
static void run_unit(void *context, size_t index)
{
    const margay_assoc *assoc = context;
    struct margay_unit *unit = &assoc->units[index];
    assoc->kernel->begin(&assoc->lists[!assoc->filling], unit->shift,
                         &unit->last, &unit->work);
    struct margay_level *levels = assoc->caches.levels + unit->first_level;
    for (size_t i = 0; i < unit->level_count && unit->work.count > 0;)
        i +=
            assoc->kernel->pass(&levels[i], unit->level_count - i, &unit->work);
}

/* The first block of all must differ from its predecessor, which does not
   exist. */
static void start(margay_assoc *assoc, const struct margay_work *list)
{
    uint64_t first = assoc->wide ? *(const uint64_t *)list->blocks
                                 : *(const uint32_t *)list->blocks;
    assoc->started = true;
    assoc->last = ~first;
    for (size_t i = 0; i < assoc->unit_count; i++)
        assoc->units[i].last = ~(first >> assoc->units[i].shift);
}

/* Hand the full list to the crew, and fill the other one meanwhile. */
static void hand_over(margay_assoc *assoc)
{
    struct margay_work *list = &assoc->lists[assoc->filling];
    if (list->count == 0)
        return;
    if (!assoc->started)
        start(assoc, list);
    assoc->kernel->begin(list, 0, &assoc->last, list);
    margay_crew_finish(assoc->crew);
    assoc->filling = !assoc->filling;
    assoc->lists[assoc->filling].count = 0;
    margay_crew_start(assoc->crew, run_unit, assoc, assoc->unit_count);
}

void margay_assoc_flush(margay_assoc *assoc)
{
    hand_over(assoc);
    margay_crew_finish(assoc->crew);
}

/* Append numbers to the list; returns how many, which is fewer than `count`
   where a number does not fit into 32 bits. */
static size_t append(margay_assoc *assoc, const uint64_t *numbers,
                     const uint8_t *kinds, size_t count)
{
    struct margay_work *list = &assoc->lists[assoc->filling];
    if (assoc->wide) {
        uint64_t *blocks = (uint64_t *)list->blocks + list->count;
        for (size_t i = 0; i < count; i++)
            blocks[i] = numbers[i] >> assoc->first_shift;
    } else {
        count = margay_regions_narrow(assoc->regions, numbers,
                                      assoc->first_shift, count,
                                      (uint32_t *)list->blocks + list->count);
    }
    if (assoc->by_kind && kinds != NULL)
        memcpy(list->kinds + list->count, kinds, count);
    else if (assoc->by_kind)
        memset(list->kinds + list->count, MARGAY_READ, count);
    for (size_t i = 0; assoc->by_kind && i < count; i++)
        assoc->references[list->kinds[list->count + i]]++;
    if (!assoc->by_kind)
        assoc->references[MARGAY_READ] += count;
    list->count += count;
    return count;
}

enum margay_status margay_assoc_feed(margay_assoc *assoc,
                                     const uint64_t *numbers,
                                     const uint8_t *kinds, size_t count,
                                     struct margay_error *error)
{
    for (size_t done = 0; done < count;) {
        size_t room = MARGAY_LIST_REFS - assoc->lists[assoc->filling].count;
        size_t wanted = count - done < room ? count - done : room;
        size_t taken = append(assoc, numbers + done,
                              kinds == NULL ? NULL : kinds + done, wanted);
        done += taken;
        if (taken < wanted) {
            enum margay_status status = margay_assoc_widen(assoc, error);
            if (status != MARGAY_OK)
                return status;
        } else if (taken == room) {
            hand_over(assoc);
        }
    }
    return MARGAY_OK;
}

/* --------------------------------------------------------------- counts -- */

void margay_assoc_reset_counts(margay_assoc *assoc)
{
    margay_assoc_flush(assoc);
    memset(assoc->references, 0, sizeof assoc->references);
    for (size_t i = 0; i < assoc->caches.count; i++)
        memset(assoc->caches.levels[i].hits, 0,
               (size_t)MARGAY_KINDS * (assoc->caches.levels[i].stride + 1) *
                   sizeof *assoc->caches.levels[i].hits);
}

uint64_t margay_assoc_references(margay_assoc *assoc, unsigned kinds)
{
    uint64_t references = 0;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        if ((kinds & MARGAY_KIND_BIT(kind)) != 0)
            references += assoc->references[kind];
    }
    return references;
}

/* A reference that was dropped on its way is a hit at recency 0. */
uint64_t margay_assoc_misses(margay_assoc *assoc, size_t block_index,
                             size_t set_index, unsigned ways, unsigned kinds)
{
    const struct margay_level *level =
        &assoc->caches.levels[block_index * assoc->set_count + set_index];
    uint64_t misses = 0;
    margay_assoc_flush(assoc);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        const uint64_t *hits = level->hits + kind * (level->stride + 1);
        if ((kinds & MARGAY_KIND_BIT(kind)) == 0)
            continue;
        for (unsigned i = ways; i <= level->stride; i++)
            misses += hits[i];
    }
    return misses;
}
