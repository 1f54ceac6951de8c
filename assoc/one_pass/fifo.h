/*
 * fifo.h - FIFO caches of many sizes at once, each fully associative
 *
 * Algorithm: the insertions into a cache are counted, and each object keeps the
 *   number of its latest one, for each of 16 sizes, in one cache line.  An
 *   object is in a cache of C objects if and only if fewer than C insertions
 *   followed its own.  A reference compares all sizes at once; where the object
 *   is absent, the insertion gets the next number.
 *
 * Source: the queue is Belady's, 1966; the table is our own.
 *
 * Guarantee: exact, for any number of references: before numbers of 32 bits
 *   wrap around, all of them are renumbered.
 *
 * Cost: one cache line per reference, read and written, which is prefetched;
 *   64 bytes for each object.
 */
#ifndef MARGAY_ASSOC_ONE_PASS_FIFO_H
#define MARGAY_ASSOC_ONE_PASS_FIFO_H

#include "traces/traces_internal.h"

/* The most sizes of one table. */
#define MARGAY_FIFO_SIZES 16

/* The most objects of a trace, so that ages fit the numbers of insertions. */
#define MARGAY_FIFO_MOST_OBJECTS (UINT32_C(1) << 31)

struct margay_fifo_options {
    const uint64_t *cache_blocks; /* 1 or more each, in any order */
    size_t count;                 /* of them, 1 to MARGAY_FIFO_SIZES */
    uint32_t objects;             /* they are numbered from 0 on; 1 or more */
    uint32_t earlier_insertions;  /* numbers begin after this one, which
                                     changes no result; together with
                                     `objects` it is below 2^32 */
};

typedef struct margay_fifo margay_fifo;

/* The bytes of state for that many objects. */
uint64_t margay_fifo_bytes(uint32_t objects);

/* Make empty caches.  MARGAY_BAD_ARGUMENT for too many objects or sizes;
   MARGAY_NO_MEMORY.  The caller owns *fifo. */
enum margay_status margay_fifo_create(const struct margay_fifo_options *options,
                                      margay_fifo **fifo,
                                      struct margay_error *error);

/* NULL is fine. */
void margay_fifo_free(margay_fifo *fifo);

/* Reference `count` objects in all caches. */
void margay_fifo_feed(margay_fifo *fifo, const uint32_t *objects, size_t count);

/* End the warm-up: set all counts to 0 and keep the objects in the caches. */
void margay_fifo_reset_counts(margay_fifo *fifo);

/* The misses in the cache of cache_blocks[i] since the last reset. */
uint64_t margay_fifo_misses(const margay_fifo *fifo, size_t i);

/* ---- The loop, compiled once per processor level ---- */

typedef uint32_t margay_fifo_lanes
    __attribute__((vector_size(MARGAY_FIFO_SIZES * sizeof(uint32_t))));

/* Reference `count` objects; *inserted are the latest numbers. */
typedef void margay_fifo_kernel(margay_fifo_lanes *insertions,
                                const margay_fifo_lanes *capacity,
                                margay_fifo_lanes *inserted,
                                const uint32_t *objects, size_t count);

MARGAY_DECLARE_FOR_TARGETS(margay_fifo_kernel, margay_fifo_kernel)

#endif
