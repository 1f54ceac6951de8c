/*
 * naive_machine.h - a machine of caches made of lists and loops, to compare
 * with
 *
 * It has the caches of naive_node.h, which agree as naive_coherence.h says.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_MACHINE_H
#define MARGAY_TESTS_ASSOC_NAIVE_MACHINE_H

#include "tests/assoc/naive_coherence.h"

static inline void naive_prefetch(struct naive_machine *machine)
{
    machine->asides++;
    for (size_t i = 0; i < machine->asked_count; i++) {
        struct naive_node *node = machine->asked[i].node;
        uint64_t block = machine->asked[i].block;
        struct naive_moving out;
        if (node->level->prefetch_renews
                ? naive_touch(machine, node, block) != NULL
                : naive_line_of(node, block) != NULL)
            continue;
        if (naive_in_victims(node, block))
            continue;
        naive_agree(machine, node, block, 1, 0, false);
        node->counts.prefetches++;
        struct naive_line *line = naive_fill(machine, node, block, &out);
        node->ahead[line - node->cache.lines] = true;
        if (naive_get(machine, node, block, machine->asked[i].kind, NAIVE_AHEAD,
                      out) &&
            (line = naive_line_of(node, block)) != NULL)
            line->dirty = true;
    }
    machine->asides--;
    machine->asked_count = 0;
}

/* ---------------------------------------------------------------- machine --
 */

static inline struct naive_node *naive_new(struct naive_machine *machine,
                                           size_t row, uint64_t group,
                                           bool is_victims)
{
    const struct margay_level *level = &machine->levels[row];
    struct naive_node *node = calloc(1, sizeof *node);
    if (node == NULL || machine->node_count == NAIVE_NODES)
        exit(1);
    node->level = level;
    node->row = row;
    node->group = group;
    node->is_victims = is_victims;
    node->is_memory = level->bytes == 0;
    machine->nodes[machine->node_count++] = node;
    uint64_t blocks =
        is_victims ? level->victim_blocks : level->bytes / level->block_bytes;
    uint64_t ways = is_victims || level->ways == 0 ? blocks : level->ways;
    const struct margay_cache_options options = {
        .sets = node->is_memory ? 1 : blocks / ways,
        .index = is_victims ? MARGAY_INDEX_MODULO : level->index,
        .slices = is_victims ? 0 : (unsigned)level->slices,
        .block_shift = (unsigned)__builtin_ctzll(level->block_bytes),
        .ways = node->is_memory ? 1 : (uint32_t)ways,
        .policy = is_victims || level->policy == NULL ? "lru" : level->policy,
        .seed = machine->seed,
    };
    naive_create(&node->cache, &options);
    node->ahead = calloc(options.sets * options.ways, sizeof *node->ahead);
    if (node->ahead == NULL)
        exit(1);
    return node;
}

/* The cache of a row that a core uses. */
static inline struct naive_node *naive_node_of(struct naive_machine *machine,
                                               size_t row, uint64_t core)
{
    const struct margay_level *level = &machine->levels[row];
    uint64_t group = level->shared == 0 ? 0 : core / level->shared;
    struct naive_node *next = NULL;
    for (size_t i = 0; i < machine->node_count; i++) {
        if (machine->nodes[i]->row == row &&
            machine->nodes[i]->group == group && !machine->nodes[i]->is_victims)
            return machine->nodes[i];
    }
    if (level->next != MARGAY_NO_LEVEL)
        next = naive_node_of(machine, level->next, core);
    struct naive_node *node = naive_new(machine, row, group, false);
    node->next = next;
    if (level->victim_blocks > 0 && level->bytes > 0) {
        node->victims = naive_new(machine, row, group, true);
        node->victims->next = next;
        node->next = node->victims;
    }
    return node;
}

static inline void naive_machine_free(struct naive_machine *machine)
{
    for (size_t i = 0; i < machine->node_count; i++) {
        naive_free(&machine->nodes[i]->cache);
        free(machine->nodes[i]->ahead);
        free(machine->nodes[i]);
    }
    for (size_t i = 0; i < 64; i++) {
        while (machine->copies[i] != NULL) {
            struct naive_copy *copy = machine->copies[i];
            machine->copies[i] = copy->other;
            free(copy);
        }
    }
}

/* One reference; each level that none names as its next is fed with it.  An
   extent of 0 is unknown; only with `splits` others reach another block. */
static inline void naive_machine_refer(struct naive_machine *machine,
                                       uint64_t address, uint64_t extent,
                                       bool splits, enum margay_kind kind,
                                       uint64_t core, uint64_t site)
{
    uint64_t end = address + (splits && extent > 0 ? extent : 1);
    uint64_t first = extent == 0 ? address / 4 * 4 : address;
    uint64_t last = extent == 0 ? first + 3 : address + extent - 1;
    machine->site = site;
    machine->core = (uint32_t)core;
    for (size_t row = 0; row < machine->count; row++) {
        const struct margay_level *level = &machine->levels[row];
        bool is_fed = false;
        for (size_t i = 0; i < machine->count; i++)
            is_fed = is_fed || machine->levels[i].next == row;
        if (is_fed)
            continue;
        struct naive_node *node = naive_node_of(machine, row, core);
        if ((level->holds >> kind & 1) == 0)
            continue;
        uint64_t bytes = level->block_bytes;
        for (uint64_t block = address / bytes; block * bytes < end; block++) {
            uint64_t from = block * bytes, to = from + bytes - 1;
            naive_agree(machine, node, block, first < from ? 0 : first - from,
                        (last > to ? to : last) - from, kind == MARGAY_WRITE);
            naive_refer(machine, node, block, kind, NAIVE_CORE);
        }
    }
    naive_prefetch(machine);
}

/* End the warm-up. */
static inline void naive_machine_reset(struct naive_machine *machine)
{
    for (size_t i = 0; i < machine->node_count; i++)
        machine->nodes[i]->counts =
            (struct margay_level_counts){.writebacks = 0};
    for (size_t i = 0; i < 64; i++) {
        for (struct naive_copy *copy = machine->copies[i]; copy != NULL;
             copy = copy->other)
            copy->pending = false;
    }
    machine->place_count = 0;
}

static inline struct margay_level_counts naive_machine_counts(
    const struct naive_machine *machine, size_t row)
{
    struct margay_level_counts sum = {.writebacks = 0};
    for (size_t i = 0; i < machine->node_count; i++) {
        const struct naive_node *node = machine->nodes[i];
        if (node->row != row)
            continue;
        sum.writebacks += node->counts.writebacks;
        for (size_t kind = 0; kind < MARGAY_KINDS && !node->is_victims;
             kind++) {
            sum.references[kind] += node->counts.references[kind];
            sum.misses[kind] += node->counts.misses[kind];
        }
        if (node->is_victims)
            continue;
        sum.prefetches += node->counts.prefetches;
        sum.useful_prefetches += node->counts.useful_prefetches;
        sum.lookups += node->counts.lookups;
        sum.demand_references += node->counts.demand_references;
        sum.demand_misses += node->counts.demand_misses;
        sum.writebacks_received += node->counts.writebacks_received;
        sum.victim_fills += node->counts.victim_fills;
        sum.coherence_misses += node->counts.coherence_misses;
        sum.true_sharing_misses += node->counts.true_sharing_misses;
        sum.invalidations += node->counts.invalidations;
        sum.interventions += node->counts.interventions;
        sum.upgrades += node->counts.upgrades;
    }
    return sum;
}

#endif
