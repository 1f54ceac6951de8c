/*
 * margay/policy.h - a replacement policy of one's own
 *
 * A shared object that defines
 *
 *     const struct margay_own_policy margay_own_policy = {...};
 *
 * is a policy: its path, with a slash in it, is a spec, as "./mine.so".  It
 * runs in Margay's process, and may do whatever a program may.
 *
 * The functions are about a set and a way, both counted from 0.  A use that
 * finds its block calls hit().  One that does not calls insert() with the way
 * that the block comes into, and if no way is free evict() before it, for that
 * way.  Functions of one cache are called one at a time, and those of different
 * caches perhaps at the same time, so that there should be no global state.
 */
#ifndef MARGAY_POLICY_H
#define MARGAY_POLICY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up with each change that breaks policies. */
#define MARGAY_OWN_POLICY_VERSION 1

/* A cache, as its policy sees it. */
struct margay_own_cache {
    void *memory; /* as many bytes as bytes() returned, 0 at first */
    uint64_t sets, seed;
    uint32_t ways;
};

/* A use: the block's number, and 0, 1 or 2 for a read, a write or a fetch (enum
   margay_kind). */
struct margay_own_use {
    uint64_t block;
    uint32_t kind;
};

struct margay_own_policy {
    uint32_t version; /* MARGAY_OWN_POLICY_VERSION */
    uint64_t (*bytes)(uint64_t sets, uint32_t ways);
    void (*hit)(const struct margay_own_cache *cache, uint64_t set,
                uint32_t way, const struct margay_own_use *use);
    /* The way whose block makes room; modulo the number of ways. */
    uint32_t (*evict)(const struct margay_own_cache *cache, uint64_t set,
                      const struct margay_own_use *use);
    void (*insert)(const struct margay_own_cache *cache, uint64_t set,
                   uint32_t way, const struct margay_own_use *use);
};

#ifdef __cplusplus
}
#endif

#endif
