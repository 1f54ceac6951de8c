/*
 * shared_caches.c - which caches the machines of a family have in common
 *
 * A machine's levels are looked up from the last to the first, each behind the
 * caches that feed it, and made where no machine before had them.
 */
#include <stdlib.h>
#include <string.h>

#include "assoc/hierarchy/family.h"
#include "assoc/hierarchy/shared.h"
#include "assoc/policies/policy.h"

/* ------------------------------------------------- which machines share -- */

static bool is_plain(const struct margay_level *level)
{
    return level->inclusion == MARGAY_INCLUSION_NONE &&
           level->victim_blocks == 0 &&
           level->prefetch == MARGAY_PREFETCH_NONE &&
           level->coherence == MARGAY_COHERENCE_NONE &&
           !margay_level_needs_sites(level);
}

/* The kinds of the trace's references that reach a level; with *twice set if
   some do in two ways. */
static unsigned kinds_reaching(const struct margay_level *levels, size_t count,
                               size_t index, bool *twice)
{
    unsigned kinds = 0;
    if (margay_level_is_first(levels, count, index))
        return levels[index].holds;
    for (size_t i = 0; i < count; i++) {
        if (levels[i].next != index)
            continue;
        unsigned more = kinds_reaching(levels, count, i, twice);
        *twice |= (kinds & more) != 0;
        kinds |= more;
    }
    return kinds;
}

bool margay_machine_shares(const struct margay_level *levels, size_t count)
{
    bool twice = false;
    for (size_t i = 0; i < count && !twice; i++) {
        if (!is_plain(&levels[i]))
            return false;
        if (levels[i].next == MARGAY_NO_LEVEL)
            kinds_reaching(levels, count, i, &twice);
    }
    return !twice;
}

/* --------------------------------------------------------------- sources -- */

/* What a machine's level is fed by. */
struct feeding {
    unsigned holds;
    struct margay_shared_cache *feeders[MARGAY_MOST_LEVELS];
    size_t count;
    unsigned shift;
};

static bool is_source(const struct margay_source *source,
                      const struct feeding *feeding)
{
    return source->holds == feeding->holds && source->shift == feeding->shift &&
           source->feeder_count == feeding->count &&
           (feeding->count == 0 ||
            memcmp(source->feeders, feeding->feeders,
                   feeding->count * sizeof(void *)) == 0);
}

static size_t depth_of(const struct feeding *feeding)
{
    size_t depth = 0;
    for (size_t i = 0; i < feeding->count; i++) {
        size_t before = feeding->feeders[i]->group->source->depth + 1;
        depth = before > depth ? before : depth;
    }
    return depth;
}

static struct margay_source *new_source(struct margay_shared_caches *shared,
                                        const struct feeding *feeding)
{
    struct margay_source **sources =
        margay_grow(shared->sources, shared->source_count, &shared->source_room,
                    sizeof(struct margay_source *));
    struct margay_source *source = calloc(1, sizeof *source);
    if (sources != NULL)
        shared->sources = sources;
    if (source != NULL)
        source->feeders = calloc(feeding->count + 1, sizeof(void *));
    if (sources == NULL || source == NULL || source->feeders == NULL) {
        if (source != NULL)
            free(source->feeders);
        free(source);
        return NULL;
    }
    memcpy(source->feeders, feeding->feeders, feeding->count * sizeof(void *));
    for (size_t i = 0; i < feeding->count; i++)
        feeding->feeders[i]->feeds = true;
    source->holds = feeding->holds;
    source->feeder_count = feeding->count;
    source->shift = feeding->shift;
    source->depth = depth_of(feeding);
    sources[shared->source_count++] = source;
    return source;
}

/* The source, made if there is none; NULL = no memory. */
static struct margay_source *source_of(struct margay_shared_caches *shared,
                                       const struct feeding *feeding)
{
    struct margay_source **list =
        feeding->count == 0 ? &shared->entries : &feeding->feeders[0]->sources;
    for (struct margay_source *at = *list; at != NULL; at = at->next) {
        if (is_source(at, feeding))
            return at;
    }
    struct margay_source *made = new_source(shared, feeding);
    if (made == NULL)
        return NULL;
    made->next = *list;
    *list = made;
    return made;
}

/* ---------------------------------------------------------------- groups -- */

static uint64_t ways_of(const struct margay_level *level)
{
    return level->ways == 0 ? level->bytes / level->block_bytes : level->ways;
}

static uint64_t sets_of(const struct margay_level *level)
{
    return level->bytes / level->block_bytes / ways_of(level);
}

/* Do a set's blocks follow from those of the set with more ways?  Not where a
   block stays out that is there with more ways. */
static bool is_stacked(const struct margay_level *level)
{
    return strcmp(margay_policy_spec(level->policy), "lru") == 0 &&
           ways_of(level) <= MARGAY_STACK_WAYS &&
           (!level->no_allocate || level->writing == MARGAY_WRITE_NONE);
}

static bool is_in_group(const struct margay_shared_group *group,
                        const struct margay_level *level)
{
    return sets_of(level) == group->sets &&
           is_stacked(level) == group->stacked &&
           (group->stacked || ways_of(level) == group->most_ways) &&
           level->writing == group->level->writing &&
           level->no_allocate == group->level->no_allocate &&
           level->shared == group->level->shared &&
           strcmp(margay_policy_spec(level->policy),
                  margay_policy_spec(group->level->policy)) == 0;
}

static struct margay_shared_group *new_group(
    struct margay_shared_caches *shared, const struct margay_level *level)
{
    struct margay_shared_group **groups =
        margay_grow(shared->groups, shared->group_count, &shared->group_room,
                    sizeof(struct margay_shared_group *));
    if (groups == NULL)
        return NULL;
    shared->groups = groups;
    struct margay_shared_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->level = level;
    group->stacked = is_stacked(level);
    group->writes = level->writing != MARGAY_WRITE_NONE;
    group->through = level->writing == MARGAY_WRITE_THROUGH;
    group->allocates = !level->no_allocate;
    group->sets = sets_of(level);
    groups[shared->group_count++] = group;
    return group;
}

static struct margay_shared_group *group_of(struct margay_shared_caches *shared,
                                            struct margay_source *source,
                                            const struct margay_level *level)
{
    for (struct margay_shared_group *at = source->groups; at != NULL;
         at = at->next) {
        if (is_in_group(at, level))
            return at;
    }
    struct margay_shared_group *made = new_group(shared, level);
    if (made == NULL)
        return NULL;
    made->source = source;
    made->seed = shared->seed;
    made->next = source->groups;
    source->groups = made;
    return made;
}

/* ---------------------------------------------------------------- caches -- */

/* The group's cache of this many ways, made if there is none; they stay in
   order. */
static struct margay_shared_cache *cache_in(struct margay_shared_group *group,
                                            uint64_t ways)
{
    size_t at = 0;
    while (at < group->cache_count && group->caches[at]->ways < ways)
        at++;
    if (at < group->cache_count && group->caches[at]->ways == ways)
        return group->caches[at];
    struct margay_shared_cache **caches =
        margay_grow(group->caches, group->cache_count, &group->cache_room,
                    sizeof(struct margay_shared_cache *));
    if (caches == NULL)
        return NULL;
    group->caches = caches;
    struct margay_shared_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    cache->group = group;
    cache->ways = ways;
    memmove(caches + at + 1, caches + at,
            (group->cache_count++ - at) * sizeof(struct margay_shared_cache *));
    caches[at] = cache;
    group->most_ways = group->caches[group->cache_count - 1]->ways;
    return cache;
}

/* Find a machine's level and the levels before it. */
static enum margay_status find_cache(struct margay_shared_caches *shared,
                                     size_t machine, size_t index,
                                     struct margay_error *error)
{
    size_t count = shared->level_count;
    const struct margay_level *levels = shared->levels + machine * count;
    struct margay_shared_cache **caches = shared->caches + machine * count;
    struct feeding feeding = {.shift =
                                  margay_log2_floor(levels[index].block_bytes)};
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (levels[i].next != index)
            continue;
        status = find_cache(shared, machine, i, error);
        feeding.feeders[feeding.count++] = caches[i];
    }
    if (status != MARGAY_OK || levels[index].bytes == 0)
        return status;
    if (feeding.count == 0)
        feeding.holds = levels[index].holds;
    struct margay_source *source = source_of(shared, &feeding);
    struct margay_shared_group *group =
        source == NULL ? NULL : group_of(shared, source, &levels[index]);
    caches[index] =
        group == NULL ? NULL : cache_in(group, ways_of(&levels[index]));
    return caches[index] == NULL ? margay_fail_memory(error, "the caches")
                                 : MARGAY_OK;
}

static enum margay_status find_caches(struct margay_shared_caches *shared,
                                      size_t machine,
                                      struct margay_error *error)
{
    const struct margay_level *levels =
        shared->levels + machine * shared->level_count;
    enum margay_status status = MARGAY_OK;
    if (!margay_machine_shares(levels, shared->level_count))
        return MARGAY_OK;
    for (size_t i = 0; i < shared->level_count && status == MARGAY_OK; i++) {
        if (levels[i].next == MARGAY_NO_LEVEL)
            status = find_cache(shared, machine, i, error);
    }
    return status;
}

static int by_depth_of_sources(const void *a, const void *b)
{
    size_t left = (*(struct margay_source *const *)a)->depth;
    size_t right = (*(struct margay_source *const *)b)->depth;
    return (left > right) - (left < right);
}

static int by_depth_of_groups(const void *a, const void *b)
{
    return by_depth_of_sources(
        &(*(struct margay_shared_group *const *)a)->source,
        &(*(struct margay_shared_group *const *)b)->source);
}

enum margay_status margay_shared_make(struct margay_shared_caches *shared,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    shared->caches =
        calloc(shared->machine_count, shared->level_count * sizeof(void *));
    if (shared->caches == NULL)
        return margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < shared->machine_count && status == MARGAY_OK; i++)
        status = find_caches(shared, i, error);
    if (shared->source_count > 0)
        qsort(shared->sources, shared->source_count,
              sizeof(struct margay_source *), by_depth_of_sources);
    if (shared->group_count > 0)
        qsort(shared->groups, shared->group_count,
              sizeof(struct margay_shared_group *), by_depth_of_groups);
    return status;
}

/* -------------------------------------------------------------- the end -- */

static void free_group(struct margay_shared_group *group)
{
    for (size_t i = 0; i < group->cache_count; i++) {
        free(group->caches[i]->passed.items);
        free(group->caches[i]);
    }
    for (size_t i = 0; i < group->place_count; i++) {
        margay_unmap(group->places[i].blocks, group->places[i].bytes);
        margay_cache_free(group->places[i].cache);
    }
    free(group->caches);
    free(group->places);
    free(group);
}

void margay_shared_free(struct margay_shared_caches *shared)
{
    for (size_t i = 0; i < shared->group_count; i++)
        free_group(shared->groups[i]);
    for (size_t i = 0; i < shared->source_count; i++) {
        free(shared->sources[i]->flow.items);
        free(shared->sources[i]->feeders);
        free(shared->sources[i]);
    }
    free(shared->groups);
    free(shared->sources);
    free(shared->caches);
}
