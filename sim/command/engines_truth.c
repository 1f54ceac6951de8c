/* engines_truth.c - the exact curve of a trace, and the errors of another */
#include "sim/command/engines.h"

#include <math.h>
#include <stdlib.h>

#include "sim/options/sizes.h"
#include "traces/traces_internal.h"

#define LINEAR_SIZES 256

void truth_clear(struct truth *truth)
{
    margay_result_clear(&truth->result);
    for (int i = 0; i < TRUTH_GRIDS; i++)
        free(truth->grids[i]);
    free(truth->sizes);
}

static enum margay_status measure(const uint64_t *blocks, size_t count,
                                  struct truth *truth,
                                  struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    enum margay_status status =
        margay_engine_create("exact", &options, &engine, error);
    if (status == MARGAY_OK)
        status = margay_engine_feed(engine, blocks, count, NULL, error);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &truth->result, error);
    margay_engine_free(engine);
    return status;
}

static enum margay_status lay_grids(struct truth *truth,
                                    struct margay_error *error)
{
    uint64_t steps[LINEAR_SIZES], largest = 0;
    margay_histogram_largest(truth->result.histogram, &largest);
    /* Distances are below 2^56.  The last size holds the largest of them. */
    for (uint64_t i = 0; i < LINEAR_SIZES; i++)
        steps[i] = largest * i / (LINEAR_SIZES - 1) + 1;
    const struct margay_sizes kinds[TRUTH_GRIDS] = {
        [TRUTH_POWERS] = {.kind = MARGAY_SIZES_POW2},
        [TRUTH_OCTAVES] = {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 16},
        [TRUTH_STEPS] = {.kind = MARGAY_SIZES_LIST,
                         .list_blocks = steps,
                         .list_count = margay_sort_unique(steps, LINEAR_SIZES)},
    };
    enum margay_status status = MARGAY_OK;
    size_t all = 0;
    for (int i = 0; i < TRUTH_GRIDS && status == MARGAY_OK; i++) {
        status =
            margay_result_curve(&truth->result, &kinds[i], &truth->grids[i],
                                &truth->grid_counts[i], error);
        all += truth->grid_counts[i];
    }
    truth->sizes = calloc(all + 1, sizeof *truth->sizes);
    if (truth->sizes == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (int i = 0; i < TRUTH_GRIDS; i++) {
        for (size_t j = 0; j < truth->grid_counts[i]; j++)
            truth->sizes[truth->size_count++] = truth->grids[i][j].cache_blocks;
    }
    truth->size_count = margay_sort_unique(truth->sizes, truth->size_count);
    return status;
}

enum margay_status truth_find(const uint64_t *blocks, size_t count,
                              struct truth *truth, struct margay_error *error)
{
    *truth = (struct truth){0};
    enum margay_status status = measure(blocks, count, truth, error);
    if (status == MARGAY_OK && count > 0)
        status = lay_grids(truth, error);
    return status;
}

/* ---------------------------------------------------------- comparisons -- */

/* The misses of a trial at a size of a grid, which is among truth->sizes. */
static double misses_at(const struct truth *truth, const uint64_t *misses,
                        uint64_t size)
{
    size_t low = 0, high = truth->size_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (truth->sizes[middle] < size)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)misses[low];
}

struct truth_errors truth_compare(const struct truth *truth,
                                  const uint64_t *misses, enum truth_grid grid)
{
    struct truth_errors errors = {0, 0};
    double references = (double)truth->result.references;
    for (size_t i = 0; i < truth->grid_counts[grid]; i++) {
        const struct margay_point *point = &truth->grids[grid][i];
        double got = misses_at(truth, misses, point->cache_blocks);
        double error = fabs(got - (double)point->misses) / references;
        errors.most = error > errors.most ? error : errors.most;
        errors.mean += error / (double)truth->grid_counts[grid];
    }
    return errors;
}

double truth_overlap(const struct truth *truth, const uint64_t *misses)
{
    const struct margay_point *points = truth->grids[TRUTH_POWERS];
    size_t count = truth->grid_counts[TRUTH_POWERS];
    double references = (double)truth->result.references;
    double true_left = references, left = references, differences = 0;
    for (size_t i = 0; i <= count; i++) {
        double true_next = i < count ? (double)points[i].misses : 0;
        double next =
            i < count ? misses_at(truth, misses, points[i].cache_blocks) : 0;
        differences += fabs((true_left - true_next) - (left - next));
        true_left = true_next;
        left = next;
    }
    return 1 - differences / (2 * references);
}
