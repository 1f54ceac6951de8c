/* answers.c - what a miss curve says, in words: see answers.h */
#include "sim/command/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define SIZE_TEXT 80
#define NAME_TEXT 512 /* of labels, without the trace */

/* What is asked about: a series, of misses or of missed bytes. */
struct curve {
    const char *trace;
    char labels[NAME_TEXT]; /* of the series: ", tenant web" */
    const char *ratio;      /* "miss ratio" */
    uint64_t block_bytes;   /* 0 = unknown */
    const struct margay_series *series;
    bool bytes;
    uint64_t all;  /* what the misses are a share of */
    uint64_t cold; /* the misses of every cache, however large */
};

static uint64_t misses_at(const struct curve *curve, size_t i)
{
    const struct margay_series_point *point = &curve->series->points[i];
    return curve->bytes ? point->missed_bytes : point->misses;
}

static uint64_t size_at(const struct curve *curve, size_t i)
{
    return curve->series->points[i].size;
}

/* "6 blocks (384 bytes)" */
static const char *name_size(const struct curve *curve, uint64_t size,
                             char text[SIZE_TEXT])
{
    uint64_t bytes;
    if (curve->series->in_bytes)
        snprintf(text, SIZE_TEXT, "%" PRIu64 " byte%s", size,
                 margay_plural(size, "s"));
    else if (curve->block_bytes != 0 &&
             margay_multiply_u64(size, curve->block_bytes, &bytes))
        snprintf(text, SIZE_TEXT, "%" PRIu64 " block%s (%" PRIu64 " byte%s)",
                 size, margay_plural(size, "s"), bytes,
                 margay_plural(bytes, "s"));
    else
        snprintf(text, SIZE_TEXT, "%" PRIu64 " block%s", size,
                 margay_plural(size, "s"));
    return text;
}

static double ratio_of(const struct curve *curve, uint64_t misses)
{
    return (double)misses / (double)curve->all;
}

static void say_unreached(const struct curve *curve, double most)
{
    char text[SIZE_TEXT];
    size_t last = curve->series->count - 1;
    double lowest = ratio_of(curve, misses_at(curve, last));
    unsigned bits = curve->bytes ? curve->series->byte_fraction_bits
                                 : curve->series->fraction_bits;
    uint64_t cold = margay_round_count(curve->cold, bits);
    name_size(curve, size_at(curve, last), text);
    if (curve->series->bound != 0)
        message_keep("%s%s: no cache of up to %s has a %s of at most %g: there "
                     "it is %.6g, and nothing is known beyond",
                     curve->trace, curve->labels, text, curve->ratio, most,
                     lowest);
    else if (margay_round_count(misses_at(curve, last), bits) == cold)
        message_keep("%s%s: no cache has a %s of at most %g: the cold misses "
                     "alone are %.6g (%" PRIu64 " of %" PRIu64 ")",
                     curve->trace, curve->labels, curve->ratio, most, lowest,
                     cold, margay_round_count(curve->all, bits));
    else
        message_keep(
            "%s%s: no cache has a %s of at most %g: the lowest is %.6g, "
            "of %s",
            curve->trace, curve->labels, curve->ratio, most, lowest, text);
}

static bool answer_at_most(const struct curve *curve, double most)
{
    char text[SIZE_TEXT];
    if (curve->series->count == 0 || curve->all == 0) {
        message_keep("%s%s: there are no references, and so no %s",
                     curve->trace, curve->labels, curve->ratio);
        return false;
    }
    for (size_t i = 0; i < curve->series->count; i++) {
        if (ratio_of(curve, misses_at(curve, i)) > most)
            continue;
        message_keep("%s%s: the smallest cache with a %s of at most %g has %s: "
                     "%.6g",
                     curve->trace, curve->labels, curve->ratio, most,
                     name_size(curve, size_at(curve, i), text),
                     ratio_of(curve, misses_at(curve, i)));
        return true;
    }
    say_unreached(curve, most);
    return false;
}

/* --------------------------------------------------------------- knees -- */

/*
 * Relative falls are differences of logarithms.  One of 5% is noise in most
 * traces, and a curve that goes on to fall is at no knee, so what follows
 * counts three times.
 */
#define LEAST_BEND 0.05
#define AFTER      3
#define NEARLY     0.8

/* Half a miss stands for none. */
static double log_misses(uint64_t misses)
{
    return log(misses == 0 ? 0.5 : (double)misses);
}

/* How far each size is a knee by one width of what is looked at: the relative
   fall from (1 - 1/before) of a size to it, less that up to (1 + 1/after). */
struct width {
    uint64_t before, after;
};

static void find_bends(const struct curve *curve, const struct width *width,
                       const double *logs, double *bends)
{
    double all = log_misses(curve->all);
    size_t low = 0, high = 0; /* points up to the sizes before and after */
    for (size_t i = 0; i < curve->series->count; i++) {
        uint64_t size = size_at(curve, i);
        uint64_t part = size / width->before, more = size / width->after;
        uint64_t before = size - (part == 0 ? 1 : part);
        uint64_t after = size + (more == 0 ? 1 : more);
        while (size_at(curve, low) <= before)
            low++;
        while (high < curve->series->count && size_at(curve, high) <= after)
            high++;
        double bend = (low == 0 ? all : logs[low - 1]) - logs[i] -
                      AFTER * (logs[i] - logs[high - 1]);
        bends[i] = bend > bends[i] ? bend : bends[i];
    }
}

static bool overlaps(uint64_t size, const uint64_t *knees, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (size / 2 < knees[k] && knees[k] / 2 < size)
            return true;
    }
    return false;
}

#define MOST_KNEES 64 /* no more octaves than bits */

/* The point with the largest bend that no other's octaves hold; count: none. */
static size_t find_largest(const struct curve *curve, const double *bends,
                           const uint64_t *found, size_t found_count)
{
    size_t best = curve->series->count;
    for (size_t i = 0; i < curve->series->count; i++) {
        if (bends[i] >
                (best == curve->series->count ? LEAST_BEND : bends[best]) &&
            !overlaps(size_at(curve, i), found, found_count))
            best = i;
    }
    return best;
}

/* Once a fall is over, the bends beyond are nearly as large: the knee is the
   first of them. */
static size_t find_first(const struct curve *curve, const double *bends,
                         size_t largest)
{
    size_t first = largest;
    for (size_t i = largest;
         i > 0 && size_at(curve, i) > size_at(curve, largest) / 2; i--) {
        if (bends[i] >= NEARLY * bends[largest])
            first = i;
    }
    return first;
}

static void say_knees(const struct curve *curve, const double *bends,
                      uint64_t wanted)
{
    uint64_t found[MOST_KNEES];
    char text[SIZE_TEXT];
    size_t count = 0;
    for (; count < wanted && count < MOST_KNEES; count++) {
        size_t largest = find_largest(curve, bends, found, count), half = 0;
        if (largest == curve->series->count)
            break;
        found[count] = size_at(curve, largest);
        size_t knee = find_first(curve, bends, largest);
        uint64_t size = size_at(curve, knee);
        while (size_at(curve, half) <= size / 2)
            half++;
        message_keep(
            "%s%s: knee %zu at %s: the %s falls from %.6g at half of that to "
            "%.6g",
            curve->trace, curve->labels, count + 1,
            name_size(curve, size, text), curve->ratio,
            ratio_of(curve,
                     half == 0 ? curve->all : misses_at(curve, half - 1)),
            ratio_of(curve, misses_at(curve, knee)));
    }
    if (count == 0)
        message_keep("%s%s: the curve has no knee", curve->trace,
                     curve->labels);
}

static enum margay_status answer_knees(const struct curve *curve,
                                       uint64_t wanted,
                                       struct margay_error *error)
{
    static const struct width widths[] = {{6, 5}, {3, 2}, {2, 1}};
    size_t count = curve->series->count;
    double *logs = calloc(count + 1, sizeof *logs);
    double *bends = calloc(count + 1, sizeof *bends);
    enum margay_status status = logs == NULL || bends == NULL
                                    ? margay_fail_memory(error, "the knees")
                                    : MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        logs[i] = log_misses(misses_at(curve, i));
    for (size_t i = 0; i < 3 && status == MARGAY_OK; i++)
        find_bends(curve, &widths[i], logs, bends);
    if (status == MARGAY_OK)
        say_knees(curve, bends, wanted);
    free(logs);
    free(bends);
    return status;
}

/* -------------------------------------------------------------- series -- */

bool answers_are_asked(const struct options *options)
{
    return options->results.at_most >= 0 ||
           options->results.at_most_bytes >= 0 || options->results.knees != 0;
}

static void name_series(const struct series_labels *labels,
                        const struct margay_series *series,
                        char text[NAME_TEXT])
{
    char window[40] = "";
    if (labels->window != NULL)
        snprintf(window, sizeof window, ", window %" PRIu64, *labels->window);
    snprintf(text, NAME_TEXT, "%s%s%s%s%s", window,
             labels->tenant == NULL ? "" : ", tenant ",
             labels->tenant == NULL ? "" : labels->tenant,
             series->policy == NULL ? "" : ", policy ",
             series->policy == NULL ? "" : series->policy);
}

enum margay_status answer_series(const struct options *options,
                                 const struct series_labels *labels,
                                 const struct margay_series *series,
                                 bool *unreached, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct curve curve = {
        .trace = labels->trace,
        .ratio = "miss ratio",
        .block_bytes = labels->block_bytes,
        .series = series,
        .all = series->references,
        .cold = series->infinite,
    };
    name_series(labels, series, curve.labels);
    if (options->results.at_most >= 0)
        *unreached |= !answer_at_most(&curve, options->results.at_most);
    if (options->results.knees > 0)
        status = answer_knees(&curve, options->results.knees, error);
    if (options->results.at_most_bytes < 0)
        return status;
    curve.ratio = "byte miss ratio";
    curve.bytes = true;
    curve.all = series->reference_bytes;
    curve.cold = series->infinite_bytes;
    *unreached |= !answer_at_most(&curve, options->results.at_most_bytes);
    return status;
}
