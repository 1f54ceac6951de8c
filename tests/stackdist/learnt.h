/* learnt.h - what predictions are learnt from in tests, and by which methods */
#ifndef MARGAY_TESTS_STACKDIST_LEARNT_H
#define MARGAY_TESTS_STACKDIST_LEARNT_H

#include <math.h>
#include <stdlib.h>

#include <margay/prediction.h>

static margay_histogram *new_histogram(void)
{
    margay_histogram *h;
    if (margay_histogram_create(&h, NULL) != MARGAY_OK)
        abort();
    return h;
}

static void add(margay_histogram *h, double distance, uint64_t count)
{
    if (margay_histogram_add(h, (uint64_t)(distance + 0.5), count, NULL) !=
        MARGAY_OK)
        abort();
}

/* A program over s elements of a plane: constant distances, rows, all of it;
   and one cold reference per element. */
static margay_histogram *run_of(double s)
{
    margay_histogram *h = new_histogram();
    uint64_t n = (uint64_t)s;
    add(h, 0, 3 * n);
    add(h, 5, 2 * n);
    add(h, 4 + 3 * sqrt(s), 2 * n);
    add(h, 2 * s, 3 * n);
    margay_histogram_add(h, MARGAY_INFINITE, n, NULL);
    return h;
}

/* Runs of a program, to be freed. */
static inline void make_runs(margay_histogram *(*program)(double),
                             const double *sizes, size_t count,
                             struct margay_run *runs)
{
    for (size_t k = 0; k < count; k++)
        runs[k] = (struct margay_run){program(sizes[k]), sizes[k]};
}

static inline void free_runs(struct margay_run *runs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        margay_histogram_free((margay_histogram *)runs[k].histogram);
}

static inline margay_model *fit(const struct margay_run *runs, size_t count,
                                const struct margay_predict_options *options)
{
    margay_model *model;
    if (margay_model_fit(runs, count, options, &model, NULL) != MARGAY_OK)
        abort();
    return model;
}

static inline margay_histogram *predict(const margay_model *model, double size,
                                        uint64_t references)
{
    margay_histogram *p;
    if (margay_model_predict(model, size, references, &p, NULL) != MARGAY_OK)
        abort();
    return p;
}

static inline margay_histogram *no_change(const margay_model *model,
                                          uint64_t references)
{
    margay_histogram *p;
    if (margay_model_no_change(model, references, &p, NULL) != MARGAY_OK)
        abort();
    return p;
}

static const struct {
    const char *name;
    struct margay_predict_options options;
    double least; /* accuracy */
} methods[] = {
    {"single",
     {MARGAY_METHOD_SINGLE, {MARGAY_BINS_REFERENCE, 1000}, 0, false, false},
     0.995},
    {"single, plain",
     {MARGAY_METHOD_SINGLE, {MARGAY_BINS_REFERENCE, 1000}, 0, true, false},
     0.995},
    {"multi/log2",
     {MARGAY_METHOD_MULTI, {MARGAY_BINS_LOG2, 0}, 0, false, false},
     0.98},
    {"multi/log-linear",
     {MARGAY_METHOD_MULTI, {MARGAY_BINS_LOGLINEAR, 0}, 0, false, false},
     0.98},
    {"multi/linear",
     {MARGAY_METHOD_MULTI, {MARGAY_BINS_LINEAR, 64}, 0, false, false},
     0.9},
    {"multi/reference",
     {MARGAY_METHOD_MULTI, {MARGAY_BINS_REFERENCE, 100}, 0, false, false},
     0.98},
};

#endif
