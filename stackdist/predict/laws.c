/*
 * laws.c - the growth of the distance of one group of references with the size
 *
 * Algorithm: the points of a group are to lie on d(s) = c + e f(s), for one of
 * the patterns f.  From two runs f is the pattern whose growth is nearest to
 * that of the distance, and c and e follow.  From three and more they are those
 * of the least squares of relative errors, and f the pattern with the least.
 *
 * Additions to the paper, which the option "plain" leaves out, from three runs
 * on: e is not negative; a distance may approach a constant, as c + e/s; a
 * small c is slightly preferred; and where no pattern fits, because the groups
 * of different runs are not of the same references, only the last two runs
 * count, and a leap between these is not extrapolated.
 *
 * The single method has each part of the references follow one pattern: the
 * references of each run are cut into P groups of equal mass, and a prediction
 * has P pieces of equal share, whose distances follow the laws of the groups.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, sections 3.2, 3.3.
 *
 * Cost: O(rows) for the groups of a run, O(runs patterns) for a law; O(rows +
 *   P runs patterns) for the single method.
 */
#include "stackdist/predict/model.h"

#include <math.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* The penalties for a c as large as the distance, and for 1/s instead of a
   growing pattern, in squares of relative errors. */
#define PRICE_OF_BASE     0.01
#define PRICE_OF_SETTLING 0.001

/* Sum of squares of relative errors from which on no pattern fits. */
#define WORST_FIT 0.01

/* A distance that grows by more than this times the ratio of the sizes, or
   becomes this times smaller, leaps. */
#define LEAP 4.0

static double weight_of(double distance)
{
    double divisor = distance < 1 ? 1 : distance;
    return 1 / (divisor * divisor);
}

/* ------------------------------------------------------------- patterns -- */

double margay_growth_at(enum margay_growth growth, double size)
{
    switch (growth) {
    case MARGAY_CUBE_ROOT:
        return cbrt(size);
    case MARGAY_SQUARE_ROOT:
        return sqrt(size);
    case MARGAY_TWO_THIRDS:
        return cbrt(size) * cbrt(size);
    case MARGAY_LINEAR:
        return size;
    case MARGAY_SETTLING:
        return 1 / size;
    default:
        return 0;
    }
}

double margay_growth_ratio(enum margay_growth growth, double from, double to)
{
    if (growth == MARGAY_CONSTANT)
        return 1;
    return margay_growth_at(growth, to) / margay_growth_at(growth, from);
}

const struct margay_patterns *margay_patterns_of(enum margay_pattern dimension)
{
    static const struct margay_patterns patterns[] = {
        [MARGAY_PATTERN_1D] = {{MARGAY_CONSTANT, MARGAY_LINEAR}, 2},
        [MARGAY_PATTERN_2D] = {{MARGAY_CONSTANT, MARGAY_SQUARE_ROOT,
                                MARGAY_LINEAR},
                               3},
        [MARGAY_PATTERN_3D] = {{MARGAY_CONSTANT, MARGAY_CUBE_ROOT,
                                MARGAY_TWO_THIRDS, MARGAY_LINEAR},
                               4},
    };
    return &patterns[dimension];
}

/* ----------------------------------------------------------------- laws -- */

/* Weighted least squares of base + slope f(s). */
static struct margay_law fit(const struct margay_points *points,
                             enum margay_growth growth)
{
    double w = 0, wf = 0, wd = 0, wff = 0, wfd = 0;
    struct margay_law law = {.growth = growth};
    for (size_t i = 0; i < points->count; i++) {
        double weight = weight_of(points->distances[i]);
        double f = margay_growth_at(growth, points->sizes[i]);
        w += weight;
        wf += weight * f;
        wd += weight * points->distances[i];
        wff += weight * f * f;
        wfd += weight * f * points->distances[i];
    }
    double determinant = w * wff - wf * wf;
    if (determinant > 1e-12 * w * wff) {
        law.slope = (w * wfd - wf * wd) / determinant;
        law.base = (wd - law.slope * wf) / w;
    } else {
        law.base = wd / w;
    }
    for (size_t i = 0; i < points->count; i++) {
        double f = margay_growth_at(growth, points->sizes[i]);
        double off = law.base + law.slope * f - points->distances[i];
        law.error += weight_of(points->distances[i]) * off * off;
    }
    return law;
}

/* Of two runs: the pattern whose ratio is nearest, solved. */
static struct margay_law fit_two(const struct margay_points *points,
                                 const struct margay_patterns *patterns)
{
    const double *sizes = points->sizes, *distances = points->distances;
    double ratio = distances[0] > 0   ? distances[1] / distances[0]
                   : distances[1] > 0 ? HUGE_VAL
                                      : 1;
    enum margay_growth nearest = MARGAY_CONSTANT;
    double least = HUGE_VAL;
    for (size_t i = 0; i < patterns->count; i++) {
        double growth =
            margay_growth_ratio(patterns->growths[i], sizes[0], sizes[1]);
        /* An endless ratio is nearest to the largest. */
        double off = ratio == HUGE_VAL ? 1 / growth : fabs(growth - ratio);
        if (off < least) {
            nearest = patterns->growths[i];
            least = off;
        }
    }
    struct margay_law law = fit(points, nearest);
    law.error = least;
    return law;
}

static struct margay_law fit_least_squares(
    const struct margay_points *points, const struct margay_patterns *patterns,
    bool plain)
{
    struct margay_law best = {.error = HUGE_VAL};
    double last = points->distances[points->count - 1];
    for (size_t i = 0; i < patterns->count; i++) {
        struct margay_law law = fit(points, patterns->growths[i]);
        double part = law.base / (last < 1 ? 1 : last);
        if (!plain && law.growth != MARGAY_CONSTANT)
            law.error += PRICE_OF_BASE * part * part;
        if (!plain && law.slope < 0)
            continue;
        if (law.error < best.error)
            best = law;
    }
    /* Towards smaller sizes 1/s grows, and without end. */
    if (plain || points->sizes[0] > points->sizes[points->count - 1])
        return best;
    struct margay_law law = fit(points, MARGAY_SETTLING);
    law.error += PRICE_OF_SETTLING;
    return law.error < best.error ? law : best;
}

struct margay_law margay_law_choose(const struct margay_points *points,
                                    const struct margay_patterns *patterns,
                                    bool plain, double *fit_error)
{
    struct margay_law law = points->count == 2
                                ? fit_two(points, patterns)
                                : fit_least_squares(points, patterns, plain);
    if (fit_error != NULL)
        *fit_error = law.error;
    if (points->count > 2 && !plain && law.error > WORST_FIT) {
        /* Where no pattern fits: from the last two runs, or a constant if the
           distance leaps. */
        size_t first = points->count - 2;
        const struct margay_points last = {points->sizes + first,
                                           points->distances + first, 2};
        double from = last.distances[0], to = last.distances[1];
        double ratio = last.sizes[1] / last.sizes[0];
        if (to > LEAP * from * fmax(ratio, 1) ||
            to * LEAP < from * fmin(ratio, 1))
            return (struct margay_law){.growth = MARGAY_CONSTANT, .base = to};
        return fit_two(&last, patterns);
    }
    return law;
}

/* --------------------------------------------------------------- groups -- */

void margay_groups_clear(struct margay_groups *groups)
{
    for (size_t i = 0; groups->forms != NULL && i < groups->run_count; i++)
        margay_form_clear(&groups->forms[i]);
    free(groups->forms);
    free(groups->sizes);
    free(groups->distances);
    *groups = (struct margay_groups){0};
}

enum margay_status margay_groups_make(struct margay_groups *groups,
                                      const struct margay_run *runs,
                                      size_t count, uint64_t most,
                                      struct margay_error *error)
{
    /* Every run has all groups, so that they correspond. */
    for (size_t i = 0; i < count; i++)
        most =
            margay_minimum(most, margay_finite_references(runs[i].histogram));
    const struct margay_bins bins = {MARGAY_BINS_REFERENCE, most};
    enum margay_status status = MARGAY_OK;
    *groups = (struct margay_groups){.run_count = count,
                                     .count = (size_t)bins.parameter};
    groups->forms = calloc(count, sizeof *groups->forms);
    groups->sizes = calloc(count, sizeof *groups->sizes);
    groups->distances = calloc(count, sizeof *groups->distances);
    if (groups->forms == NULL || groups->sizes == NULL ||
        groups->distances == NULL)
        status = margay_fail_memory(error, "reference histograms");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        groups->sizes[i] = runs[i].size;
        status = margay_form_make(runs[i].histogram, &bins, 0,
                                  &groups->forms[i], error);
    }
    if (status != MARGAY_OK)
        margay_groups_clear(groups);
    return status;
}

struct margay_points margay_points_of(const struct margay_groups *groups,
                                      size_t group)
{
    for (size_t i = 0; i < groups->run_count; i++)
        groups->distances[i] = groups->forms[i].bars[group].mean;
    return (struct margay_points){groups->sizes, groups->distances,
                                  groups->run_count};
}

/* ------------------------------------------------------------- the model -- */

static uint64_t group_count(const struct margay_predict_options *options)
{
    return options->method == MARGAY_METHOD_SINGLE ? options->bins.parameter
                                                   : MARGAY_USUAL_GROUPS;
}

enum margay_status margay_single_fit(
    struct margay_model *model, const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, enum margay_pattern dimension,
    struct margay_error *error)
{
    const struct margay_patterns *patterns = margay_patterns_of(dimension);
    struct margay_groups groups;
    enum margay_status status =
        margay_groups_make(&groups, runs, count, group_count(options), error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < groups.count && status == MARGAY_OK; i++) {
        struct margay_points points = margay_points_of(&groups, i);
        struct margay_law law =
            margay_law_choose(&points, patterns, options->plain, NULL);
        struct margay_piece piece = {
            .share = 1 / (double)groups.count,
            .least = law.base,
            .least_growth = law.slope,
            .most = law.base,
            .most_growth = law.slope,
            .growth = (uint8_t)law.growth,
            .mass = MARGAY_STEADY,
        };
        status = margay_model_add_piece(model, &piece, error);
    }
    margay_groups_clear(&groups);
    return status;
}

enum margay_status margay_choose_dimension(
    const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options,
    enum margay_pattern *dimension, struct margay_error *error)
{
    struct margay_groups groups;
    double least = HUGE_VAL;
    *dimension = options->pattern;
    if (options->pattern != MARGAY_PATTERN_AUTO)
        return MARGAY_OK;
    enum margay_status status =
        margay_groups_make(&groups, runs, count, group_count(options), error);
    if (status != MARGAY_OK)
        return status;
    for (enum margay_pattern d = MARGAY_PATTERN_1D; d <= MARGAY_PATTERN_3D;
         d++) {
        const struct margay_patterns *patterns = margay_patterns_of(d);
        double sum = 0, error_of_group;
        for (size_t i = 0; i < groups.count; i++) {
            struct margay_points points = margay_points_of(&groups, i);
            margay_law_choose(&points, patterns, options->plain,
                              &error_of_group);
            sum += error_of_group;
        }
        /* A dimension of more patterns has to fit better. */
        if (sum < 0.9999 * least) {
            least = sum;
            *dimension = d;
        }
    }
    margay_groups_clear(&groups);
    return MARGAY_OK;
}

/* ------------------------------------------------------------- the rest -- */

enum margay_status margay_find_unexplained(const struct margay_run runs[2],
                                           enum margay_pattern dimension,
                                           double *part,
                                           struct margay_error *error)
{
    const struct margay_patterns *patterns = margay_patterns_of(dimension);
    struct margay_groups groups;
    double left = 0, changes = 0;
    enum margay_status status =
        margay_groups_make(&groups, runs, 2, MARGAY_USUAL_GROUPS, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < groups.count; i++) {
        struct margay_points points = margay_points_of(&groups, i);
        /* How far the change of the group is from the nearest pattern, and how
           far it goes, as exponents of the size, of which more than 1 counts as
           1.  Half a block is added to distances, so that 0 has a logarithm,
           too. */
        double growth = log(points.sizes[1] / points.sizes[0]);
        double ratio =
            log((points.distances[1] + 0.5) / (points.distances[0] + 0.5)) /
            growth;
        double least = HUGE_VAL;
        for (size_t k = 0; k < patterns->count; k++) {
            double exponent =
                log(margay_growth_ratio(patterns->growths[k], points.sizes[0],
                                        points.sizes[1])) /
                growth;
            least = fmin(least, fabs(ratio - exponent));
        }
        left += fmin(least, 1);
        changes += fmin(fabs(ratio), 1);
    }
    margay_groups_clear(&groups);
    /* The constant pattern is as far away as the change goes, at most. */
    *part = changes > 0 ? fmin(left / changes, 1) : 0;
    return MARGAY_OK;
}
