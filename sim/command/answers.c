/* answers.c - what a miss curve says, in words: see answers.h */
#include "sim/command/answers.h"

#include <inttypes.h>
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

struct knee {
    uint64_t size, before, misses; /* the misses at half the size, and there */
};

/* Objects that do not fit pass a cache by, so a larger one may miss more. */
static uint64_t fall_at(const struct knee *knee)
{
    return knee->before > knee->misses ? knee->before - knee->misses : 0;
}

static bool overlaps(uint64_t size, const struct knee *knees, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (size / 2 < knees[k].size && knees[k].size / 2 < size)
            return true;
    }
    return false;
}

/* The size with the largest fall beside the knees so far; size 0 = none. */
static struct knee find_knee(const struct curve *curve,
                             const struct knee *knees, size_t count)
{
    struct knee best = {0, 0, 0};
    size_t half = 0; /* points up to half of the size */
    for (size_t i = 0; i < curve->series->count; i++) {
        uint64_t size = size_at(curve, i);
        while (size_at(curve, half) <= size / 2)
            half++;
        struct knee knee = {
            .size = size,
            .before = half == 0 ? curve->all : misses_at(curve, half - 1),
            .misses = misses_at(curve, i),
        };
        if (fall_at(&knee) > fall_at(&best) && !overlaps(size, knees, count))
            best = knee;
    }
    return best;
}

#define MOST_KNEES 64

static void answer_knees(const struct curve *curve, uint64_t wanted)
{
    struct knee knees[MOST_KNEES]; /* no more octaves than bits */
    char size[SIZE_TEXT];
    size_t count = 0;
    for (; count < wanted && count < MOST_KNEES; count++) {
        knees[count] = find_knee(curve, knees, count);
        if (knees[count].size == 0)
            break;
        message_keep("%s%s: knee %zu at %s: the %s falls from %.6g at half of "
                     "that to %.6g",
                     curve->trace, curve->labels, count + 1,
                     name_size(curve, knees[count].size, size), curve->ratio,
                     ratio_of(curve, knees[count].before),
                     ratio_of(curve, knees[count].misses));
    }
    if (count == 0)
        message_keep("%s%s: the curve falls nowhere", curve->trace,
                     curve->labels);
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

void answer_series(const struct options *options,
                   const struct series_labels *labels,
                   const struct margay_series *series, bool *unreached)
{
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
        answer_knees(&curve, options->results.knees);
    if (options->results.at_most_bytes < 0)
        return;
    curve.ratio = "byte miss ratio";
    curve.bytes = true;
    curve.all = series->reference_bytes;
    curve.cold = series->infinite_bytes;
    *unreached |= !answer_at_most(&curve, options->results.at_most_bytes);
}
