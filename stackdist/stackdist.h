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

/* The distance of a first reference, or of one beyond the bound. */
#define MARGAY_INFINITE UINT64_MAX

/* ---------------------------------------------------------- histograms -- */

/*
 * Exact counts of reuse distances.  Infinite distances are counted apart.
 * Memory: 2 bytes per distance wherever distances occur, 10 where counts
 * pass 65,535.
 */
typedef struct margay_histogram margay_histogram;

/* An empty histogram; MARGAY_NO_MEMORY if it cannot be had. */
MARGAY_API enum margay_status margay_histogram_create(
    margay_histogram **histogram, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_histogram_free(margay_histogram *histogram);

/*
 * Count `count` more references at `distance` blocks (or MARGAY_INFINITE).
 * Fails with MARGAY_NO_MEMORY, and with MARGAY_BAD_ARGUMENT when the
 * distance is 2^56 or more or the total would pass 2^64 - 1; the histogram is
 * then as before.
 */
MARGAY_API enum margay_status margay_histogram_add(margay_histogram *histogram,
                                                   uint64_t distance,
                                                   uint64_t count,
                                                   struct margay_error *error);

/* Forget all counts; the bound too. */
MARGAY_API void margay_histogram_clear(margay_histogram *histogram);

/* All references, the infinite ones among them. */
MARGAY_API uint64_t
margay_histogram_references(const margay_histogram *histogram);

/* References at infinite distance: cold, or beyond an exceeded bound. */
MARGAY_API uint64_t
margay_histogram_infinite(const margay_histogram *histogram);

/*
 * The bound in blocks if the trace had more distinct blocks than that, so
 * that infinite means "cold or at least the bound"; 0 if infinite is cold.
 */
MARGAY_API uint64_t
margay_histogram_exceeded_bound(const margay_histogram *histogram);

/* Say so of a histogram that is made by hand: a bound in blocks, or 0. */
MARGAY_API void margay_histogram_set_exceeded_bound(margay_histogram *histogram,
                                                    uint64_t bound_blocks);

/*
 * Find the first distance >= `from` that occurs.  Returns false if there is
 * none.  To visit all rows in order: start at 0, go on at *distance + 1.
 */
MARGAY_API bool margay_histogram_next(const margay_histogram *histogram,
                                      uint64_t from, uint64_t *distance,
                                      uint64_t *count);

/* The largest finite distance that occurs; false if there is none. */
MARGAY_API bool margay_histogram_largest(const margay_histogram *histogram,
                                         uint64_t *distance);

/* ---------------------------------------------------------------- bins -- */

enum margay_bins_kind {
    MARGAY_BINS_EXACT,     /* a row per distance that occurs */
    MARGAY_BINS_LOG2,      /* [0,1) [1,2) [2,4) [4,8) ... */
    MARGAY_BINS_LOGLINEAR, /* log2 up to 2048, then width 2048 */
    MARGAY_BINS_LINEAR,    /* width `parameter` */
    MARGAY_BINS_REFERENCE, /* `parameter` groups of equal mass */
};

struct margay_bins {
    enum margay_bins_kind kind;
    uint64_t parameter; /* linear: width >= 1; reference: groups >= 1 */
};

/*
 * Parse "exact", "log2", "loglinear", "linear:W" or "reference:P".
 * MARGAY_BAD_ARGUMENT on anything else, with the list of what is known.
 */
MARGAY_API enum margay_status margay_bins_parse(const char *text,
                                                struct margay_bins *bins,
                                                struct margay_error *error);

/* One bin: finite distances in [from, to). */
struct margay_bin {
    uint64_t from, to;
    uint64_t references;
};

/* How far a visit has come. */
struct margay_bin_cursor {
    uint64_t next_distance; /* not yet visited */
    uint64_t group;         /* reference bins: groups done */
    uint64_t left_of_row;   /* reference bins: references of next_distance's
                               row that earlier groups took */
};

/*
 * Visit the finite bins of a histogram in order: zero *cursor, then call
 * until it returns false.  Exact bins are the non-empty ones; log2,
 * log-linear and linear bins are all through the last non-empty one, cut at
 * an exceeded bound; reference bins are groups of references / P in the order
 * of distance, whose ranges [least, most + 1) may overlap.
 */
MARGAY_API bool margay_histogram_next_bin(const margay_histogram *histogram,
                                          const struct margay_bins *bins,
                                          struct margay_bin_cursor *cursor,
                                          struct margay_bin *bin);

/* --------------------------------------------------------------- curve -- */

enum margay_sizes_kind {
    MARGAY_SIZES_OCTAVE, /* `per_octave` sizes between powers of two */
    MARGAY_SIZES_POW2,   /* powers of two, through the first >= the largest */
    MARGAY_SIZES_ALL,    /* every size at which the curve steps */
    MARGAY_SIZES_LIST,   /* exactly those listed */
    MARGAY_SIZES_USUAL,  /* octave:16; of a result that knows few sizes,
                            these */
};

/* Which cache sizes a curve is given at. */
struct margay_sizes {
    enum margay_sizes_kind kind;
    uint64_t per_octave;         /* octave: 1 .. 65536 */
    const uint64_t *list_blocks; /* list: ascending, distinct, >= 1 */
    size_t list_count;
};

/* A point of the curve. */
struct margay_point {
    uint64_t cache_blocks;
    uint64_t misses;
};

/*
 * The miss curve of a fully associative LRU cache at the chosen sizes,
 * ascending, in a new array that the caller frees with free().  With L = the
 * largest finite distance + 1 (at least 1; the bound, when it was exceeded),
 * octave grids are every 2^k + floor(i 2^k / N), i < N, below L, then L.
 * An empty histogram has no points.  Fails with MARGAY_NO_MEMORY, and with
 * MARGAY_BAD_ARGUMENT when a listed size is above an exceeded bound.
 *
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 * hierarchies", 1970: misses(C) = references - sum of counts below C.
 */
MARGAY_API enum margay_status margay_histogram_curve(
    const margay_histogram *histogram, const struct margay_sizes *sizes,
    struct margay_point **points, size_t *count, struct margay_error *error);

/* ------------------------------------------------------------- engines -- */

/* What an engine may be unable to give; a set, the sum of these. */
#define MARGAY_LACKS_DISTANCES 1u /* the distance of each reference */
#define MARGAY_LACKS_HISTOGRAM 2u /* distances: the result is a curve */
#define MARGAY_LACKS_SIZES     4u /* cache sizes but those in its spec */
#define MARGAY_LACKS_BOUND     8u /* results up to a bound */

/* One row of the table of engines; static storage, never changes. */
struct margay_engine_info {
    const char *name;
    bool exact;
    const char *guarantee; /* what the result promises, in a phrase */
    /* "filter=auto|on|off,e=0.01|0.0001..0.5", or "": words or the ends of a
       range after '|', the default before it. */
    const char *parameters;
    const char *time;   /* "O(N log M)" */
    const char *space;  /* "O(M)" */
    const char *source; /* "Olken 1981" */
    unsigned lacks;     /* set of MARGAY_LACKS_... */
};

/* Rows of the table of engines. */
MARGAY_API size_t margay_engine_count(void);

/* Row `index` in [0, margay_engine_count()), NULL beyond. */
MARGAY_API const struct margay_engine_info *margay_engine_at(size_t index);

/* What is measured. */
enum margay_measure {
    MARGAY_REUSE_DISTANCES, /* distinct other blocks in between */
    /* References since the previous one to the same block, 1 for an immediate
       repeat, in the place of distances: exact counts. */
    MARGAY_REUSE_TIMES,
    /* The miss curve that follows from the average footprint (number of
       distinct blocks) of all windows of the same length. */
    MARGAY_FOOTPRINT,
};

struct margay_engine_options {
    uint64_t bound_blocks; /* distances >= this are infinite; 0 = no bound */
    uint64_t seed;         /* for engines that sample */
    unsigned threads;      /* at most so many; results never depend on it */
    /* Other than MARGAY_REUSE_DISTANCES goes with the spec "exact" only. */
    enum margay_measure measure;
    /* How engines with threads cut their work, which results never depend on:
       references in a piece of it, and references kept back until there is
       enough to do.  Limits are taken for what lies beyond; 0 = as the engine
       likes. */
    uint64_t chunk_refs, phase_refs;
};
#define MARGAY_ENGINE_OPTIONS_DEFAULT         \
    {                                         \
        0, 1, 1, MARGAY_REUSE_DISTANCES, 0, 0 \
    }

typedef struct margay_engine margay_engine;

/*
 * Make an engine from a spec, NAME[:key=value,...].  Fails with
 * MARGAY_BAD_ARGUMENT (unknown engine, key or value, a bound where the engine
 * takes none or none where it needs one: the message names what there is) or
 * MARGAY_NO_MEMORY.  The caller owns *engine.
 */
MARGAY_API enum margay_status margay_engine_create(
    const char *spec, const struct margay_engine_options *options,
    margay_engine **engine, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_engine_free(margay_engine *engine);

/* What an engine is and lacks. */
MARGAY_API const struct margay_engine_info *margay_engine_describe(
    const margay_engine *engine);

/*
 * Can the result's curve be asked for at these sizes?  Known before anything
 * is fed: MARGAY_OK, or MARGAY_BAD_ARGUMENT and which ones there are.
 */
MARGAY_API enum margay_status margay_engine_check_sizes(
    const margay_engine *engine, const struct margay_sizes *sizes,
    struct margay_error *error);

/*
 * Analyse the next `count` block references; any 64-bit value is a block id.
 * Unless it is NULL, `distances` receives one distance per reference, or
 * MARGAY_INFINITE; MARGAY_BAD_ARGUMENT where the engine lacks them.  On
 * failure (also MARGAY_NO_MEMORY) the engine can only be freed.
 */
MARGAY_API enum margay_status margay_engine_feed(margay_engine *engine,
                                                 const uint64_t *blocks,
                                                 size_t count,
                                                 uint64_t *distances,
                                                 struct margay_error *error);

/*
 * Whether margay_engine_add_repeats() may be called: the engine counts each
 * distance of 0 as such, and nothing else depends on them.
 */
MARGAY_API bool margay_engine_takes_repeats(const margay_engine *engine);

/*
 * Count so many references more, each to the block that was referenced just
 * before it, without feeding them.  Neither the stack nor a distance changes,
 * so it may be done before or after what is fed meanwhile.
 */
MARGAY_API void margay_engine_add_repeats(margay_engine *engine,
                                          uint64_t count);

/*
 * End of warm-up: forget all counts, keep the state of the stack.
 */
MARGAY_API void margay_engine_reset_counts(margay_engine *engine);

/*
 * What an engine found out.  An engine that samples estimates; its histogram
 * is rounded so that it counts all references, sampled or not, and so that any
 * sum of neighbouring counts is off by less than 1.
 */
struct margay_result {
    margay_histogram *histogram; /* NULL where the engine lacks it */
    /* The curve in its place, cache sizes ascending; else NULL. */
    struct margay_point *points;
    size_t point_count;
    bool only_points;    /* between them nothing is known; else it is linear,
                            and constant from the last one on */
    uint64_t references; /* all that were counted */
    uint64_t infinite;   /* those that miss in every cache */
    uint64_t distinct_blocks; /* exact unless the bound was exceeded; then the
                                 bound + 1, as a lower limit.  Warm-up counts.
                                 An estimate where blocks are sampled */
    uint64_t nodes; /* of the engine's ordered structure at the end; 0 where
                       it has none */
};

/*
 * The result of all references fed so far since the last reset of counts.
 * Call it once, then free the engine.  The caller owns what *result points
 * to: margay_result_clear() releases it.  MARGAY_NO_MEMORY on failure, when
 * there is nothing to release.
 */
MARGAY_API enum margay_status margay_engine_finish(margay_engine *engine,
                                                   struct margay_result *result,
                                                   struct margay_error *error);

/*
 * The same while the engine goes on: all of its counts so far, copied.  For
 * engines with a state only; MARGAY_BAD_ARGUMENT for others.
 */
MARGAY_API enum margay_status margay_engine_peek(margay_engine *engine,
                                                 struct margay_result *result,
                                                 struct margay_error *error);

/*
 * The state of an engine: what another one, of the same bound but otherwise
 * of any kind, must know to go on in its place.
 */
struct margay_engine_state {
    uint64_t *blocks; /* the LRU stack, oldest first; the newest BOUND only */
    uint64_t block_count;
    margay_histogram *counts; /* with the bound, if that was exceeded */
};

/* Does the engine offer its state? */
MARGAY_API bool margay_engine_has_state(const margay_engine *engine);

/*
 * Copy the state of an engine, which can go on.  The caller owns what *state
 * points to: margay_engine_state_clear() releases it.  MARGAY_BAD_ARGUMENT
 * where there is none, MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_engine_export(
    margay_engine *engine, struct margay_engine_state *state,
    struct margay_error *error);

/* Give a state to an engine that has not been fed yet.  Fails as
   margay_engine_export() does; the engine can then only be freed. */
MARGAY_API enum margay_status margay_engine_import(
    margay_engine *engine, const struct margay_engine_state *state,
    struct margay_error *error);

/* Release what a state owns; zeroed and cleared ones are fine. */
MARGAY_API void margay_engine_state_clear(struct margay_engine_state *state);

/* Release what a result owns; zeroed and cleared ones are fine. */
MARGAY_API void margay_result_clear(struct margay_result *result);

/*
 * margay_histogram_curve() for a result, whatever it consists of.  Where it
 * is a curve, L is its last size, and "all" its own sizes.  Fails with
 * MARGAY_BAD_ARGUMENT also where margay_engine_check_sizes() does.
 */
MARGAY_API enum margay_status margay_result_curve(
    const struct margay_result *result, const struct margay_sizes *sizes,
    struct margay_point **points, size_t *count, struct margay_error *error);

/* --------------------------------------------------------- write-backs -- */

/*
 * How often fully associative LRU caches that write back, and allocate on a
 * write, have written a dirty block back: all sizes from one pass.  What is
 * dirty in the end is not written.
 */
typedef struct margay_writebacks margay_writebacks;

/* MARGAY_NO_MEMORY on failure.  The caller owns *writebacks. */
MARGAY_API enum margay_status margay_writebacks_create(
    margay_writebacks **writebacks, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_writebacks_free(margay_writebacks *writebacks);

/*
 * The next `count` references, with their kinds (NULL: all are reads) and
 * exact distances, as an engine without a bound has found them.
 * MARGAY_NO_MEMORY on failure.
 */
MARGAY_API enum margay_status margay_writebacks_feed(
    margay_writebacks *writebacks, const uint64_t *blocks, const uint8_t *kinds,
    const uint64_t *distances, size_t count, struct margay_error *error);

/* End of warm-up: forget all counts, not what is dirty where. */
MARGAY_API enum margay_status margay_writebacks_reset_counts(
    margay_writebacks *writebacks, struct margay_error *error);

/* No more references come.  Call it once. */
MARGAY_API enum margay_status margay_writebacks_finish(
    margay_writebacks *writebacks, struct margay_error *error);

/* After that: the write-backs of the caches of a curve, in its order. */
MARGAY_API void margay_writebacks_curve(const margay_writebacks *writebacks,
                                        const struct margay_point *points,
                                        size_t count, uint64_t *counts);

/* ---------------------------------------------------------- generating -- */

/*
 * An endless stream of block ids, 0, 1, 2, ... in the order of their first
 * references, whose reuse distances are drawn from a histogram.
 */
typedef struct margay_stack_generator margay_stack_generator;

/*
 * `bins` have references in proportion to which distances in [from, to) are
 * drawn, any in a bin as likely as the others; they may be in any order and
 * overlap.  `infinite` is the same for first references.  At a distance that
 * no block has yet, a new block is referenced, and the distance is caught up
 * with later, in place of a first reference.  The same histogram and seed
 * give the same stream on every machine, however it is cut into calls.
 *
 * Fails with MARGAY_BAD_ARGUMENT (an empty bin that has references, no
 * references at all, 2^32 bins or more) or MARGAY_NO_MEMORY; the caller owns
 * *generator.
 */
MARGAY_API enum margay_status margay_stack_generator_create(
    const struct margay_bin *bins, size_t count, uint64_t infinite,
    uint64_t seed, margay_stack_generator **generator,
    struct margay_error *error);

/* Write the next `count` ids.  After MARGAY_NO_MEMORY, and where more than
   2^36 blocks are asked for, the generator can only be freed. */
MARGAY_API enum margay_status margay_stack_generator_next(
    margay_stack_generator *generator, uint64_t *blocks, size_t count,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_stack_generator_free(margay_stack_generator *generator);

/* ---------------------------------------------------------- prediction -- */

/* How a model is learnt from the histograms of some runs. */
enum margay_method {
    MARGAY_METHOD_SINGLE, /* each group of references follows one pattern */
    MARGAY_METHOD_MULTI,  /* each bin holds parts of several patterns */
};

/* The patterns by which distances may grow with the size of the input: for
   1-dimensional data s, for 2-dimensional s^1/2 and s, for 3-dimensional s^1/3,
   s^2/3 and s; and a constant. */
enum margay_pattern {
    MARGAY_PATTERN_AUTO, /* those that fit best */
    MARGAY_PATTERN_1D,
    MARGAY_PATTERN_2D,
    MARGAY_PATTERN_3D,
};

struct margay_predict_options {
    enum margay_method method;
    /* The single method needs reference bins.  The multi method takes all but
       exact ones; large numbers of neighbours are joined. */
    struct margay_bins bins;
    enum margay_pattern pattern;
    bool plain; /* as published, without what we have added */
};

#define MARGAY_USUAL_GROUPS 1000 /* of reference bins, single method */

/* A run to learn from: its exact histogram, without a bound, and the size of
   its input in any unit, finite and above 0. */
struct margay_run {
    const margay_histogram *histogram;
    double size;
};

typedef struct margay_model margay_model;

/* What a model says of itself. */
struct margay_model_info {
    uint64_t runs;
    double least_size, most_size;
    enum margay_pattern pattern; /* the one chosen */
    /* 2 or 3: with MARGAY_PATTERN_AUTO, the cold references grow as that power
       of the sizes, which are then the sides of squares or cubes, and raised
       to it; else 1. */
    unsigned size_power;
    /* How well the largest run was predicted from the others, with the
       accuracy of the next largest as it is; both negative where there were too
       few runs, or with `plain`. */
    double checked_accuracy, checked_no_change;
    /* The error of the former is two thirds of that of the latter at most: the
       runs have shown how the program grows. */
    bool confirmed;
    double held_back; /* the share of every prediction that is the largest run,
                         because that had been better; 0 .. 1 */
};

/*
 * Learn from two runs or more, in any order.  The histograms are only needed
 * for the time of the call.  Fails with MARGAY_BAD_ARGUMENT (too few runs, a
 * size twice or not positive, bins that do not go with the method),
 * MARGAY_BAD_INPUT (a run without finite distances or with an exceeded bound,
 * or distances that are too large for the bins) or MARGAY_NO_MEMORY.  The
 * caller owns *model.
 *
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 * ACM TOPLAS 31(6), 2009, section 3.
 */
MARGAY_API enum margay_status margay_model_fit(
    const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, margay_model **model,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_model_free(margay_model *model);

/* What was learnt, and how well it did; belongs to the model. */
MARGAY_API const struct margay_model_info *margay_model_describe(
    const margay_model *model);

/*
 * The histogram of a run whose input is of that size, scaled to `references`
 * in all, 1 .. 2^53; cold ones are among them.  The caller owns *histogram.
 * Fails with MARGAY_BAD_ARGUMENT (sizes as above; distances of 2^56 or more)
 * or MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_model_predict(const margay_model *model,
                                                   double size,
                                                   uint64_t references,
                                                   margay_histogram **histogram,
                                                   struct margay_error *error);

/* The same, but the largest run's histogram as it was: what a prediction has
   to be better than. */
MARGAY_API enum margay_status margay_model_no_change(
    const margay_model *model, uint64_t references,
    margay_histogram **histogram, struct margay_error *error);

/*
 * A model as numbers, to be kept: `*count` of them in a new array that the
 * caller frees with free().  MARGAY_NO_MEMORY on failure.
 */
MARGAY_API enum margay_status margay_model_export(const margay_model *model,
                                                  uint64_t **numbers,
                                                  size_t *count,
                                                  struct margay_error *error);

/* And back.  MARGAY_BAD_INPUT if the numbers are no model, MARGAY_NO_MEMORY.
   The caller owns *model. */
MARGAY_API enum margay_status margay_model_import(const uint64_t *numbers,
                                                  size_t count,
                                                  margay_model **model,
                                                  struct margay_error *error);

/*
 * The mass that two histograms share, bin by bin of log2 bins of the finite
 * distances: 1 - sum |y - x| / 2, from 0 to 1.  Both have finite distances.
 */
MARGAY_API double margay_signature_accuracy(const margay_histogram *histogram,
                                            const margay_histogram *other);

/*
 * How far the miss curves of two histograms that are not empty are apart:
 * the mean of |difference| of the miss ratios at 1, 2, 4, ... blocks, through
 * the first size beyond all finite distances.
 */
MARGAY_API double margay_curve_difference(const margay_histogram *histogram,
                                          const margay_histogram *other);

/* ------------------------------------------- input sizes from sampling -- */

#define MARGAY_MOST_SAMPLES 4096

/* Thresholds in blocks; 0 = found on the way. */
struct margay_sampler_options {
    uint64_t qualification_blocks; /* distances that make a data sample */
    uint64_t temporal_blocks;      /* distances that make an access sample */
    uint64_t spatial_blocks;       /* how far apart data samples are */
    unsigned most_samples;         /* data samples: 1 .. 4096 */
    unsigned most_peaks;           /* of each, the first ones: 1 or more */
};

/*
 * Distance-based sampling: finds where a run passes over its data again, and
 * at which distances, which tell how large they are.
 */
typedef struct margay_sampler margay_sampler;

/* MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY on failure.  The caller owns
 * *sampler. */
MARGAY_API enum margay_status margay_sampler_create(
    const struct margay_sampler_options *options, margay_sampler **sampler,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_sampler_free(margay_sampler *sampler);

/* The next `count` references, with their distances as an engine has found
   them.  MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_sampler_feed(margay_sampler *sampler,
                                                  const uint64_t *blocks,
                                                  const uint64_t *distances,
                                                  size_t count,
                                                  struct margay_error *error);

/* A distance between two references of a block that is larger than those
   before and after it. */
struct margay_peak {
    unsigned sample, peak; /* numbers from 0 on: of the data sample in the order
                              in which they qualified, and of its peaks */
    uint64_t block;
    uint64_t distance;    /* in blocks */
    uint64_t index;       /* of the reference that ends it, from 0 */
    uint64_t known_index; /* of the one that shows that it is a peak */
};

/*
 * The peaks so far, in a new array that the caller frees with free(), and the
 * thresholds as they are.  MARGAY_NO_MEMORY on failure.
 */
MARGAY_API enum margay_status margay_sampler_finish(
    const margay_sampler *sampler, struct margay_sampler_options *options,
    struct margay_peak **peaks, size_t *count, struct margay_error *error);

struct margay_sampled_run {
    double size; /* of its input; finite, above 0 */
    const struct margay_peak *peaks;
    size_t count;
};

/* The peak that is the input size: log d = offset + exponent log s. */
struct margay_size_rule {
    unsigned sample, peak;
    double offset, exponent;
};

/*
 * Choose it from runs of known size.  MARGAY_BAD_ARGUMENT for fewer than two;
 * MARGAY_BAD_INPUT where no peak grows with the size.
 */
MARGAY_API enum margay_status margay_size_rule_fit(
    const struct margay_sampled_run *runs, size_t count,
    struct margay_size_rule *rule, struct margay_error *error);

/* The size of a run by that rule; false: it has no such peak. */
MARGAY_API bool margay_size_rule_apply(const struct margay_size_rule *rule,
                                       const struct margay_sampled_run *run,
                                       double *size);

#ifdef __cplusplus
}
#endif

#endif
