/*
 * margay/assoc.h - from blocks to the misses of set-associative caches
 *
 * A cache has `sets` sets, a power of two, of `ways` blocks each; a block's
 * set is given by the low bits of its number (bit selection).  One set is a
 * fully associative cache, one way a direct-mapped one.
 *
 * margay_assoc simulates every LRU cache of a grid in one pass over the
 * references.  margay_opt does the same for Belady's optimal replacement, in
 * one pass for each number of sets.  margay_cache is one cache with any
 * policy.  margay_binomial_hits() predicts what the first would find from
 * reuse distances alone.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_ASSOC_H
#define MARGAY_ASSOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>
#include <margay/status.h>
#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MARGAY_MOST_WAYS      64
#define MARGAY_MOST_SET_SHIFT 24 /* 2^24 sets */

/* ----------------------------------------------- all LRU caches at once -- */

/* Every combination of these is a cache. */
struct margay_grid {
    /* Block sizes: block = number >> shift.  Ascending, distinct, 0 .. 63. */
    const unsigned *block_shifts;
    size_t block_count;
    /* Numbers of sets: 2^shift.  Ascending, distinct, 0 .. 24. */
    const unsigned *set_shifts;
    size_t set_count;
    unsigned most_ways; /* all ways from 1 to this, which is 1 .. 64 */
};

struct margay_assoc_options {
    unsigned threads;   /* at most so many; results never depend on it */
    bool by_kind;       /* count the misses of each kind of reference apart */
    const char *target; /* "portable", "v3", "v4"; NULL = the fastest.  The
                           results are the same */
};
#define MARGAY_ASSOC_OPTIONS_DEFAULT \
    {                                \
        1, false, NULL               \
    }

typedef struct margay_assoc margay_assoc;

/*
 * The state that a grid needs in bytes: 4 for each way of each cache of the
 * most ways, rounded up.  It takes twice as much once the numbers turn out to
 * be scattered over more than some 2^32 blocks.  UINT64_MAX if it is beyond
 * 64 bits or the grid is not valid.
 */
MARGAY_API uint64_t margay_grid_bytes(const struct margay_grid *grid);

/*
 * Make the empty caches of a grid, which is copied.  Fails with
 * MARGAY_BAD_ARGUMENT (an empty or unordered list, a value out of range, an
 * unknown target, or one that does not run here) or MARGAY_NO_MEMORY, also
 * when the state could not fit into this machine's memory: the message then
 * says what would.  The caller owns *assoc.
 */
MARGAY_API enum margay_status margay_assoc_create(
    const struct margay_grid *grid, const struct margay_assoc_options *options,
    margay_assoc **assoc, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_assoc_free(margay_assoc *assoc);

/*
 * Reference the next `count` numbers, any 64-bit values, in all caches.
 * `kinds` may be NULL: all are reads.  On failure (MARGAY_NO_MEMORY) the
 * object can only be freed.
 */
MARGAY_API enum margay_status margay_assoc_feed(margay_assoc *assoc,
                                                const uint64_t *numbers,
                                                const uint8_t *kinds,
                                                size_t count,
                                                struct margay_error *error);

/* End of warm-up: forget all counts, keep what is in the caches. */
MARGAY_API void margay_assoc_reset_counts(margay_assoc *assoc);

/*
 * Counts since the last reset, of a set of kinds (MARGAY_KIND_BIT).  Without
 * `by_kind` every reference counts as a read.
 */
MARGAY_API uint64_t margay_assoc_references(margay_assoc *assoc,
                                            unsigned kinds);

/*
 * The misses of the cache of block_shifts[block_index], set_shifts[set_index]
 * and `ways`, 1 .. most_ways.
 */
MARGAY_API uint64_t margay_assoc_misses(margay_assoc *assoc, size_t block_index,
                                        size_t set_index, unsigned ways,
                                        unsigned kinds);

/* ----------------------------------------------------- optimal caches -- */

/*
 * Tell for each of `count` references which is the next one to the same
 * block: its index, UINT64_MAX if there is none.  Fails with MARGAY_NO_MEMORY
 * (a hash table of the distinct blocks), or MARGAY_BAD_ARGUMENT for 2^38
 * references or more.
 */
MARGAY_API enum margay_status margay_next_uses(const uint64_t *blocks,
                                               size_t count,
                                               uint64_t *next_uses,
                                               struct margay_error *error);

/*
 * Belady's optimal replacement in all caches of one number of sets at once.
 * When a block is brought into a full set, the one goes that is used again
 * last.  With `bypass` that may be the new block itself, which then is not
 * cached at all; without, the new block always is.
 */
struct margay_opt_options {
    unsigned set_shift; /* 2^set_shift sets, at most 2^24 */
    unsigned most_ways; /* 1 .. 64 */
    bool bypass;
};

typedef struct margay_opt margay_opt;

/* The bytes that these caches take. */
MARGAY_API uint64_t margay_opt_bytes(unsigned set_shift, unsigned most_ways);

/* Fails with MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY.  The caller owns *opt. */
MARGAY_API enum margay_status margay_opt_create(
    const struct margay_opt_options *options, margay_opt **opt,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_opt_free(margay_opt *opt);

/*
 * Reference the next `count` blocks; next_uses are those of margay_next_uses()
 * for the whole trace.  `kinds` may be NULL: all are reads.
 */
MARGAY_API void margay_opt_feed(margay_opt *opt, const uint64_t *blocks,
                                const uint64_t *next_uses, const uint8_t *kinds,
                                size_t count);

/* End of warm-up: forget all counts, keep what is in the caches. */
MARGAY_API void margay_opt_reset_counts(margay_opt *opt);

/* The misses, of a set of kinds, with `ways` ways, 1 .. most_ways. */
MARGAY_API uint64_t margay_opt_misses(const margay_opt *opt, unsigned ways,
                                      unsigned kinds);

/* ---------------------------------------------------------- one cache -- */

enum margay_policy {
    MARGAY_LRU,    /* out goes the least recently used block */
    MARGAY_FIFO,   /* the one that came first */
    MARGAY_PLRU,   /* where the bits of a tree over the ways point to */
    MARGAY_RANDOM, /* any */
    MARGAY_OPT,    /* the one used again last */
};

/* "lru", "fifo", "plru", "random", "opt"; NULL beyond. */
MARGAY_API const char *margay_policy_name(enum margay_policy policy);

struct margay_cache_options {
    unsigned set_shift; /* 2^set_shift sets, at most 2^24 */
    unsigned ways;      /* 1 .. 64; a power of two for MARGAY_PLRU */
    enum margay_policy policy;
    uint64_t seed;      /* of MARGAY_RANDOM */
    bool bypass;        /* of MARGAY_OPT, as of margay_opt */
    bool write_through; /* writes go to memory at once: no block is dirty */
    bool no_allocate;   /* a write that misses brings no block in */
};

/* Since the last reset.  Blocks still dirty in the end are not written. */
struct margay_cache_counts {
    uint64_t references[MARGAY_KINDS];
    uint64_t misses[MARGAY_KINDS];
    uint64_t writebacks;     /* dirty blocks written when they went */
    uint64_t blocks_fetched; /* from memory */
    uint64_t blocks_written; /* to memory: write-backs, and writes that go
                                through or allocate nothing, a block each */
};

typedef struct margay_cache margay_cache;

/* The bytes that such a cache takes. */
MARGAY_API uint64_t margay_cache_bytes(unsigned set_shift, unsigned ways);

/* An empty cache; fails like margay_opt_create().  The caller owns *cache. */
MARGAY_API enum margay_status margay_cache_create(
    const struct margay_cache_options *options, margay_cache **cache,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_cache_free(margay_cache *cache);

/* As margay_opt_feed(); next_uses may be NULL unless the policy is
   MARGAY_OPT. */
MARGAY_API void margay_cache_feed(margay_cache *cache, const uint64_t *blocks,
                                  const uint64_t *next_uses,
                                  const uint8_t *kinds, size_t count);

/* End of warm-up: forget all counts, keep what is in the cache. */
MARGAY_API void margay_cache_reset_counts(margay_cache *cache);

/* What has been counted; belongs to the cache, and goes on counting. */
MARGAY_API const struct margay_cache_counts *margay_cache_counts(
    const margay_cache *cache);

/* ---------------------------------------------------------- prediction -- */

/*
 * The probability that a reference at reuse distance `distance` hits in an
 * LRU cache of 2^set_shift sets and w ways, for each w from 1 to `ways`, in
 * hits[w - 1]: that fewer than w of the blocks in between fell into its set,
 * each into any set with equal probability.  MARGAY_INFINITE never hits.  The
 * relative error is below 1e-12 for distances up to 2^40; probabilities below
 * 1e-300 may come out as 0.
 *
 * Source: Smith, "A comparative study of set associative memory mapping
 * algorithms", IEEE Trans. Software Engineering 4(2), 1978; Hill and Smith
 * 1989.
 */
MARGAY_API void margay_binomial_hits(uint64_t distance, unsigned set_shift,
                                     unsigned ways, double *hits);

/* The misses expected by it, in misses[w - 1], from a histogram. */
MARGAY_API void margay_binomial_misses(const margay_histogram *histogram,
                                       unsigned set_shift, unsigned ways,
                                       double *misses);

#ifdef __cplusplus
}
#endif

#endif
