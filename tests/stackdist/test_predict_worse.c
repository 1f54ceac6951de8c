/* test_predict_worse.c - predictions of programs that no pattern describes */
#include <math.h>

#include "tests/stackdist/learnt.h"
#include "tests/tap.h"

/* Levels of recursion, with the same part of the references each, spread. */
static margay_histogram *recursion(double s)
{
    margay_histogram *h = new_histogram();
    for (double d = 1; d < s; d *= 1.1)
        add(h, d, (uint64_t)s);
    return h;
}

/* A window that is full at some size, and what goes on in it. */
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

int main(void)
{
    test_never_worse();
    return tap_done();
}
