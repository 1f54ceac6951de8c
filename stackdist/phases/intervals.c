/*
 * intervals.c - what is known of each interval of a trace
 *
 * Algorithm: for each interval, a histogram of reuse distances, 8 bins an
 *   octave, and how many of its references use a block that was last used in
 *   which earlier interval.  The first use of a block in a stretch of intervals
 *   is a reference whose last use lies before the stretch, or nowhere: so these
 *   references are the distinct blocks of the stretch, for any stretch.
 * Source: histograms of intervals are those of Shen, Zhong, Ding, "Locality
 *   phase prediction", ASPLOS 2004; working sets by last uses, Denning, "The
 *   working set model for program behavior", CACM 11(5), 1968.
 * Guarantee: exact, at the ends of intervals and bins.
 * Cost: O(1) for each reference; 12 MiB.
 */
#include "stackdist/phases/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* 2^4 references are the shortest interval. */
#define LEAST_SHIFT 4

enum margay_status margay_intervals_make(struct intervals *intervals,
                                         struct margay_error *error)
{
    *intervals = (struct intervals){
        .shift = LEAST_SHIFT,
        .misses = calloc(MOST, sizeof *intervals->misses),
        .reuses = calloc(MOST, sizeof *intervals->reuses),
        .firsts = calloc(MOST, sizeof *intervals->firsts),
    };
    return intervals->misses == NULL || intervals->reuses == NULL ||
                   intervals->firsts == NULL
               ? margay_fail_memory(error, "the intervals of phases")
               : MARGAY_OK;
}

void margay_intervals_clear(struct intervals *intervals)
{
    free(intervals->misses);
    free(intervals->reuses);
    free(intervals->firsts);
    *intervals = (struct intervals){0};
}

/* ------------------------------------------------------------- counting -- */

static size_t bin_of(uint64_t distance)
{
    if (distance < BINS_PER_OCTAVE)
        return (size_t)distance;
    unsigned octave = margay_log2_floor(distance) - 3;
    return BINS_PER_OCTAVE * octave + (size_t)(distance >> octave);
}

uint64_t margay_bin_from(size_t bin)
{
    if (bin < 2 * BINS_PER_OCTAVE)
        return bin;
    return (BINS_PER_OCTAVE + (uint64_t)bin % BINS_PER_OCTAVE)
           << (bin / BINS_PER_OCTAVE - 1);
}

/* Each two intervals become one.  What is read lies at or behind what is
   written, and was not yet written. */
static void halve(struct intervals *intervals)
{
    for (size_t i = 0; i < MOST / 2; i++) {
        for (size_t b = 0; b < BINS; b++)
            intervals->misses[i][b] =
                intervals->misses[2 * i][b] + intervals->misses[2 * i + 1][b];
        for (size_t j = 0; j <= i; j++)
            intervals->reuses[i][j] = intervals->reuses[2 * i][2 * j] +
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

void margay_intervals_count(struct intervals *intervals, uint64_t distance,
                            uint64_t time)
{
    uint64_t now = intervals->references++;
    if (now >> intervals->shift == MOST)
        halve(intervals);
    size_t i = (size_t)(now >> intervals->shift);
    intervals->count = i + 1;
    if (time == 0) {
        intervals->firsts[i]++;
        return;
    }
    intervals->misses[i][bin_of(distance)]++;
    intervals->reuses[i][(now - time) >> intervals->shift]++;
    if (distance > intervals->largest)
        intervals->largest = distance;
}

/* From counts to sums: of larger distances, and of earlier intervals. */
void margay_intervals_end(struct intervals *intervals)
{
    for (size_t i = 0; i < intervals->count; i++) {
        uint64_t *misses = intervals->misses[i], *reuses = intervals->reuses[i];
        uint64_t sum = intervals->firsts[i];
        for (size_t b = BINS; b-- > 0;)
            sum = misses[b] += sum;
        sum = intervals->firsts[i];
        for (size_t j = 0; j <= MOST; j++) {
            uint64_t count = reuses[j];
            reuses[j] = sum;
            sum += count;
        }
    }
}

/* -------------------------------------------------------------- results -- */

size_t margay_intervals_bins(const struct intervals *intervals)
{
    return intervals->references == 0 ? 0 : bin_of(intervals->largest) + 2;
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

/* Of the blocks of [between, to), those that are new to it, and not to [from,
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
