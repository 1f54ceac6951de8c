/*
 * test_hp_rda.c - hp-rda against its rules, applied one reference at a time
 *
 * What chunks and thread blocks add up is counted here by going through all
 * references of a trace for each, so traces are short.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 1500
#define CHUNK_REFS    64
#define NONE          SIZE_MAX

enum adjust { TIMES, ON, OFF };
static const char *const adjusts[] = {"times", "on", "off"};

/* A trace without its repeats, in chunks and thread blocks. */
static struct trace {
    uint64_t blocks[LONGEST_TRACE], exact[LONGEST_TRACE];
    size_t count, repeats, block_refs;
    size_t previous[LONGEST_TRACE]; /* of the same block, or NONE */
    size_t distinct;
} trace;

static void lay_out(const uint64_t *blocks, size_t count, size_t block_refs)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || blocks[i] != blocks[i - 1])
            trace.blocks[n++] = blocks[i];
    }
    trace.count = n;
    trace.repeats = count - n;
    trace.block_refs = block_refs;
    trace.distinct = ask_distances("naive", trace.blocks, n, trace.exact);
    for (size_t i = 0; i < n; i++) {
        size_t p = i;
        while (p > 0 && trace.blocks[p - 1] != trace.blocks[i])
            p--;
        trace.previous[i] = p - 1;
    }
}

/* Distinct blocks in [from, to). */
static uint64_t distinct_in(size_t from, size_t to)
{
    uint64_t distinct = 0;
    for (size_t i = from; i < to; i++)
        distinct += trace.previous[i] == NONE || trace.previous[i] < from;
    return distinct;
}

static size_t end_of(size_t unit_end)
{
    return unit_end < trace.count ? unit_end : trace.count;
}

/* The same, chunk by chunk, added up. */
static uint64_t sum_in(size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t end; from < to; from = end) {
        end = (from / CHUNK_REFS + 1) * CHUNK_REFS;
        sum += distinct_in(from, end < to ? end : to);
    }
    return sum;
}

static uint64_t by_factor(enum adjust adjust, uint64_t distance,
                          uint64_t distinct, uint64_t sum)
{
    if (adjust != ON || distance <= distinct)
        return distance;
    return (uint64_t)((double)distance * ((double)distinct / (double)sum));
}

/* Across chunks of the thread block in [from, to). */
static bool is_across(size_t i, size_t from)
{
    size_t p = trace.previous[i];
    return p != NONE && p >= from && p / CHUNK_REFS != i / CHUNK_REFS;
}

/* Of the sum of all chunks' distinct, the part not reused within each time up
   to this one. */
static uint64_t by_times(uint64_t distance, size_t from, size_t to,
                         uint64_t distinct, uint64_t sum)
{
    uint64_t unused = distance * sum;
    for (size_t i = from; i < to; i++) {
        if (!is_across(i, from))
            continue;
        uint64_t other = sum_in(trace.previous[i] + 1, i);
        unused -= other + 1 < distance ? distance - other - 1 : 0;
    }
    uint64_t expected = (unused + sum / 2) / sum;
    return expected < distinct ? expected : distinct - 1;
}

/* From thread block to thread block by the paper: its first and its latest
   are corrected by their own blocks' factors, then the sum by all blocks'. */
static uint64_t from_block_to_block(enum adjust adjust, size_t p, size_t i)
{
    size_t unit = trace.block_refs, all = 0;
    size_t end = (p / unit + 1) * unit, begin = i / unit * unit;
    size_t block_end = end_of(begin + unit);
    uint64_t distance =
        by_factor(adjust, sum_in(p + 1, end), distinct_in(end - unit, end),
                  sum_in(end - unit, end)) +
        by_factor(adjust, sum_in(begin, i), distinct_in(begin, block_end),
                  sum_in(begin, block_end));
    for (size_t from = 0; from < trace.count; from += unit) {
        uint64_t distinct = distinct_in(from, end_of(from + unit));
        all += distinct;
        distance += from >= end && from < begin ? distinct : 0;
    }
    return by_factor(adjust, distance, trace.distinct, all);
}

static uint64_t distance_of(enum adjust adjust, size_t i)
{
    size_t p = trace.previous[i],
           from = i / trace.block_refs * trace.block_refs;
    size_t to = end_of(from + trace.block_refs);
    if (p == NONE || p / CHUNK_REFS == i / CHUNK_REFS)
        return trace.exact[i];
    if (p < from)
        return adjust == TIMES ? trace.exact[i]
                               : from_block_to_block(adjust, p, i);
    uint64_t sum = sum_in(p + 1, i);
    if (adjust == TIMES)
        return by_times(sum, from, to, distinct_in(from, to), sum_in(from, to));
    return by_factor(adjust, sum, distinct_in(from, to), sum_in(from, to));
}

static bool is_right(enum adjust adjust, const uint64_t *blocks, size_t count)
{
    char spec[80];
    struct margay_result wanted = {.distinct_blocks = trace.distinct};
    snprintf(spec, sizeof spec, "hp-rda:st=%d,nb=%zu,adjust=%s", CHUNK_REFS,
             trace.block_refs / CHUNK_REFS, adjusts[adjust]);
    struct margay_result got = ask(spec, blocks, count, NULL);
    if (margay_histogram_create(&wanted.histogram, NULL) != MARGAY_OK ||
        margay_histogram_add(wanted.histogram, 0, trace.repeats, NULL) !=
            MARGAY_OK)
        abort();
    for (size_t i = 0; i < trace.count; i++) {
        if (margay_histogram_add(wanted.histogram, distance_of(adjust, i), 1,
                                 NULL) != MARGAY_OK)
            abort();
    }
    wanted.references = margay_histogram_references(wanted.histogram);
    wanted.infinite = margay_histogram_infinite(wanted.histogram);
    bool same = same_results(&wanted, &got);
    margay_histogram_free(wanted.histogram);
    margay_result_clear(&got);
    return same;
}

static void test_rules(void)
{
    static uint64_t blocks[LONGEST_TRACE];
    uint64_t number = rounds(60), failures[3] = {0};
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)below(LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + below(count / 3 + 3));
        lay_out(blocks, count, CHUNK_REFS * (1 + (size_t)below(8)));
        for (enum adjust adjust = TIMES; adjust <= OFF; adjust++)
            failures[adjust] += !is_right(adjust, blocks, count);
    }
    for (enum adjust adjust = TIMES; adjust <= OFF; adjust++)
        CHECK_U64(failures[adjust], 0, "%" PRIu64 " traces: adjust=%s", number,
                  adjusts[adjust]);
}

int main(void)
{
    seed_chance(2012);
    test_rules();
    return tap_done();
}
