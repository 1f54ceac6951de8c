/*
 * machine.c - a machine: its nodes, made when their first core needs them, and
 * feeding
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "assoc/hierarchy/node.h"
#include "assoc/room.h"

/* ---------------------------------------------------------------- set-up -- */

/* Put the victim blocks of a level between that level and its next. */
static void add_victims(struct margay_hierarchy *hierarchy, size_t index)
{
    struct margay_level *level = &hierarchy->levels[index];
    size_t added = hierarchy->all_count++;
    hierarchy->levels[added] = (struct margay_level){
        .name = level->name,
        .holds = level->holds,
        .bytes = level->victim_blocks * level->block_bytes,
        .block_bytes = level->block_bytes,
        .next = level->next,
        .writing = level->writing,
        .no_allocate = level->no_allocate,
        .inclusion = MARGAY_EXCLUSIVE,
        .shared = level->shared,
        .coherence = level->coherence,
    };
    hierarchy->victims_inclusive[added] = level->inclusion == MARGAY_INCLUSIVE;
    level->coherence = MARGAY_COHERENCE_NONE; /* its victim blocks are after */
    level->next = added;
}

/* Can the levels of options->sends give numbers of the trace? */
static enum margay_status check_sends(
    const struct margay_hierarchy_options *options, struct margay_error *error)
{
    for (size_t i = 0; i < options->level_count; i++) {
        const struct margay_level *level = &options->levels[i];
        bool sends = (options->sends >> i & 1) != 0;
        if (sends && margay_level_is_optimal(level))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: policy: found '%s', of which is not known "
                               "when a block leaves, expected another one for "
                               "what the level sends on",
                               level->name, level->policy);
        if (sends && level->bytes != 0 &&
            level->block_bytes >> options->unit_shift == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: blocks of %llu bytes, smaller than what a "
                               "number of the trace stands for",
                               level->name,
                               (unsigned long long)level->block_bytes);
    }
    return MARGAY_OK;
}

enum margay_status margay_hierarchy_create(
    const struct margay_hierarchy_options *options, margay_hierarchy **result,
    struct margay_error *error)
{
    size_t wrong;
    *result = NULL;
    enum margay_status status = margay_machine_check(
        options->levels, options->level_count, &wrong, error);
    if (status == MARGAY_OK)
        status = check_sends(options, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (hierarchy == NULL)
        return margay_fail_memory(error, "the caches");
    hierarchy->options = *options;
    hierarchy->all_count = options->level_count;
    hierarchy->traffic.covers = true;
    for (size_t i = 0; i < options->level_count; i++) {
        hierarchy->levels[i] = options->levels[i];
        if (options->levels[i].victim_blocks > 0 &&
            options->levels[i].bytes > 0)
            add_victims(hierarchy, i);
    }
    *result = hierarchy;
    return MARGAY_OK;
}

void margay_hierarchy_free(margay_hierarchy *hierarchy)
{
    if (hierarchy == NULL)
        return;
    for (size_t level = 0; level < hierarchy->all_count; level++) {
        struct margay_instances *instances = &hierarchy->instances[level];
        for (size_t i = 0; i < instances->count; i++) {
            struct margay_node *node = instances->nodes[i];
            if (node == NULL)
                continue;
            margay_unmap(node->prefetched, node->prefetched_bytes);
            margay_cache_free(node->cache);
            margay_optimal_free(node->optimal);
            free(node->prefetcher);
            free(node->above);
            free(node);
        }
        free(instances->nodes);
        margay_directory_free(instances->directory);
    }
    for (size_t i = 0; i < hierarchy->core_count; i++)
        free(hierarchy->cores[i]);
    free(hierarchy->cores);
    free(hierarchy->queue.asked);
    margay_traffic_clear(&hierarchy->traffic);
    free(hierarchy);
}

/* -------------------------------------------------------------- one node -- */

enum margay_status margay_level_cache(const struct margay_level *level,
                                      uint64_t seed, bool notes_latest,
                                      margay_cache **cache,
                                      struct margay_error *error)
{
    uint64_t ways = margay_level_ways(level);
    const struct margay_cache_options options = {
        .sets = level->bytes / level->block_bytes / ways,
        .index = level->index,
        .slices = (unsigned)level->slices,
        .block_shift = margay_log2_floor(level->block_bytes),
        .ways = (uint32_t)ways,
        .policy = level->policy,
        .seed = seed,
        .notes_latest = notes_latest,
    };
    enum margay_status status =
        margay_room_check(level->name, margay_cache_bytes(&options), error);
    return status == MARGAY_OK ? margay_cache_create(&options, cache, error)
                               : status;
}

static enum margay_status make_parts(const struct margay_hierarchy *hierarchy,
                                     struct margay_node *node,
                                     struct margay_error *error)
{
    if (node->level->bytes == 0)
        return MARGAY_OK;
    if (margay_level_is_optimal(node->level))
        return margay_optimal_create(node->level, &node->optimal, error);
    /* Effects of prefetchers and other cores must be noticed each time, and
       UINT64_MAX must be no block, which holds for blocks larger than a
       unit. */
    bool notes_latest =
        node->level->prefetch == MARGAY_PREFETCH_NONE &&
        node->level->coherence == MARGAY_COHERENCE_NONE &&
        node->shift > hierarchy->options.unit_shift &&
        margay_level_is_first(hierarchy->levels, hierarchy->all_count,
                              (size_t)(node->level - hierarchy->levels));
    enum margay_status status =
        margay_level_cache(node->level, hierarchy->options.seed, notes_latest,
                           &node->cache, error);
    if (status != MARGAY_OK)
        return status;
    node->policy = &node->cache->policy->loops[node->cache->finder.form];
    if (node->cache->finder.sets.rule == MARGAY_SETS_MASK)
        node->latest = node->cache->latest;
    node->latest_mask = node->cache->finder.sets.count - 1;
    if (node->level->prefetch == MARGAY_PREFETCH_NONE)
        return MARGAY_OK;
    node->prefetcher = calloc(1, sizeof *node->prefetcher);
    node->prefetched_bytes = node->cache->dirty_bytes;
    node->prefetched = margay_map(node->prefetched_bytes);
    if (node->prefetcher == NULL || node->prefetched == NULL)
        return margay_fail_memory(error, "a prefetcher");
    node->prefetcher->kinds = node->level->prefetch;
    node->prefetcher->on = node->level->prefetch_on == 0
                               ? MARGAY_ALL_KINDS
                               : node->level->prefetch_on;
    node->prefetcher->most_block = UINT64_MAX >> node->shift;
    return MARGAY_OK;
}

static struct margay_node *new_node(const struct margay_hierarchy *hierarchy,
                                    size_t index)
{
    const struct margay_level *level = &hierarchy->levels[index];
    struct margay_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->level = level;
    node->shift = margay_log2_floor(level->block_bytes);
    node->number_shift = node->shift - hierarchy->options.unit_shift;
    node->exclusive = level->inclusion == MARGAY_EXCLUSIVE;
    /* Blocks that leave the victim blocks leave the machine's level. */
    node->is_victims = index >= hierarchy->options.level_count;
    node->inclusive =
        node->is_victims
            ? hierarchy->victims_inclusive[index]
            : level->victim_blocks == 0 && level->inclusion == MARGAY_INCLUSIVE;
    node->writes = level->writing != MARGAY_WRITE_NONE;
    node->through = level->writing == MARGAY_WRITE_THROUGH;
    node->allocates = !level->no_allocate;
    /* Victim blocks send the traffic of their level. */
    size_t own = index;
    for (size_t i = 0; node->is_victims && i < hierarchy->options.level_count;
         i++)
        own = hierarchy->levels[i].next == index ? i : own;
    node->sends = (node->is_victims || level->victim_blocks == 0) &&
                  (hierarchy->options.sends >> own & 1) != 0;
    return node;
}

static enum margay_status link_above(struct margay_node *node,
                                     struct margay_node *above,
                                     struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(node->above, node->above_count, 1, node->above_room))
        return margay_fail_memory(error, "the caches");
    node->above[node->above_count++] = above;
    above->next = node;
    return MARGAY_OK;
}

/* The root of a domain begins it, and all nodes above belong to it. */
static enum margay_status join_domain(struct margay_instances *instances,
                                      size_t place, struct margay_node *node,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (node->next != NULL)
        node->domain = node->next->domain;
    if (node->level->coherence == MARGAY_COHERENCE_NONE)
        return MARGAY_OK;
    if (instances->directory == NULL)
        status = margay_directory_create(&instances->directory, error);
    node->own_domain = (struct margay_domain){instances->directory, instances,
                                              node, (uint16_t)place};
    node->domain = &node->own_domain;
    return status;
}

/* ---------------------------------------------------------------- a core -- */

void *margay_extend(void *list, size_t *count, size_t index, size_t bytes)
{
    if (index < *count)
        return list;
    char *items = reallocarray(list, index + 1, bytes);
    if (items == NULL)
        return NULL;
    memset(items + *count * bytes, 0, (index + 1 - *count) * bytes);
    *count = index + 1;
    return items;
}

/* The node of a level that a core uses, made if there is none. */
static enum margay_status node_of(struct margay_hierarchy *hierarchy,
                                  size_t index, size_t core,
                                  struct margay_node **result,
                                  struct margay_error *error)
{
    const struct margay_level *level = &hierarchy->levels[index];
    struct margay_instances *instances = &hierarchy->instances[index];
    size_t place = level->shared == 0 ? 0 : core / level->shared;
    struct margay_node *next = NULL;
    enum margay_status status = MARGAY_OK;
    struct margay_node **nodes = margay_extend(
        instances->nodes, &instances->count, place, sizeof *nodes);
    *result = NULL;
    if (nodes == NULL)
        return margay_fail_memory(error, "the caches");
    instances->nodes = nodes;
    *result = nodes[place];
    if (*result != NULL)
        return MARGAY_OK;
    if (level->next != MARGAY_NO_LEVEL)
        status = node_of(hierarchy, level->next, core, &next, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_node *node = new_node(hierarchy, index);
    if (node == NULL)
        return margay_fail_memory(error, "the caches");
    instances->nodes[place] = node;
    status = make_parts(hierarchy, node, error);
    if (status == MARGAY_OK && next != NULL)
        status = link_above(next, node, error);
    if (status == MARGAY_OK)
        status = join_domain(instances, place, node, error);
    if (index < hierarchy->options.level_count && level->victim_blocks > 0)
        node->victims = next;
    *result = node;
    return status;
}

static enum margay_status make_entrances(struct margay_hierarchy *hierarchy,
                                         size_t number,
                                         struct margay_core *core,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i < hierarchy->options.level_count && status == MARGAY_OK; i++) {
        struct margay_node *node;
        if (!margay_level_is_first(hierarchy->levels, hierarchy->all_count, i))
            continue;
        status = node_of(hierarchy, i, number, &node, error);
        for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
            struct margay_entrances *entrances = &core->of_kind[kind];
            if ((hierarchy->levels[i].holds & MARGAY_KIND_BIT(kind)) == 0)
                continue;
            bool first = entrances->count == 0;
            entrances->nodes[entrances->count++] = node;
            if (node == NULL)
                continue;
            entrances->coherent |= node->domain != NULL;
            entrances->brief = (first || entrances->brief) &&
                               node->domain == NULL && node->latest != NULL &&
                               (kind != MARGAY_WRITE || !node->through);
        }
    }
    return status;
}

enum margay_status margay_core_check(size_t core, struct margay_error *error)
{
    return core < MARGAY_MOST_CORES
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "found thread %zu, expected at most %d threads, a "
                             "core for each",
                             core, MARGAY_MOST_CORES);
}

/* Make the nodes of a core that has none. */
static enum margay_status add_core(struct margay_hierarchy *hierarchy,
                                   size_t core, struct margay_error *error)
{
    enum margay_status status = margay_core_check(core, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_core **cores = margay_extend(
        hierarchy->cores, &hierarchy->core_count, core, sizeof *cores);
    if (cores == NULL)
        return margay_fail_memory(error, "the cores");
    hierarchy->cores = cores;
    hierarchy->cores[core] = calloc(1, sizeof(struct margay_core));
    return hierarchy->cores[core] == NULL
               ? margay_fail_memory(error, "a core")
               : make_entrances(hierarchy, core, hierarchy->cores[core], error);
}

/* --------------------------------------------------------------- feeding -- */

/* A reference to `extent` numbers; 0 = unknown. */
struct reference {
    uint64_t number;
    uint32_t extent;
    enum margay_kind kind;
};

/* The bytes of a block that a reference touches, as pieces. */
static uint64_t pieces_of(const struct margay_hierarchy *hierarchy,
                          unsigned block_shift, uint64_t block,
                          const struct reference *reference)
{
    unsigned unit = hierarchy->options.unit_shift, shift = block_shift - unit;
    uint64_t start = block << shift, end = start | ((UINT64_C(1) << shift) - 1);
    uint64_t word = unit < 2 ? UINT64_C(3) >> unit : 0; /* of 4 bytes */
    uint64_t first = reference->number, last = first | word;
    if (reference->extent == 0)
        first &= ~word;
    else
        last = margay_extent_last(first, reference->extent);
    first = first < start ? 0 : first - start;
    last = (last > end ? end : last) - start;
    unsigned piece = block_shift > 6 ? block_shift - 6 : 0;
    last = (((last + 1) << unit) - 1) >> piece;
    return UINT64_MAX >> (63 - last) & UINT64_MAX << (first << unit >> piece);
}

/* Make a reference of one block, after its effects on the caches of other
   cores. */
static void feed_block(struct margay_hierarchy *hierarchy,
                       struct margay_node *node, uint64_t block,
                       const struct reference *reference)
{
    if (node->domain != NULL) {
        const struct margay_touch touch = {
            .block = block,
            .pieces = pieces_of(hierarchy, node->shift, block, reference),
            .write = reference->kind == MARGAY_WRITE,
        };
        margay_coherence_touch(hierarchy, node->domain, &touch);
    }
    margay_node_reference(hierarchy, node, block, reference->kind,
                          MARGAY_FOR_CORE);
}

/* The same of entry i where references are split or a level is coherent. Apart,
   as the loop of all others is faster without. */
static __attribute__((noinline)) void feed_blocks(
    struct margay_hierarchy *hierarchy,
    const struct margay_entrances *entrances, const struct margay_span *span,
    size_t i, enum margay_kind kind)
{
    const struct reference reference = {
        .number = span->blocks[i],
        .extent = span->extents == NULL ? 0 : span->extents[i],
        .kind = kind,
    };
    bool splits = hierarchy->options.splits && span->extents != NULL;
    for (size_t k = 0; k < entrances->count; k++) {
        struct margay_node *node = entrances->nodes[k];
        unsigned shift = node->number_shift;
        uint64_t block = reference.number >> shift, last = block;
        if (splits && reference.extent == 0)
            return;
        if (splits)
            last =
                margay_extent_last(reference.number, reference.extent) >> shift;
        for (; block != last; block++)
            feed_block(hierarchy, node, block, &reference);
        feed_block(hierarchy, node, last, &reference);
    }
}

/* The entry of the latest block of its set, if the number lies in it; or
   NULL. */
static inline const struct margay_latest *latest_of(
    const struct margay_node *node, uint64_t number)
{
    uint64_t block = number >> node->number_shift;
    const struct margay_latest *latest =
        &node->latest[block & node->latest_mask];
    return latest->inverse == ~block ? latest : NULL;
}

static inline void count_latest(struct margay_node *node,
                                const struct margay_latest *latest,
                                enum margay_kind kind)
{
    node->references[MARGAY_FOR_CORE][kind]++;
    if (kind == MARGAY_WRITE && node->writes)
        margay_cache_make_dirty(node->cache, latest->at);
}

/* Make the references from entry i on whose blocks are the latest of their sets
   in each cache that they come to.  Returns the first that is not, or that
   another core makes.  Apart, so that the loop has all registers. */
static __attribute__((noinline)) size_t feed_latest(
    struct margay_hierarchy *hierarchy, const struct margay_span *span,
    size_t i)
{
    const uint64_t *numbers = span->blocks;
    const uint8_t *kinds = span->kinds;
    uint32_t core = margay_core_of(span, i, hierarchy->options.cores,
                                   &hierarchy->shares_cores);
    if (core >= hierarchy->core_count || hierarchy->cores[core] == NULL ||
        (hierarchy->options.splits && span->extents != NULL))
        return i;
    const struct margay_core *own = hierarchy->cores[core];
    const size_t first = i;
    for (; i < span->count; i++) {
        enum margay_kind kind =
            kinds == NULL ? MARGAY_READ : (enum margay_kind)kinds[i];
        const struct margay_entrances *entrances = &own->of_kind[kind];
        if (!entrances->brief ||
            (span->threads != NULL && span->threads[i] != span->threads[first]))
            return i;
        /* There is nearly always one. */
        struct margay_node *const *nodes = entrances->nodes;
        const struct margay_latest *latest = latest_of(nodes[0], numbers[i]);
        for (size_t k = 1; k < entrances->count && latest != NULL; k++) {
            if (latest_of(nodes[k], numbers[i]) == NULL)
                latest = NULL;
        }
        if (latest == NULL)
            return i;
        hierarchy->references[kind]++;
        count_latest(nodes[0], latest, kind);
        for (size_t k = 1; k < entrances->count; k++)
            count_latest(nodes[k], latest_of(nodes[k], numbers[i]), kind);
    }
    return i;
}

static enum margay_status feed_entry(struct margay_hierarchy *hierarchy,
                                     const struct margay_span *span, size_t i,
                                     struct margay_error *error)
{
    uint32_t core = margay_core_of(span, i, hierarchy->options.cores,
                                   &hierarchy->shares_cores);
    enum margay_kind kind =
        span->kinds == NULL ? MARGAY_READ : (enum margay_kind)span->kinds[i];
    if (core >= hierarchy->core_count || hierarchy->cores[core] == NULL) {
        enum margay_status status = add_core(hierarchy, core, error);
        if (status != MARGAY_OK)
            return status;
    }
    const struct margay_entrances *entrances =
        &hierarchy->cores[core]->of_kind[kind];
    bool splits = hierarchy->options.splits && span->extents != NULL;
    hierarchy->references[kind]++;
    bool apart = entrances->coherent || splits;
    hierarchy->core = core;
    hierarchy->index = (uint32_t)i;
    hierarchy->site = span->sites == NULL ? 0 : span->sites[i];
    if (apart)
        feed_blocks(hierarchy, entrances, span, i, kind);
    for (size_t k = 0; !apart && k < entrances->count; k++) {
        struct margay_node *node = entrances->nodes[k];
        margay_node_reference(hierarchy, node,
                              span->blocks[i] >> node->number_shift, kind,
                              MARGAY_FOR_CORE);
    }
    if (hierarchy->queue.count > 0)
        margay_node_prefetch_all(hierarchy);
    return MARGAY_OK;
}

enum margay_status margay_hierarchy_feed(margay_hierarchy *hierarchy,
                                         const struct margay_span *span,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    hierarchy->traffic.count = 0;
    for (size_t i = 0; i < span->count && status == MARGAY_OK;) {
        i = feed_latest(hierarchy, span, i);
        if (i < span->count)
            status = feed_entry(hierarchy, span, i++, error);
    }
    if (status == MARGAY_OK)
        status = margay_fail_again(error, &hierarchy->failure);
    for (size_t i = 0; i < hierarchy->all_count && status == MARGAY_OK; i++) {
        if (hierarchy->instances[i].directory != NULL &&
            hierarchy->instances[i].directory->failed)
            status = margay_fail_memory(error, "the directory of blocks");
    }
    return status;
}

const struct margay_traffic *margay_hierarchy_traffic(
    const margay_hierarchy *hierarchy)
{
    return &hierarchy->traffic;
}

/* ---------------------------------------------------------------- counts -- */

void margay_hierarchy_reset_counts(margay_hierarchy *hierarchy)
{
    for (size_t level = 0; level < hierarchy->all_count; level++) {
        const struct margay_instances *all = &hierarchy->instances[level];
        for (size_t i = 0; i < all->count; i++) {
            struct margay_node *node = all->nodes[i];
            if (node == NULL)
                continue;
            node->counts = (struct margay_level_counts){0};
            memset(node->references, 0, sizeof node->references);
            memset(node->misses, 0, sizeof node->misses);
        }
        if (all->directory != NULL)
            margay_directory_reset(all->directory);
    }
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        hierarchy->references[kind] = 0;
}

static void add_counts(struct margay_level_counts *sum,
                       const struct margay_node *node)
{
    const struct margay_level_counts *counts = &node->counts;
    /* Victim blocks, if there are some, are the root of the domain. */
    const struct margay_level_counts *root =
        node->victims == NULL ? counts : &node->victims->counts;
    for (unsigned i = 0; i < MARGAY_PURPOSES * MARGAY_KINDS; i++) {
        enum margay_purpose purpose = (enum margay_purpose)(i / MARGAY_KINDS);
        enum margay_kind kind = (enum margay_kind)(i % MARGAY_KINDS);
        margay_count(sum, kind, purpose, node->references[purpose][kind],
                     node->misses[purpose][kind]);
    }
    sum->writebacks += counts->writebacks;
    if (node->victims != NULL)
        sum->writebacks += node->victims->counts.writebacks;
    if (node->optimal != NULL)
        sum->writebacks += margay_optimal_owed(node->optimal);
    for (size_t i = 0; i < node->above_count; i++) {
        const struct margay_node *above = node->above[i];
        unsigned parts =
            above->shift > node->shift ? above->shift - node->shift : 0;
        if (above->optimal != NULL)
            margay_count(sum, MARGAY_WRITE, MARGAY_FOR_WRITING,
                         margay_optimal_owed(above->optimal) << parts, 0);
    }
    sum->coherence_misses += root->coherence_misses;
    sum->true_sharing_misses += root->true_sharing_misses;
    sum->invalidations += root->invalidations;
    sum->interventions += root->interventions;
    sum->upgrades += root->upgrades;
    sum->prefetches += counts->prefetches;
    sum->useful_prefetches += counts->useful_prefetches;
    sum->victim_fills += counts->victim_fills;
}

struct margay_level_counts margay_hierarchy_counts(
    const margay_hierarchy *hierarchy, size_t index)
{
    const struct margay_instances *all = &hierarchy->instances[index];
    struct margay_level_counts sum = {.writebacks = 0};
    for (size_t i = 0; i < all->count; i++) {
        if (all->nodes[i] != NULL)
            add_counts(&sum, all->nodes[i]);
    }
    return sum;
}

struct margay_machine_fed margay_hierarchy_fed(
    const margay_hierarchy *hierarchy)
{
    struct margay_machine_fed fed = {.shares_cores = hierarchy->shares_cores};
    memcpy(fed.references, hierarchy->references, sizeof fed.references);
    for (size_t i = 0; i < hierarchy->core_count; i++)
        fed.cores += hierarchy->cores[i] != NULL;
    return fed;
}
