/* test_predict.c - prediction against programs that are known by formula */
#include <math.h>

#include <margay/prediction.h>

#include "stackdist/predict/model.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

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
static void make_runs(margay_histogram *(*program)(double), const double *sizes,
                      size_t count, struct margay_run *runs)
{
    for (size_t k = 0; k < count; k++)
        runs[k] = (struct margay_run){program(sizes[k]), sizes[k]};
}

static void free_runs(struct margay_run *runs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        margay_histogram_free((margay_histogram *)runs[k].histogram);
}

static margay_model *fit(const struct margay_run *runs, size_t count,
                         const struct margay_predict_options *options)
{
    margay_model *model;
    if (margay_model_fit(runs, count, options, &model, NULL) != MARGAY_OK)
        abort();
    return model;
}

static margay_histogram *predict(const margay_model *model, double size,
                                 uint64_t references)
{
    margay_histogram *p;
    if (margay_model_predict(model, size, references, &p, NULL) != MARGAY_OK)
        abort();
    return p;
}

static margay_histogram *no_change(const margay_model *model,
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

static double count_between(const margay_histogram *h, uint64_t from,
                            uint64_t to)
{
    return (double)(misses_of(h, from) - misses_of(h, to));
}

/* -------------------------------------------------------------- parts -- */

/* TOPLAS 31(6), section 3.4, from histograms to a prediction: s1 = 3 s0, 0.5 is
   constant in [4, 8), 0.3 and 0.2 are linear in [1, 2) and [2, 4).  [4, 8) gets
   2/3 of the share of [1, 2), and 1/3 of that of [2, 4). */
static void test_worked_model(void)
{
    margay_histogram *h0 = new_histogram(), *h1 = new_histogram(), *p;
    const struct margay_predict_options options = {
        .method = MARGAY_METHOD_MULTI,
        .bins = {MARGAY_BINS_LOG2, 0},
        .pattern = MARGAY_PATTERN_1D,
        .plain = true,
    };
    margay_model *model;
    add(h0, 1, 3000);
    add(h0, 2, 1000);
    add(h0, 3, 1000);
    add(h0, 5, 5000);
    add(h1, 3, 1000); /* 1/3 of 0.3 */
    add(h1, 6, 7667); /* 0.5 + 2/3 of 0.3 + 1/3 of 0.2 */
    add(h1, 9, 1333); /* 2/3 of 0.2 */
    const struct margay_run runs[] = {{h0, 100}, {h1, 300}};
    bool good = margay_model_fit(runs, 2, &options, &model, NULL) == MARGAY_OK;
    CHECK(good, "a model of the worked example");
    good = margay_model_predict(model, 300, 1000000, &p, NULL) == MARGAY_OK;
    CHECK(good, "and its prediction");
    CHECK(fabs(count_between(p, 4, 8) - 766667) < 500,
          "phi(s1, [4, 8)) = 0.5 + 2/3 0.3 + 1/3 0.2");
    CHECK(fabs(count_between(p, 2, 4) - 100000) < 500, "and [2, 4)");
    CHECK(fabs(count_between(p, 8, 16) - 133333) < 500, "and [8, 16)");
    margay_histogram_free(p);
    margay_model_free(model);
    margay_histogram_free(h0);
    margay_histogram_free(h1);
}

static void test_forms(void)
{
    static const struct margay_bins log2 = {MARGAY_BINS_LOG2, 0};
    static const struct margay_bins four = {MARGAY_BINS_REFERENCE, 4};
    margay_histogram *h = new_histogram();
    struct margay_form form;
    add(h, 0, 2);
    add(h, 4, 1);
    add(h, 7, 3);
    add(h, 20, 2);
    margay_histogram_add(h, MARGAY_INFINITE, 5, NULL);
    if (margay_form_make(h, &log2, 0, &form, NULL) != MARGAY_OK)
        abort();
    CHECK_U64(form.count, 3, "bars of a distance histogram: none is empty");
    CHECK(form.bars[1].from == 4 && form.bars[1].to == 8 &&
              form.bars[1].share == 0.5 && form.bars[1].mean == 6.25 &&
              form.bars[1].least == 4 && form.bars[1].most == 7,
          "a bar's share, mean, least and most");
    CHECK(form.bars[1].grain_count == 2 &&
              form.grains[form.bars[1].first_grain].share == 0.125,
          "its distances are its grains");
    margay_form_clear(&form);
    if (margay_form_make(h, &four, 0, &form, NULL) != MARGAY_OK)
        abort();
    CHECK_U64(form.count, 4, "groups of a reference histogram");
    CHECK(form.bars[0].mean == 0 && form.bars[1].mean == 5.5 &&
              form.bars[2].mean == 7 && form.bars[3].mean == 20,
          "and their mean distances: 0, (4 + 7) / 2, 7, 20");
    margay_form_clear(&form);
    margay_histogram_free(h);
}

/* Many distances become grains of equal mass, and long tails are joined. */
static void test_many(void)
{
    static const struct margay_bins loglinear = {MARGAY_BINS_LOGLINEAR, 0};
    margay_histogram *h = new_histogram();
    struct margay_form form;
    double sum = 0, grains = 0;
    for (uint64_t d = 0; d < 300000; d++)
        add(h, (double)d, 1 + d % 3);
    if (margay_form_make(h, &loglinear, 64, &form, NULL) != MARGAY_OK)
        abort();
    bool tidy = true;
    for (size_t i = 0; i < form.count; i++) {
        const struct margay_bar *bar = &form.bars[i];
        sum += bar->share;
        tidy = tidy && bar->grain_count <= MARGAY_MOST_GRAINS &&
               (i == 0 || bar->from == form.bars[i - 1].to);
    }
    for (size_t i = 0; i < form.grain_count; i++)
        grains += form.grains[i].share;
    CHECK(form.count <= 12 + 64 && form.count > 40, "long tails are joined");
    CHECK(form.bars[11].from == 1024 && form.bars[11].to == 2048,
          "but not their logarithmic beginning");
    CHECK(tidy, "bars follow each other, of few grains each");
    CHECK(fabs(sum - 1) < 1e-12 && fabs(grains - 1) < 1e-12,
          "nothing is lost in bars and grains");
    margay_form_clear(&form);
    margay_histogram_free(h);
}

/* ------------------------------------------------------------- methods -- */

static void test_method(size_t i)
{
    static const double sizes[] = {1024, 2304, 5184};
    const char *name = methods[i].name;
    margay_histogram *truth = run_of(82944);
    struct margay_run runs[3];
    margay_model *back;
    uint64_t *numbers;
    size_t count;
    make_runs(run_of, sizes, 3, runs);
    margay_model *model = fit(runs, 3, &methods[i].options);
    margay_histogram *p = predict(model, 82944, 1000000);
    double accuracy = margay_signature_accuracy(p, truth);
    CHECK(accuracy >= methods[i].least, "%s: accuracy %.4f", name, accuracy);
    CHECK_U64(margay_model_describe(model)->pattern, MARGAY_PATTERN_2D,
              "%s: a plane is seen", name);
    CHECK_U64(margay_histogram_references(p), 1000000, "%s: all references",
              name);
    CHECK(fabs((double)margay_histogram_infinite(p) / 1e6 - 1.0 / 11) < 1e-4,
          "%s: cold ones as they should be", name);
    CHECK(margay_curve_difference(p, truth) < 0.02, "%s: the curve", name);

    const struct margay_run turned[] = {runs[2], runs[1], runs[0]};
    margay_model *other = fit(turned, 3, &methods[i].options);
    margay_histogram *again = predict(other, 82944, 1000000);
    CHECK(same_histogram(p, again), "%s: in any order of the runs", name);
    margay_histogram_free(again);
    margay_model_free(other);

    if (margay_model_export(model, &numbers, &count, NULL) != MARGAY_OK)
        abort();
    CHECK(margay_model_import(numbers, count, &back, NULL) == MARGAY_OK,
          "%s: a model comes back", name);
    again = predict(back, 82944, 1000000);
    CHECK(same_histogram(p, again), "%s: and predicts the same", name);
    margay_histogram_free(again);
    margay_model_free(back);
    free(numbers);
    margay_histogram_free(p);
    margay_model_free(model);
    free_runs(runs, 3);
    margay_histogram_free(truth);
}

static margay_histogram *run_of_side(double side)
{
    return run_of(side * side);
}

/* The sides of squares in place of their areas. */
static void test_sides(void)
{
    static const double sides[] = {32, 48, 72};
    struct margay_predict_options options = methods[0].options;
    margay_histogram *truth = run_of(82944);
    struct margay_run runs[3];
    make_runs(run_of_side, sides, 3, runs);
    margay_model *model = fit(runs, 3, &options);
    margay_histogram *p = predict(model, 288, 1000000);
    CHECK_U64(margay_model_describe(model)->size_power, 2, "sides are told");
    CHECK(margay_model_describe(model)->most_size == 72,
          "and stay what they are");
    CHECK(margay_signature_accuracy(p, truth) > 0.995, "and squared");
    margay_histogram_free(p);
    margay_model_free(model);
    options.pattern = MARGAY_PATTERN_2D;
    model = fit(runs, 3, &options);
    CHECK_U64(margay_model_describe(model)->size_power, 1,
              "but not where the pattern is given");
    margay_model_free(model);
    free_runs(runs, 3);
    margay_histogram_free(truth);
}

/* Rows with a border of 200 elements: by the row alone, the distance of the
   large run is in the next octave. */
static margay_histogram *run_with_border(double s)
{
    margay_histogram *h = new_histogram();
    add(h, 0, 4000);
    add(h, 200 + 3 * sqrt(s), 3000);
    add(h, 2 * s, 3000);
    margay_histogram_add(h, MARGAY_INFINITE, (uint64_t)s, NULL);
    return h;
}

/* Sizes below those of the runs: the smallest run has the largest one's
   place. */
static void test_downwards(void)
{
    static const double sizes[] = {9216, 36864, 16384};
    margay_histogram *truth = run_of(2304);
    struct margay_run runs[3];
    make_runs(run_of, sizes, 3, runs);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        struct margay_predict_options options = methods[i].options;
        options.downwards = true;
        margay_model *model = fit(runs, 3, &options);
        margay_histogram *p = predict(model, 2304, 1000000);
        margay_histogram *unchanged = no_change(model, 10 * 9216);
        CHECK(margay_model_describe(model)->least_size == 9216 &&
                  margay_model_describe(model)->most_size == 36864,
              "%s: sizes in any order", methods[i].name);
        CHECK(margay_signature_accuracy(p, truth) >= methods[i].least,
              "%s: a smaller size: %.4f", methods[i].name,
              margay_signature_accuracy(p, truth));
        CHECK(margay_signature_accuracy(unchanged, runs[0].histogram) > 0.9999,
              "%s: no change is the smallest run", methods[i].name);
        margay_histogram_free(p);
        margay_histogram_free(unchanged);
        margay_model_free(model);
    }
    free_runs(runs, 3);
    margay_histogram_free(truth);
}

static void test_bases(void)
{
    static const double sizes[] = {1024, 2304, 4096};
    struct margay_run runs[3];
    make_runs(run_with_border, sizes, 3, runs);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        struct margay_predict_options options = methods[i].options;
        options.pattern = MARGAY_PATTERN_2D;
        if (options.plain)
            continue;
        margay_model *model = fit(runs, 3, &options);
        margay_histogram *p = predict(model, 65536, 1000000);
        double finite = (double)margay_finite_references(p);
        CHECK(fabs(count_between(p, 900, 1024) / finite - 0.3) < 0.01,
              "%s: a distance with a constant part", methods[i].name);
        margay_histogram_free(p);
        margay_model_free(model);
    }
    free_runs(runs, 3);
}

/* Two runs suggest growth, and a third has none. */
static margay_histogram *run_that_grows_once(double size)
{
    margay_histogram *h = new_histogram();
    add(h, 0, 400);
    add(h, size == 1 ? 500 : 1000, 600);
    return h;
}

static void test_trust(void)
{
    static const double sizes[] = {1, 2, 4};
    struct margay_run runs[3];
    make_runs(run_that_grows_once, sizes, 3, runs);
    margay_model *model = fit(runs, 3, &methods[0].options);
    const struct margay_model_info *info = margay_model_describe(model);
    CHECK(info->checked_no_change == 1 && info->checked_accuracy < 0.5,
          "the largest run, predicted from the others");
    CHECK(!info->trusted, "a model that fails there is not trusted");
    margay_histogram *p = predict(model, 9, 1000);
    margay_histogram *unchanged = no_change(model, 1000);
    CHECK(same_histogram(p, unchanged), "and predicts no change");
    margay_histogram_free(p);
    margay_histogram_free(unchanged);
    margay_model_free(model);
    model = fit(runs, 2, &methods[0].options);
    info = margay_model_describe(model);
    CHECK(info->checked_accuracy < 0 && info->unexplained < 1e-2 &&
              info->trusted,
          "two runs that a pattern explains");
    margay_model_free(model);
    free_runs(runs, 3);
}

/* ------------------------------------ programs that no pattern describes -- */

/* Levels of recursion, with the same part of the references each, spread. */
static margay_histogram *recursion(double s)
{
    margay_histogram *h = new_histogram();
    for (double d = 1; d < s; d *= 1.1)
        add(h, d, (uint64_t)s);
    return h;
}

/* A window that is full at some size, and its contents. */
static margay_histogram *window(double s)
{
    margay_histogram *h = new_histogram();
    double filled = s < 400 ? s : 400;
    for (int i = 1; i <= 20; i++)
        add(h, filled * i * i / 400, (uint64_t)s);
    return h;
}

/* Work that is the same for each size, and little besides. */
static margay_histogram *startup(double s)
{
    margay_histogram *h = new_histogram();
    for (int i = 0; i < 40; i++)
        add(h, 3.0 * i * i, 4000);
    add(h, s, (uint64_t)(s / 2));
    return h;
}

/* Rows, planes and the whole of a small cube, without its borders; each
   distance is spread a little. */
static margay_histogram *cube(double s)
{
    margay_histogram *h = new_histogram();
    double n = cbrt(s), in = n - 2;
    uint64_t inner = (uint64_t)(in * in * in);
    for (int i = 0; i < 16; i++) {
        double spread = 1 + 0.02 * i;
        add(h, 1 + i % 3, 3 * inner);
        add(h, spread * (2 * n - 7), 2 * inner);
        add(h, spread * 2 * in * (in - 1), 2 * inner);
        add(h, spread * 2 * in * in * (n - 1), inner);
    }
    return h;
}

/* A number that says nothing about the data. */
static margay_histogram *unrelated(double s)
{
    margay_histogram *h = new_histogram();
    uint64_t seed = (uint64_t)(s * 7) % 11;
    for (uint64_t i = 0; i < 30; i++)
        add(h, (double)((i * i * 37 + seed * 101 * i) % 5000), 1000);
    return h;
}

/* From runs of three sizes or two, by a method, at three sizes beyond; returns
   how often no change would have been better. */
static unsigned count_worse(margay_histogram *(*program)(double),
                            const struct margay_predict_options *options,
                            size_t count)
{
    static const double sizes[] = {216, 512, 1000}, more[] = {1728, 2744, 4096};
    struct margay_run runs[3];
    unsigned worse = 0;
    make_runs(program, sizes + 3 - count, count, runs);
    margay_model *model = fit(runs, count, options);
    margay_histogram *unchanged = no_change(model, 1000000);
    for (size_t k = 0; k < 3; k++) {
        margay_histogram *truth = program(more[k]);
        margay_histogram *p = predict(model, more[k], 1000000);
        worse += margay_signature_accuracy(p, truth) <
                 margay_signature_accuracy(unchanged, truth) - 1e-4;
        margay_histogram_free(truth);
        margay_histogram_free(p);
    }
    margay_histogram_free(unchanged);
    margay_model_free(model);
    free_runs(runs, count);
    return worse;
}

static void test_never_worse(void)
{
    static const struct {
        const char *name;
        margay_histogram *(*make)(double);
    } programs[] = {{"a plane", run_of},   {"recursion", recursion},
                    {"a window", window},  {"starting up", startup},
                    {"small cubes", cube}, {"an unrelated size", unrelated}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        unsigned worse = 0;
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            if (methods[m].options.plain)
                continue;
            worse += count_worse(programs[i].make, &methods[m].options, 2);
            worse += count_worse(programs[i].make, &methods[m].options, 3);
        }
        CHECK_U64(worse, 0, "%s: no prediction is worse than no change",
                  programs[i].name);
    }
}

/* ------------------------------------------------------------- refusals -- */

static void refused(const struct margay_run *runs, size_t count,
                    struct margay_predict_options options, const char *why)
{
    struct margay_error error = {.message = ""};
    margay_model *model;
    bool failed =
        margay_model_fit(runs, count, &options, &model, &error) != MARGAY_OK;
    CHECK(failed && model == NULL && strstr(error.message, why) != NULL,
          "refused: %s", why);
    if (failed && strstr(error.message, why) == NULL)
        printf("#   got '%s'\n", error.message);
}

static void test_refusals(void)
{
    margay_histogram *h = run_of(100), *cold = new_histogram();
    margay_histogram *bounded = run_of(100), *far = run_of(100);
    const struct margay_predict_options single = methods[0].options;
    struct margay_predict_options options = single;
    margay_histogram_add(cold, MARGAY_INFINITE, 9, NULL);
    margay_histogram_set_exceeded_bound(bounded, 64);
    add(far, 1e15, 1);
    refused((struct margay_run[]){{h, 1}}, 1, single, "expected 2 or more");
    refused((struct margay_run[]){{h, 1}, {h, 1}}, 2, single, "two runs");
    refused((struct margay_run[]){{h, 1}, {h, 0}}, 2, single, "above 0");
    refused((struct margay_run[]){{h, 1}, {h, NAN}}, 2, single, "above 0");
    refused((struct margay_run[]){{h, 1}, {h, INFINITY}}, 2, single, "above 0");
    refused((struct margay_run[]){{h, 1}, {cold, 2}}, 2, single, "no finite");
    refused((struct margay_run[]){{h, 1}, {bounded, 2}}, 2, single, "bound");
    options.bins.kind = MARGAY_BINS_LOG2;
    refused((struct margay_run[]){{h, 1}, {h, 2}}, 2, options, "reference");
    options.method = MARGAY_METHOD_MULTI;
    options.bins.kind = MARGAY_BINS_EXACT;
    refused((struct margay_run[]){{h, 1}, {h, 2}}, 2, options, "exact bins");
    options.bins.kind = MARGAY_BINS_LOGLINEAR;
    refused((struct margay_run[]){{h, 1}, {far, 2}}, 2, options, "too large");
    margay_histogram_free(h);
    margay_histogram_free(cold);
    margay_histogram_free(bounded);
    margay_histogram_free(far);
}

static void test_requests(void)
{
    margay_histogram *small = run_of(100), *large = run_of(400), *p;
    const struct margay_run runs[] = {{small, 100}, {large, 400}};
    margay_model *model = fit(runs, 2, &methods[0].options);
    CHECK(margay_model_predict(model, 0, 1000, &p, NULL) ==
                  MARGAY_BAD_ARGUMENT &&
              margay_model_predict(model, NAN, 1000, &p, NULL) ==
                  MARGAY_BAD_ARGUMENT,
          "sizes to predict for are above 0");
    CHECK(margay_model_predict(model, 1e80, 1000, &p, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "and not beyond all distances");
    CHECK(margay_model_predict(model, 800, 0, &p, NULL) == MARGAY_BAD_ARGUMENT,
          "of no references there is nothing to predict");
    bool good = margay_model_predict(model, 800, 7, &p, NULL) == MARGAY_OK;
    CHECK(good && margay_histogram_references(p) == 7, "of 7 there is");
    margay_histogram_free(p);
    good = margay_model_predict(model, 1e-3, 1000, &p, NULL) == MARGAY_OK;
    CHECK(good && margay_histogram_references(p) == 1000, "a tiny input");
    margay_histogram_free(p);
    margay_model_free(model);
    margay_histogram_free(small);
    margay_histogram_free(large);
}

/* Any numbers that are taken for a model do no harm. */
static void test_damage(void)
{
    margay_histogram *small = run_of(100), *large = run_of(400), *p;
    const struct margay_run runs[] = {{small, 100}, {large, 400}};
    margay_model *model = fit(runs, 2, &methods[2].options), *damaged;
    uint64_t *numbers, taken = 0;
    size_t count;
    if (margay_model_export(model, &numbers, &count, NULL) != MARGAY_OK)
        abort();
    margay_model_free(model);
    for (size_t i = 0; i < count; i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            numbers[i] ^= UINT64_C(1) << bit;
            if (margay_model_import(numbers, count, &damaged, NULL) ==
                MARGAY_OK) {
                taken++;
                if (margay_model_predict(damaged, 777, 1000, &p, NULL) ==
                    MARGAY_OK)
                    margay_histogram_free(p);
                margay_model_free(damaged);
            }
            numbers[i] ^= UINT64_C(1) << bit;
        }
    }
    CHECK(taken > 0 && taken < 64 * count,
          "damaged models are refused, or predict something");
    CHECK(margay_model_import(numbers, count - 1, &damaged, NULL) ==
                  MARGAY_BAD_INPUT &&
              margay_model_import(numbers, 0, &damaged, NULL) ==
                  MARGAY_BAD_INPUT,
          "and so are short ones");
    free(numbers);
    margay_histogram_free(small);
    margay_histogram_free(large);
}

int main(void)
{
    test_worked_model();
    test_forms();
    test_many();
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        test_method(i);
    test_sides();
    test_bases();
    test_downwards();
    test_trust();
    test_never_worse();
    test_refusals();
    test_requests();
    test_damage();
    return tap_done();
}
