/*
 * margay/assoc.h - from blocks to the misses of set-associative caches
 *
 * A cache has a number of sets, and in each set a number of ways, each of which
 * holds a block.  A block's number modulo the number of sets is its set; where
 * many caches are simulated at once, numbers of sets are powers of two.  A
 * cache of one set is fully associative; a cache of one way is direct-mapped.
 *
 * margay_assoc simulates every LRU cache of a grid in one pass over the
 * references.  margay_opt does the same for Belady's optimal replacement.
 * margay_cache is one cache with any number of ways and any policy of a table.
 * margay_binomial_hits() predicts the misses of LRU caches from reuse distances
 * alone.
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

/* The most ways of a cache where many caches are simulated at once. */
#define MARGAY_MOST_WAYS 64

/* The base-2 logarithm of the most sets of any cache. */
#define MARGAY_MOST_SET_SHIFT 24

/* The most sets of any cache. */
#define MARGAY_MOST_SETS (UINT64_C(1) << MARGAY_MOST_SET_SHIFT)

/* The most slices of a cache. */
#define MARGAY_MOST_SLICES 8

/* The mapping of blocks to sets. */
enum margay_index {
    /* Its number modulo the number of sets. */
    MARGAY_INDEX_MODULO,

    /* For 2^n sets: the exclusive or of all groups of n bits of its number,
       counted from the lowest bit; the highest group may have fewer. */
    MARGAY_INDEX_XOR,
};

/* ----------------------------------------------- all LRU caches at once -- */

/* The grid has a cache for every combination of a block size, a number of sets
   and a number of ways. */
struct margay_grid {
    /* The block sizes are 2^shift units of the numbers, so that a block is
       number >> shift.  The shifts ascend, are distinct, and go from 0 to
       63. */
    const unsigned *block_shifts;

    /* At least 1. */
    size_t block_count;

    /* The numbers of sets are 2^shift.  The shifts ascend, are distinct, and
       go from 0 to MARGAY_MOST_SET_SHIFT. */
    const unsigned *set_shifts;

    /* 1 or more. */
    size_t set_count;

    /* The ways are all numbers from 1 to this one, which is at most
       MARGAY_MOST_WAYS. */
    unsigned most_ways;
};

struct margay_assoc_options {
    /* The simulation uses at most this many threads, at least 1.  Results
       never depend on the number. */
    unsigned threads;

    /* The misses of each kind of reference are counted apart. */
    bool by_kind;

    /* The code for a level of the processor does the work: "portable", "v3" or
       "v4" of the x86-64 psABI; NULL = the fastest that runs here.  Results
       never depend on it. */
    const char *target;
};
#define MARGAY_ASSOC_OPTIONS_DEFAULT \
    {                                \
        1, false, NULL               \
    }

typedef struct margay_assoc margay_assoc;

/* The bytes of state that the caches of a grid need: 4 for each of most_ways
   ways of each set, rounded up.  The state at most doubles once the numbers
   turn out to be scattered over more than about 2^32 blocks.  UINT64_MAX if the
   grid is not valid or its state has 2^64 bytes or more. */
MARGAY_API uint64_t margay_grid_bytes(const struct margay_grid *grid);

/* Make the empty caches of a grid, which is copied.  Fails with
   MARGAY_BAD_ARGUMENT (an empty or unordered list, a value out of range, an
   unknown target, or one that does not run here) or MARGAY_NO_MEMORY.  The
   latter covers a state that is larger than this machine's memory; its message
   names the most sets that fit.  The caller owns *assoc. */
MARGAY_API enum margay_status margay_assoc_create(
    const struct margay_grid *grid, const struct margay_assoc_options *options,
    margay_assoc **assoc, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_assoc_free(margay_assoc *assoc);

/* Reference the next `count` numbers, any 64-bit values, in all caches.
   kinds[i] is the enum margay_kind of numbers[i]; if `kinds` is NULL, all are
   reads.  After a failure (MARGAY_NO_MEMORY) the object can only be freed. */
MARGAY_API enum margay_status margay_assoc_feed(margay_assoc *assoc,
                                                const uint64_t *numbers,
                                                const uint8_t *kinds,
                                                size_t count,
                                                struct margay_error *error);

/* End the warm-up: set all counts to 0 and keep the blocks in the caches. */
MARGAY_API void margay_assoc_reset_counts(margay_assoc *assoc);

/* The references since the last reset whose kind is in the set `kinds`
   (MARGAY_KIND_BIT).  Without the option by_kind every reference counts as a
   read. */
MARGAY_API uint64_t margay_assoc_references(margay_assoc *assoc,
                                            unsigned kinds);

/* The misses since the last reset, of the kinds in `kinds`, in the cache of
   block_shifts[block_index], set_shifts[set_index] and `ways` ways, which go
   from 1 to most_ways. */
MARGAY_API uint64_t margay_assoc_misses(margay_assoc *assoc, size_t block_index,
                                        size_t set_index, unsigned ways,
                                        unsigned kinds);

/* ----------------------------------------------------- optimal caches -- */

/* Belady's optimal replacement in all caches of some numbers of sets at once.
   A miss in a full set evicts the block whose next use is the furthest away;
   hits and misses are known at once. */
struct margay_opt_options {
    /* The numbers of sets go from 1 to MARGAY_MOST_SETS, in any order, and
       there is at least one of them. */
    const uint64_t *sets;
    size_t set_count;

    /* The sets that blocks are in. */
    enum margay_index index;

    /* The caches have every number of ways from 1 to this one.  Above 128, 64
       sets or fewer take less time than more of them. */
    unsigned most_ways;

    /* The block that misses takes part in the choice: if its next use is the
       furthest away, the cache does not keep it.  Otherwise the cache keeps
       every block that misses. */
    bool bypass;

    /* At most this many threads are used, at least 1.  Results never depend on
       the number. */
    unsigned threads;
};

typedef struct margay_opt margay_opt;

/* The bytes of state that these caches need, besides 18 to 37 for each distinct
   block. */
MARGAY_API uint64_t margay_opt_bytes(const struct margay_opt_options *options);

/* Fails with MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY.  The caller owns *opt. */
MARGAY_API enum margay_status margay_opt_create(
    const struct margay_opt_options *options, margay_opt **opt,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_opt_free(margay_opt *opt);

/* Reference the next `count` blocks in all caches.  kinds[i] is the enum
   margay_kind of blocks[i]; if `kinds` is NULL, all are reads.  Fails with
   MARGAY_NO_MEMORY, and after 2^38 references with MARGAY_BAD_ARGUMENT; the
   object can then only be freed. */
MARGAY_API enum margay_status margay_opt_feed(margay_opt *opt,
                                              const uint64_t *blocks,
                                              const uint8_t *kinds,
                                              size_t count,
                                              struct margay_error *error);

/* End the warm-up: set all counts to 0 and keep the blocks in the caches. */
MARGAY_API void margay_opt_reset_counts(margay_opt *opt);

/* The misses since the last reset, of the kinds in `kinds`, in the cache of
   sets[set_index] sets and `ways` ways, which go from 1 to most_ways. */
MARGAY_API uint64_t margay_opt_misses(const margay_opt *opt, size_t set_index,
                                      unsigned ways, unsigned kinds);

/* ----------------------------------------------------------- policies -- */

/* A stack algorithm: a set of more ways always holds the blocks of a set of
   fewer ways. */
#define MARGAY_POLICY_STACK 1u

/* The policy knows the future: only margay_opt has it. */
#define MARGAY_POLICY_NEEDS_FUTURE 2u

/* The number of ways has to be even, or 1. */
#define MARGAY_POLICY_EVEN_WAYS 4u

/* Intended for sets of a few ways. */
#define MARGAY_POLICY_FOR_SETS 8u

/* The policy uses the code sites of references, see
   margay_cache_tell_sites(). */
#define MARGAY_POLICY_NEEDS_SITES 16u

/* The policy is defined for objects of different sizes, too. */
#define MARGAY_POLICY_FOR_OBJECTS 32u

/* Defined for these only: no margay_cache and no margay_opt has it. */
#define MARGAY_POLICY_ONLY_OBJECTS 64u

/* The policy is defined for requests of blocks, too; or for these only, and it
   is no row of the table. */
#define MARGAY_POLICY_FOR_REQUESTS  128u
#define MARGAY_POLICY_ONLY_REQUESTS 256u

/* A row of the table of replacement policies.  Its strings have static
   storage. */
struct margay_policy_info {
    /* The name stands at the beginning of a spec: "opt". */
    const char *name;

    /* The parameters of a spec, as those of an engine: "max=1|1..255". */
    const char *parameters;

    /* The help says in one line which block is evicted. */
    const char *help;

    /* The source is the publication that describes the policy. */
    const char *source;

    /* The abilities are a set of MARGAY_POLICY_... bits. */
    unsigned abilities;
};

/* Row `index` of the table; NULL beyond its end. */
MARGAY_API const struct margay_policy_info *margay_policy_at(size_t index);

/* The row of the policy of a spec, NAME[:key=value,...].  Fails with
   MARGAY_BAD_ARGUMENT (the message says which names, parameters and values are
   known) or MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_policy_find(
    const char *spec, const struct margay_policy_info **info,
    struct margay_error *error);

/* ---------------------------------------------------------- one cache -- */

/* The most blocks that one cache can hold. */
#define MARGAY_MOST_SLOTS (UINT64_C(0xffffffff) - 1)

struct margay_cache_options {
    /* The cache has this many sets, at most MARGAY_MOST_SETS; 0 = 1, a fully
       associative cache. */
    uint64_t sets;

    /* The sets that blocks are in. */
    enum margay_index index;

    /* The sets are divided among 1, 2, 4 or 8 slices, 0 being 1, and `index`
       is about the sets of a slice.  Of several slices a block's address, its
       number times 2^block_shift, chooses one by the hash of Maurice et al.
       2015; of the sets of all slices, those of slice 0 come first. */
    unsigned slices, block_shift;

    /* A set has this many ways, at least 1; all sets together have at most
       MARGAY_MOST_SLOTS, blocks included that the policy remembers. */
    uint32_t ways;

    /* The policy is named by a spec, NAME[:key=value,...]; NULL = "lru". */
    const char *policy;

    /* The seed of the policy's random numbers, any value. */
    uint64_t seed;

    /* A write goes to memory at once, so that no block is ever dirty.
       Otherwise a write makes its block dirty, and a dirty block goes to memory
       when it is evicted. */
    bool write_through;

    /* A write that misses goes to memory and brings no block into the cache. */
    bool no_allocate;

    /* Blocks are dense numbers: 0, 1, 2 and so on, for example in the order of
       their first use.  The cache, of one set, then finds a block in a table of
       all of them, and margay_cache_reserve() has to make room before it is
       fed. */
    bool dense_blocks;

    /* The cache notes the block that each set used last, which takes 16 bytes a
       set, for margay_cache_condense(). */
    bool notes_latest;
};

/* The counts since the last reset. */
struct margay_cache_counts {
    /* The references and the misses of each enum margay_kind. */
    uint64_t references[MARGAY_KINDS];
    uint64_t misses[MARGAY_KINDS];

    /* The dirty blocks that were evicted.  Blocks that are dirty in the end are
       not counted. */
    uint64_t writebacks;

    /* The blocks that came from memory. */
    uint64_t blocks_fetched;

    /* The blocks that went to memory: write-backs, and one for each write that
       goes to memory at once. */
    uint64_t blocks_written;
};

typedef struct margay_cache margay_cache;

/* The bytes of state of such a cache, without the table of dense blocks;
   UINT64_MAX if the options are not valid. */
MARGAY_API uint64_t
margay_cache_bytes(const struct margay_cache_options *options);

/* Make an empty cache.  Fails with MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY.
   The caller owns *cache. */
MARGAY_API enum margay_status margay_cache_create(
    const struct margay_cache_options *options, margay_cache **cache,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_cache_free(margay_cache *cache);

/* Make room for the blocks below `blocks` in a cache of dense blocks, 4 bytes
   for each.  Does nothing if there is room already, or for any other cache.
   Calls with slowly growing numbers cost constant time for each block on
   average.  MARGAY_NO_MEMORY leaves the cache as it was. */
MARGAY_API enum margay_status margay_cache_reserve(margay_cache *cache,
                                                   uint64_t blocks,
                                                   struct margay_error *error);

/* Set the code sites of the references of the next margay_cache_feed() or
   margay_cache_feed_through(); sites[i] is that of blocks[i], any number.
   Without this call, all references are of site 0.  Only policies with
   MARGAY_POLICY_NEEDS_SITES use sites. */
MARGAY_API void margay_cache_tell_sites(margay_cache *cache,
                                        const uint64_t *sites);

/* Reference the next `count` blocks.  kinds[i] is the enum margay_kind of
   blocks[i]; if `kinds` is NULL, all are reads. */
MARGAY_API void margay_cache_feed(margay_cache *cache, const uint64_t *blocks,
                                  const uint8_t *kinds, size_t count);

/* Copy the next `count` references except those to the block that their set
   used last, which would only count, or make a block dirty: in this cache, and
   in any of the same policy and index with as many sets or, with
   MARGAY_INDEX_MODULO, a multiple.  Returns how many are left; the arrays may
   be the same, and kinds may be NULL.  All are left if every hit may change the
   state of the policy, or options.notes_latest is not set. */
MARGAY_API size_t margay_cache_condense(margay_cache *cache,
                                        const uint64_t *blocks,
                                        const uint8_t *kinds, size_t count,
                                        uint64_t *left_blocks,
                                        uint8_t *left_kinds);

/* The references that a cache makes to the next level after it. */
struct margay_traffic {
    /* The block and the enum margay_kind of each reference, and the index of
       the reference of the call that causes it. */
    uint64_t *blocks;
    uint8_t *kinds;
    uint32_t *causes;
    /* The enum margay_purpose of each reference. */
    uint8_t *purposes;
    /* The extent of each reference, or NULL. */
    uint32_t *extents;
    bool covers; /* it is */

    /* The number of references of the last call, and the room of the arrays. */
    size_t count, room;
};

/* Make room for `room` references.  margay_traffic_clear() frees the arrays.
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_traffic_reserve(
    struct margay_traffic *traffic, size_t room, struct margay_error *error);
MARGAY_API void margay_traffic_clear(struct margay_traffic *traffic);

/* The most references of traffic that one reference causes: a write-back, the
   block that comes in, and a write that goes to memory at once. */
#define MARGAY_MOST_TRAFFIC 3

/* As margay_cache_feed(), and gather the traffic of the references in order.  A
   miss causes a read of its block (a fetch if the reference was one), after the
   write of the dirty block that it evicts.  Each write that goes to memory at
   once causes a write of its block.  There is room for MARGAY_MOST_TRAFFIC
   times `count` references. */
MARGAY_API void margay_cache_feed_through(margay_cache *cache,
                                          const uint64_t *blocks,
                                          const uint8_t *kinds, size_t count,
                                          struct margay_traffic *traffic);

/* End the warm-up: set all counts to 0 and keep the blocks in the cache. */
MARGAY_API void margay_cache_reset_counts(margay_cache *cache);

/* The counts so far.  They belong to the cache and change as it is fed. */
MARGAY_API const struct margay_cache_counts *margay_cache_counts(
    const margay_cache *cache);

/* ---------------------------------------------------------- prediction -- */

/*
 * Compute the probability that a reference at reuse distance `distance` hits in
 * an LRU cache of 2^set_shift sets and w ways; hits[w - 1] receives it for each
 * w from 1 to `ways`.  It is the probability that fewer than w of the blocks in
 * between fall into the reference's set, if each falls into any set with equal
 * probability; for MARGAY_INFINITE it is 0.  The relative error is below 1e-12
 * for distances up to 2^40; probabilities below 1e-300 may come out as 0.
 *
 * Source: Smith, "A comparative study of set associative memory mapping
 * algorithms", IEEE Trans. Software Engineering 4(2), 1978; Hill and Smith
 * 1989.
 */
MARGAY_API void margay_binomial_hits(uint64_t distance, unsigned set_shift,
                                     unsigned ways, double *hits);

/* Compute the misses that these probabilities predict for the distances of a
   histogram, in misses[w - 1] for each w from 1 to `ways`, which is at most
   MARGAY_MOST_WAYS. */
MARGAY_API void margay_binomial_misses(const margay_histogram *histogram,
                                       unsigned set_shift, unsigned ways,
                                       double *misses);

#ifdef __cplusplus
}
#endif

#endif
