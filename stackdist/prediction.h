/*
 * margay/prediction.h - from the histograms of some runs to those of others
 *
 * A model learns from runs of a program how its reuse distances grow with the
 * size of its input, and gives the histogram of a run of any size.  A sampler
 * finds the size of the input from the beginning of a run.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_PREDICTION_H
#define MARGAY_PREDICTION_H

#include <margay/stackdist.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- models -- */

/* How a model is learnt from the histograms of runs. */
enum margay_method {
    MARGAY_METHOD_SINGLE, /* each group of references follows one pattern */
    MARGAY_METHOD_MULTI,  /* each bin holds parts of several patterns */
};

/* The patterns by which distances may grow with the size s of the input: a
   constant; with 1-dimensional data also s, with 2-dimensional data s^1/2 and
   s, with 3-dimensional data s^1/3, s^2/3 and s. */
enum margay_pattern {
    MARGAY_PATTERN_AUTO, /* the dimension whose patterns fit best */
    MARGAY_PATTERN_1D,
    MARGAY_PATTERN_2D,
    MARGAY_PATTERN_3D,
};

/* Options of learning. */
struct margay_predict_options {
    enum margay_method method; /* which method */
    /* The bins to learn from: reference bins for the single method, any but
       exact ones for the multi method, which joins neighbours where there are
       many. */
    struct margay_bins bins;
    enum margay_pattern pattern; /* the dimension of the data */
    bool plain;                  /* as published, without Margay's additions */
    /* Predict sizes below those of the runs: the smallest run then has the role
       of the largest, in the model, in its check, and as no change. */
    bool downwards;
};

/* The usual number of reference bins for the single method. */
#define MARGAY_USUAL_GROUPS 1000

/* A run to learn from. */
struct margay_run {
    const margay_histogram *histogram; /* exact, and no bound was exceeded */
    double size; /* of its input, in the unit of all runs; finite, above 0 */
};

/* A model of how a program's histogram changes with the size of its input. */
typedef struct margay_model margay_model;

/* A model of fewer blocks of data is not trusted. */
#define MARGAY_LEAST_DATA_BLOCKS 200

/* Properties of a model. */
struct margay_model_info {
    uint64_t runs;                /* how many it was learnt from */
    double least_size, most_size; /* the smallest and the largest of them */
    enum margay_pattern pattern;  /* the dimension chosen */
    /* 2 or 3 where the sizes are the sides of squares or cubes, as the growth
       of the first references shows: sizes are then raised to this power.  1
       otherwise, and unless the dimension was MARGAY_PATTERN_AUTO. */
    unsigned size_power;
    /* The accuracy (margay_signature_accuracy()) of the other runs' prediction
       of the largest run, and of the unchanged second largest.  Both are
       negative with fewer than three runs, and with `plain`. */
    double checked_accuracy, checked_no_change;
    /* The part, 0 .. 1, of the change of distances between the two largest runs
       that no pattern explains; negative with `plain`. */
    double unexplained;
    /* The blocks of the largest run: its first references, or more if its
       largest distance shows that there were more. */
    double data_blocks;
    /* The model is expected to be better than the unchanged largest run.  It
       has MARGAY_LEAST_DATA_BLOCKS or more.  Of three runs or more, the error
       of checked_accuracy is at most two thirds of that of checked_no_change,
       and at most a quarter is unexplained; or it is at most five sixths, or at
       most 0.02, and at most a fifth is unexplained.  Of two runs, at most 0.14
       is, and at most 0.125 if `downwards`.  A model that is not trusted
       predicts the unchanged largest run, except with `plain`, where no model
       is trusted. */
    bool trusted;
    /* As in the options: read "smallest" for "largest" above. */
    bool downwards;
};

/*
 * Learn a model, which the caller owns, from two runs or more in any order.
 * The model does not refer to the histograms.  Fails with MARGAY_BAD_ARGUMENT
 * (too few runs, a size that is not positive or occurs twice, bins that the
 * method does not take), with MARGAY_BAD_INPUT (a run without finite distances
 * or with an exceeded bound, or distances too large for the bins), and with
 * MARGAY_NO_MEMORY.
 *
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 * ACM TOPLAS 31(6), 2009, section 3.
 */
MARGAY_API enum margay_status margay_model_fit(
    const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, margay_model **model,
    struct margay_error *error);

/* Release a model; NULL does nothing. */
MARGAY_API void margay_model_free(margay_model *model);

/* The properties of the model, which owns them. */
MARGAY_API const struct margay_model_info *margay_model_describe(
    const margay_model *model);

/* Predict the histogram of a run whose input has this size, finite and above 0:
   `references` references in all, 1 .. 2^53, first ones included.  The caller
   owns *histogram.  Fails with MARGAY_BAD_ARGUMENT for other arguments and for
   sizes at which distances would be 2^56 or more, and with MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_model_predict(const margay_model *model,
                                                   double size,
                                                   uint64_t references,
                                                   margay_histogram **histogram,
                                                   struct margay_error *error);

/* The same, but the histogram is that of the largest run, scaled: the baseline
   of predictions. */
MARGAY_API enum margay_status margay_model_no_change(
    const margay_model *model, uint64_t references,
    margay_histogram **histogram, struct margay_error *error);

/* Export a model as numbers: *numbers becomes a new array of *count numbers,
   which the caller releases with free().  MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_model_export(const margay_model *model,
                                                  uint64_t **numbers,
                                                  size_t *count,
                                                  struct margay_error *error);

/* Make a model, which the caller owns, from such numbers.  Fails with
   MARGAY_BAD_INPUT where they are not those of a model, and with
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_model_import(const uint64_t *numbers,
                                                  size_t count,
                                                  margay_model **model,
                                                  struct margay_error *error);

/* The similarity of two histograms, from 0 to 1: 1 - sum |y - x| / 2 over the
   shares x and y of their finite references in each log2 bin.  Both have finite
   distances. */
MARGAY_API double margay_signature_accuracy(const margay_histogram *histogram,
                                            const margay_histogram *other);

/*
 * The distance of the miss curves of two histograms, from 0 to 1: the mean
 * |difference| of their miss ratios at 1, 2, 4, ... blocks, up to the first
 * size beyond all finite distances.  Both have references.
 */
MARGAY_API double margay_curve_difference(const margay_histogram *histogram,
                                          const margay_histogram *other);

/* ------------------------------------------- input sizes from sampling -- */

/* The most data samples of a sampler. */
#define MARGAY_MOST_SAMPLES 4096

/* Options of a sampler.  Thresholds are in blocks; 0 = adapt to the trace. */
struct margay_sampler_options {
    uint64_t qualification_blocks; /* a larger distance makes its block a data
                                      sample */
    uint64_t temporal_blocks; /* a larger distance of a data sample is recorded
                                 as an access sample */
    uint64_t spatial_blocks;  /* the least difference of the block ids of data
                                 samples */
    unsigned most_samples;    /* the most data samples: 1 .. 4096 */
    unsigned most_peaks;      /* the first peaks of each that are kept, 1 or
                                 more */
};

/* Distance-based sampling: finds the distances at which a run passes over its
   data again, which show the size of the data. */
typedef struct margay_sampler margay_sampler;

/* Make a sampler, which the caller owns.  Fails with MARGAY_BAD_ARGUMENT where
   an option is out of its range, and with MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_sampler_create(
    const struct margay_sampler_options *options, margay_sampler **sampler,
    struct margay_error *error);

/* Release a sampler; NULL does nothing. */
MARGAY_API void margay_sampler_free(margay_sampler *sampler);

/* Take the next `count` references with their distances, in blocks or
   MARGAY_INFINITE, from an engine.  MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_sampler_feed(margay_sampler *sampler,
                                                  const uint64_t *blocks,
                                                  const uint64_t *distances,
                                                  size_t count,
                                                  struct margay_error *error);

/* A distance between two references to a data sample that is larger than those
   before and after it. */
struct margay_peak {
    unsigned sample;      /* the data sample, counted from 0 in the order in
                             which they qualified */
    unsigned peak;        /* its peaks, counted from 0 */
    uint64_t block;       /* the id of the block */
    uint64_t distance;    /* in blocks */
    uint64_t index;       /* of the reference that ends it, from 0 on */
    uint64_t known_index; /* of the reference that shows that it is a peak */
};

/* Give the peaks so far, in a new array of *count that the caller releases with
   free(), and in *options the thresholds that are in force.  MARGAY_NO_MEMORY
   on failure. */
MARGAY_API enum margay_status margay_sampler_finish(
    const margay_sampler *sampler, struct margay_sampler_options *options,
    struct margay_peak **peaks, size_t *count, struct margay_error *error);

/* A run as a sampler has seen it. */
struct margay_sampled_run {
    double size;                     /* of its input; finite, above 0 */
    const struct margay_peak *peaks; /* all of its peaks, in their order */
    size_t count;                    /* how many */
};

/* The peak that shows the size s of an input, by its distance d: log d = offset
   + exponent log s. */
struct margay_size_rule {
    unsigned sample, peak; /* numbers of a data sample and of its peak */
    double offset, exponent;
};

/* Choose the peak from runs of known size.  Fails with MARGAY_BAD_ARGUMENT for
   fewer than two runs, and with MARGAY_BAD_INPUT where no peak grows with the
   size as data do, by an exponent near 1/3, 1/2, 2/3, 1, 3/2, 2 or 3. */
MARGAY_API enum margay_status margay_size_rule_fit(
    const struct margay_sampled_run *runs, size_t count,
    struct margay_size_rule *rule, struct margay_error *error);

/* Find the size of a run by a rule; returns false if the run lacks the peak. */
MARGAY_API bool margay_size_rule_apply(const struct margay_size_rule *rule,
                                       const struct margay_sampled_run *run,
                                       double *size);

#ifdef __cplusplus
}
#endif

#endif
