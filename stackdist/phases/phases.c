/*
 * phases.c - where the locality of a trace changes, in one pass
 *
 * An exact engine tells distances, and a clock when a block was last used; what
 * is counted of both in intervals (intervals.h) is cut (cut.h) in the end.
 */
#include "stackdist/phases/phases.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

/* References that are fed to the engine at once. */
#define AT_ONCE 65536

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
    enum margay_status status = margay_clock_create(&made->clock, error);
    if (status != MARGAY_OK) {
        free(made);
        return status;
    }
    status = margay_engine_create("exact", &options, &made->engine, error);
    if (status == MARGAY_OK)
        status = margay_intervals_make(&made->intervals, error);
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
    margay_clock_destroy(&phases->clock);
    margay_intervals_clear(&phases->intervals);
    free(phases->distances);
    free(phases);
}

static enum margay_status count(margay_phases *phases, const uint64_t *blocks,
                                size_t count, struct margay_error *error)
{
    enum margay_status status = margay_engine_feed(
        phases->engine, blocks, count, phases->distances, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (i + MARGAY_CLOCK_AHEAD < count)
            margay_hash_prefetch(&phases->clock.last,
                                 blocks[i + MARGAY_CLOCK_AHEAD]);
        status = margay_clock_reserve(&phases->clock, error);
        if (status == MARGAY_OK)
            margay_intervals_count(
                &phases->intervals, phases->distances[i],
                margay_clock_refer(&phases->clock, blocks[i]));
    }
    return status;
}

enum margay_status margay_phases_feed(margay_phases *phases,
                                      const uint64_t *blocks, size_t references,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t from = 0; from < references && status == MARGAY_OK;
         from += AT_ONCE) {
        size_t left = references - from;
        status = count(phases, blocks + from, left < AT_ONCE ? left : AT_ONCE,
                       error);
    }
    return status;
}

enum margay_status margay_phases_finish(margay_phases *phases,
                                        struct margay_error *error)
{
    margay_intervals_end(&phases->intervals);
    enum margay_status status =
        margay_cut(&phases->intervals, &phases->pieces, error);
    if (status != MARGAY_OK)
        return status;
    margay_join(&phases->intervals, &phases->pieces);
    margay_split(&phases->intervals, &phases->pieces);
    margay_find_repeats(&phases->intervals, &phases->pieces);
    return MARGAY_OK;
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
        (*points)[b - 1].cache_blocks = margay_bin_from(b);
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
