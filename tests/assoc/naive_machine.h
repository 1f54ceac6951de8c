/*
 * naive_machine.h - a machine of caches made of lists and loops, to compare
 * with
 *
 * It has the caches of naive_node.h.  How the private ones agree: a list has
 * what each group of cores knows of each block, and whether a group has the
 * block is asked of every cache.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_MACHINE_H
#define MARGAY_TESTS_ASSOC_NAIVE_MACHINE_H

#include "tests/assoc/naive_node.h"

/* ------------------------------------------------------------- agreement -- */

/* Is a cache, or are victim blocks, among the private ones of a group? */
static inline bool naive_is_private(const struct naive_node *node, size_t row,
                                    uint64_t group)
{
    while (node != NULL && (node->row != row || node->group != group))
        node = node->next;
    return node != NULL;
}

static inline struct naive_copy *naive_copy_of(struct naive_machine *machine,
                                               size_t row, uint64_t group,
                                               uint64_t block)
{
    struct naive_copy *copy = machine->copies[block % 64];
    while (copy != NULL &&
           (copy->row != row || copy->group != group || copy->block != block))
        copy = copy->other;
    if (copy != NULL)
        return copy;
    copy = calloc(1, sizeof *copy);
    if (copy == NULL)
        exit(1);
    copy->row = row;
    copy->group = group;
    copy->block = block;
    copy->other = machine->copies[block % 64];
    machine->copies[block % 64] = copy;
    return copy;
}

static inline bool naive_has(struct naive_machine *machine, size_t row,
                             uint64_t group, uint64_t block)
{
    for (size_t i = 0; i < machine->node_count; i++) {
        if (naive_is_private(machine->nodes[i], row, group) &&
            naive_line_of(machine->nodes[i], block) != NULL)
            return true;
    }
    return false;
}

/* The place of a core, a byte and a site. */
static inline size_t naive_contend(struct naive_machine *machine, size_t row,
                                   uint64_t block, uint64_t offset)
{
    size_t at = 0;
    for (; at < machine->place_count; at++) {
        const struct margay_sharing_place *place = &machine->places[at];
        if (place->level == row && place->block == block &&
            place->offset == offset && place->site == machine->site &&
            place->core == machine->core)
            return at;
    }
    if (at == NAIVE_PLACES)
        exit(1);
    machine->places[machine->place_count++] =
        (struct margay_sharing_place){.level = row,
                                      .block = block,
                                      .offset = offset,
                                      .site = machine->site,
                                      .core = machine->core};
    return at;
}

/* Have private caches write a block back, and lose it or not. */
static inline void naive_recall(struct naive_machine *machine,
                                struct naive_node *border, uint64_t block,
                                bool lose)
{
    bool dirty = false;
    for (size_t i = 0; i < machine->node_count; i++) {
        struct naive_node *node = machine->nodes[i];
        if (!naive_is_private(node, border->row, border->group) ||
            naive_line_of(node, block) == NULL)
            continue;
        if (naive_line_of(node, block)->dirty) {
            dirty = true;
            node->counts.writebacks += node->row != border->row;
        }
        naive_line_of(node, block)->dirty = false;
        if (lose)
            naive_remove(node, block);
    }
    if (!dirty)
        return;
    border->counts.writebacks++;
    naive_write_back(machine,
                     border->victims == NULL ? border : border->victims, block);
}

/* A core touches bytes `first` to `last` of a block, or with last < first a
   prefetcher asks for the block. */
static inline void naive_agree(struct naive_machine *machine,
                               struct naive_node *node, uint64_t block,
                               uint64_t first, uint64_t last, bool write)
{
    while (node != NULL && node->level->coherence == MARGAY_COHERENCE_NONE)
        node = node->next;
    if (node == NULL)
        return;
    uint64_t piece = node->level->block_bytes / 64;
    struct naive_copy *own =
        naive_copy_of(machine, node->row, node->group, block);
    bool had = naive_has(machine, node->row, node->group, block);
    bool touches_fresh = false, others = false, prefetch = last < first;
    struct naive_node *border = NULL;
    if (!had) {
        own->pending = own->invalidated && !prefetch;
        if (!own->pending)
            memset(own->fresh, 0, sizeof own->fresh);
        own->invalidated = false;
    }
    for (uint64_t at = first; at <= last && !prefetch; at++)
        touches_fresh |= own->fresh[at / (piece == 0 ? 1 : piece)];
    /* The counts of a row are those of any of its caches. */
    for (size_t i = 0; i < machine->node_count; i++) {
        if (machine->nodes[i]->row == node->row &&
            !machine->nodes[i]->is_victims)
            border = machine->nodes[i];
    }
    uint64_t offset = piece > 1 ? first / piece * piece : first;
    if (!had && own->pending) {
        border->counts.coherence_misses++;
        own->missed_at = naive_contend(machine, node->row, block, offset);
        machine->places[own->missed_at].coherence_misses++;
    }
    if (touches_fresh) {
        border->counts.true_sharing_misses += own->pending;
        if (own->pending)
            machine->places[own->missed_at].true_sharing_misses++;
        own->pending = false;
        memset(own->fresh, 0, sizeof own->fresh);
    }
    border->counts.upgrades += write && had && own->state == 'S';
    for (uint64_t group = 0; group < 4 && (write || !had); group++) {
        struct naive_copy *copy;
        if (group == node->group)
            continue;
        copy = naive_copy_of(machine, node->row, group, block);
        for (uint64_t at = first; at <= last && write; at++)
            copy->fresh[at / (piece == 0 ? 1 : piece)] = true;
        if (!naive_has(machine, node->row, group, block))
            continue;
        others = true;
        border->counts.interventions += copy->state == 'M';
        border->counts.invalidations += write;
        if (write)
            machine->places[naive_contend(machine, node->row, block, offset)]
                .invalidations++;
        copy->invalidated |= write;
        for (size_t i = 0; i < machine->node_count; i++) {
            struct naive_node *theirs = machine->nodes[i];
            if (theirs->row == node->row && theirs->group == group &&
                !theirs->is_victims && (write || copy->state == 'M'))
                naive_recall(machine, theirs, block, write);
        }
        copy->state = 'S';
    }
    if (write)
        own->state = 'M';
    else if (!had)
        own->state = others ? 'S' : 'E';
}

/* ------------------------------------------------------------ prefetches -- */

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

/* --------------------------------------------------------------- machine -- */

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
    for (size_t i = 0; machine->before != NULL; i++) {
        node->before = machine->before->nodes[i];
        if (node->before->row == row && node->before->group == group &&
            node->before->is_victims == is_victims)
            break;
    }
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
        free(machine->nodes[i]->referred);
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

/* Counts are numbers of 64 bits only. */
static inline void naive_add_counts(struct margay_level_counts *sum,
                                    const struct margay_level_counts *more)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)more)[i];
}

static inline struct margay_level_counts naive_machine_counts(
    const struct naive_machine *machine, size_t row)
{
    struct margay_level_counts sum = {.writebacks = 0};
    for (size_t i = 0; i < machine->node_count; i++) {
        const struct naive_node *node = machine->nodes[i];
        if (node->row == row && node->is_victims)
            sum.writebacks += node->counts.writebacks;
        else if (node->row == row)
            naive_add_counts(&sum, &node->counts);
    }
    return sum;
}

#endif
