/*
 * family.c - machines with common caches, and their references
 *
 * Algorithm: a machine's levels are looked up from the last to the first, each
 *   after the caches that feed it, and made where no machine before had them.
 *   References are gathered, some ten thousands at a time, and go through the
 *   caches level by level, each cache with all references at once, so that its
 *   state stays in the processor's own caches.
 * Source: shared.h, shared_step.c.
 * Guarantee: the counts are those of the machines one by one.
 * Cost: for the machines of 100 first and 100 second levels, that of 100 first
 *   levels, and for each of these that of its misses in one second level per
 *   number of sets.
 */
#include "assoc/hierarchy/family.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/hierarchy/shared.h"

/* The references of the trace that are gathered, and of each source: one that
   is split may be any number of these. */
#define ROUND_REFS 65536

struct margay_family {
    struct margay_family_options options;
    /* By machine, and all that there are: those of their own; owned. */
    margay_hierarchy **hierarchies, **apart;
    size_t apart_count;
    const struct margay_span *span;      /* that these are fed, */
    struct margay_error *errors;         /* and what fails; owned */
    struct margay_source *entries;       /* the first; owned */
    struct margay_shared_cache **caches; /* [machine][level]; NULL = a memory,
                                           or a machine that does not share */
    /* All struct margay_source and margay_shared_group, feeders first. */
    struct margay_list sources, groups;
    margay_crew *crew;
    uint32_t waiting; /* references */
    uint64_t references[MARGAY_KINDS];
    bool is_core[MARGAY_MOST_CORES]; /* has made a reference */
    bool shares_cores;
};

/* ------------------------------------------------- which machines share -- */

/* The kinds of the trace's references that reach a level; *twice is set if some
   do in two ways. */
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
        if (levels[i].inclusion != MARGAY_INCLUSION_NONE ||
            levels[i].victim_blocks > 0 ||
            levels[i].prefetch != MARGAY_PREFETCH_NONE ||
            levels[i].coherence != MARGAY_COHERENCE_NONE ||
            margay_level_is_optimal(&levels[i]) ||
            margay_level_needs_sites(&levels[i]))
            return false;
        if (levels[i].next == MARGAY_NO_LEVEL)
            kinds_reaching(levels, count, i, &twice);
    }
    return !twice;
}

static const struct margay_level *levels_of(const margay_family *family,
                                            size_t machine)
{
    return family->options.machine.levels +
           machine * family->options.machine.level_count;
}

/* --------------------------------------------------------------- sources -- */

/* A new object of `bytes` at a place of a list; NULL = no memory. */
static void *insert(struct margay_list *list, size_t at, size_t bytes)
{
    if (!MARGAY_MAKE_ROOM(list->items, list->count, 1, list->room))
        return NULL;
    void **items = list->items;
    void *made = calloc(1, bytes);
    if (made == NULL)
        return NULL;
    memmove(items + at + 1, items + at, (list->count++ - at) * sizeof *items);
    items[at] = made;
    return made;
}

static size_t depth_after(const struct margay_shared_cache *cache)
{
    return cache->group->source->depth + 1;
}

/* The source with the output of these feeders, made if there is none; NULL = no
   memory. */
static struct margay_source *source_of(struct margay_family *family,
                                       const struct margay_source *like)
{
    struct margay_source **list =
        like->feeder_count == 0 ? &family->entries : &like->feeders[0]->sources;
    size_t depth = 0, place = family->sources.count;
    for (struct margay_source *at = *list; at != NULL; at = at->next) {
        if (at->holds == like->holds && at->shift == like->shift &&
            at->feeder_count == like->feeder_count &&
            memcmp(at->feeders, like->feeders, sizeof at->feeders) == 0)
            return at;
    }
    for (size_t i = 0; i < like->feeder_count; i++) {
        if (depth < depth_after(like->feeders[i]))
            depth = depth_after(like->feeders[i]);
        like->feeders[i]->feeds = true;
    }
    while (place > 0 &&
           ((struct margay_source *)family->sources.items[place - 1])->depth >
               depth)
        place--;
    struct margay_source *made = insert(&family->sources, place, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = *like;
    made->depth = depth;
    made->next = *list;
    *list = made;
    return made;
}

/* ---------------------------------------------------------------- groups -- */

static uint64_t sets_of(const struct margay_level *level)
{
    return level->bytes / level->block_bytes / margay_level_ways(level);
}

/* Does a set with more ways hold all blocks of this one?  Not if a block may be
   kept out of one of them only. */
static bool is_stacked(const struct margay_level *level)
{
    return strcasecmp(margay_policy_spec(level->policy), "lru") == 0 &&
           margay_level_ways(level) <= MARGAY_STACK_WAYS &&
           level->index == MARGAY_INDEX_MODULO && level->slices <= 1 &&
           (!level->no_allocate || level->writing == MARGAY_WRITE_NONE);
}

static bool is_in_group(const struct margay_shared_group *group,
                        const struct margay_level *level)
{
    return sets_of(level) == group->sets &&
           is_stacked(level) == group->stacked &&
           (group->stacked || margay_level_ways(level) == group->most_ways) &&
           level->writing == group->level->writing &&
           level->no_allocate == group->level->no_allocate &&
           level->shared == group->level->shared &&
           level->index == group->level->index &&
           level->slices == group->level->slices &&
           strcmp(margay_policy_spec(level->policy),
                  margay_policy_spec(group->level->policy)) == 0;
}

static struct margay_shared_group *group_at(const struct margay_family *family,
                                            size_t index)
{
    return family->groups.items[index];
}

/* The group of a level, made if there is none; NULL = no memory. */
static struct margay_shared_group *group_of(struct margay_family *family,
                                            struct margay_source *source,
                                            const struct margay_level *level)
{
    for (struct margay_shared_group *at = source->groups; at != NULL;
         at = at->next) {
        if (is_in_group(at, level))
            return at;
    }
    size_t place = family->groups.count;
    while (place > 0 &&
           group_at(family, place - 1)->source->depth > source->depth)
        place--;
    struct margay_shared_group *group =
        insert(&family->groups, place, sizeof *group);
    if (group == NULL)
        return NULL;
    group->source = source;
    group->level = level;
    group->stacked = is_stacked(level);
    group->writes = level->writing != MARGAY_WRITE_NONE;
    group->through = level->writing == MARGAY_WRITE_THROUGH;
    group->allocates = !level->no_allocate;
    group->seed = family->options.machine.seed;
    group->sets = sets_of(level);
    group->next = source->groups;
    source->groups = group;
    return group;
}

/* ---------------------------------------------------------------- caches -- */

/* The group's cache of this many ways, made if there is none; they stay in
   order. */
static struct margay_shared_cache *cache_in(struct margay_shared_group *group,
                                            uint64_t ways)
{
    size_t at = 0;
    struct margay_shared_cache *cache = NULL;
    for (; at < group->caches.count; at++) {
        cache = margay_cache_in(group, at);
        if (cache->ways == ways)
            return cache;
        if (cache->ways > ways)
            break;
    }
    cache = insert(&group->caches, at, sizeof *cache);
    if (cache == NULL)
        return NULL;
    cache->group = group;
    cache->ways = ways;
    if (ways > group->most_ways)
        group->most_ways = ways;
    return cache;
}

/* Find or make a machine's level and the levels before it. */
static enum margay_status find_cache(struct margay_family *family,
                                     size_t machine, size_t index,
                                     struct margay_error *error)
{
    size_t count = family->options.machine.level_count;
    const struct margay_level *levels = levels_of(family, machine);
    struct margay_shared_cache **caches = family->caches + machine * count;
    struct margay_source feeding = {
        .shift = margay_log2_floor(levels[index].block_bytes)};
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (levels[i].next != index)
            continue;
        status = find_cache(family, machine, i, error);
        feeding.feeders[feeding.feeder_count++] = caches[i];
    }
    if (status != MARGAY_OK || levels[index].bytes == 0)
        return status;
    if (feeding.feeder_count == 0)
        feeding.holds = levels[index].holds;
    struct margay_source *source = source_of(family, &feeding);
    struct margay_shared_group *group =
        source == NULL ? NULL : group_of(family, source, &levels[index]);
    caches[index] = group == NULL
                        ? NULL
                        : cache_in(group, margay_level_ways(&levels[index]));
    return caches[index] == NULL ? margay_fail_memory(error, "the caches")
                                 : MARGAY_OK;
}

/* ------------------------------------------------- making and releasing -- */

static enum margay_status add_apart(struct margay_family *family,
                                    size_t machine, struct margay_error *error)
{
    struct margay_hierarchy_options options = family->options.machine;
    options.levels = levels_of(family, machine);
    enum margay_status status =
        margay_hierarchy_create(&options, &family->hierarchies[machine], error);
    family->apart[family->apart_count++] = family->hierarchies[machine];
    return status;
}

enum margay_status margay_family_create(
    const struct margay_family_options *options, margay_family **result,
    struct margay_error *error)
{
    struct margay_family *family = calloc(1, sizeof *family);
    size_t count = options->machine.level_count, all = options->machine_count;
    size_t sharing = 0;
    *result = NULL;
    if (family == NULL)
        return margay_fail_memory(error, "the machines");
    family->options = *options;
    family->caches = calloc(all, count * sizeof(void *));
    family->hierarchies = calloc(all, sizeof(void *));
    family->apart = calloc(all, sizeof(void *));
    family->errors = calloc(all, sizeof *family->errors);
    enum margay_status status =
        family->caches == NULL || family->hierarchies == NULL ||
                family->apart == NULL || family->errors == NULL
            ? margay_fail_memory(error, "the machines")
            : margay_crew_create(options->threads, &family->crew, error);
    for (size_t i = 0; i < all; i++)
        sharing += margay_machine_shares(levels_of(family, i), count);
    for (size_t i = 0; i < all && status == MARGAY_OK; i++) {
        const struct margay_level *levels = levels_of(family, i);
        bool shares = sharing > 1 && margay_machine_shares(levels, count);
        if (!shares)
            status = add_apart(family, i, error);
        for (size_t k = 0; k < count && shares && status == MARGAY_OK; k++) {
            if (levels[k].next == MARGAY_NO_LEVEL)
                status = find_cache(family, i, k, error);
        }
    }
    if (status == MARGAY_OK)
        *result = family;
    else
        margay_family_free(family);
    return status;
}

void margay_family_free(margay_family *family)
{
    if (family == NULL)
        return;
    margay_crew_free(family->crew);
    for (size_t i = 0; i < family->groups.count; i++) {
        struct margay_shared_group *group = group_at(family, i);
        for (size_t k = 0; k < group->caches.count; k++) {
            free(margay_cache_in(group, k)->passed.items);
            free(group->caches.items[k]);
        }
        for (size_t k = 0; k < group->place_count; k++) {
            margay_unmap(group->places[k].blocks, group->places[k].bytes);
            margay_cache_free(group->places[k].cache);
        }
        free(group->caches.items);
        free(group->places);
        free(group);
    }
    for (size_t i = 0; i < family->sources.count; i++) {
        struct margay_source *source = family->sources.items[i];
        free(source->flow.items);
        free(source);
    }
    for (size_t i = 0; i < family->apart_count; i++)
        margay_hierarchy_free(family->apart[i]);
    free(family->groups.items);
    free(family->sources.items);
    free(family->caches);
    free(family->hierarchies);
    free(family->apart);
    free(family->errors);
    free(family);
}

/* --------------------------------------------------------------- working -- */

static enum margay_status find_failure(const struct margay_family *family,
                                       struct margay_error *error)
{
    bool failed = false;
    for (size_t i = 0; i < family->sources.count; i++)
        failed |=
            ((struct margay_source *)family->sources.items[i])->flow.failed;
    for (size_t i = 0; i < family->groups.count; i++) {
        const struct margay_shared_group *group = group_at(family, i);
        if (group->error.status != MARGAY_OK)
            return margay_fail_again(error, &group->error);
        for (size_t k = 0; k < group->caches.count; k++)
            failed |= margay_cache_in(group, k)->passed.failed;
    }
    return failed ? margay_fail_memory(error, "what caches pass on")
                  : MARGAY_OK;
}

enum margay_status margay_family_settle(margay_family *family,
                                        struct margay_error *error)
{
    size_t source = 0, group = 0;
    for (size_t depth = 0; group < family->groups.count; depth++) {
        size_t first_source = source, first_group = group;
        for (; source < family->sources.count; source++) {
            const struct margay_source *at = family->sources.items[source];
            if (at->depth > depth)
                break;
        }
        while (group < family->groups.count &&
               group_at(family, group)->source->depth == depth)
            group++;
        if (depth > 0)
            margay_crew_run(family->crew, margay_shared_gather,
                            family->sources.items + first_source,
                            source - first_source);
        margay_crew_run(family->crew, margay_shared_step,
                        family->groups.items + first_group,
                        group - first_group);
    }
    for (struct margay_source *at = family->entries; at != NULL; at = at->next)
        at->flow.count = 0;
    family->waiting = 0;
    return find_failure(family, error);
}

/* --------------------------------------------------------------- feeding -- */

/* A reference of the trace comes to a source.  The caches may catch up within
   it: no other source passes parts of it on to the same caches. */
static inline enum margay_status enter(struct margay_family *family,
                                       struct margay_source *source,
                                       const struct margay_span *span, size_t i,
                                       struct margay_passed item,
                                       struct margay_error *error)
{
    unsigned shift = source->shift - family->options.machine.unit_shift;
    bool splits = family->options.machine.splits && span->extents != NULL;
    uint64_t last = span->blocks[i];
    if (splits && span->extents[i] == 0)
        return MARGAY_OK;
    if (splits)
        last = margay_extent_last(last, span->extents[i]);
    for (item.block = span->blocks[i] >> shift;; item.block++) {
        item.time = family->waiting;
        margay_flow_add(&source->flow, item);
        enum margay_status status = source->flow.count == ROUND_REFS
                                        ? margay_family_settle(family, error)
                                        : MARGAY_OK;
        if (status != MARGAY_OK || item.block == last >> shift)
            return status;
    }
}

static enum margay_status feed_entry(struct margay_family *family,
                                     const struct margay_span *span, size_t i,
                                     struct margay_error *error)
{
    uint32_t core = margay_core_of(span, i, family->options.machine.cores,
                                   &family->shares_cores);
    uint8_t kind = span->kinds == NULL ? MARGAY_READ : span->kinds[i];
    enum margay_status status = margay_core_check(core, error);
    if (status != MARGAY_OK)
        return status;
    const struct margay_passed item = {.core = (uint16_t)core, .kind = kind};
    family->is_core[core] = true;
    family->references[kind]++;
    for (struct margay_source *at = family->entries;
         at != NULL && status == MARGAY_OK; at = at->next) {
        if (at->holds & MARGAY_KIND_BIT(kind))
            status = enter(family, at, span, i, item, error);
    }
    if (status == MARGAY_OK && ++family->waiting == ROUND_REFS)
        status = margay_family_settle(family, error);
    return status;
}

static void feed_apart(void *context, size_t i)
{
    struct margay_family *family = context;
    struct margay_error *error = &family->errors[i];
    error->status =
        margay_hierarchy_feed(family->apart[i], family->span, error);
}

enum margay_status margay_family_feed(margay_family *family,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    family->span = span;
    margay_crew_run(family->crew, feed_apart, family, family->apart_count);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < family->apart_count && status == MARGAY_OK; i++)
        status = margay_fail_again(error, &family->errors[i]);
    for (size_t i = 0;
         family->entries != NULL && i < span->count && status == MARGAY_OK; i++)
        status = feed_entry(family, span, i, error);
    return status;
}

/* ---------------------------------------------------------------- counts -- */

enum margay_status margay_family_reset_counts(margay_family *family,
                                              struct margay_error *error)
{
    enum margay_status status = margay_family_settle(family, error);
    for (size_t i = 0; i < family->apart_count; i++)
        margay_hierarchy_reset_counts(family->apart[i]);
    for (size_t i = 0; i < family->groups.count; i++) {
        struct margay_shared_group *group = group_at(family, i);
        memset(group->found, 0, sizeof group->found);
        for (size_t k = 0; k < group->caches.count; k++)
            margay_cache_in(group, k)->writebacks = 0;
    }
    memset(family->references, 0, sizeof family->references);
    return status;
}

struct margay_level_counts margay_family_counts(const margay_family *family,
                                                size_t machine, size_t level)
{
    size_t count = family->options.machine.level_count;
    const struct margay_level *levels = levels_of(family, machine);
    struct margay_shared_cache *const *caches =
        family->caches + machine * count;
    struct margay_level_counts counts = {.writebacks = 0};
    if (family->hierarchies[machine] != NULL)
        return margay_hierarchy_counts(family->hierarchies[machine], level);
    if (caches[level] != NULL)
        return margay_shared_counts(caches[level]);
    /* The references that come to a memory. */
    for (size_t i = 0; i < count; i++) {
        uint64_t passed[MARGAY_SORTS];
        uint64_t parts = levels[i].block_bytes / levels[level].block_bytes;
        if (levels[i].next != level)
            continue;
        margay_shared_passed(caches[i], passed);
        for (size_t sort = 0; sort < MARGAY_SORTS; sort++)
            margay_count(&counts, (enum margay_kind)(sort % MARGAY_KINDS),
                         (enum margay_purpose)(sort / MARGAY_KINDS),
                         passed[sort] * (parts == 0 ? 1 : parts), 0);
    }
    return counts;
}

struct margay_machine_fed margay_family_fed(const margay_family *family)
{
    struct margay_machine_fed fed = {.shares_cores = family->shares_cores};
    if (family->apart_count > 0)
        return margay_hierarchy_fed(family->apart[0]);
    memcpy(fed.references, family->references, sizeof fed.references);
    for (size_t i = 0; i < MARGAY_MOST_CORES; i++)
        fed.cores += family->is_core[i];
    return fed;
}

const margay_hierarchy *margay_family_hierarchy(const margay_family *family,
                                                size_t machine)
{
    return family->hierarchies[machine];
}
