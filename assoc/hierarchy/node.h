/*
 * node.h - the instances of levels, and how they are linked
 *
 * A level is a row of the machine, and a node one instance of it: the cache
 * itself.  Victim blocks are a level and nodes of their own, behind the others.
 */
#ifndef MARGAY_ASSOC_NODE_H
#define MARGAY_ASSOC_NODE_H

#include "assoc/hierarchy/directory.h"
#include "assoc/hierarchy/hierarchy.h"
#include "assoc/hierarchy/prefetch.h"
#include "assoc/policies/cache.h"

/* Why a block is referenced. */
enum margay_purpose {
    MARGAY_FOR_CORE,     /* a core waits for it */
    MARGAY_FOR_STORE,    /* a level above hands a core's write on */
    MARGAY_FOR_WRITING,  /* a level above writes it back */
    MARGAY_FOR_PREFETCH, /* a prefetcher above asks for it */
    MARGAY_PURPOSES,
};

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
    const struct margay_domain *domain;   /* that it is in; NULL = none */
    struct margay_domain own_domain;      /* that it is the root of */
    struct margay_prefetcher *prefetcher; /* owned; NULL = none */
    uint8_t *prefetched; /* bits by place: brought in ahead, not yet used */
    size_t prefetched_bytes;
    uint64_t references[MARGAY_PURPOSES][MARGAY_KINDS];
    uint64_t misses[MARGAY_PURPOSES][MARGAY_KINDS];
    struct margay_level_counts counts; /* without these */
};

/* The nodes that a core's references of one kind go to. */
struct margay_entrances {
    struct margay_node *nodes[MARGAY_MOST_LEVELS];
    size_t count;
    bool coherent; /* one of them is in a domain */
};

struct margay_core {
    struct margay_entrances of_kind[MARGAY_KINDS];
};

/* The instances of one level. */
struct margay_instances {
    struct margay_node **nodes; /* by core / shared; NULL = none yet; owned */
    size_t count;
    struct margay_directory *directory; /* of a coherent level; owned */
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
    uint32_t most_cores; /* 0 = one for each thread */
    bool shares_cores;   /* a thread runs on a core of another number */

    struct margay_core **cores; /* NULL = has made no reference; owned */
    size_t core_count;
    uint64_t references[MARGAY_KINDS];

    uint64_t site; /* of the reference that is being made, */
    uint32_t core; /* and who makes it, where a level is coherent */
    bool notes_sharing;
    struct margay_prefetch_queue queue;
};

/* The core that a thread runs on, if there are `cores`, 0 = as many as threads;
 *shares is set if its number is another one. */
static inline uint32_t margay_core_of(uint32_t thread, uint32_t cores,
                                      bool *shares)
{
    if (cores == 0 || thread < cores)
        return thread;
    *shares = true;
    return thread % cores;
}

/* Fail with MARGAY_BAD_ARGUMENT if there are too many cores for this one. */
enum margay_status margay_core_check(size_t core, struct margay_error *error);

/* Make the nodes of a core that has none.  MARGAY_NO_MEMORY, or as
   margay_core_check(). */
enum margay_status margay_hierarchy_add_core(struct margay_hierarchy *hierarchy,
                                             size_t core,
                                             struct margay_error *error);

void margay_nodes_free(margay_hierarchy *hierarchy);

/* The purpose of a write that a level hands on. */
static inline enum margay_purpose margay_handed_on(enum margay_purpose purpose)
{
    return purpose == MARGAY_FOR_CORE ? MARGAY_FOR_STORE : purpose;
}

/* Add references and misses of a kind and purpose. */
static inline void margay_count(struct margay_level_counts *counts,
                                enum margay_kind kind,
                                enum margay_purpose purpose,
                                uint64_t references, uint64_t misses)
{
    bool written_back = kind == MARGAY_WRITE && purpose == MARGAY_FOR_WRITING;
    bool is_demand = purpose <= MARGAY_FOR_STORE;
    counts->references[kind] += references;
    counts->misses[kind] += misses;
    counts->lookups += purpose == MARGAY_FOR_CORE ? references : 0;
    counts->demand_references += is_demand ? references : 0;
    counts->demand_misses += is_demand ? misses : 0;
    counts->writebacks_received += written_back ? references : 0;
}

/* Reference a block of a node. */
void margay_node_reference(margay_hierarchy *hierarchy,
                           struct margay_node *node, uint64_t block,
                           enum margay_kind kind, enum margay_purpose purpose);

/* What a core does with a block. */
struct margay_touch {
    uint64_t block;
    uint64_t pieces; /* bits by piece of the block; 0 = a prefetch */
    bool write;
};

/* The pieces of a block of 2^shift bytes from byte `first` to `last` of it: of
   a 64th of the block each, or of a byte. */
static inline uint64_t margay_pieces(unsigned shift, uint64_t first,
                                     uint64_t last)
{
    unsigned piece = shift > 6 ? shift - 6 : 0;
    return UINT64_MAX >> (63 - (last >> piece)) & UINT64_MAX
                                                      << (first >> piece);
}

/* Before a domain's cache is referenced, or prefetches: what that does to other
   domains. */
void margay_coherence_touch(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch);

/* The place of a touch of a copy, which is the domain's, made if there is none;
   NULL = places are not noted, or there is no memory. */
struct margay_place *margay_sharing_note(struct margay_hierarchy *hierarchy,
                                         const struct margay_domain *domain,
                                         struct margay_copy *copy,
                                         const struct margay_touch *touch);

/* Take a block out of all caches of a domain, or only write it back to the node
   behind them if one of them has written to it. */
void margay_node_recall(margay_hierarchy *hierarchy, struct margay_node *root,
                        uint64_t block, bool take_out);

/* Bring in what prefetchers have asked for, and what is asked for meanwhile. */
void margay_node_prefetch_all(margay_hierarchy *hierarchy);

#endif
