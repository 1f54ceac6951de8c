/*
 * node.h - the instances of levels, and how they are linked
 *
 * A level is a row of the machine, and a node one instance of it: the cache
 * itself.  Victim blocks are a level and nodes of their own, after the others.
 */
#ifndef MARGAY_ASSOC_NODE_H
#define MARGAY_ASSOC_NODE_H

#include "assoc/hierarchy/hierarchy.h"
#include "assoc/policies/cache.h"
#include "stackdist/stackdist_internal.h"

struct margay_node;

/* ----------------------------------------------------------- prefetchers -- */

/* The sites of a stride prefetcher, and the streams and the depth of a stream
   prefetcher. */
#define MARGAY_STRIDE_SITES 256
#define MARGAY_STREAMS      16
#define MARGAY_STREAM_DEPTH 4

/* Where a site was last. */
struct margay_stride {
    bool known;
    uint64_t site, block;
    uint64_t stride; /* modulo 2^64; 0 = none yet */
};

struct margay_stream {
    uint64_t block;     /* the last one */
    uint64_t direction; /* 1 or -1 modulo 2^64; 0 = none yet */
    uint64_t used;      /* when, 0 = never */
};

struct margay_prefetcher {
    unsigned kinds;      /* bits of enum margay_prefetch */
    unsigned on;         /* the kinds of references that it sees */
    uint64_t most_block; /* the highest block */
    uint64_t now;
    struct margay_stride strides[MARGAY_STRIDE_SITES];
    struct margay_stream streams[MARGAY_STREAMS];
};

/* Blocks that are to be brought in, the first first. */
struct margay_prefetch_queue {
    struct margay_asked {
        struct margay_node *node;
        uint64_t block;
        bool fetch; /* for a fetch; otherwise for a read or a write */
    } * asked;      /* owned */
    size_t count, room;
};

/* ------------------------------------------------------------- coherence -- */

/* A *domain* is an instance of a coherent level, its victim blocks, and all
   that is above them: the private caches of a core, or of a group of cores.  A
   block is in a domain if one of its caches has it. */

enum margay_copy_state {
    MARGAY_SHARED,
    MARGAY_EXCLUSIVE_COPY,
    MARGAY_MODIFIED,
};

/* A block that a domain has, or has had. */
struct margay_copy {
    uint64_t fresh; /* bits by piece: written by other domains since this one
                       had a miss of the block that was not useless */
    uint32_t next; /* 1 + the index of the block's copy in the next domain, or 0
                    */
    uint16_t domain;
    uint32_t places;    /* 1 + the first of the places that contend for it */
    uint32_t missed_at; /* 1 + the place of its last coherence miss */
    uint8_t caches; /* of the domain that have the block; 0 = its state is I */
    uint8_t state;
    bool invalidated; /* it left the domain because another one wrote to it */
    bool pending;     /* it came by a coherence miss, useless as yet */
};

/* A place of contention for a block; see margay_hierarchy_sharing(). */
struct margay_place {
    struct margay_sharing_place told;
    uint32_t next; /* 1 + the index of the copy's next place */
};

/* All blocks of all domains of a level. */
struct margay_directory {
    /* From a block to 1 + the index of its first copy; copies of a block are
       linked in ascending order of their domains. */
    struct margay_hash blocks;
    struct margay_copy *copies;
    size_t count, room;
    struct margay_place *places;
    size_t place_count, place_room;
    bool failed; /* for want of memory */
};

/* The private caches of some cores. */
struct margay_domain {
    struct margay_directory *directory;
    const struct margay_instances *roots; /* of all domains of the level */
    struct margay_node *root;             /* the others come after it */
    uint16_t index;
};

/* ----------------------------------------------------------------- nodes -- */

struct margay_node {
    const struct margay_level *level;
    unsigned shift; /* log2 of its block's bytes */
    bool exclusive, inclusive, writes, through, allocates;
    bool is_victims; /* the victim blocks of a level */
    bool sends;      /* its requests to the next one are kept */
    const struct margay_policy_loops *policy;
    margay_cache *cache;            /* NULL = a memory, or: */
    struct margay_optimal *optimal; /* of policy "opt"; owned */
    struct margay_node *next;       /* NULL = there is none */
    struct margay_node *victims; /* its victim blocks, which are `next` too */
    struct margay_node **above;  /* the nodes whose `next` this is; owned */
    size_t above_count, above_room;
    const struct margay_domain *domain;   /* that it is in; NULL = none */
    struct margay_domain own_domain;      /* that it is the root of */
    struct margay_prefetcher *prefetcher; /* owned; NULL = none */
    uint8_t *prefetched; /* bits by place: brought in ahead, not yet used */
    size_t prefetched_bytes;
    /* Of the cache of a first level: a hit of such a block only counts, and
       makes the block dirty.  NULL = hits may do more. */
    struct margay_latest *latest;
    uint64_t latest_mask;
    unsigned number_shift; /* from a number of the trace to a block */
    uint64_t references[MARGAY_PURPOSES][MARGAY_KINDS];
    uint64_t misses[MARGAY_PURPOSES][MARGAY_KINDS];
    struct margay_level_counts counts; /* without these */
};

/* The nodes that a core's references of one kind go to. */
struct margay_entrances {
    size_t count;
    bool coherent; /* one of them is in a domain */
    bool brief;    /* they note their latest blocks, and pass on no write */
    struct margay_node *nodes[MARGAY_MOST_LEVELS];
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
    struct margay_hierarchy_options options; /* but for the levels */
    /* The machine's levels, and after them those of victim blocks. */
    struct margay_level levels[2 * MARGAY_MOST_LEVELS];
    size_t all_count;
    bool victims_inclusive[2 * MARGAY_MOST_LEVELS]; /* of victim blocks: the
                                                       machine's level is */
    struct margay_instances instances[2 * MARGAY_MOST_LEVELS];
    bool shares_cores; /* a thread runs on a core of another number */

    struct margay_core **cores; /* NULL = has made no reference; owned */
    size_t core_count;
    uint64_t references[MARGAY_KINDS];

    uint64_t site; /* of the reference that is being made, */
    uint32_t core; /* and its place, where a level is coherent */
    struct margay_prefetch_queue queue;
    struct margay_traffic traffic; /* owned */
    uint32_t index;                /* of the reference, among those fed */
    struct margay_error failure;   /* of a reference; MARGAY_OK */
};

/* The core that reference i runs on, if there are `cores`, 0 = as many as
   threads; *shares is set if its number is not the thread's. */
static inline uint32_t margay_core_of(const struct margay_span *span, size_t i,
                                      uint32_t cores, bool *shares)
{
    uint32_t thread = span->threads == NULL ? 0 : span->threads[i];
    if (cores == 0 || thread < cores)
        return thread;
    *shares = true;
    return thread % cores;
}

/* Fail with MARGAY_BAD_ARGUMENT if there are too many cores for this one. */
enum margay_status margay_core_check(size_t core, struct margay_error *error);

/* The ways of a set. */
static inline uint64_t margay_level_ways(const struct margay_level *level)
{
    return level->ways == 0 ? level->bytes / level->block_bytes : level->ways;
}

/* Does it have the policy that needs the future? */
static inline bool margay_level_is_optimal(const struct margay_level *level)
{
    return level->bytes > 0 &&
           (margay_policy_named(margay_policy_spec(level->policy))->abilities &
            MARGAY_POLICY_NEEDS_FUTURE) != 0;
}

/* Make the cache of an instance, if memory has room for it. */
enum margay_status margay_level_cache(const struct margay_level *level,
                                      uint64_t seed, bool notes_latest,
                                      margay_cache **cache,
                                      struct margay_error *error);

/* Have a list hold an item at `index`, and new ones zeroed.  Returns the list,
   or NULL without memory, and then the list stays as it was. */
void *margay_extend(void *list, size_t *count, size_t index, size_t bytes);

/* The purpose of a write that a level passes on. */
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

/* The cache of a last level with Belady's optimum.  MARGAY_NO_MEMORY; to be
   freed in any case. */
enum margay_status margay_optimal_create(const struct margay_level *level,
                                         struct margay_optimal **optimal,
                                         struct margay_error *error);

/* NULL is fine. */
void margay_optimal_free(struct margay_optimal *optimal);

/* Use a block, which becomes dirty if `writes`.  *hit says whether it was
   there, and *left_dirty whether it has left since its last use and was dirty.
   MARGAY_NO_MEMORY; MARGAY_BAD_ARGUMENT after 2^37 uses. */
enum margay_status margay_optimal_use(struct margay_optimal *optimal,
                                      uint64_t block, bool writes, bool *hit,
                                      bool *left_dirty,
                                      struct margay_error *error);

/* The dirty blocks that have left since their last use, if this is the end. */
uint64_t margay_optimal_owed(const struct margay_optimal *optimal);

/* Reference a block of a node. */
void margay_node_reference(margay_hierarchy *hierarchy,
                           struct margay_node *node, uint64_t block,
                           enum margay_kind kind, enum margay_purpose purpose);

/* An access of a core to a block. */
struct margay_touch {
    uint64_t block;
    uint64_t pieces; /* bits by piece of the block, which is a 64th of it or a
                        byte; 0 = a prefetch */
    bool write;
};

enum margay_status margay_directory_create(struct margay_directory **directory,
                                           struct margay_error *error);

/* NULL is fine. */
void margay_directory_free(struct margay_directory *directory);

/* No miss before this one is counted any longer. */
void margay_directory_reset(struct margay_directory *directory);

/* A block has come into a cache of the domain, 1, or has left it, -1. */
void margay_directory_count(const struct margay_domain *domain, uint64_t block,
                            int change);

/* Apply the effects on other domains, before a domain's cache is referenced, or
   prefetches. */
void margay_coherence_touch(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch);

/* Take a block out of all caches of a domain, or only write it back to the next
   node if one of them has written to it. */
void margay_node_recall(margay_hierarchy *hierarchy, struct margay_node *root,
                        uint64_t block, bool take_out);

/* Bring in the blocks that prefetchers have asked for, and will ask for
   meanwhile. */
void margay_node_prefetch_all(margay_hierarchy *hierarchy);

#endif
