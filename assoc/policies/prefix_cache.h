/*
 * prefix_cache.h - one cache of the blocks of prompts, with any policy
 *
 * Algorithm: a request is a list of blocks, each of which stands for all before
 *   it, too.  It is looked up until a block is missing; then all of its blocks
 *   are used, from either end, by a cache that does not know requests.  Only
 *   LEAF-LRU does: its blocks are a tree, where the parent of a block is the
 *   one before it in the request that brought it in, and only blocks without a
 *   child in the cache may go, the least recently used of them first.  A
 *   request's blocks come in from its front, and do not evict each other: if
 *   nothing else may go, the rest is not kept.  With a time to live, a block
 *   that was stored longer ago is missing; its use stores it anew in its place,
 *   without the policy.  Several tiers, each of which is such a cache, are used
 *   from the first one to the first that has the block.  It comes into those
 *   before, from the last one to the first; those after are not used.  With
 *   inclusive tiers, a block that one of them evicts leaves all before it.  One
 *   that has expired is used in all tiers.  Exclusive tiers of LRU are one
 *   stack, whose top is in a cache as large as the first tiers; a block is
 *   stored where the stack has lost it.
 *   Several groups of layers, each with a block of its own for each block of a
 *   prompt, share one cache.  A group attends to all blocks before one, or to a
 *   window: then it needs the last blocks of a beginning alone, as many as the
 *   window has, and uses no block before these.  A request hits the longest
 *   beginning that all groups have.  It uses first the blocks that have left
 *   the window when it ends, and then the rest, one group after the other.
 *
 * Source: of groups, vLLM's hybrid manager of KV caches
 *   (vllm/v1/core/single_type_kv_cache_manager.py, kv_cache_coordinator.py).
 *
 * Guarantee: where requests are used from back to front and a block has always
 *   the same parent, leaf-lru holds what lru holds, as long as no request is
 *   longer than the cache.
 *
 * Cost: of leaf-lru, a heap of the leaves; 16 bytes for each block of the
 *   trace, and up to 32 for each in the cache.  8 bytes for each block of the
 *   trace with a time to live.
 */
#ifndef MARGAY_ASSOC_PREFIX_CACHE_H
#define MARGAY_ASSOC_PREFIX_CACHE_H

#include <margay/prefixes.h>

#define MARGAY_LEAF_LRU "leaf-lru"

typedef struct margay_prefix_cache margay_prefix_cache;

struct margay_prefix_cache_options {
    /* The room of each tier together with those before it, in blocks, at least
       1 for each; usually there is one.  Hits are those of the first
       `counted`. */
    const uint64_t *sums;
    size_t tiers, counted;
    bool inclusive, exclusive; /* if exclusive, the policy is LRU */
    const char *policy; /* MARGAY_LEAF_LRU, of one tier, or a cache's spec */
    uint64_t seed;
    uint32_t blocks; /* all numbers are below */
    bool back;       /* a request's blocks are used from its end on */
    /* Of one tier, and not of leaf-lru: the blocks of the window of each group,
       UINT64_MAX = all; each has room for sums[0].  NULL = one group of all;
       they outlive the cache. */
    const uint64_t *windows;
    size_t groups, group; /* hits are of this one, from 1 on; 0 = of all */
    bool expires;         /* after the time to live */
    uint64_t ttl_seconds;
};

/* MARGAY_BAD_ARGUMENT; MARGAY_NO_MEMORY.  The caller owns *cache. */
enum margay_status margay_prefix_cache_create(
    const struct margay_prefix_cache_options *options,
    margay_prefix_cache **cache, struct margay_error *error);

/* NULL is fine. */
void margay_prefix_cache_free(margay_prefix_cache *cache);

/* A request at a time, in microseconds; *hits is how many blocks it finds, from
   its front on.  MARGAY_NO_MEMORY. */
enum margay_status margay_prefix_cache_request(margay_prefix_cache *cache,
                                               const uint32_t *blocks,
                                               size_t count, uint64_t time,
                                               size_t *hits,
                                               struct margay_error *error);

#endif
