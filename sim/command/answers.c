/* answers.c - what a miss curve says, in words: see answers.h */
#include "sim/command/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define SIZE_TEXT 80

/* "6 blocks (384 bytes)" */
static const char *name_size(const struct answer_curve *curve, uint64_t size,
                             char text[SIZE_TEXT])
{
    uint64_t bytes;
    if (curve->in_bytes)
        snprintf(text, SIZE_TEXT, "%" PRIu64 " byte%s", size,
                 margay_plural(size, "s"));
    else if (curve->unit_bytes != 0 &&
             margay_multiply_u64(size, curve->unit_bytes, &bytes))
        snprintf(text, SIZE_TEXT, "%" PRIu64 " block%s (%" PRIu64 " byte%s)",
                 size, margay_plural(size, "s"), bytes,
                 margay_plural(bytes, "s"));
    else
        snprintf(text, SIZE_TEXT, "%" PRIu64 " block%s", size,
                 margay_plural(size, "s"));
    return text;
}

static double ratio_of(const struct answer_curve *curve, uint64_t misses)
{
    return (double)misses / (double)curve->all;
}

static void say_unreached(const struct answer_curve *curve, double most)
{
    char text[SIZE_TEXT];
    const struct margay_point *last = &curve->points[curve->count - 1];
    double lowest = ratio_of(curve, last->misses);
    unsigned bits = curve->fraction_bits;
    uint64_t cold = margay_round_count(curve->cold, bits);
    name_size(curve, last->cache_blocks, text);
    if (curve->bound != 0)
        message_keep("%s: no cache of up to %s has a %s of at most %g: there "
                     "it is %.6g, and nothing is known beyond",
                     curve->trace, text, curve->ratio, most, lowest);
    else if (margay_round_count(last->misses, bits) == cold)
        message_keep("%s: no cache has a %s of at most %g: the cold misses "
                     "alone are %.6g (%" PRIu64 " of %" PRIu64 ")",
                     curve->trace, curve->ratio, most, lowest, cold,
                     margay_round_count(curve->all, bits));
    else
        message_keep("%s: no cache has a %s of at most %g: the lowest is %.6g, "
                     "of %s",
                     curve->trace, curve->ratio, most, lowest, text);
}

bool answer_at_most(const struct answer_curve *curve, double most)
{
    char text[SIZE_TEXT];
    if (curve->count == 0 || curve->all == 0) {
        message_keep("%s: there are no references, and so no %s", curve->trace,
                     curve->ratio);
        return false;
    }
    for (size_t i = 0; i < curve->count; i++) {
        const struct margay_point *point = &curve->points[i];
        if (ratio_of(curve, point->misses) > most)
            continue;
        message_keep("%s: the smallest cache with a %s of at most %g has %s: "
                     "%.6g",
                     curve->trace, curve->ratio, most,
                     name_size(curve, point->cache_blocks, text),
                     ratio_of(curve, point->misses));
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
static struct knee find_knee(const struct answer_curve *curve,
                             const struct knee *knees, size_t count)
{
    struct knee best = {0, 0, 0};
    size_t half = 0; /* points up to half of the size */
    for (size_t i = 0; i < curve->count; i++) {
        uint64_t size = curve->points[i].cache_blocks;
        while (curve->points[half].cache_blocks <= size / 2)
            half++;
        struct knee knee = {
            .size = size,
            .before = half == 0 ? curve->all : curve->points[half - 1].misses,
            .misses = curve->points[i].misses,
        };
        if (fall_at(&knee) > fall_at(&best) && !overlaps(size, knees, count))
            best = knee;
    }
    return best;
}

#define MOST_KNEES 64

void answer_knees(const struct answer_curve *curve, uint64_t wanted)
{
    struct knee knees[MOST_KNEES]; /* no more octaves than bits */
    char size[SIZE_TEXT];
    size_t count = 0;
    for (; count < wanted && count < MOST_KNEES; count++) {
        knees[count] = find_knee(curve, knees, count);
        if (knees[count].size == 0)
            break;
        message_keep("%s: knee %zu at %s: the %s falls from %.6g at half of "
                     "that to %.6g",
                     curve->trace, count + 1,
                     name_size(curve, knees[count].size, size), curve->ratio,
                     ratio_of(curve, knees[count].before),
                     ratio_of(curve, knees[count].misses));
    }
    if (count == 0)
        message_keep("%s: the curve falls nowhere", curve->trace);
}

/* -------------------------------------------------------------- results -- */

enum margay_status answer_result(const struct options *options,
                                 const struct measured *measured,
                                 bool *unreached, struct margay_error *error)
{
    static const struct margay_sizes every = {.kind = MARGAY_SIZES_ALL};
    const struct margay_result *result = measured->result;
    struct margay_point *points = NULL;
    struct answer_curve curve = {
        .trace = measured->trace,
        .ratio = "miss ratio",
        .unit_bytes = measured->block_bytes,
        .all = result->references,
        .cold = result->infinite,
        .fraction_bits = result->fraction_bits,
        .bound = result->histogram == NULL
                     ? 0
                     : margay_histogram_exceeded_bound(result->histogram),
    };
    if (options->results.at_most < 0 && options->results.knees == 0)
        return MARGAY_OK;
    enum margay_status status =
        margay_result_curve(result, &every, &points, &curve.count, error);
    if (status != MARGAY_OK)
        return status;
    curve.points = points;
    if (options->results.at_most >= 0)
        *unreached |= !answer_at_most(&curve, options->results.at_most);
    if (options->results.knees > 0)
        answer_knees(&curve, options->results.knees);
    free(points);
    return MARGAY_OK;
}
