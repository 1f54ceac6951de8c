/*
 * margay/stackdist.h - from blocks to reuse distances to miss curves
 *
 * The reuse distance of a reference is the number of distinct other blocks
 * referenced since the previous reference to the same block: 0 for an
 * immediate repeat, infinite for a first reference.  A fully associative LRU
 * cache of C blocks hits if and only if the distance is below C, so one
 * histogram of distances is the miss curve of all cache sizes (Mattson et
 * al. 1970).
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_STACKDIST_H
#define MARGAY_STACKDIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The distance of a first reference, and of one at or beyond the bound. */
#define MARGAY_INFINITE UINT64_MAX

/* ---------------------------------------------------------- histograms -- */

/* Exact counts of references by reuse distance.  Infinite distances are counted
   apart.  Memory: 2 bytes per distance around distances that occur, 10 where a
   count passes 65,535. */
typedef struct margay_histogram margay_histogram;

/* Make an empty histogram, which the caller owns.  MARGAY_NO_MEMORY on failure,
   and *histogram is then NULL. */
MARGAY_API enum margay_status margay_histogram_create(
    margay_histogram **histogram, struct margay_error *error);

/* Release a histogram; NULL does nothing. */
MARGAY_API void margay_histogram_free(margay_histogram *histogram);

/* Count `count` more references at `distance`, which is in blocks and below
   2^56, or MARGAY_INFINITE.  Fails with MARGAY_BAD_ARGUMENT for other distances
   and where all references would be more than 2^64 - 1, and with
   MARGAY_NO_MEMORY; the histogram is then as before. */
MARGAY_API enum margay_status margay_histogram_add(margay_histogram *histogram,
                                                   uint64_t distance,
                                                   uint64_t count,
                                                   struct margay_error *error);

/* Set all counts and the exceeded bound to 0. */
MARGAY_API void margay_histogram_clear(margay_histogram *histogram);

/* The number of references at all distances, infinite ones included. */
MARGAY_API uint64_t
margay_histogram_references(const margay_histogram *histogram);

/* The number of references at infinite distance: first references and, where a
   bound was exceeded, those at or beyond it. */
MARGAY_API uint64_t
margay_histogram_infinite(const margay_histogram *histogram);

/* The bound in blocks, if the trace had more distinct blocks than that: an
   infinite distance then means "a first reference, or at least the bound".
   Otherwise 0, and infinite distances are those of first references. */
MARGAY_API uint64_t
margay_histogram_exceeded_bound(const margay_histogram *histogram);

/* Set what margay_histogram_exceeded_bound() returns, for a histogram that the
   caller fills: a bound in blocks, or 0. */
MARGAY_API void margay_histogram_set_exceeded_bound(margay_histogram *histogram,
                                                    uint64_t bound_blocks);

/* Find the smallest finite distance that is at least `from` and occurs, and the
   number of references there.  Returns false if there is none.  To visit all
   distances in order, start at 0 and go on at *distance + 1. */
MARGAY_API bool margay_histogram_next(const margay_histogram *histogram,
                                      uint64_t from, uint64_t *distance,
                                      uint64_t *count);

/* Find the largest finite distance that occurs; returns false if there is
   none. */
MARGAY_API bool margay_histogram_largest(const margay_histogram *histogram,
                                         uint64_t *distance);

/* ---------------------------------------------------------------- bins -- */

/* Kinds of bins of finite distances. */
enum margay_bins_kind {
    MARGAY_BINS_EXACT,     /* one per distance that occurs */
    MARGAY_BINS_LOG2,      /* [0,1) [1,2) [2,4) [4,8) ... */
    MARGAY_BINS_LOGLINEAR, /* as log2 up to 2048, then of width 2048 */
    MARGAY_BINS_LINEAR,    /* of width `parameter` */
    MARGAY_BINS_REFERENCE, /* `parameter` groups of as many references each */
};

struct margay_bins {
    enum margay_bins_kind kind;
    uint64_t parameter; /* the width of linear bins, in blocks, or the number
                           of reference bins: 1 or more; otherwise unused */
};

/* Parse "exact", "log2", "loglinear", "linear:W" or "reference:P".  Fails with
   MARGAY_BAD_ARGUMENT on anything else; the message lists these. */
MARGAY_API enum margay_status margay_bins_parse(const char *text,
                                                struct margay_bins *bins,
                                                struct margay_error *error);

/* One bin, and how many references it counts. */
struct margay_bin {
    uint64_t from, to; /* its distances are in [from, to), in blocks */
    uint64_t references;
};

/* The state of a visit of all bins; zeroed at its beginning. */
struct margay_bin_cursor {
    uint64_t next_distance; /* the smallest distance not yet visited */
    uint64_t group;         /* the number of reference bins visited */
    uint64_t left_of_row;   /* the references at next_distance that earlier
                               reference bins count */
};

/* Visit the bins of the finite distances in order: zero *cursor, then call
   until the function returns false.  Exact bins are those that count
   references.  Log2, log-linear and linear bins are all of them up to the last
   that counts any, cut at an exceeded bound.  Reference bins divide the
   references, in the order of their distances, into groups of equal size; a bin
   reaches from its least distance to its largest + 1, so that neighbours may
   overlap.  The histogram must not change during a visit. */
MARGAY_API bool margay_histogram_next_bin(const margay_histogram *histogram,
                                          const struct margay_bins *bins,
                                          struct margay_bin_cursor *cursor,
                                          struct margay_bin *bin);

/* --------------------------------------------------------------- curve -- */

/* Kinds of grids of cache sizes. */
enum margay_sizes_kind {
    MARGAY_SIZES_OCTAVE, /* `per_octave` sizes from each power of two on */
    MARGAY_SIZES_POW2,   /* powers of two, up to the first >= the last */
    MARGAY_SIZES_ALL,    /* every size at which the curve steps */
    MARGAY_SIZES_LIST,   /* those in `list_blocks` */
    MARGAY_SIZES_USUAL,  /* 16 per octave; of a result known at a few sizes
                            only, these */
};

/* The cache sizes of a curve. */
struct margay_sizes {
    enum margay_sizes_kind kind;
    uint64_t per_octave;         /* for MARGAY_SIZES_OCTAVE: 1 .. 65536 */
    const uint64_t *list_blocks; /* for MARGAY_SIZES_LIST: sizes in blocks,
                                    ascending, distinct and at least 1 */
    size_t list_count;           /* how many */
};

/* A point of a miss curve. */
struct margay_point {
    uint64_t cache_blocks; /* the size of the cache in blocks, 1 or more */
    uint64_t misses;       /* the references that miss in it */
};

/*
 * Compute the misses of fully associative LRU caches of the given sizes.
 * *points becomes a new array of *count points in ascending order, which the
 * caller releases with free(), and NULL where there are none, as with an empty
 * histogram.  Let L be the largest finite distance + 1, or the bound where one
 * was exceeded, and at least 1.  An octave grid has the sizes 2^k + floor(i 2^k
 * / N), 0 <= i < N, that are below L, and L.  Fails with MARGAY_BAD_ARGUMENT
 * where a listed size is above an exceeded bound, and with MARGAY_NO_MEMORY.
 *
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 * hierarchies", 1970: misses(C) = references - sum of counts below C.
 */
MARGAY_API enum margay_status margay_histogram_curve(
    const margay_histogram *histogram, const struct margay_sizes *sizes,
    struct margay_point **points, size_t *count, struct margay_error *error);

/* ------------------------------------------------------------- engines -- */

/* A row of the table of engines.  Its texts have static storage. */
struct margay_engine_info {
    const char *name;      /* the NAME of a spec */
    bool exact;            /* all distances are exact, or all below the bound */
    const char *guarantee; /* the accuracy of the result, in a phrase */
    /* The parameters of a spec, as "filter=auto|on|off,e=0.01|0.0001..0.5": the
       default stands before the first '|', then other words or the ends of a
       range.  "" where the engine has no parameters. */
    const char *parameters;
    const char *time;   /* the cost in time, as "O(N log M)" */
    const char *space;  /* the cost in memory, as "O(M)" */
    const char *source; /* authors and year of the algorithm */
};

/* The number of rows of the table of engines. */
MARGAY_API size_t margay_engine_count(void);

/* Row `index` of the table, which counts from 0; NULL beyond the last. */
MARGAY_API const struct margay_engine_info *margay_engine_at(size_t index);

/* The measures of an engine. */
enum margay_measure {
    /* For each reference, the distinct other blocks since the previous
       reference to its block. */
    MARGAY_REUSE_DISTANCES,
    /* For each reference, the references since the previous one to its block, 1
       for an immediate repeat.  Functions give these times instead of
       distances. */
    MARGAY_REUSE_TIMES,
    /* The average number of distinct blocks in all windows of the same length,
       and the miss curve that follows from it. */
    MARGAY_FOOTPRINT,
    /* For each reference, the least size, less 1, of a fully associative cache
       in which it hits under Belady's optimal replacement, each block being
       fetched when it is referenced: in blocks, 0 for an immediate repeat.  So
       the histogram's curve is that of the optimum. */
    MARGAY_OPTIMAL_DISTANCES,
    /* The same where a block that is referenced may also pass the cache by. */
    MARGAY_OPTIMAL_BYPASS_DISTANCES,
    /* Added to any but the footprint: a reference counts less the more have
       followed it, and half after `half_life_refs` of them. */
    MARGAY_FADING = 8,
    MARGAY_FADING_DISTANCES = MARGAY_FADING | MARGAY_REUSE_DISTANCES,
    MARGAY_FADING_TIMES = MARGAY_FADING | MARGAY_REUSE_TIMES,
};

/* Options of an engine.  Begin with MARGAY_ENGINE_OPTIONS_DEFAULT. */
struct margay_engine_options {
    /* Distances of this many blocks and more count as infinite; 0 = no
       bound. */
    uint64_t bound_blocks;
    uint64_t seed;    /* of the random numbers of engines that sample */
    unsigned threads; /* the most threads to use, 1 or more; results do not
                         depend on it */
    /* The spec "exact" takes any measure, all others reuse distances, and
       "shards" with a rate fading ones. */
    enum margay_measure measure;
    /* How engines that use threads divide their work: the references that one
       thread analyses at a time, and those that are collected before all
       threads begin.  Values out of an engine's range become the nearest in it;
       0 = the engine's choice.  Results depend on neither. */
    uint64_t chunk_refs, phase_refs;
    /* Of fading counts, in references, above 0; otherwise ignored. */
    uint64_t half_life_refs;
};
#define MARGAY_ENGINE_OPTIONS_DEFAULT            \
    {                                            \
        0, 1, 1, MARGAY_REUSE_DISTANCES, 0, 0, 0 \
    }

/* An engine: takes references and measures them. */
typedef struct margay_engine margay_engine;

/* Make an engine from a spec, NAME[:KEY=VALUE,...].  The caller owns *engine.
   Fails with MARGAY_BAD_ARGUMENT for an unknown name, key or value, for a bound
   that the engine does not take, and without one that it needs: the message
   says what is expected.  Fails with MARGAY_NO_MEMORY, too.  *engine is then
   NULL. */
MARGAY_API enum margay_status margay_engine_create(
    const char *spec, const struct margay_engine_options *options,
    margay_engine **engine, struct margay_error *error);

/* Release an engine; NULL does nothing. */
MARGAY_API void margay_engine_free(margay_engine *engine);

/* The abilities of an engine besides taking references and giving a curve at
   some sizes: a set of bits. */
enum margay_engine_ability {
    /* margay_engine_feed() gives the distance of each reference. */
    MARGAY_CAN_TELL_DISTANCES = 1 << 0,
    /* The result has a histogram; otherwise it has a curve. */
    MARGAY_CAN_GIVE_HISTOGRAM = 1 << 1,
    /* The curve is known at all sizes, not at those of the spec only. */
    MARGAY_CAN_GIVE_ALL_SIZES = 1 << 2,
    /* margay_engine_options.bound_blocks may be other than 0. */
    MARGAY_CAN_TAKE_BOUND = 1 << 3,
    /* margay_engine_peek() works. */
    MARGAY_CAN_PEEK = 1 << 5,
    /* margay_engine_export() and margay_engine_import() work. */
    MARGAY_CAN_SAVE = 1 << 6,
    /* Consecutive parts of a trace may be analysed at the same time, each by an
       engine of its own. */
    MARGAY_CAN_TAKE_PARTS = 1 << 7,
    /* So may parts that are on different ranks of a cluster. */
    MARGAY_CAN_SHARE_RANKS = 1 << 8,
    /* The engine is faster with margay_engine_options.threads above 1. */
    MARGAY_CAN_USE_THREADS = 1 << 9,
};

/* The most cache sizes that a spec can list. */
#define MARGAY_ENGINE_MAX_SIZES 64

/* Properties of the engine of a spec. */
struct margay_engine_abilities {
    const struct margay_engine_info *info; /* its row in the table */
    enum margay_measure measure;           /* as passed */
    unsigned can;     /* its abilities, bits of enum margay_engine_ability */
    bool needs_bound; /* margay_engine_create() fails without a bound */
    /* The only sizes of the curve, in blocks and ascending, where
       MARGAY_CAN_GIVE_ALL_SIZES is missing; otherwise none. */
    uint64_t sizes[MARGAY_ENGINE_MAX_SIZES];
    size_t size_count;
};

/* Find the properties of an engine of this spec and measure, without making one
   or looking for a device.  Fails with MARGAY_BAD_ARGUMENT for a spec or a
   measure with which margay_engine_create() fails under every bound. */
MARGAY_API enum margay_status margay_engine_abilities(
    const char *spec, enum margay_measure measure,
    struct margay_engine_abilities *abilities, struct margay_error *error);

/* Check that the engine takes a bound of this many blocks, 0 being none.  Fails
   with MARGAY_BAD_ARGUMENT; the message says why. */
MARGAY_API enum margay_status margay_engine_check_bound(
    const struct margay_engine_abilities *abilities, uint64_t bound_blocks,
    struct margay_error *error);

/* Check that the engine's result can have a curve at these sizes.  Fails with
   MARGAY_BAD_ARGUMENT; the message lists the sizes of the spec. */
MARGAY_API enum margay_status margay_engine_check_sizes(
    const struct margay_engine_abilities *abilities,
    const struct margay_sizes *sizes, struct margay_error *error);

/* Analyse the next `count` references; every 64-bit number is a block id.
   Unless `distances` is NULL, it receives `count` distances in blocks, or
   MARGAY_INFINITE.  Fails with MARGAY_BAD_ARGUMENT where `distances` is set
   without MARGAY_CAN_TELL_DISTANCES, with MARGAY_NO_MEMORY, and on a device
   with MARGAY_IO; after a failure the engine can only be freed. */
MARGAY_API enum margay_status margay_engine_feed(margay_engine *engine,
                                                 const uint64_t *blocks,
                                                 size_t count,
                                                 uint64_t *distances,
                                                 struct margay_error *error);

/* End the warm-up: set all counts to 0 and keep the LRU stack. */
MARGAY_API void margay_engine_reset_counts(margay_engine *engine);

/* The result of an engine.  Engines that sample estimate; their histograms are
   rounded so that they count all references, sampled or not, and so that every
   sum of neighbouring counts is off by less than 1. */
struct margay_result {
    margay_histogram *histogram; /* NULL where the engine gives a curve */
    /* The curve, cache sizes ascending; NULL where there is a histogram. */
    struct margay_point *points;
    size_t point_count;  /* the number of points */
    bool only_points;    /* the curve is known at its points only; otherwise it
                            is linear between them and constant after them */
    uint64_t references; /* all references counted */
    uint64_t infinite;   /* those that miss in every cache */
    /* Above 0 where distances fade: all counts of the result, its histogram and
       curve are then in 2^-fraction_bits references.  Ratios need no
       conversion; margay_round_count() gives numbers of references. */
    unsigned fraction_bits;
    /* The number of distinct blocks, those of the warm-up included; where a
       bound was exceeded, the bound + 1; an estimate where the engine samples
       blocks. */
    uint64_t distinct_blocks;
    uint64_t nodes; /* the nodes of the engine's ordered structure at the end; 0
                       where it has none */
};

/* Give the result of all references since the last reset of counts.  Call this
   once, then free the engine.  The caller releases the result with
   margay_result_clear().  MARGAY_NO_MEMORY on failure, when there is nothing to
   release. */
MARGAY_API enum margay_status margay_engine_finish(margay_engine *engine,
                                                   struct margay_result *result,
                                                   struct margay_error *error);

/* Give a copy of the result so far; the engine goes on.  Fails as
   margay_engine_finish() does, and with MARGAY_BAD_ARGUMENT without
   MARGAY_CAN_PEEK. */
MARGAY_API enum margay_status margay_engine_peek(margay_engine *engine,
                                                 struct margay_result *result,
                                                 struct margay_error *error);

/* The state of an engine, from which another engine of the same bound, of any
   kind, can continue. */
struct margay_engine_state {
    /* The LRU stack, the oldest block first; with a bound, its newest
       blocks. */
    uint64_t *blocks;
    uint64_t block_count;  /* the number of blocks */
    uint64_t bound_blocks; /* the bound of the engine; 0 = none */
    /* All counts so far, and the bound if it was exceeded. */
    margay_histogram *counts;
};

/* Copy the state of an engine, which goes on.  The caller releases the copy
   with margay_engine_state_clear().  Fails with MARGAY_BAD_ARGUMENT without
   MARGAY_CAN_SAVE, and with MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_engine_export(
    margay_engine *engine, struct margay_engine_state *state,
    struct margay_error *error);

/* Set the state of an engine that has not been fed.  Fails as
   margay_engine_export() does, and with MARGAY_BAD_ARGUMENT where the bounds
   differ; the engine can then only be freed. */
MARGAY_API enum margay_status margay_engine_import(
    margay_engine *engine, const struct margay_engine_state *state,
    struct margay_error *error);

/* Release what a state owns; a zeroed or cleared state owns nothing. */
MARGAY_API void margay_engine_state_clear(struct margay_engine_state *state);

/* The references that a mass of a result with these fraction_bits equals,
   rounded to the nearest number, a half up. */
MARGAY_API uint64_t margay_round_count(uint64_t mass, unsigned fraction_bits);

/* Release what a result owns; a zeroed or cleared result owns nothing. */
MARGAY_API void margay_result_clear(struct margay_result *result);

/* Compute the curve of a result, as margay_histogram_curve() does for a
   histogram.  Where the result is a curve, L is its last size, and
   MARGAY_SIZES_ALL are its own sizes; unknown sizes then fail with
   MARGAY_BAD_ARGUMENT, too. */
MARGAY_API enum margay_status margay_result_curve(
    const struct margay_result *result, const struct margay_sizes *sizes,
    struct margay_point **points, size_t *count, struct margay_error *error);

/* --------------------------------------------------------- write-backs -- */

/* Counts the write-backs of fully associative LRU caches of all sizes, which
   allocate on a write and write a dirty block back when it is evicted.  Blocks
   that are dirty in the end are not written back. */
typedef struct margay_writebacks margay_writebacks;

/* Begin without references.  The caller owns *writebacks.  MARGAY_NO_MEMORY on
   failure. */
MARGAY_API enum margay_status margay_writebacks_create(
    margay_writebacks **writebacks, struct margay_error *error);

/* Release it; NULL does nothing. */
MARGAY_API void margay_writebacks_free(margay_writebacks *writebacks);

/* Take the next `count` references: their blocks, their kinds (enum
   margay_kind; NULL: all are reads), and their exact distances from an engine
   without a bound.  MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_writebacks_feed(
    margay_writebacks *writebacks, const uint64_t *blocks, const uint8_t *kinds,
    const uint64_t *distances, size_t count, struct margay_error *error);

/* End the warm-up: set all counts to 0; dirty blocks stay dirty.
   MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_writebacks_reset_counts(
    margay_writebacks *writebacks, struct margay_error *error);

/* Complete the counts so far, with blocks that were not referenced again; more
   references may follow.  MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_writebacks_settle(
    margay_writebacks *writebacks, struct margay_error *error);

/* After that: counts[i] becomes the write-backs of a cache of cache_blocks[i]
   blocks; these ascend, and the arrays may be the same. */
MARGAY_API void margay_writebacks_curve(const margay_writebacks *writebacks,
                                        const uint64_t *cache_blocks,
                                        size_t count, uint64_t *counts);

/* ---------------------------------------------------------- generating -- */

/* Generates an endless stream of references whose reuse distances are drawn
   from a histogram.  Block ids are 0, 1, 2, ... in the order of their first
   references. */
typedef struct margay_stack_generator margay_stack_generator;

/*
 * Make a generator, which the caller owns.  A distance is drawn from a bin with
 * a probability in proportion to the bin's `references`, and every distance of
 * the bin is equally likely; bins may be in any order and overlap.  `infinite`
 * is the weight of first references.  Where the stack is too short for a drawn
 * distance, a new block is referenced, and the distance replaces a later first
 * reference.  The same bins and seed give the same stream on every machine and
 * for every division into calls.
 *
 * Fails with MARGAY_BAD_ARGUMENT for a bin that has references but no
 * distances, where there are no references at all, and for 2^32 bins or more;
 * and with MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_stack_generator_create(
    const struct margay_bin *bins, size_t count, uint64_t infinite,
    uint64_t seed, margay_stack_generator **generator,
    struct margay_error *error);

/* Write the next `count` block ids.  Fails with MARGAY_NO_MEMORY, also beyond
   2^36 distinct blocks; the generator can then only be freed. */
MARGAY_API enum margay_status margay_stack_generator_next(
    margay_stack_generator *generator, uint64_t *blocks, size_t count,
    struct margay_error *error);

/* Release a generator; NULL does nothing. */
MARGAY_API void margay_stack_generator_free(margay_stack_generator *generator);

#ifdef __cplusplus
}
#endif

#endif
