/*
 * numbering.h - blocks by numbers from 0 on, in the order of their first use
 *
 * Algorithm: a hash table from blocks to numbers; the buckets of later blocks
 *   are prefetched.
 *
 * Guarantee: any 64-bit blocks, fewer than 2^32 of them distinct.
 *
 * Cost: a cache miss per reference, most of it hidden; 18 to 37 bytes per
 *   distinct block.
 *
 * A trace is numbered once, and each simulation of many then finds the state
 * of a block in an array, without a hash table of its own.
 */
#ifndef MARGAY_ASSOC_NUMBERING_H
#define MARGAY_ASSOC_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

typedef struct margay_numbering margay_numbering;

/* Begin without blocks.  The caller owns *numbering.  MARGAY_NO_MEMORY. */
enum margay_status margay_numbering_create(margay_numbering **numbering,
                                           struct margay_error *error);

/* NULL is fine. */
void margay_numbering_free(margay_numbering *numbering);

/* numbers[i] becomes the number of blocks[i].  MARGAY_NO_MEMORY, which covers a
   trace of 2^32 - 1 distinct blocks; the numbering can then only be freed. */
enum margay_status margay_numbering_feed(margay_numbering *numbering,
                                         const uint64_t *blocks, size_t count,
                                         uint32_t *numbers,
                                         struct margay_error *error);

/* A block that comes again gets a new number.  Returns its old one; UINT32_MAX:
   it has none. */
uint32_t margay_numbering_forget(margay_numbering *numbering, uint64_t block);

/* The distinct blocks so far; their numbers are all those below. */
uint32_t margay_numbering_count(const margay_numbering *numbering);

#endif
