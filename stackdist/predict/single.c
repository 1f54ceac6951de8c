/*
 * single.c - each part of the references follows one pattern
 *
 * Algorithm: the references of each run are cut into P groups of equal mass,
 * and the distance of each group follows its law (laws.c).  A prediction has P
 * pieces of equal share.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, sections 3.2, 3.3.
 *
 * Cost: O(rows + P runs patterns).
 */
#include <math.h>

#include "stackdist/predict/laws.h"
#include "stackdist/predict/model.h"

static uint64_t group_count(const struct margay_predict_options *options)
{
    return options->method == MARGAY_METHOD_SINGLE ? options->bins.parameter
                                                   : MARGAY_USUAL_GROUPS;
}

/* ------------------------------------------------------------- the model -- */

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

/* ------------------------------------------------------ what is left over --
 */

/* How far the change of one group is from the nearest pattern, and how far it
   goes, as exponents of the size, of which more than 1 counts as 1.  Half a
   block is added to distances, so that 0 has a logarithm, too. */
static double distance_to(const struct margay_points *points,
                          const struct margay_patterns *patterns,
                          double *change)
{
    double growth = log(points->sizes[1] / points->sizes[0]);
    double ratio =
        log((points->distances[1] + 0.5) / (points->distances[0] + 0.5)) /
        growth;
    double least = HUGE_VAL;
    for (size_t i = 0; i < patterns->count; i++) {
        double exponent =
            log(margay_growth_ratio(patterns->growths[i], points->sizes[0],
                                    points->sizes[1])) /
            growth;
        least = fmin(least, fabs(ratio - exponent));
    }
    *change = fmin(fabs(ratio), 1);
    return fmin(least, 1);
}

enum margay_status margay_find_unexplained(const struct margay_run runs[2],
                                           enum margay_pattern dimension,
                                           double *part,
                                           struct margay_error *error)
{
    const struct margay_patterns *patterns = margay_patterns_of(dimension);
    struct margay_groups groups;
    double left = 0, changes = 0, change;
    enum margay_status status =
        margay_groups_make(&groups, runs, 2, MARGAY_USUAL_GROUPS, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < groups.count; i++) {
        struct margay_points points = margay_points_of(&groups, i);
        left += distance_to(&points, patterns, &change);
        changes += change;
    }
    margay_groups_clear(&groups);
    /* The constant pattern is as far away as the change goes, at most. */
    *part = changes > 0 ? fmin(left / changes, 1) : 0;
    return MARGAY_OK;
}
