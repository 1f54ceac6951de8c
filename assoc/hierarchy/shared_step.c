/*
 * shared_step.c - references in caches that are simulated together
 *
 * Algorithm: LRU caches of the same sets hold, in each set, the blocks that
 *   were used last, so that one list of them serves all numbers of ways (stack
 *   inclusion): a block found after d others is a miss where there are d ways
 *   or fewer, and pushes the last block out of each such cache.  A block that
 *   was written, and since then found after up to d others, is dirty in caches
 *   of more than d ways, as each of the others has written it back meanwhile; a
 *   number for each block is enough.
 * Source: Mattson et al. 1970 (stacks); Wang and Baer 1991 (write-backs of all
 *   sizes at once).
 * Guarantee: each cache has the counts and the output of a node of the same
 *   level (reference.c), in the same order.
 * Cost: the depth of a reference in its set.
 */
#include <stdlib.h>
#include <string.h>

#include "assoc/hierarchy/shared.h"
#include "assoc/room.h"

/* References ahead of a reference whose set is prefetched. */
#define AHEAD 8

void margay_flow_grow(struct margay_flow *flow)
{
    flow->failed |= !MARGAY_MAKE_ROOM(flow->items, flow->count, 1, flow->room);
}

/* ------------------------------------------------------------- instances -- */

static enum margay_status make_stacks(const struct margay_shared_group *group,
                                      struct margay_shared_place *place,
                                      struct margay_error *error)
{
    uint64_t blocks = group->sets * group->most_ways;
    place->bytes = blocks * (sizeof *place->blocks + sizeof *place->dirty);
    enum margay_status status =
        margay_room_check(group->level->name, place->bytes, error);
    if (status != MARGAY_OK)
        return status;
    place->blocks = margay_map(place->bytes);
    if (place->blocks == NULL)
        return margay_fail_memory(error, "the caches");
    place->dirty = (uint8_t *)(place->blocks + blocks);
    return MARGAY_OK;
}

/* The instance for a core, made if there is none; NULL = group->error. */
static struct margay_shared_place *place_of(struct margay_shared_group *group,
                                            uint16_t core)
{
    size_t index = group->level->shared == 0 ? 0 : core / group->level->shared;
    struct margay_shared_place *places = group->places;
    if (index >= group->place_count)
        places =
            margay_extend(places, &group->place_count, index, sizeof *places);
    if (places == NULL) {
        group->error.status = margay_fail_memory(&group->error, "the caches");
        return NULL;
    }
    group->places = places;
    struct margay_shared_place *place = &places[index];
    if (place->blocks != NULL || place->cache != NULL)
        return place;
    group->error.status =
        group->stacked ? make_stacks(group, place, &group->error)
                       : margay_level_cache(group->level, group->seed, false,
                                            &place->cache, &group->error);
    return group->error.status == MARGAY_OK ? place : NULL;
}

/* ------------------------------------------------------------ passing on -- */

static void pass_write(struct margay_shared_cache *cache,
                       const struct margay_passed *item, uint64_t block,
                       enum margay_purpose purpose)
{
    if (cache->feeds)
        margay_flow_add(&cache->passed,
                        (struct margay_passed){block, item->time, item->core,
                                               MARGAY_WRITE, purpose});
}

static void hand_on(struct margay_shared_cache *cache,
                    const struct margay_passed *item)
{
    pass_write(cache, item, item->block,
               margay_handed_on((enum margay_purpose)item->purpose));
}

static void pass_miss(struct margay_shared_cache *cache,
                      const struct margay_passed *item)
{
    struct margay_passed asked = *item;
    if (asked.kind != MARGAY_FETCH)
        asked.kind = MARGAY_READ;
    if (cache->feeds)
        margay_flow_add(&cache->passed, asked);
}

static uint64_t *found_of(struct margay_shared_group *group,
                          const struct margay_passed *item)
{
    return group->found[margay_sort((enum margay_kind)item->kind,
                                    (enum margay_purpose)item->purpose)];
}

/* ---------------------------------------------------------------- stacks -- */

static inline uint64_t set_of(const struct margay_shared_group *group,
                              uint64_t block)
{
    return margay_is_power_of_two(group->sets) ? block & (group->sets - 1)
                                               : block % group->sets;
}

/* The caches of `depth` ways or fewer lack the block. */
static inline void miss_stacked(const struct margay_shared_group *group,
                                const struct margay_passed *item,
                                const uint64_t *blocks, const uint8_t *dirty,
                                size_t depth)
{
    for (size_t i = 0;
         i < group->caches.count && margay_cache_in(group, i)->ways <= depth;
         i++) {
        struct margay_shared_cache *cache = margay_cache_in(group, i);
        size_t last = cache->ways - 1;
        if (dirty[last] != 0 && dirty[last] <= cache->ways) {
            cache->writebacks++;
            pass_write(cache, item, blocks[last], MARGAY_FOR_WRITING);
        }
        pass_miss(cache, item);
    }
}

static inline void step_stacked(struct margay_shared_group *group,
                                const struct margay_shared_place *place,
                                const struct margay_passed *item)
{
    size_t ways = group->most_ways;
    uint64_t set = set_of(group, item->block);
    uint64_t *blocks = place->blocks + set * ways;
    uint8_t *dirty = place->dirty + set * ways;
    size_t depth = 0; /* how many blocks stand before this one */
    while (depth < ways && blocks[depth] != item->block)
        depth++;
    /* A place without a block is zeroed, and all places after it are. */
    if (depth < ways && dirty[depth] == 0)
        depth = ways;
    uint8_t from = MARGAY_STACK_CLEAN;
    found_of(group, item)[depth]++;
    if (depth < ways && dirty[depth] != MARGAY_STACK_CLEAN)
        from = dirty[depth] > depth ? dirty[depth] : (uint8_t)(depth + 1);
    if (depth > 0) {
        miss_stacked(group, item, blocks, dirty, depth);
        size_t moved = depth < ways ? depth : ways - 1;
        memmove(blocks + 1, blocks, moved * sizeof *blocks);
        memmove(dirty + 1, dirty, moved * sizeof *dirty);
        blocks[0] = item->block;
    }
    bool write = item->kind == MARGAY_WRITE;
    dirty[0] = write && group->writes && !group->through ? 1 : from;
    if (write && group->through) {
        for (size_t i = 0; i < group->caches.count; i++)
            hand_on(margay_cache_in(group, i), item);
    }
}

/* ---------------------------------------------------------- other caches -- */

/* The cache lacks the block. */
static void miss_alone(const struct margay_shared_group *group,
                       const struct margay_shared_place *place,
                       const struct margay_policy_loops *policy,
                       const struct margay_passed *item,
                       const struct margay_use *use)
{
    struct margay_shared_cache *cache = margay_cache_in(group, 0);
    bool write = item->kind == MARGAY_WRITE && group->writes;
    if (write && !group->allocates) {
        hand_on(cache, item);
        return;
    }
    uint64_t at = policy->bring_in(place->cache, use);
    const struct margay_evicted evicted = place->cache->evicted;
    if (evicted.left && evicted.dirty) {
        cache->writebacks++;
        pass_write(cache, item, evicted.block, MARGAY_FOR_WRITING);
    }
    if (write && !group->through)
        margay_cache_make_dirty(place->cache, at);
    pass_miss(cache, item);
    if (write && group->through)
        hand_on(cache, item);
}

static void step_alone(struct margay_shared_group *group,
                       const struct margay_shared_place *place,
                       const struct margay_passed *item)
{
    const struct margay_policy_loops *policy =
        &place->cache->policy->loops[place->cache->finder.form];
    struct margay_use use = {.block = item->block,
                             .kind = (enum margay_kind)item->kind};
    uint64_t at = policy->touch(place->cache, &use);
    found_of(group, item)[at == MARGAY_NOWHERE]++;
    if (at == MARGAY_NOWHERE)
        miss_alone(group, place, policy, item, &use);
    else if (item->kind == MARGAY_WRITE && group->through)
        hand_on(margay_cache_in(group, 0), item);
    else if (item->kind == MARGAY_WRITE && group->writes)
        margay_cache_make_dirty(place->cache, at);
}

void margay_shared_step(void *groups, size_t index)
{
    struct margay_shared_group *group = ((void **)groups)[index];
    const struct margay_flow *flow = &group->source->flow;
    const struct margay_shared_place *place = NULL;
    for (size_t i = 0; i < group->caches.count; i++)
        margay_cache_in(group, i)->passed.count = 0;
    for (size_t i = 0; i < flow->count; i++) {
        const struct margay_passed *item = &flow->items[i];
        if (i == 0 || item->core != item[-1].core)
            place = place_of(group, item->core);
        if (place == NULL)
            return;
        if (!group->stacked) {
            step_alone(group, place, item);
            continue;
        }
        if (i + AHEAD < flow->count) {
            uint64_t at = set_of(group, item[AHEAD].block) * group->most_ways;
            __builtin_prefetch(place->blocks + at, 1);
            __builtin_prefetch(place->blocks + at + 8, 1);
            __builtin_prefetch(place->dirty + at, 1);
        }
        step_stacked(group, place, item);
    }
}

/* ------------------------------------------------------------- gathering -- */

/* Put a reference to a block of the feeder into the flow, as one to the
   larger block that it lies in, or to each smaller one that it consists of. */
static void put(struct margay_source *source, const struct margay_passed *from,
                unsigned shift)
{
    struct margay_passed item = *from;
    if (source->shift >= shift) {
        item.block >>= source->shift - shift;
        margay_flow_add(&source->flow, item);
        return;
    }
    unsigned parts = shift - source->shift;
    for (uint64_t i = 0; i >> parts == 0; i++) {
        item.block = (from->block << parts) + i;
        margay_flow_add(&source->flow, item);
    }
}

/* The feeder whose next reference comes first; a reference of the trace goes to
   one of them only. */
static size_t first_of(const struct margay_source *source, const size_t *done)
{
    size_t first = source->feeder_count;
    uint32_t time = 0;
    for (size_t i = 0; i < source->feeder_count; i++) {
        const struct margay_flow *passed = &source->feeders[i]->passed;
        if (done[i] == passed->count || (first < source->feeder_count &&
                                         passed->items[done[i]].time >= time))
            continue;
        first = i;
        time = passed->items[done[i]].time;
    }
    return first;
}

void margay_shared_gather(void *sources, size_t index)
{
    struct margay_source *source = ((void **)sources)[index];
    size_t done[MARGAY_MOST_LEVELS] = {0};
    source->flow.count = 0;
    for (size_t i; (i = first_of(source, done)) < source->feeder_count;
         done[i]++) {
        const struct margay_shared_cache *feeder = source->feeders[i];
        put(source, &feeder->passed.items[done[i]],
            feeder->group->source->shift);
    }
}

/* ---------------------------------------------------------------- counts -- */

/* The misses of a sort, and all references if no block is before. */
static uint64_t found_behind(const struct margay_shared_group *group,
                             size_t sort, uint64_t depth)
{
    uint64_t sum = 0;
    for (size_t i = depth; i <= (group->stacked ? group->most_ways : 1); i++)
        sum += group->found[sort][i];
    return sum;
}

static uint64_t misses(const struct margay_shared_cache *cache, size_t sort)
{
    return found_behind(cache->group, sort,
                        cache->group->stacked ? cache->ways : 1);
}

struct margay_level_counts margay_shared_counts(
    const struct margay_shared_cache *cache)
{
    struct margay_level_counts counts = {.writebacks = cache->writebacks};
    for (size_t sort = 0; sort < MARGAY_SORTS; sort++)
        margay_count(&counts, (enum margay_kind)(sort % MARGAY_KINDS),
                     (enum margay_purpose)(sort / MARGAY_KINDS),
                     found_behind(cache->group, sort, 0), misses(cache, sort));
    return counts;
}

void margay_shared_passed(const struct margay_shared_cache *cache,
                          uint64_t counts[MARGAY_SORTS])
{
    const struct margay_shared_group *group = cache->group;
    memset(counts, 0, MARGAY_SORTS * sizeof *counts);
    for (size_t sort = 0; sort < MARGAY_SORTS; sort++) {
        size_t kind = sort % MARGAY_KINDS;
        uint64_t *written = &counts[margay_sort(
            MARGAY_WRITE,
            margay_handed_on((enum margay_purpose)(sort / MARGAY_KINDS)))];
        bool brings_in =
            kind != MARGAY_WRITE || !group->writes || group->allocates;
        size_t asked =
            kind == MARGAY_WRITE ? sort - MARGAY_WRITE + MARGAY_READ : sort;
        if (brings_in)
            counts[asked] += misses(cache, sort);
        if (kind == MARGAY_WRITE && group->through)
            *written += found_behind(group, sort, 0);
        else if (!brings_in)
            *written += misses(cache, sort);
    }
    counts[margay_sort(MARGAY_WRITE, MARGAY_FOR_WRITING)] += cache->writebacks;
}
