/*
 * node.h - the instances of levels, and how they are linked
 *
 * A level is a row of the machine, and a node one instance of it: the cache
 * itself.  Victim blocks are a level and nodes of their own, behind the others.
 */
#ifndef MARGAY_ASSOC_NODE_H
#define MARGAY_ASSOC_NODE_H

#include "assoc/hierarchy/hierarchy.h"
#include "assoc/hierarchy/prefetch.h"
#include "assoc/policies/cache.h"

struct margay_node {
    const struct margay_level *level;
    unsigned shift; /* log2 of its block's bytes */
    bool exclusive, inclusive, writes, through, allocates;
    const struct margay_policy_loops *policy;
    margay_cache *cache;         /* NULL = a memory */
    struct margay_node *next;    /* NULL = there is none */
    struct margay_node *victims; /* its victim blocks, which are `next` too */
    struct margay_node **above;  /* the nodes whose `next` this is; owned */
    size_t above_count, above_room;
    struct margay_prefetcher *prefetcher; /* owned; NULL = none */
    uint8_t *prefetched; /* bits by place: brought in ahead, not yet used */
    size_t prefetched_bytes;
    struct margay_level_counts counts;
};

/* The nodes that a core's references of one kind go to. */
struct margay_entrances {
    struct margay_node *nodes[MARGAY_MOST_LEVELS];
    size_t count;
};

struct margay_core {
    struct margay_entrances of_kind[MARGAY_KINDS];
};

/* The instances of one level. */
struct margay_instances {
    struct margay_node **nodes; /* by core / shared; NULL = none yet; owned */
    size_t count;
};

struct margay_hierarchy {
    /* The machine's levels, and behind them those of victim blocks. */
    struct margay_level levels[2 * MARGAY_MOST_LEVELS];
    size_t level_count, all_count;
    bool victims_inclusive[2 * MARGAY_MOST_LEVELS]; /* of victim blocks: the
                                                       machine's level is */
    struct margay_instances instances[2 * MARGAY_MOST_LEVELS];
    uint64_t seed;
    unsigned unit_shift;
    bool splits;

    struct margay_core **cores; /* NULL = has made no reference; owned */
    size_t core_count;
    uint64_t references[MARGAY_KINDS];

    uint64_t site; /* of the reference that is being made */
    struct margay_prefetch_queue queue;
};

/* Make the nodes of a core that has none.  MARGAY_NO_MEMORY. */
enum margay_status margay_hierarchy_add_core(struct margay_hierarchy *hierarchy,
                                             size_t core,
                                             struct margay_error *error);

void margay_nodes_free(margay_hierarchy *hierarchy);

/* Why a block is referenced. */
enum margay_purpose {
    MARGAY_FOR_CORE,     /* a core waits for it */
    MARGAY_FOR_WRITING,  /* a level above writes it */
    MARGAY_FOR_PREFETCH, /* a prefetcher above asks for it */
};

/* Reference a block of a node. */
void margay_node_reference(margay_hierarchy *hierarchy,
                           struct margay_node *node, uint64_t block,
                           enum margay_kind kind, enum margay_purpose purpose);

/* Bring in what prefetchers have asked for, and what is asked for meanwhile. */
void margay_node_prefetch_all(margay_hierarchy *hierarchy);

#endif
