/*
 * margay/prefixes.h - caches of prefixes, as language models have them
 *
 * A request asks for a list of blocks, and a block hits only if all blocks
 * before it in the request do: a cache can only use a beginning of a list.  One
 * pass finds the hits of fully associative LRU caches of all sizes.
 *
 * The distance of a block is the largest depth in the LRU stack, before the
 * request, of the blocks of the request up to this one; it is infinite from the
 * first new block on.  A cache of C blocks hits iff the distance is below C.
 * The same holds for the optimum, a cache that evicts the block with the
 * farthest next use; with bypass, that may be the one that misses.
 *
 * A block stands for some tokens, of which the last one of a prompt may have
 * fewer.  Tokens of a prompt beyond its blocks miss in every cache.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_PREFIXES_H
#define MARGAY_PREFIXES_H

#include <margay/stackdist.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which a request uses its blocks; the last one becomes the most
   recent. */
enum margay_touch {
    MARGAY_FRONT_TO_BACK,
    MARGAY_BACK_TO_FRONT, /* the end of a request is evicted first */
};

/* The most tiers of a cache of prefixes, and the most groups of layers. */
#define MARGAY_MOST_TIERS  64
#define MARGAY_MOST_GROUPS 64

typedef struct margay_prefixes margay_prefixes;

struct margay_prefixes_options {
    const char *engine; /* a spec, of an exact engine that gives distances */
    /* `measure` is that of reuse distances, or of the optimum.  With
       half_life_refs above 0 counts fade, and have the fractions given by
       struct margay_prefixes_result. */
    struct margay_engine_options engine_options;
    enum margay_touch touch; /* not of the optimum, which has no such order */
    uint64_t block_tokens;   /* the tokens of a block; 0 = not known */
};
#define MARGAY_PREFIXES_OPTIONS_DEFAULT                                 \
    {                                                                   \
        "exact", MARGAY_ENGINE_OPTIONS_DEFAULT, MARGAY_FRONT_TO_BACK, 0 \
    }

struct margay_prefixes_result {
    /* Of blocks; distances are those of prefixes.  All counts are in
       2^-blocks.fraction_bits. */
    struct margay_result blocks;
    /* Of requests, each at the distance of its last block: a cache that hits it
       hits all.  Requests without a block miss none. */
    margay_histogram *requests;
    /* Of the tokens of prompts; NULL = not known. */
    margay_histogram *tokens;
};

/* Fails with MARGAY_BAD_ARGUMENT where the engine cannot be made or is not
   exact, and with MARGAY_NO_MEMORY.  The caller owns *prefixes. */
MARGAY_API enum margay_status margay_prefixes_create(
    const struct margay_prefixes_options *options, margay_prefixes **prefixes,
    struct margay_error *error);

/* NULL does nothing. */
MARGAY_API void margay_prefixes_free(margay_prefixes *prefixes);

/* Analyse the next `count` blocks.  requests[i] is the request that blocks[i]
   belongs to: neighbours of the same number are one request, also where calls
   divide it.  tokens[i] is the length of its prompt, as in the column of
   traces; NULL = not known: then all blocks have all of their tokens.  Fails as
   margay_engine_feed() does. */
MARGAY_API enum margay_status margay_prefixes_feed(
    margay_prefixes *prefixes, const uint64_t *blocks, const uint64_t *requests,
    const uint64_t *tokens, size_t count, struct margay_error *error);

/* End the warm-up: set all counts to 0 and keep the LRU stack.  A request
   divided by it counts with its later blocks. */
MARGAY_API void margay_prefixes_reset_counts(margay_prefixes *prefixes);

/* Give the result; to be called once.  The caller releases it with
   margay_prefixes_result_clear().  MARGAY_NO_MEMORY on failure, when there is
   nothing to release. */
MARGAY_API enum margay_status margay_prefixes_finish(
    margay_prefixes *prefixes, struct margay_prefixes_result *result,
    struct margay_error *error);

/* Give the result so far, as if the trace ended here, and go on.  Fails
   likewise, and with MARGAY_BAD_ARGUMENT where the engine is without
   MARGAY_CAN_PEEK. */
MARGAY_API enum margay_status margay_prefixes_peek(
    margay_prefixes *prefixes, struct margay_prefixes_result *result,
    struct margay_error *error);

/* Release what a result owns; a zeroed or cleared result owns nothing. */
MARGAY_API void margay_prefixes_result_clear(
    struct margay_prefixes_result *result);

#ifdef __cplusplus
}
#endif

#endif
