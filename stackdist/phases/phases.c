/*
 * phases.c - the intervals of a trace, in one pass
 *
 * Algorithm: an exact engine gives distances, and a clock when a block was last
 *   used.  For each interval, a histogram of reuse distances is kept, 8 bins an
 *   octave, and how many of its references use a block that was last used in
 *   which earlier interval; in the end the intervals are cut (cut.c).  The
 *   first use of a block in a stretch of intervals is a reference whose last
 *   use lies before the stretch, or nowhere: so these references are the
 *   distinct blocks of the stretch, for any stretch.
 * Source: histograms of intervals are those of Shen, Zhong, Ding, "Locality
 *   phase prediction", ASPLOS 2004; working sets by last uses, Denning, "The
 *   working set model for program behavior", CACM 11(5), 1968.
 * Guarantee: exact, at the ends of intervals and bins.
 * Cost: that of the engine; O(1) for each reference; 12 MiB.
 */
#include "stackdist/phases/phases.h"

#include <stdlib.h>
#include <string.h>

/* 2^4 references are the shortest interval. */
#define LEAST_SHIFT 4

/* References that are fed to the engine at once. */
#define AT_ONCE 65536

/* ------------------------------------------------------------ intervals -- */

/* Count the next reference, whose block was last used `time` references ago; 0
   and an infinite distance if it was never. */
static void count_reference(struct intervals *intervals, uint64_t distance,
                            uint64_t time)
{
    uint64_t now = intervals->references++;
    if (now >> intervals->shift == MOST) {
        /* Each two intervals become one.  Reads are at or after the place
           written last. */
        for (size_t i = 0; i < MOST / 2; i++) {
            for (size_t b = 0; b < BINS; b++)
                intervals->misses[i][b] = intervals->misses[2 * i][b] +
                                          intervals->misses[2 * i + 1][b];
            for (size_t j = 0; j <= i; j++)
                intervals->reuses[i][j] =
                    intervals->reuses[2 * i][2 * j] +
                    intervals->reuses[2 * i][2 * j + 1] +
                    intervals->reuses[2 * i + 1][2 * j] +
                    intervals->reuses[2 * i + 1][2 * j + 1];
            intervals->firsts[i] =
                intervals->firsts[2 * i] + intervals->firsts[2 * i + 1];
        }
        memset(intervals->misses + MOST / 2, 0,
               MOST / 2 * sizeof *intervals->misses);
        memset(intervals->reuses + MOST / 2, 0,
               MOST / 2 * sizeof *intervals->reuses);
        memset(intervals->firsts + MOST / 2, 0,
               MOST / 2 * sizeof *intervals->firsts);
        intervals->shift++;
    }
    size_t i = (size_t)(now >> intervals->shift);
    intervals->count = i + 1;
    if (time == 0) {
        intervals->firsts[i]++;
        return;
    }
    intervals->misses[i][margay_bar_of(distance, BIN_BITS)]++;
    intervals->reuses[i][(now - time) >> intervals->shift]++;
    intervals->largest = margay_maximum(intervals->largest, distance);
}

size_t margay_intervals_bins(const struct intervals *intervals)
{
    return intervals->references == 0
               ? 0
               : margay_bar_of(intervals->largest, BIN_BITS) + 2;
}

uint64_t margay_intervals_refs(const struct intervals *intervals, size_t from,
                               size_t to)
{
    return (to == intervals->count ? intervals->references
                                   : (uint64_t)to << intervals->shift) -
           ((uint64_t)from << intervals->shift);
}

uint64_t margay_intervals_blocks(const struct intervals *intervals, size_t from,
                                 size_t to)
{
    uint64_t blocks = 0;
    for (size_t i = from; i < to; i++)
        blocks += intervals->reuses[i][from];
    return blocks;
}

/* Of the blocks of [between, to), those that are new to it, but not to [from,
   to). */
uint64_t margay_intervals_shared(const struct intervals *intervals, size_t from,
                                 size_t between, size_t to)
{
    uint64_t blocks = 0;
    for (size_t i = between; i < to; i++)
        blocks += intervals->reuses[i][between] - intervals->reuses[i][from];
    return blocks;
}

void margay_intervals_misses(const struct intervals *intervals, size_t from,
                             size_t to, uint64_t misses[BINS])
{
    size_t bins = margay_intervals_bins(intervals);
    memset(misses, 0, BINS * sizeof *misses);
    for (size_t i = from; i < to; i++) {
        for (size_t b = 0; b < bins; b++)
            misses[b] += intervals->misses[i][b];
    }
}

/* ---------------------------------------------------------- the one pass -- */

enum margay_status margay_phases_create(unsigned threads,
                                        margay_phases **phases,
                                        struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    options.threads = threads;
    *phases = NULL;
    margay_phases *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "phases");
    enum margay_status status = margay_hash_create(&made->clock.last, 0, error);
    if (status != MARGAY_OK) {
        free(made);
        return status;
    }
    status = margay_engine_create("exact", &options, &made->engine, error);
    if (status == MARGAY_OK) {
        /* To be cleared in any case. */
        struct intervals *intervals = &made->intervals;
        *intervals = (struct intervals){
            .shift = LEAST_SHIFT,
            .misses = calloc(MOST, sizeof *intervals->misses),
            .reuses = calloc(MOST, sizeof *intervals->reuses),
            .firsts = calloc(MOST, sizeof *intervals->firsts),
        };
        status = intervals->misses == NULL || intervals->reuses == NULL ||
                         intervals->firsts == NULL
                     ? margay_fail_memory(error, "the intervals of phases")
                     : MARGAY_OK;
    }
    made->distances = calloc(AT_ONCE, sizeof *made->distances);
    if (status == MARGAY_OK && made->distances == NULL)
        status = margay_fail_memory(error, "phases");
    if (status == MARGAY_OK)
        *phases = made;
    else
        margay_phases_free(made);
    return status;
}

void margay_phases_free(margay_phases *phases)
{
    if (phases == NULL)
        return;
    margay_engine_free(phases->engine);
    margay_hash_destroy(&phases->clock.last);
    struct intervals *intervals = &phases->intervals;
    free(intervals->misses);
    free(intervals->reuses);
    free(intervals->firsts);
    free(phases->distances);
    free(phases);
}

enum margay_status margay_phases_feed(margay_phases *phases,
                                      const uint64_t *blocks, size_t references,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t from = 0, some; from < references && status == MARGAY_OK;
         from += some) {
        some = references - from < AT_ONCE ? references - from : AT_ONCE;
        status = margay_engine_feed(phases->engine, blocks + from, some,
                                    phases->distances, error);
        for (size_t i = 0; i < some && status == MARGAY_OK; i++) {
            const uint64_t *block = blocks + from + i;
            if (i + MARGAY_CLOCK_AHEAD < some)
                margay_hash_prefetch(&phases->clock.last,
                                     block[MARGAY_CLOCK_AHEAD]);
            status = margay_clock_reserve(&phases->clock, error);
            if (status == MARGAY_OK)
                count_reference(&phases->intervals, phases->distances[i],
                                margay_clock_refer(&phases->clock, *block));
        }
    }
    return status;
}

enum margay_status margay_phases_finish(margay_phases *phases,
                                        struct margay_error *error)
{
    /* From counts to sums: of larger distances, and of earlier intervals. */
    for (size_t i = 0; i < phases->intervals.count; i++) {
        uint64_t *misses = phases->intervals.misses[i],
                 *reuses = phases->intervals.reuses[i];
        uint64_t sum = phases->intervals.firsts[i];
        for (size_t b = BINS; b-- > 0;)
            sum = misses[b] += sum;
        sum = phases->intervals.firsts[i];
        for (size_t j = 0; j <= MOST; j++) {
            uint64_t count = reuses[j];
            reuses[j] = sum;
            sum += count;
        }
    }
    return margay_cut(&phases->intervals, &phases->pieces, error);
}

/* -------------------------------------------------------------- results -- */

size_t margay_phases_count(const margay_phases *phases)
{
    return phases->pieces.count;
}

uint64_t margay_phases_interval_refs(const margay_phases *phases)
{
    return UINT64_C(1) << phases->intervals.shift;
}

void margay_phases_at(const margay_phases *phases, size_t index,
                      struct margay_phase *phase)
{
    const struct intervals *intervals = &phases->intervals;
    const struct piece *piece = &phases->pieces.list[index];
    *phase = (struct margay_phase){
        .from = margay_intervals_refs(intervals, 0, piece->from),
        .to = margay_intervals_refs(intervals, 0, piece->to),
        .repeats = piece->repeats,
        .working_set_blocks =
            margay_intervals_blocks(intervals, piece->from, piece->to),
    };
}

enum margay_status margay_phases_curve(const margay_phases *phases,
                                       size_t index,
                                       struct margay_point **points,
                                       size_t *count, uint64_t *references,
                                       struct margay_error *error)
{
    const struct intervals *intervals = &phases->intervals;
    size_t bins = margay_intervals_bins(intervals);
    *count = bins - 1;
    *references = 0;
    *points = calloc(bins, sizeof **points);
    if (*points == NULL)
        return margay_fail_memory(error, "the curve of a phase");
    for (size_t b = 1; b < bins; b++)
        (*points)[b - 1].cache_blocks = margay_bar_low(b, BIN_BITS);
    for (size_t i = 0; i < phases->pieces.count; i++) {
        const struct piece *piece = &phases->pieces.list[i];
        uint64_t misses[BINS];
        if (piece->repeats != phases->pieces.list[index].repeats)
            continue;
        margay_intervals_misses(intervals, piece->from, piece->to, misses);
        *references += margay_intervals_refs(intervals, piece->from, piece->to);
        for (size_t b = 1; b < bins; b++)
            (*points)[b - 1].misses += misses[b];
    }
    return MARGAY_OK;
}
