/*
 * shared.c - programs in one LRU cache: the part and the misses of each
 *
 * Algorithm: a program uses a block again after d other blocks of its own, on
 *   average after ft(d + 1) references, its fill time.  In that time program k
 *   uses fp_k(s_k / s ft(d + 1)) blocks, its average footprint; the s are their
 *   shares of all references.  The cache hits if d and these are below its
 *   size, for certain if by 1 or more, and otherwise with a chance of as much.
 *   The distances that hit are the program's part of the cache, in the natural
 *   partition.  Fill time and footprint follow from the miss curve.
 * Source: Xiang, Ding, Luo, Bao, "HOTL: a higher order theory of locality",
 *   ASPLOS 2013; Brock, Ye, Ding, Li, Wang, Luo, "Optimal cache
 *   partition-sharing", ICPP 2015.
 * Guarantee: none; exact where each program's references are a random mixture
 *   that stays the same, and the programs are independent.  The interplay of
 *   their phases is ignored.
 * Cost: O(P^2 log C log K) for C blocks, of P programs with K steps each; 24
 *   bytes for each step.
 */
#include <math.h>
#include <stdlib.h>

#include "stackdist/histogram.h"
#include "stackdist/sharing/shared.h"
#include "traces/traces_internal.h"

/* ----------------------------------- a miss curve, and how fast it fills -- */

/* A cache of c blocks, c of them in use, gets its next block at the next miss,
   which comes after references / misses(c) references on average.  So the sum
   of these over all sizes below C is the time in which C blocks come to be in
   use: the fill time, whose inverse is the average footprint. */

/* To be cleared in any case. */
static enum margay_status make_fill(struct margay_fill *steps,
                                    const margay_histogram *histogram,
                                    struct margay_error *error)
{
    size_t count = 1, j = 0; /* distances that occur, and infinite ones */
    MARGAY_EACH_COUNT (histogram, distance, hits)
        count++;
    *steps = (struct margay_fill){
        .count = count,
        .sizes = calloc(count, sizeof *steps->sizes),
        .misses = calloc(count, sizeof *steps->misses),
        .filled = calloc(count, sizeof *steps->filled),
        .references = margay_histogram_references(histogram),
    };
    if (steps->sizes == NULL || steps->misses == NULL || steps->filled == NULL)
        return margay_fail_memory(error, "a miss curve");
    steps->misses[0] = steps->references;
    MARGAY_EACH_COUNT (histogram, distance, hits) {
        steps->sizes[j + 1] = distance + 1;
        steps->misses[j + 1] = steps->misses[j] - hits;
        steps->filled[j + 1] =
            steps->filled[j] +
            (double)(distance + 1 - steps->sizes[j]) *
                ((double)steps->references / (double)steps->misses[j]);
        j++;
    }
    /* After a warm-up fewer references are first ones than there are blocks. */
    steps->distinct =
        margay_maximum(margay_histogram_infinite(histogram), steps->sizes[j]);
    return MARGAY_OK;
}

/* The last step that begins by this size and this number of references; the
   first, where none does. */
static size_t find_last(const struct margay_fill *steps, uint64_t size,
                        double references)
{
    return MARGAY_BISECT(i, steps->count - 1,
                         steps->sizes[i + 1] <= size &&
                             steps->filled[i + 1] <= references);
}

size_t margay_fill_at(const struct margay_fill *steps, uint64_t size)
{
    return find_last(steps, size, INFINITY);
}

/* The references of the program after which `blocks` blocks are in use, on
   average; infinite where that never happens. */
static double fill_time(const struct margay_fill *steps, uint64_t blocks)
{
    size_t j = margay_fill_at(steps, blocks);
    uint64_t more = blocks - steps->sizes[j];
    if (more == 0)
        return steps->filled[j];
    return steps->misses[j] == 0
               ? INFINITY
               : steps->filled[j] + (double)more * (double)steps->references /
                                        (double)steps->misses[j];
}

/* The blocks that are in use, on average, after this number of references of
   the program. */
static double footprint(const struct margay_fill *steps, double references)
{
    size_t j = find_last(steps, UINT64_MAX, references);
    double slope = (double)steps->misses[j] / (double)steps->references;
    double blocks = (double)steps->sizes[j];
    if (slope > 0)
        blocks += (references - steps->filled[j]) * slope;
    return fmin(blocks, (double)steps->distinct);
}

/* ------------------------------------------------------------- programs -- */

static enum margay_status take_programs(margay_sharing *sharing,
                                        const struct margay_sharer *programs,
                                        struct margay_error *error)
{
    double rates = 0;
    uint64_t references = 0;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < sharing->count; i++) {
        const margay_histogram *histogram = programs[i].histogram;
        uint64_t own = margay_histogram_references(histogram);
        if (!isfinite(programs[i].rate) || programs[i].rate <= 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a rate of %g references, expected one above 0",
                               programs[i].rate);
        if (own == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a program without references");
        if (margay_histogram_exceeded_bound(histogram) != 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a program that exceeded its bound");
        rates += programs[i].rate;
        if (!margay_add_u64(references, own, &references))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "programs with 2^64 references or more "
                               "together");
    }
    for (size_t i = 0; i < sharing->count && status == MARGAY_OK; i++) {
        status = make_fill(&sharing->programs[i], programs[i].histogram, error);
        sharing->programs[i].share = programs[i].rate / rates;
    }
    return status;
}

enum margay_status margay_sharing_create(const struct margay_sharer *programs,
                                         size_t count, margay_sharing **sharing,
                                         struct margay_error *error)
{
    *sharing = NULL;
    if (count == 0 || count > MARGAY_MOST_SHARERS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu programs, expected 1 to %d", count,
                           MARGAY_MOST_SHARERS);
    margay_sharing *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->programs = calloc(count, sizeof *made->programs);
    if (made == NULL || made->programs == NULL) {
        free(made);
        return margay_fail_memory(error, "programs that share a cache");
    }
    made->count = count;
    enum margay_status status = take_programs(made, programs, error);
    if (status == MARGAY_OK)
        *sharing = made;
    else
        margay_sharing_free(made);
    return status;
}

void margay_sharing_free(margay_sharing *sharing)
{
    if (sharing == NULL)
        return;
    for (size_t i = 0; i < sharing->count; i++) {
        free(sharing->programs[i].sizes);
        free(sharing->programs[i].misses);
        free(sharing->programs[i].filled);
    }
    free(sharing->programs);
    free(sharing);
}

/* The other blocks, of all programs, that come between a use of a block by
   program `i` and the next one, where `distance` of them are its own. */
static double blocks_between(const margay_sharing *sharing, size_t i,
                             uint64_t distance)
{
    const struct margay_fill *program = &sharing->programs[i];
    double window = fill_time(program, distance + 1) / program->share;
    double blocks = (double)distance;
    for (size_t k = 0; k < sharing->count; k++) {
        const struct margay_fill *other = &sharing->programs[k];
        if (k != i)
            blocks += footprint(other, window * other->share);
    }
    return blocks;
}

uint64_t margay_sharing_last(const margay_sharing *sharing)
{
    uint64_t sum = 0, last = 1; /* distances are below 2^56 */
    for (size_t i = 0; i < sharing->count; i++) {
        const struct margay_fill *program = &sharing->programs[i];
        uint64_t own = program->sizes[program->count - 1];
        sum += own;
        if (own == 0)
            continue;
        /* Of more blocks, which all share, the program has no use. */
        uint64_t shared = (uint64_t)ceil(blocks_between(sharing, i, own - 1));
        last = shared + 1 > last ? shared + 1 : last;
    }
    return sum > last ? sum : last;
}

void margay_sharing_shared(const margay_sharing *sharing, uint64_t cache_blocks,
                           struct margay_sharer_result *results)
{
    for (size_t i = 0; i < sharing->count; i++) {
        const struct margay_fill *program = &sharing->programs[i];
        uint64_t last = program->sizes[program->count - 1];
        uint64_t most = cache_blocks < last ? cache_blocks : last;
        /* Distances below `least` are hits for certain. */
        uint64_t least = MARGAY_BISECT(distance, most,
                                       blocks_between(sharing, i, distance) <=
                                           (double)cache_blocks - 1);
        double rest = (double)cache_blocks - blocks_between(sharing, i, least);
        /* The program's part: its blocks need not be a whole number. */
        double blocks = (double)least + fmin(fmax(rest, 0), 1);
        uint64_t whole = (uint64_t)floor(blocks);
        double misses = (double)program->misses[margay_fill_at(program, whole)];
        double next =
            (double)program->misses[margay_fill_at(program, whole + 1)];
        misses += (blocks - floor(blocks)) * (next - misses);
        results[i] = (struct margay_sharer_result){
            .blocks = blocks, .misses = (uint64_t)(misses + 0.5)};
    }
}
