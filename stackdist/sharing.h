/*
 * margay/sharing.h - programs that share a cache, from the histogram of each
 *
 * The histogram of a program's reuse distances, measured alone, gives its
 * misses at each cache size, and how fast it fills a cache.  From these follow
 * the effects of programs on each other in a shared fully associative LRU
 * cache, and the best division of the cache among them.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_SHARING_H
#define MARGAY_SHARING_H

#include <margay/stackdist.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most programs of one cache. */
#define MARGAY_MOST_SHARERS 64

struct margay_sharer {
    /* All reuse distances, without a bound; need not outlive the call. */
    const margay_histogram *histogram;
    /* References in a unit of time, which is the same for all; above 0. */
    double rate;
};

typedef struct margay_sharing margay_sharing;

/* Fails with MARGAY_BAD_ARGUMENT for no program or too many, a histogram
   without references or with an exceeded bound, and a rate that is not finite
   or not above 0; and with MARGAY_NO_MEMORY.  The caller owns *sharing. */
MARGAY_API enum margay_status margay_sharing_create(
    const struct margay_sharer *programs, size_t count,
    margay_sharing **sharing, struct margay_error *error);

/* NULL does nothing. */
MARGAY_API void margay_sharing_free(margay_sharing *sharing);

/* The size in blocks beyond which a larger cache, divided or shared, has no
   fewer misses for any program. */
MARGAY_API uint64_t margay_sharing_last(const margay_sharing *sharing);

/* The share and the misses of a program. */
struct margay_sharer_result {
    double blocks; /* blocks that it has, on average where the cache is
                      shared */
    uint64_t misses;
};

/* Estimate the share and misses of each program when all share a cache of
   `cache_blocks` blocks, 0 or more; results[] has room for all programs. */
MARGAY_API void margay_sharing_shared(const margay_sharing *sharing,
                                      uint64_t cache_blocks,
                                      struct margay_sharer_result *results);

/* Divide a cache among the programs so that as few references as possible miss,
   of all programs together; exactly.  All blocks are given away, and a program
   may get none.  `fair`: no program may miss more than in an equal part,
   rounded down.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_sharing_divided(
    const margay_sharing *sharing, uint64_t cache_blocks, bool fair,
    struct margay_sharer_result *results, struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
