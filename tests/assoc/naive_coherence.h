/*
 * naive_coherence.h - how the private caches of a naive machine agree
 *
 * A list has what each group of cores knows of each block, and whether a group
 * has the block is asked of every cache.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_COHERENCE_H
#define MARGAY_TESTS_ASSOC_NAIVE_COHERENCE_H

#include "tests/assoc/naive_node.h"

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

#endif
