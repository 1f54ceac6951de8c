/*
 * test_phases.c - phases, against lists, sets and an LRU stack
 *
 * In every trace phases cut the trace, and everything that is said of
 * them is counted again by force.  Of traces made of known phases, they are
 * these; noise is one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/phases.h>

#define MOST_REFS   80000
#define MOST_BLOCKS 700

struct trace {
    size_t count;
    uint64_t *blocks, *distances;
};

static margay_phases *measure(const struct trace *trace, unsigned threads)
{
    margay_phases *phases;
    if (margay_phases_create(threads, &phases, NULL) != MARGAY_OK)
        return NULL;
    for (size_t from = 0, piece; from < trace->count; from += piece) {
        piece = 1 + below(trace->count - from);
        if (margay_phases_feed(phases, trace->blocks + from, piece, NULL) !=
            MARGAY_OK)
            break;
    }
    if (margay_phases_finish(phases, NULL) == MARGAY_OK)
        return phases;
    margay_phases_free(phases);
    return NULL;
}

/* -------------------------------------------------------------- by force -- */

static uint64_t count_blocks(const struct trace *trace, uint64_t from,
                             uint64_t to)
{
    bool seen[MOST_BLOCKS] = {false};
    uint64_t blocks = 0;
    for (uint64_t i = from; i < to; i++) {
        blocks += !seen[trace->blocks[i]];
        seen[trace->blocks[i]] = true;
    }
    return blocks;
}

static uint64_t count_misses(const struct trace *trace, uint64_t from,
                             uint64_t to, uint64_t cache_blocks)
{
    uint64_t misses = 0;
    for (uint64_t i = from; i < to; i++)
        misses += trace->distances[i] >= cache_blocks;
    return misses;
}

static unsigned wrong_cuts(const struct trace *trace,
                           const margay_phases *phases)
{
    uint64_t at = 0, refs = margay_phases_interval_refs(phases);
    unsigned wrong = 0;
    for (size_t i = 0; i < margay_phases_count(phases); i++) {
        struct margay_phase phase, first;
        margay_phases_at(phases, i, &phase);
        wrong += phase.from != at || phase.to <= phase.from;
        wrong += phase.to % refs != 0 && phase.to != trace->count;
        wrong += phase.repeats > i;
        margay_phases_at(phases, phase.repeats, &first);
        wrong += first.repeats != phase.repeats;
        wrong += phase.working_set_blocks !=
                 count_blocks(trace, phase.from, phase.to);
        at = phase.to;
    }
    return wrong + (at != trace->count);
}

/* The misses at a size, of all phases that repeat the same one. */
static uint64_t phase_misses(const struct trace *trace,
                             const margay_phases *phases, size_t repeats,
                             uint64_t cache_blocks, uint64_t *references)
{
    uint64_t misses = 0;
    *references = 0;
    for (size_t i = 0; i < margay_phases_count(phases); i++) {
        struct margay_phase phase;
        margay_phases_at(phases, i, &phase);
        if (phase.repeats != repeats)
            continue;
        *references += phase.to - phase.from;
        misses += count_misses(trace, phase.from, phase.to, cache_blocks);
    }
    return misses;
}

static unsigned wrong_curves(const struct trace *trace,
                             const margay_phases *phases)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < margay_phases_count(phases); i++) {
        struct margay_phase phase;
        struct margay_point *points = NULL;
        uint64_t references, expected_refs;
        size_t count;
        margay_phases_at(phases, i, &phase);
        if (margay_phases_curve(phases, i, &points, &count, &references,
                                NULL) != MARGAY_OK)
            return 1;
        for (size_t k = 0; k < count; k += 1 + count / 9) {
            wrong += points[k].misses !=
                     phase_misses(trace, phases, phase.repeats,
                                  points[k].cache_blocks, &expected_refs);
            wrong += references != expected_refs;
        }
        wrong += count == 0 || points[0].cache_blocks != 1;
        free(points);
    }
    return wrong;
}

static unsigned wrong_representatives(const struct trace *trace,
                                      const margay_phases *phases)
{
    struct margay_representatives chosen;
    struct margay_point *points;
    uint64_t refs = 0, window = margay_phases_interval_refs(phases), ignored;
    size_t sizes;
    double error = 0;
    unsigned wrong = 0;
    if (margay_phases_represent(phases, 0.2, 0.01, &chosen, NULL) !=
            MARGAY_OK ||
        margay_phases_curve(phases, 0, &points, &sizes, &ignored, NULL) !=
            MARGAY_OK)
        return 1;
    for (size_t k = 0; k < sizes; k++) {
        uint64_t size = points[k].cache_blocks;
        double mixture = 0;
        for (size_t i = 0; i < chosen.count; i++) {
            const struct margay_representative *one = &chosen.intervals[i];
            mixture += (double)count_misses(trace, one->from, one->to, size) /
                       (double)(one->to - one->from) * (double)one->refs;
        }
        error +=
            fabs(mixture - (double)count_misses(trace, 0, trace->count, size)) /
            (double)trace->count / (double)sizes;
    }
    for (size_t i = 0; i < chosen.count; i++) {
        const struct margay_representative *one = &chosen.intervals[i];
        struct margay_phase phase;
        margay_phases_at(phases, one->phase, &phase);
        refs += one->refs;
        wrong += one->from < phase.from || one->to > phase.to ||
                 one->from % window != 0 || one->refs < one->to - one->from ||
                 (i > 0 && one->from < chosen.intervals[i - 1].to);
    }
    wrong += refs != trace->count || fabs(error - chosen.error) > 1e-9;
    wrong += chosen.count > 1 &&
             (double)(chosen.count * window) > 0.2 * (double)trace->count;
    margay_representatives_clear(&chosen);
    free(points);
    return wrong;
}

static bool are_same(const margay_phases *first, const margay_phases *second)
{
    bool same = margay_phases_count(first) == margay_phases_count(second);
    for (size_t i = 0; same && i < margay_phases_count(first); i++) {
        struct margay_phase a, b;
        margay_phases_at(first, i, &a);
        margay_phases_at(second, i, &b);
        same = a.from == b.from && a.to == b.to && a.repeats == b.repeats &&
               a.working_set_blocks == b.working_set_blocks;
    }
    return same;
}

/* --------------------------------------------------------- random traces -- */

/* Appends a stretch of a kind: a loop, random references, a scan that turns or
   another look at what was there. */
static void append(struct trace *trace, size_t refs, size_t blocks)
{
    uint64_t kind = below(3);
    uint64_t length = 1 + below(blocks);
    uint64_t first = below(blocks - length + 1);
    for (size_t i = 0; i < refs; i++) {
        uint64_t at = kind == 0   ? i % length
                      : kind == 1 ? below(length)
                                  : (i / 4) % length;
        trace->blocks[trace->count++] = first + at;
    }
}

static void make_trace(struct trace *trace, size_t most_refs, size_t blocks)
{
    trace->count = 0;
    for (uint64_t left = 1 + below(8); left > 0; left--)
        append(trace, 1 + below(most_refs / 8), blocks);
    ask_distances("naive", trace->blocks, trace->count, trace->distances);
}

static void test_random(struct trace *trace, uint64_t cases, size_t most_refs,
                        size_t blocks)
{
    unsigned cuts = 0, curves = 0, representatives = 0, different = 0;
    uint64_t phases_in_all = 0;
    seed_chance(most_refs);
    for (uint64_t i = 0; i < cases; i++) {
        make_trace(trace, most_refs, blocks);
        margay_phases *phases = measure(trace, 1);
        if (phases == NULL) {
            different++;
            continue;
        }
        cuts += wrong_cuts(trace, phases);
        curves += wrong_curves(trace, phases);
        representatives += wrong_representatives(trace, phases);
        phases_in_all += margay_phases_count(phases);
        if (i % 16 == 0) {
            margay_phases *again = measure(trace, 2);
            different += again == NULL || !are_same(phases, again);
            margay_phases_free(again);
        }
        margay_phases_free(phases);
    }
    CHECK_U64(cuts, 0, "%" PRIu64 " traces up to %zu references: cuts", cases,
              most_refs);
    CHECK_U64(curves, 0, "their curves");
    CHECK_U64(representatives, 0, "their representatives");
    CHECK_U64(different, 0, "pieces and threads make no difference");
    CHECK(phases_in_all > cases + cases / 4, "some have several phases");
}

/* ---------------------------------------------------------- known phases -- */

struct known {
    uint64_t first, blocks; /* in use */
    size_t refs;
    bool shuffled;  /* random references, not a loop */
    size_t repeats; /* which of the list */
    size_t one_in;  /* the others are to one block */
};

static void make_known(struct trace *trace, const struct known *known,
                       size_t count)
{
    trace->count = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < known[i].refs; k++) {
            size_t turn = k / known[i].one_in;
            trace->blocks[trace->count++] =
                k % known[i].one_in != 0 ? MOST_BLOCKS - 1
                : known[i].shuffled ? known[i].first + below(known[i].blocks)
                                    : known[i].first + turn % known[i].blocks;
        }
    }
}

/* Are the phases those that are known, begun within two intervals of the true
   place? */
static bool are_known(const margay_phases *phases, const struct known *known,
                      size_t count)
{
    uint64_t at = 0, refs = 2 * margay_phases_interval_refs(phases);
    if (margay_phases_count(phases) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct margay_phase phase;
        margay_phases_at(phases, i, &phase);
        if (phase.from + refs < at || phase.from > at + refs ||
            phase.repeats != known[i].repeats)
            return false;
        at += known[i].refs;
    }
    return true;
}

static void test_known(struct trace *trace, const char *what,
                       const struct known *known, size_t count)
{
    seed_chance(count);
    make_known(trace, known, count);
    margay_phases *phases = measure(trace, 1);
    CHECK(phases != NULL && are_known(phases, known, count), "%s", what);
    margay_phases_free(phases);
}

static void test_known_phases(struct trace *trace)
{
    static const struct known turns[] = {
        {0, 50, 9000, false, 0, 1},  {50, 600, 14000, false, 1, 1},
        {0, 50, 8000, false, 0, 1},  {50, 600, 13000, false, 1, 1},
        {0, 50, 10000, false, 0, 1}, {50, 600, 12000, false, 1, 1},
    };
    static const struct known shuffled[] = {
        {0, 30, 20000, true, 0, 1},
        {100, 500, 30000, true, 1, 1},
        {0, 30, 20000, true, 0, 1},
    };
    static const struct known moved[] = {
        {0, 200, 20000, false, 0, 1},
        {300, 200, 20000, false, 0, 1},
        {500, 200, 20000, false, 0, 1},
    };
    static const struct known three[] = {
        {0, 20, 600, false, 0, 1},
        {100, 400, 4000, false, 1, 1},
        {0, 400, 3000, true, 2, 1},
        {0, 20, 900, false, 0, 1},
    };
    /* A 32nd and a 14th of the references miss small caches. */
    static const struct known rare[] = {
        {0, 100, 24000, false, 0, 32},
        {100, 400, 32000, false, 1, 14},
        {0, 100, 16000, false, 0, 32},
    };
    test_known(trace, "A B A B A B of loops", turns, 6);
    test_known(trace, "A B A that miss little", rare, 3);
    test_known(trace, "A B A of random references", shuffled, 3);
    test_known(trace, "one loop, over other blocks", moved, 3);
    test_known(trace, "three phases, and the first again", three, 4);
}

/* Random references, skewed or not, are one phase, and so is a scan. */
static void test_noise(struct trace *trace)
{
    unsigned wrong = 0;
    seed_chance(9);
    for (unsigned i = 0; i < 40; i++) {
        uint64_t blocks = 1 + below(MOST_BLOCKS);
        trace->count = 200 + below(30000);
        for (size_t k = 0; k < trace->count; k++) {
            uint64_t at = below(blocks);
            trace->blocks[k] = i % 2 == 0 ? at : below(at + 1);
        }
        margay_phases *phases = measure(trace, 1);
        wrong += phases == NULL || margay_phases_count(phases) != 1;
        margay_phases_free(phases);
    }
    CHECK_U64(wrong, 0, "noise is one phase");
    for (size_t k = 0; k < trace->count; k++)
        trace->blocks[k] = k / 3;
    margay_phases *phases = measure(trace, 1);
    CHECK(phases != NULL && margay_phases_count(phases) == 1,
          "a scan is one phase");
    margay_phases_free(phases);
}

/* Loops of any size, far shorter than a phase, in no order. */
static void test_bursts(struct trace *trace)
{
    unsigned wrong = 0;
    seed_chance(11);
    for (unsigned i = 0; i < 20; i++) {
        trace->count = 0;
        while (trace->count < 60000) {
            uint64_t length = 1 + below(60);
            uint64_t first = below(300);
            for (unsigned k = 0; k < 50; k++)
                trace->blocks[trace->count++] = first + k % length;
        }
        margay_phases *phases = measure(trace, 1);
        wrong += phases == NULL || margay_phases_count(phases) != 1;
        margay_phases_free(phases);
    }
    CHECK_U64(wrong, 0, "loud noise is one phase, too");
}

static void test_nothing(void)
{
    struct margay_representatives chosen;
    margay_phases *phases;
    CHECK(margay_phases_create(1, &phases, NULL) == MARGAY_OK &&
              margay_phases_finish(phases, NULL) == MARGAY_OK &&
              margay_phases_count(phases) == 0,
          "no reference, no phase");
    CHECK(margay_phases_represent(phases, 0.05, 0.01, &chosen, NULL) ==
                  MARGAY_OK &&
              chosen.count == 0,
          "and nothing to stand for");
    margay_representatives_clear(&chosen);
    margay_phases_free(phases);
    margay_phases_free(NULL);
}

int main(void)
{
    struct trace trace = {
        .blocks = calloc(MOST_REFS, sizeof(uint64_t)),
        .distances = calloc(MOST_REFS, sizeof(uint64_t)),
    };
    if (trace.blocks == NULL || trace.distances == NULL)
        return 1;
    test_random(&trace, rounds(1500), 800, 60);
    test_random(&trace, rounds(10), MOST_REFS, MOST_BLOCKS);
    test_known_phases(&trace);
    test_noise(&trace);
    test_bursts(&trace);
    test_nothing();
    free(trace.blocks);
    free(trace.distances);
    return tap_done();
}
