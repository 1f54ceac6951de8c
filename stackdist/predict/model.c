/*
 * model.c - learning from runs, and predictions of a model
 *
 * The dimension of the patterns is chosen before anything is fitted (laws.c).
 * Where there are three runs or more, the model is checked: the last run, which
 * is the largest, is predicted from the others, and compared with the unchanged
 * one before.  Of two runs only the part of the change that the patterns
 * explain is known.  A model that is not trusted predicts the unchanged last
 * run.  For sizes below those of the runs, these come in descending order, so
 * that the last is the smallest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/engines/estimate.h"
#include "stackdist/histogram.h"
#include "stackdist/predict/model.h"

/* --------------------------------------- shares as a histogram of counts -- */

/* The most references of a prediction: doubles count them exactly. */
#define MOST_PREDICTED (UINT64_C(1) << 53)

/* The most groups of reference bins. */
#define MOST_GROUPS 65536

/* The number of log2 bins: 0, [1, 2), ... [2^55, 2^56). */
#define LOG2_BINS 57

struct dot {
    uint64_t distance;
    double share;
};

/* Shares at distances; zeroed at the beginning. */
struct plot {
    struct dot *dots; /* owned */
    size_t count, capacity;
};

/* The most dots that a share is divided into; a model is no more precise than a
   sixty-fourth of an interval. */
#define MOST_DOTS 64

/* The least distance that a histogram cannot count. */
#define TOO_FAR 72057594037927936.0 /* 2^56 */

/* Spread a share evenly over the distances from `least` to `most`, rounded;
   over some of them where they are many.  Distances below 0 become 0.  Fails
   with MARGAY_BAD_ARGUMENT for distances of 2^56 and more, or
   MARGAY_NO_MEMORY. */
static enum margay_status add_to_plot(struct plot *plot, double least,
                                      double most, double share,
                                      struct margay_error *error)
{
    if (!(most >= least))
        most = least;
    if (!(most < TOO_FAR))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the size is too large: a distance of %g is "
                           "predicted (expected less than 2^56)",
                           most);
    uint64_t from = least < 0 ? 0 : (uint64_t)(least + 0.5);
    uint64_t span = (most < 0 ? 0 : (uint64_t)(most + 0.5)) - from;
    uint64_t dots = span < MOST_DOTS ? span + 1 : MOST_DOTS;
    for (uint64_t i = 0; i < dots; i++) {
        /* In the middle of its part; each distance where there are few. */
        uint64_t at = dots == span + 1
                          ? from + i
                          : from + span / dots * i + span / dots / 2;
        if (!MARGAY_MAKE_ROOM(plot->dots, plot->count, 1, plot->capacity))
            return margay_fail_memory(error, "a predicted histogram");
        plot->dots[plot->count++] = (struct dot){at, share / (double)dots};
    }
    return MARGAY_OK;
}

static int compare_dots(const void *left, const void *right)
{
    const struct dot *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    /* The order decides the rounding of sums, so it is total. */
    return (a->share > b->share) - (a->share < b->share);
}

/* A new histogram: `references` in all, `cold` of these at infinite distance,
   the others by their shares, rounded so that any sum of neighbours is off by
   less than 1.  Fails with MARGAY_NO_MEMORY. */
static enum margay_status draw_plot(struct plot *plot, uint64_t references,
                                    uint64_t cold, margay_histogram **histogram,
                                    struct margay_error *error)
{
    struct margay_rounder rounder;
    double all = 0;
    *histogram = NULL;
    qsort(plot->dots, plot->count, sizeof *plot->dots, compare_dots);
    for (size_t i = 0; i < plot->count; i++)
        all += plot->dots[i].share;
    if (!(all > 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "there is nothing left of the model");
    enum margay_status status =
        margay_rounder_begin(&rounder, references - cold, all, error);
    for (size_t i = 0; i < plot->count && status == MARGAY_OK; i++)
        status = margay_rounder_add(&rounder, plot->dots[i].distance,
                                    plot->dots[i].share, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(rounder.histogram, MARGAY_INFINITE, cold,
                                      error);
    return margay_rounder_end(&rounder, status, histogram, error);
}

/* ------------------------------------------------------------ comparing -- */

static size_t log2_bin(uint64_t distance)
{
    return distance == 0 ? 0 : margay_log2_floor(distance) + 1;
}

/* The references in each bin; returns the number of bins that matter. */
static size_t count_log2(const margay_histogram *histogram,
                         uint64_t counts[LOG2_BINS])
{
    size_t bins = 0;
    memset(counts, 0, LOG2_BINS * sizeof *counts);
    MARGAY_EACH_COUNT (histogram, distance, count) {
        counts[log2_bin(distance)] += count;
        bins = log2_bin(distance) + 1;
    }
    return bins;
}

/* The shares of log2 bins of the finite distances, which there are. */
static void log2_shares(const margay_histogram *histogram,
                        double shares[LOG2_BINS])
{
    uint64_t counts[LOG2_BINS];
    double finite = (double)margay_finite_references(histogram);
    count_log2(histogram, counts);
    for (size_t i = 0; i < LOG2_BINS; i++)
        shares[i] = (double)counts[i] / finite;
}

double margay_signature_accuracy(const margay_histogram *histogram,
                                 const margay_histogram *other)
{
    double shares[LOG2_BINS], others[LOG2_BINS], apart = 0;
    log2_shares(histogram, shares);
    log2_shares(other, others);
    bool has_common = false; /* otherwise rounding may leave more than 0 */
    for (size_t i = 0; i < LOG2_BINS; i++) {
        apart += fabs(shares[i] - others[i]);
        has_common |= shares[i] > 0 && others[i] > 0;
    }
    return has_common ? 1 - apart / 2 : 0;
}

/* A cache of 2^k blocks hits in bins 0 .. k. */
double margay_curve_difference(const margay_histogram *histogram,
                               const margay_histogram *other)
{
    uint64_t counts[LOG2_BINS], others[LOG2_BINS];
    size_t bins = count_log2(histogram, counts);
    bins = margay_maximum(bins, margay_maximum(1, count_log2(other, others)));
    double hits = 0, other_hits = 0, apart = 0;
    for (size_t i = 0; i < bins; i++) {
        hits += (double)counts[i];
        other_hits += (double)others[i];
        apart += fabs(hits / (double)margay_histogram_references(histogram) -
                      other_hits / (double)margay_histogram_references(other));
    }
    return apart / (double)bins;
}

/* ------------------------------------------------------------- the model -- */

/* The error of a model in its check up to which it need not be better than no
   change. */
#define SMALL_ERROR 0.02

/* The most that the patterns may leave unexplained: where there is no check,
   where the check shows the model to be better by a sixth, and where it does by
   a third.  Measured on the programs of docs/measured/toplas.md. */
#define MOST_UNCHECKED 0.14
#define MOST_BY_SIXTH  0.2
#define MOST_BY_THIRD  0.25

/* The most in any case of a model for smaller sizes, where distances of few
   blocks jump from one to the next. */
#define MOST_DOWNWARDS 0.125

/* Sizes are sides of squares or cubes if the exponent by which the data grow is
   this near to 2 or 3. */
#define POWER_TOLERANCE 0.2
#define CHECK_REFS      1000000

/* The most linear bins to learn from. */
#define MOST_LINEAR_BINS (UINT64_C(1) << 20)
#define LOGLINEAR_WIDTH  2048

double margay_mass_ratio(enum margay_mass mass, double size_from,
                         double finite_from, double size_to, double finite_to)
{
    double fixed = finite_from / finite_to;
    if (mass == MARGAY_STEADY)
        return 1;
    return mass == MARGAY_FIXED ? fixed : fixed * (size_to / size_from);
}

enum margay_status margay_model_add_piece(struct margay_model *model,
                                          const struct margay_piece *piece,
                                          struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(model->pieces, model->piece_count, 1,
                          model->piece_capacity))
        return margay_fail_memory(error, "the pieces of a model");
    model->pieces[model->piece_count++] = *piece;
    return MARGAY_OK;
}

void margay_model_free(margay_model *model)
{
    if (model == NULL)
        return;
    free(model->pieces);
    free(model->unchanged);
    free(model);
}

const struct margay_model_info *margay_model_describe(const margay_model *model)
{
    return &model->info;
}

/* ------------------------------------------------------------- checking -- */

/* Refuse bins of constant width where the distances need too many of them. */
static enum margay_status check_width(const margay_histogram *histogram,
                                      const struct margay_bins *bins,
                                      struct margay_error *error)
{
    uint64_t width = bins->kind == MARGAY_BINS_LINEAR      ? bins->parameter
                     : bins->kind == MARGAY_BINS_LOGLINEAR ? LOGLINEAR_WIDTH
                                                           : 0;
    uint64_t largest = 0;
    margay_histogram_largest(histogram, &largest);
    if (width == 0 || largest / width < MOST_LINEAR_BINS)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "distances up to %llu are too large for bins of %llu "
                       "(log2 and reference bins have no limit)",
                       (unsigned long long)largest, (unsigned long long)width);
}

/* `runs` are in the order of their sizes. */
static enum margay_status check_runs(const struct margay_run *runs,
                                     size_t count,
                                     const struct margay_bins *bins,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        const margay_histogram *histogram = runs[i].histogram;
        uint64_t bound = margay_histogram_exceeded_bound(histogram);
        if (!(runs[i].size > 0) || !isfinite(runs[i].size))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a run of size %g, expected a number above 0",
                               runs[i].size);
        if (i > 0 && runs[i].size == runs[i - 1].size)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "two runs of size %.12g: nothing can be learnt "
                               "from a size that does not change",
                               runs[i].size);
        if (bound != 0)
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "the run of size %.12g exceeded its bound of "
                               "%llu block%s; measure it again without --bound",
                               runs[i].size, (unsigned long long)bound,
                               margay_plural(bound, "s"));
        if (margay_finite_references(histogram) == 0)
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "the run of size %.12g has no finite distance: "
                               "there is nothing to learn from",
                               runs[i].size);
        status = check_width(histogram, bins, error);
    }
    return status;
}

static int ascending(const void *left, const void *right)
{
    const struct margay_run *a = left, *b = right;
    return (a->size > b->size) - (a->size < b->size);
}

static int descending(const void *left, const void *right)
{
    return ascending(right, left);
}

/* ------------------------------------------------------------- learning -- */

static double log_ratio(double from, double to)
{
    return log(to) - log(from);
}

/* The odds that a reference is a first one. */
static double odds_of(const margay_histogram *histogram)
{
    return (double)margay_histogram_infinite(histogram) /
           (double)margay_finite_references(histogram);
}

/* Learn the number of references, and of first ones, from the last two runs. */
static void learn_lengths(struct margay_model *model,
                          const struct margay_run *before,
                          const struct margay_run *last)
{
    double finite = (double)margay_finite_references(before->histogram);
    double odds = odds_of(before->histogram);
    double growth = log_ratio(before->size, last->size);
    model->size = last->size;
    model->finite = (double)margay_finite_references(last->histogram);
    model->finite_exponent = log_ratio(finite, model->finite) / growth;
    model->cold_odds = odds_of(last->histogram);
    if (odds > 0 && model->cold_odds > 0)
        model->cold_exponent = log_ratio(odds, model->cold_odds) / growth;
}

/* The last run as pieces that do not move. */
static enum margay_status learn_unchanged(struct margay_model *model,
                                          const struct margay_run *last,
                                          struct margay_error *error)
{
    const struct margay_bins bins = {MARGAY_BINS_LOG2, 0};
    struct margay_form form;
    enum margay_status status =
        margay_form_make(last->histogram, &bins, 0, &form, error);
    if (status != MARGAY_OK)
        return status;
    model->unchanged = calloc(form.grain_count, sizeof *model->unchanged);
    if (model->unchanged == NULL)
        status = margay_fail_memory(error, "the pieces of a model");
    for (size_t i = 0; status == MARGAY_OK && i < form.grain_count; i++) {
        struct margay_piece *piece = &model->unchanged[i];
        piece->share = form.grains[i].share;
        piece->least = form.grains[i].least;
        piece->most = form.grains[i].most;
        piece->growth = MARGAY_CONSTANT;
        piece->mass = MARGAY_STEADY;
        model->unchanged_count++;
    }
    margay_form_clear(&form);
    return status;
}

/* Learn a model without checking it. */
static enum margay_status learn(const struct margay_run *runs, size_t count,
                                const struct margay_predict_options *options,
                                enum margay_pattern dimension,
                                margay_model **result,
                                struct margay_error *error)
{
    struct margay_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return margay_fail_memory(error, "a model");
    model->info = (struct margay_model_info){
        .runs = count,
        .pattern = dimension,
        .size_power = 1,
        .checked_accuracy = -1,
        .checked_no_change = -1,
        .unexplained = -1,
        .downwards = options->downwards,
    };
    learn_lengths(model, &runs[count - 2], &runs[count - 1]);
    enum margay_status status = learn_unchanged(model, &runs[count - 1], error);
    model->info.data_blocks = margay_data_blocks(model);
    if (status == MARGAY_OK && options->method == MARGAY_METHOD_SINGLE)
        status =
            margay_single_fit(model, runs, count, options, dimension, error);
    else if (status == MARGAY_OK)
        status =
            margay_multi_fit(model, runs, count, options, dimension, error);
    if (status == MARGAY_OK) {
        *result = model;
    } else {
        margay_model_free(model);
    }
    return status;
}

/* -------------------------------------------------------------- trusting -- */

double margay_data_blocks(const struct margay_model *model)
{
    double blocks = model->cold_odds * model->finite;
    for (size_t i = 0; i < model->unchanged_count; i++)
        blocks = fmax(blocks, model->unchanged[i].most + 1);
    return round(blocks);
}

bool margay_model_is_trusted(const struct margay_model_info *info)
{
    double error = 1 - info->checked_accuracy;
    double no_change_error = 1 - info->checked_no_change;
    double unexplained = info->unexplained;
    if (unexplained < 0 || info->data_blocks < MARGAY_LEAST_DATA_BLOCKS)
        return false;
    if (info->downwards && unexplained > MOST_DOWNWARDS)
        return false;
    if (info->checked_accuracy < 0)
        return unexplained <= MOST_UNCHECKED;
    if (3 * error <= 2 * no_change_error)
        return unexplained <= MOST_BY_THIRD;
    if (6 * error <= 5 * no_change_error || error <= SMALL_ERROR)
        return unexplained <= MOST_BY_SIXTH;
    return false;
}

/* Predict the last run from the others. */
static enum margay_status check(struct margay_model *model,
                                const struct margay_run *runs, size_t count,
                                const struct margay_predict_options *options,
                                struct margay_error *error)
{
    const struct margay_run *last = &runs[count - 1];
    margay_model *smaller;
    margay_histogram *histogram;
    if (count < 3)
        return MARGAY_OK;
    enum margay_status status =
        learn(runs, count - 1, options, model->info.pattern, &smaller, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_model_predict(smaller, last->size, CHECK_REFS, &histogram,
                                  error);
    margay_model_free(smaller);
    if (status != MARGAY_OK)
        return status;
    model->info.checked_accuracy =
        margay_signature_accuracy(histogram, last->histogram);
    model->info.checked_no_change =
        margay_signature_accuracy(runs[count - 2].histogram, last->histogram);
    margay_histogram_free(histogram);
    return MARGAY_OK;
}

/* -------------------------------------------------------------- patterns -- */

double margay_raise(double size, unsigned power)
{
    double product = 1;
    for (unsigned i = 0; i < power; i++)
        product *= size;
    return product;
}

/* Sizes may be given as the sides of squares or cubes.  The blocks of a run are
   its data, and each has one first reference: where these grow as the square or
   the cube of the sizes, patterns are those of the squares or cubes. */
static unsigned find_power(const struct margay_run *runs, size_t count)
{
    const struct margay_run *first = &runs[0], *last = &runs[count - 1];
    uint64_t before = margay_histogram_infinite(first->histogram);
    uint64_t after = margay_histogram_infinite(last->histogram);
    if (before == 0 || after == 0)
        return 1;
    double exponent = log_ratio((double)before, (double)after) /
                      log_ratio(first->size, last->size);
    for (unsigned power = 2; power <= MARGAY_MOST_SIZE_POWER; power++) {
        if (fabs(exponent - power) < POWER_TOLERANCE &&
            isnormal(margay_raise(first->size, power)) &&
            isnormal(margay_raise(last->size, power)))
            return power;
    }
    return 1;
}

/* The sizes of the runs are replaced by their powers. */
static enum margay_status fit(struct margay_run *runs, size_t count,
                              const struct margay_predict_options *options,
                              margay_model **model, struct margay_error *error)
{
    enum margay_pattern dimension;
    double first = runs[0].size, last = runs[count - 1].size;
    unsigned power = 1;
    enum margay_status status = check_runs(runs, count, &options->bins, error);
    if (status != MARGAY_OK)
        return status;
    if (options->pattern == MARGAY_PATTERN_AUTO && !options->plain)
        power = find_power(runs, count);
    for (size_t i = 0; i < count; i++)
        runs[i].size = margay_raise(runs[i].size, power);
    status = margay_choose_dimension(runs, count, options, &dimension, error);
    if (status == MARGAY_OK)
        status = learn(runs, count, options, dimension, model, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_model_info *info = &(*model)->info;
    if (!options->plain) {
        status = margay_find_unexplained(&runs[count - 2], dimension,
                                         &info->unexplained, error);
        if (status == MARGAY_OK)
            status = check(*model, runs, count, options, error);
        info->trusted = margay_model_is_trusted(info);
    }
    info->least_size = fmin(first, last);
    info->most_size = fmax(first, last);
    info->size_power = power;
    if (status != MARGAY_OK) {
        margay_model_free(*model);
        *model = NULL;
    }
    return status;
}

enum margay_status margay_model_fit(
    const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, margay_model **model,
    struct margay_error *error)
{
    bool reference = options->bins.kind == MARGAY_BINS_REFERENCE;
    *model = NULL;
    if (options->method == MARGAY_METHOD_SINGLE && !reference)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the single method learns from reference bins "
                           "(distance bins go with the multi method)");
    if (options->bins.kind == MARGAY_BINS_EXACT)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "exact bins are too many to learn from (expected "
                           "reference, log2, loglinear or linear)");
    if (reference && options->bins.parameter > MOST_GROUPS)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT, "%llu groups (expected at most %d)",
            (unsigned long long)options->bins.parameter, MOST_GROUPS);
    if (count < 2)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu run%s to learn from, expected 2 or more of "
                           "different sizes",
                           count, margay_plural(count, "s"));
    struct margay_run *sorted = calloc(count, sizeof *sorted);
    if (sorted == NULL)
        return margay_fail_memory(error, "the runs");
    memcpy(sorted, runs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted,
          options->downwards ? descending : ascending);
    enum margay_status status = fit(sorted, count, options, model, error);
    free(sorted);
    return status;
}

/* ------------------------------------------------------------ predicting -- */

static enum margay_status check_request(double size, uint64_t references,
                                        struct margay_error *error)
{
    if (!(size > 0) || !isfinite(size))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a prediction for size %g, expected a number above "
                           "0",
                           size);
    if (references == 0 || references > MOST_PREDICTED)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a prediction of %llu references, expected 1 to "
                           "2^53",
                           (unsigned long long)references);
    return MARGAY_OK;
}

/* The number of first references. */
static uint64_t cold_references(double odds, uint64_t references)
{
    double share = isfinite(odds) ? odds / (1 + odds) : 1;
    return (uint64_t)(share * (double)references + 0.5);
}

/* Place the pieces at a size, with shares that sum to 1. */
static enum margay_status place_pieces(const struct margay_model *model,
                                       double size, struct plot *plot,
                                       struct margay_error *error)
{
    double finite =
        model->finite * pow(size / model->size, model->finite_exponent);
    enum margay_status status = MARGAY_OK;
    double sum = 0;
    for (size_t i = 0; i < model->piece_count; i++) {
        const struct margay_piece *piece = &model->pieces[i];
        sum += piece->share * margay_mass_ratio(piece->mass, model->size,
                                                model->finite, size, finite);
    }
    if (!(sum > 0) || !isfinite(sum))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "size %g is too far from those learnt from", size);
    for (size_t i = 0; i < model->piece_count && status == MARGAY_OK; i++) {
        const struct margay_piece *piece = &model->pieces[i];
        double f = margay_growth_at(piece->growth, size);
        double share =
            piece->share * margay_mass_ratio(piece->mass, model->size,
                                             model->finite, size, finite);
        status = add_to_plot(plot, piece->least + piece->least_growth * f,
                             piece->most + piece->most_growth * f, share / sum,
                             error);
    }
    return status;
}

enum margay_status margay_model_no_change(const margay_model *model,
                                          uint64_t references,
                                          margay_histogram **histogram,
                                          struct margay_error *error)
{
    struct plot plot = {0};
    *histogram = NULL;
    enum margay_status status = check_request(model->size, references, error);
    for (size_t i = 0; i < model->unchanged_count && status == MARGAY_OK; i++) {
        const struct margay_piece *piece = &model->unchanged[i];
        status =
            add_to_plot(&plot, piece->least, piece->most, piece->share, error);
    }
    if (status == MARGAY_OK)
        status = draw_plot(&plot, references,
                           cold_references(model->cold_odds, references),
                           histogram, error);
    free(plot.dots);
    return status;
}

enum margay_status margay_model_predict(const margay_model *model, double size,
                                        uint64_t references,
                                        margay_histogram **histogram,
                                        struct margay_error *error)
{
    struct plot plot = {0};
    *histogram = NULL;
    enum margay_status status = check_request(size, references, error);
    if (status != MARGAY_OK)
        return status;
    bool is_plain = model->info.unexplained < 0;
    if (!model->info.trusted && !is_plain)
        return margay_model_no_change(model, references, histogram, error);
    size = margay_raise(size, model->info.size_power);
    if (!isnormal(size))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the size, to the power of %u, is beyond numbers",
                           model->info.size_power);
    double odds = model->cold_odds;
    if (odds > 0)
        odds *= pow(size / model->size, model->cold_exponent);
    status = place_pieces(model, size, &plot, error);
    if (status == MARGAY_OK)
        status = draw_plot(&plot, references, cold_references(odds, references),
                           histogram, error);
    free(plot.dots);
    return status;
}
