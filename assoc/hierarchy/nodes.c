/* nodes.c - the nodes of a machine are made when their first core needs them */
#include <stdlib.h>

#include "assoc/hierarchy/node.h"
#include "assoc/room.h"
#include "traces/traces_internal.h"

static void free_node(struct margay_node *node)
{
    if (node == NULL)
        return;
    margay_unmap(node->prefetched, node->prefetched_bytes);
    margay_cache_free(node->cache);
    free(node->prefetcher);
    free(node->above);
    free(node);
}

void margay_nodes_free(struct margay_hierarchy *hierarchy)
{
    for (size_t level = 0; level < hierarchy->all_count; level++) {
        struct margay_instances *instances = &hierarchy->instances[level];
        for (size_t i = 0; i < instances->count; i++)
            free_node(instances->nodes[i]);
        free(instances->nodes);
        margay_directory_free(instances->directory);
    }
    for (size_t i = 0; i < hierarchy->core_count; i++)
        free(hierarchy->cores[i]);
    free(hierarchy->cores);
}

/* -------------------------------------------------------------- one node -- */

static enum margay_status make_cache(const struct margay_hierarchy *hierarchy,
                                     struct margay_node *node,
                                     struct margay_error *error)
{
    const struct margay_level *level = node->level;
    uint64_t blocks = level->bytes / level->block_bytes;
    uint64_t ways = level->ways == 0 ? blocks : level->ways;
    const struct margay_cache_options options = {
        .sets = blocks / ways,
        .ways = (uint32_t)ways,
        .policy = level->policy,
        .seed = hierarchy->seed,
    };
    enum margay_status status =
        margay_room_check(level->name, margay_cache_bytes(&options), error);
    if (status == MARGAY_OK)
        status = margay_cache_create(&options, &node->cache, error);
    if (status == MARGAY_OK)
        node->policy = &node->cache->policy->loops[node->cache->finder.form];
    return status;
}

static enum margay_status make_prefetcher(struct margay_node *node,
                                          struct margay_error *error)
{
    if (node->level->prefetch == MARGAY_PREFETCH_NONE)
        return MARGAY_OK;
    node->prefetcher = calloc(1, sizeof *node->prefetcher);
    node->prefetched_bytes = node->cache->dirty_bytes;
    node->prefetched = margay_map(node->prefetched_bytes);
    if (node->prefetcher == NULL || node->prefetched == NULL)
        return margay_fail_memory(error, "a prefetcher");
    node->prefetcher->kind = node->level->prefetch;
    node->prefetcher->most_block = UINT64_MAX >> node->shift;
    return MARGAY_OK;
}

static enum margay_status make_parts(const struct margay_hierarchy *hierarchy,
                                     struct margay_node *node,
                                     struct margay_error *error)
{
    if (node->level->bytes == 0)
        return MARGAY_OK;
    enum margay_status status = make_cache(hierarchy, node, error);
    return status == MARGAY_OK ? make_prefetcher(node, error) : status;
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
    node->exclusive = level->inclusion == MARGAY_EXCLUSIVE;
    node->inclusive = level->inclusion == MARGAY_INCLUSIVE;
    /* Victim blocks leave the machine's level where they leave these. */
    if (index >= hierarchy->level_count)
        node->inclusive = hierarchy->victims_inclusive[index];
    else if (level->victim_blocks > 0)
        node->inclusive = false;
    node->writes = level->writing != MARGAY_WRITE_NONE;
    node->through = level->writing == MARGAY_WRITE_THROUGH;
    node->allocates = !level->no_allocate;
    return node;
}

static enum margay_status link_above(struct margay_node *node,
                                     struct margay_node *above,
                                     struct margay_error *error)
{
    struct margay_node **grown = margay_grow(node->above, node->above_count,
                                             &node->above_room, sizeof *grown);
    if (grown == NULL)
        return margay_fail_memory(error, "the caches");
    node->above = grown;
    grown[node->above_count++] = above;
    above->next = node;
    return MARGAY_OK;
}

/* The root of a domain begins it, and what is above belongs to it, too. */
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

/* ----------------------------------------------------------------- a core --
 */

/* Room for instance `index` of a level. */
static enum margay_status make_place(struct margay_instances *instances,
                                     size_t index, struct margay_error *error)
{
    if (index < instances->count)
        return MARGAY_OK;
    struct margay_node **nodes =
        realloc(instances->nodes, (index + 1) * sizeof(struct margay_node *));
    if (nodes == NULL)
        return margay_fail_memory(error, "the caches");
    instances->nodes = nodes;
    while (instances->count <= index)
        nodes[instances->count++] = NULL;
    return MARGAY_OK;
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
    enum margay_status status = make_place(instances, place, error);
    *result = status == MARGAY_OK ? instances->nodes[place] : NULL;
    if (status != MARGAY_OK || *result != NULL)
        return status;
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
    if (index < hierarchy->level_count && level->victim_blocks > 0)
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
    for (size_t i = 0; i < hierarchy->level_count && status == MARGAY_OK; i++) {
        struct margay_node *node;
        if (!margay_level_is_first(hierarchy->levels, hierarchy->all_count, i))
            continue;
        status = node_of(hierarchy, i, number, &node, error);
        for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
            struct margay_entrances *entrances = &core->of_kind[kind];
            if ((hierarchy->levels[i].holds & MARGAY_KIND_BIT(kind)) == 0)
                continue;
            entrances->nodes[entrances->count++] = node;
            entrances->coherent |= node != NULL && node->domain != NULL;
        }
    }
    return status;
}

static enum margay_status make_cores(struct margay_hierarchy *hierarchy,
                                     size_t count, struct margay_error *error)
{
    struct margay_core **cores =
        realloc(hierarchy->cores, count * sizeof(struct margay_core *));
    if (cores == NULL)
        return margay_fail_memory(error, "the cores");
    hierarchy->cores = cores;
    while (hierarchy->core_count < count)
        cores[hierarchy->core_count++] = NULL;
    return MARGAY_OK;
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

enum margay_status margay_hierarchy_add_core(struct margay_hierarchy *hierarchy,
                                             size_t core,
                                             struct margay_error *error)
{
    enum margay_status status = margay_core_check(core, error);
    if (status == MARGAY_OK && core >= hierarchy->core_count)
        status = make_cores(hierarchy, core + 1, error);
    if (status != MARGAY_OK)
        return status;
    hierarchy->cores[core] = calloc(1, sizeof(struct margay_core));
    return hierarchy->cores[core] == NULL
               ? margay_fail_memory(error, "a core")
               : make_entrances(hierarchy, core, hierarchy->cores[core], error);
}
