/* machine.c - a machine, and the references that it is fed with */
#include <stdlib.h>

#include "assoc/hierarchy/node.h"
#include "traces/traces_internal.h"

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
    };
    hierarchy->victims_inclusive[added] = level->inclusion == MARGAY_INCLUSIVE;
    level->next = added;
}

enum margay_status margay_hierarchy_create(
    const struct margay_hierarchy_options *options, margay_hierarchy **result,
    struct margay_error *error)
{
    size_t wrong;
    *result = NULL;
    enum margay_status status = margay_machine_check(
        options->levels, options->level_count, &wrong, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (hierarchy == NULL)
        return margay_fail_memory(error, "the caches");
    hierarchy->level_count = hierarchy->all_count = options->level_count;
    hierarchy->seed = options->seed;
    hierarchy->unit_shift = options->unit_shift;
    hierarchy->splits = options->splits;
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
    margay_nodes_free(hierarchy);
    free(hierarchy->queue.asked);
    free(hierarchy);
}

/* --------------------------------------------------------------- feeding -- */

/* One reference, to all first levels of its kind. */
static inline void feed_one(struct margay_hierarchy *hierarchy,
                            const struct margay_entrances *entrances,
                            uint64_t number, enum margay_kind kind)
{
    for (size_t i = 0; i < entrances->count; i++) {
        struct margay_node *node = entrances->nodes[i];
        margay_node_reference(hierarchy, node,
                              number >> (node->shift - hierarchy->unit_shift),
                              kind, MARGAY_FOR_CORE);
    }
}

/* The same of one that covers `extent` numbers. */
static void feed_split(struct margay_hierarchy *hierarchy,
                       const struct margay_entrances *entrances,
                       uint64_t number, uint32_t extent, enum margay_kind kind)
{
    for (size_t i = 0; i < entrances->count && extent > 0; i++) {
        struct margay_node *node = entrances->nodes[i];
        unsigned shift = node->shift - hierarchy->unit_shift;
        uint64_t block = number >> shift;
        uint64_t last = margay_extent_last(number, extent) >> shift;
        for (;; block++) {
            margay_node_reference(hierarchy, node, block, kind,
                                  MARGAY_FOR_CORE);
            if (block == last)
                break;
        }
    }
}

static enum margay_status feed_entry(struct margay_hierarchy *hierarchy,
                                     const struct margay_span *span, size_t i,
                                     struct margay_error *error)
{
    size_t thread = span->threads == NULL ? 0 : span->threads[i];
    enum margay_kind kind =
        span->kinds == NULL ? MARGAY_READ : (enum margay_kind)span->kinds[i];
    if (thread >= hierarchy->core_count || hierarchy->cores[thread] == NULL) {
        enum margay_status status =
            margay_hierarchy_add_core(hierarchy, thread, error);
        if (status != MARGAY_OK)
            return status;
    }
    const struct margay_entrances *entrances =
        &hierarchy->cores[thread]->of_kind[kind];
    hierarchy->site = span->sites == NULL ? 0 : span->sites[i];
    hierarchy->references[kind]++;
    if (hierarchy->splits && span->extents != NULL)
        feed_split(hierarchy, entrances, span->blocks[i], span->extents[i],
                   kind);
    else
        feed_one(hierarchy, entrances, span->blocks[i], kind);
    if (hierarchy->queue.count > 0)
        margay_node_prefetch_all(hierarchy);
    return MARGAY_OK;
}

enum margay_status margay_hierarchy_feed(margay_hierarchy *hierarchy,
                                         const struct margay_span *span,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++)
        status = feed_entry(hierarchy, span, i, error);
    return status == MARGAY_OK && hierarchy->queue.failed
               ? margay_fail_memory(error, "what is prefetched")
               : status;
}

/* ---------------------------------------------------------------- counts -- */

void margay_hierarchy_reset_counts(margay_hierarchy *hierarchy)
{
    for (size_t level = 0; level < hierarchy->all_count; level++) {
        const struct margay_instances *all = &hierarchy->instances[level];
        for (size_t i = 0; i < all->count; i++) {
            if (all->nodes[i] != NULL)
                all->nodes[i]->counts = (struct margay_level_counts){0};
        }
    }
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        hierarchy->references[kind] = 0;
}

static void add_counts(struct margay_level_counts *sum,
                       const struct margay_node *node)
{
    const struct margay_level_counts *counts = &node->counts;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        sum->references[kind] += counts->references[kind];
        sum->misses[kind] += counts->misses[kind];
    }
    sum->writebacks += counts->writebacks;
    if (node->victims != NULL)
        sum->writebacks += node->victims->counts.writebacks;
    sum->prefetches += counts->prefetches;
    sum->useful_prefetches += counts->useful_prefetches;
    sum->lookups += counts->lookups;
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

const uint64_t *margay_hierarchy_references(const margay_hierarchy *hierarchy)
{
    return hierarchy->references;
}

size_t margay_hierarchy_cores(const margay_hierarchy *hierarchy)
{
    size_t cores = 0;
    for (size_t i = 0; i < hierarchy->core_count; i++)
        cores += hierarchy->cores[i] != NULL;
    return cores;
}
