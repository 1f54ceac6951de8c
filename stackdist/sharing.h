/*
 * margay/sharing.h - programs that share a cache, from the histogram of each
 *
 * The histogram of a program's reuse distances, measured alone, tells how many
 * of its references miss at each size of cache, and how fast it fills one.  So
 * it tells what programs take from each other in a fully associative LRU cache
 * that they share, and how the cache is best divided among them.
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

/* The size in blocks from which on no program misses more than it does in any
   larger cache, divided or shared. */
MARGAY_API uint64_t margay_sharing_last(const margay_sharing *sharing);

/* What becomes of a program. */
struct margay_sharer_result {
    double blocks; /* that it has, on average where the cache is shared */
    uint64_t misses;
};

/* Estimate what each program has and misses when all share a cache of
   `cache_blocks` blocks, 0 or more; results[] has room for all programs. */
MARGAY_API void margay_sharing_shared(const margay_sharing *sharing,
                                      uint64_t cache_blocks,
                                      struct margay_sharer_result *results);

/*
 * Divide a cache among the programs so that as few references as possible miss,
 * of all programs together; exactly.  All blocks are given away, and a program
 * may get none.  `fair`: no program is to miss more than in an equal part,
 * rounded down.  MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_sharing_divided(
    const margay_sharing *sharing, uint64_t cache_blocks, bool fair,
    struct margay_sharer_result *results, struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
