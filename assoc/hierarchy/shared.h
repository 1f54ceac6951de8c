/*
 * shared.h - the common caches of the machines of a family
 *
 *      source --+-- group --+-- cache ---- source ...
 *               |           +-- cache ---- source ...
 *               +-- group --+-- cache
 *
 * A source is the references that come to some caches: those of the trace that
 * a first level takes, or the output of some caches before.  A group is caches
 * after one source that are simulated together: LRU caches of the same sets,
 * which differ in their ways, or one other cache.  So a path from a source of
 * the trace is a list of levels, shared by all machines that begin with these
 * levels.  Memories are not simulated: they get the output of the caches before
 * them.
 */
#ifndef MARGAY_ASSOC_SHARED_H
#define MARGAY_ASSOC_SHARED_H

#include "assoc/hierarchy/node.h"

/* The sort of a reference: its kind and its purpose, never a prefetch. */
#define MARGAY_SORTS (MARGAY_FOR_PREFETCH * MARGAY_KINDS)

static inline size_t margay_sort(enum margay_kind kind,
                                 enum margay_purpose purpose)
{
    return purpose * MARGAY_KINDS + kind;
}

/* A reference on its way. */
struct margay_passed {
    uint64_t block;
    uint32_t time; /* the index of the trace's reference, since the last run */
    uint16_t core;
    uint8_t kind;
    uint8_t purpose;
};

struct margay_flow {
    struct margay_passed *items; /* owned */
    size_t count, room;
    bool failed; /* for lack of memory, one was not kept */
};

void margay_flow_grow(struct margay_flow *flow);

static inline void margay_flow_add(struct margay_flow *flow,
                                   struct margay_passed item)
{
    if (flow->count == flow->room)
        margay_flow_grow(flow);
    if (!flow->failed)
        flow->items[flow->count++] = item;
}

/* Pointers to objects of one type, all owned. */
struct margay_list {
    void **items;
    size_t count, room;
};

struct margay_source {
    unsigned holds; /* kinds of the trace's references; 0 = those of feeders */
    /* In the rows' order; NULL after the last. */
    struct margay_shared_cache *feeders[MARGAY_MOST_LEVELS];
    size_t feeder_count;
    unsigned shift; /* log2 of the block's bytes */
    size_t depth;   /* how many caches a reference has come through */
    struct margay_flow flow;
    struct margay_shared_group *groups; /* the first; owned, and so are all */
    struct margay_source *next;         /* with the same first feeder */
};

/* One cache of a group, in all instances. */
struct margay_shared_cache {
    struct margay_shared_group *group;
    uint64_t ways;
    uint64_t writebacks;
    bool feeds;                    /* a source */
    struct margay_flow passed;     /* its output, if it feeds one */
    struct margay_source *sources; /* the first of those whose first feeder this
                                      is */
};

/* One instance of a group's caches. */
struct margay_shared_place {
    /* Stacked: */
    uint64_t *blocks; /* [set][ways], the most recently used first */
    uint8_t *dirty;   /* the same: in caches of this many ways and more,
                         or MARGAY_STACK_CLEAN; 0 = there is no block */
    uint64_t bytes;
    /* Otherwise: */
    margay_cache *cache;
};
#define MARGAY_STACK_CLEAN 255
#define MARGAY_STACK_WAYS  MARGAY_MOST_WAYS

struct margay_shared_group {
    struct margay_source *source;
    const struct margay_level *level; /* of one of the machines */
    bool stacked;
    bool writes, through, allocates; /* as of a node */
    uint64_t seed;
    uint64_t sets;
    struct margay_list caches; /* struct margay_shared_cache, by ways */
    uint64_t most_ways;
    struct margay_shared_place *places; /* by core / shared; owned */
    size_t place_count;
    /* References by the blocks of their set that they were found after; not
       stacked, 0 = found.  The last one with an entry was not found. */
    uint64_t found[MARGAY_SORTS][MARGAY_STACK_WAYS + 1];
    struct margay_error error;
    struct margay_shared_group *next; /* of the same source */
};

static inline struct margay_shared_cache *margay_cache_in(
    const struct margay_shared_group *group, size_t index)
{
    return group->caches.items[index];
}

/* Tasks of a crew, whose context is an array of pointers: gather the output of
   the feeders of source `index`, and make the references of the source of group
   `index`. */
void margay_shared_gather(void *sources, size_t index);
void margay_shared_step(void *groups, size_t index);

/* The counts of a cache, and its output of each sort. */
struct margay_level_counts margay_shared_counts(
    const struct margay_shared_cache *cache);
void margay_shared_passed(const struct margay_shared_cache *cache,
                          uint64_t counts[MARGAY_SORTS]);

#endif
