/*
 * test_sharing.c - programs that share a cache, or divide it
 *
 * Divisions are held against dynamic programming over single blocks, and mixed
 * programs against a simulation of their references by turns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/sharing.h>

#define MOST_PROGRAMS 4
#define MOST_BLOCKS   40

struct programs {
    size_t count;
    margay_histogram *histograms[MOST_PROGRAMS];
    struct margay_sharer sharers[MOST_PROGRAMS];
    uint64_t misses[MOST_PROGRAMS][MOST_BLOCKS + 1]; /* at each size */
};

static void free_programs(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        margay_histogram_free(programs->histograms[i]);
}

static void note_program(struct programs *programs, size_t i)
{
    const margay_histogram *histogram = programs->histograms[i];
    programs->sharers[i] = (struct margay_sharer){histogram, 1};
    for (uint64_t size = 0; size <= MOST_BLOCKS; size++)
        programs->misses[i][size] = misses_of(histogram, size);
}

/* Curves with cliffs, plateaus and ties. */
static void draw_programs(struct programs *programs)
{
    programs->count = 1 + below(MOST_PROGRAMS);
    for (size_t i = 0; i < programs->count; i++) {
        uint64_t steps = below(8);
        uint64_t most = 1 + below(30);
        uint64_t counts = UINT64_C(1) << below(40);
        programs->histograms[i] = new_histogram();
        margay_histogram_add(programs->histograms[i], MARGAY_INFINITE,
                             1 + below(counts), NULL);
        for (uint64_t k = 0; k < steps; k++)
            margay_histogram_add(programs->histograms[i], below(most),
                                 1 + below(counts), NULL);
        note_program(programs, i);
    }
}

/* The fewest misses of all divisions of `blocks` blocks. */
static uint64_t fewest(const struct programs *programs, uint64_t blocks,
                       bool fair)
{
    uint64_t best[MOST_BLOCKS + 1] = {0}, next[MOST_BLOCKS + 1];
    for (size_t i = 0; i < programs->count; i++) {
        const uint64_t *misses = programs->misses[i];
        uint64_t most = fair ? misses[blocks / programs->count] : UINT64_MAX;
        for (uint64_t all = 0; all <= blocks; all++) {
            next[all] = UINT64_MAX;
            for (uint64_t part = 0; part <= all; part++) {
                uint64_t before = best[all - part];
                if (before != UINT64_MAX && misses[part] <= most &&
                    before + misses[part] < next[all])
                    next[all] = before + misses[part];
            }
        }
        memcpy(best, next, sizeof best);
    }
    return best[blocks];
}

static unsigned wrong_division(const struct programs *programs,
                               const margay_sharing *sharing, uint64_t blocks,
                               bool fair)
{
    struct margay_sharer_result results[MOST_PROGRAMS];
    uint64_t used = 0, misses = 0;
    unsigned wrong = 0;
    if (margay_sharing_divided(sharing, blocks, fair, results, NULL) !=
        MARGAY_OK)
        return 1;
    for (size_t i = 0; i < programs->count; i++) {
        uint64_t part = (uint64_t)results[i].blocks;
        used += part;
        misses += results[i].misses;
        wrong +=
            part > blocks || results[i].misses != programs->misses[i][part];
        wrong += fair && results[i].misses >
                             programs->misses[i][blocks / programs->count];
    }
    return wrong + (used != blocks) +
           (misses != fewest(programs, blocks, fair));
}

static void test_divisions(void)
{
    struct programs programs;
    unsigned wrong = 0;
    uint64_t cases = rounds(10000);
    seed_chance(4);
    for (uint64_t i = 0; i < cases; i++) {
        margay_sharing *sharing;
        draw_programs(&programs);
        wrong += margay_sharing_create(programs.sharers, programs.count,
                                       &sharing, NULL) != MARGAY_OK;
        for (unsigned k = 0; k < 3; k++)
            wrong += wrong_division(&programs, sharing, below(MOST_BLOCKS),
                                    one_in(2));
        margay_sharing_free(sharing);
        free_programs(&programs);
    }
    CHECK_U64(wrong, 0, "%" PRIu64 " random divisions, three sizes each",
              cases);
}

/* ---------------------------------------------------------------- mixed -- */

#define MIXED_REFS 200000

/* Program i: some blocks, more likely ones among them, a loop, or a scan. */
static uint64_t draw_block(size_t program, uint64_t index)
{
    switch (program) {
    case 0:
        return below(1 + below(2000));
    case 1:
        return below(1000);
    case 2:
        return index % 700;
    default:
        return index;
    }
}

/* The distances of references, counted in programs[] apart. */
static void measure(const uint64_t *blocks, const uint8_t *who, size_t count,
                    margay_histogram **programs)
{
    uint64_t *distances = malloc(count * sizeof *distances);
    ask_distances("exact", blocks, count, distances);
    for (size_t i = 0; i < count; i++)
        margay_histogram_add(programs[who[i]], distances[i], 1, NULL);
    free(distances);
}

static void test_mixed(size_t count, const double *rates)
{
    static uint64_t blocks[MOST_PROGRAMS * MIXED_REFS];
    static uint8_t who[MOST_PROGRAMS * MIXED_REFS];
    static const uint64_t sizes[] = {10, 100, 500, 1000, 1500, 2200, 3000};
    uint64_t index[MOST_PROGRAMS] = {0}, own[MOST_PROGRAMS] = {0};
    margay_histogram *alone[MOST_PROGRAMS], *mixed[MOST_PROGRAMS];
    struct margay_sharer sharers[MOST_PROGRAMS];
    struct margay_sharer_result results[MOST_PROGRAMS];
    margay_sharing *sharing;
    double due[MOST_PROGRAMS] = {0}, error = 0, worst = 0;
    seed_chance(8);
    for (size_t i = 0; i < count * MIXED_REFS; i++) {
        size_t next = 0;
        for (size_t k = 1; k < count; k++)
            next = due[k] < due[next] ? k : next;
        due[next] += 1 / rates[next];
        who[i] = (uint8_t)next;
        blocks[i] = draw_block(next, index[next]++) | next << 40;
    }
    for (size_t k = 0; k < count; k++) {
        uint64_t *single = malloc(index[k] * sizeof *single);
        uint8_t *same = malloc(index[k]);
        memset(same, (int)k, index[k]);
        for (size_t i = 0; i < count * MIXED_REFS; i++) {
            if (who[i] == k)
                single[own[k]++] = blocks[i];
        }
        alone[k] = new_histogram();
        mixed[k] = new_histogram();
        measure(single, same, index[k], alone);
        sharers[k] = (struct margay_sharer){alone[k], rates[k]};
        free(single);
        free(same);
    }
    measure(blocks, who, count * MIXED_REFS, mixed);
    margay_sharing_create(sharers, count, &sharing, NULL);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        margay_sharing_shared(sharing, sizes[s], results);
        for (size_t k = 0; k < count; k++) {
            double apart = fabs((double)results[k].misses -
                                (double)misses_of(mixed[k], sizes[s])) /
                           (double)index[k];
            error += apart / (double)count / 7;
            worst = fmax(worst, apart);
        }
    }
    CHECK(error < 0.006, "%zu programs mixed: errors of %.4f, at most %.4f",
          count, error, worst);
    margay_sharing_free(sharing);
    for (size_t k = 0; k < count; k++) {
        margay_histogram_free(alone[k]);
        margay_histogram_free(mixed[k]);
    }
}

/* A program that goes through ten blocks again and again, and one that uses
   each of its blocks once: neither needs more than ten alone, but together. */
static void test_last(void)
{
    margay_histogram *loop = new_histogram(), *scan = new_histogram();
    margay_sharing *sharing;
    struct margay_sharer_result results[2];
    margay_histogram_add(loop, 9, 990, NULL);
    margay_histogram_add(loop, MARGAY_INFINITE, 10, NULL);
    margay_histogram_add(scan, MARGAY_INFINITE, 5000, NULL);
    struct margay_sharer two[2] = {{loop, 1}, {scan, 5}};
    margay_sharing_create(two, 2, &sharing, NULL);
    uint64_t last = margay_sharing_last(sharing);
    CHECK(last > 50 && last <= 61, "the last size: %llu",
          (unsigned long long)last);
    margay_sharing_shared(sharing, last, results);
    CHECK_U64(results[0].misses, 10, "there the loop stays");
    margay_sharing_shared(sharing, last - 2, results);
    CHECK(results[0].misses > 10, "and in a smaller cache it does not");
    margay_sharing_free(sharing);
    margay_histogram_free(loop);
    margay_histogram_free(scan);
}

static void test_ends(void)
{
    margay_histogram *histogram = new_histogram();
    margay_sharing *sharing;
    struct margay_sharer_result results[2];
    margay_histogram_add(histogram, 9, 100, NULL);
    struct margay_sharer two[2] = {{histogram, 1}, {histogram, 3}};
    margay_sharing_create(two, 2, &sharing, NULL);
    CHECK_U64(margay_sharing_last(sharing), 20, "the last size");
    margay_sharing_shared(sharing, 20, results);
    CHECK(results[0].misses == 0 && results[1].misses == 0,
          "a cache that holds all misses nothing");
    margay_sharing_shared(sharing, UINT64_MAX, results);
    CHECK(results[0].misses == 0 && results[1].misses == 0, "nor a larger one");
    margay_sharing_shared(sharing, 0, results);
    CHECK(results[0].misses == 100 && results[1].misses == 100,
          "one of no blocks misses all");
    margay_sharing_divided(sharing, 10, false, results, NULL);
    CHECK(results[0].misses + results[1].misses == 100, "one program fits");
    margay_sharing_free(sharing);
    struct margay_error error;
    two[0].rate = 0;
    CHECK(margay_sharing_create(two, 2, &sharing, &error) ==
              MARGAY_BAD_ARGUMENT,
          "no rate of 0: %s", error.message);
    CHECK(margay_sharing_create(two, 0, &sharing, &error) ==
              MARGAY_BAD_ARGUMENT,
          "no program: %s", error.message);
    two[0].rate = 1;
    margay_histogram_set_exceeded_bound(histogram, 10);
    CHECK(margay_sharing_create(two, 2, &sharing, &error) ==
              MARGAY_BAD_ARGUMENT,
          "no bound: %s", error.message);
    margay_histogram_clear(histogram);
    CHECK(margay_sharing_create(two, 2, &sharing, &error) ==
              MARGAY_BAD_ARGUMENT,
          "no empty one: %s", error.message);
    margay_histogram_free(histogram);
}

int main(void)
{
    test_divisions();
    test_mixed(1, (double[]){1});
    test_mixed(2, (double[]){1, 1});
    test_mixed(3, (double[]){1, 1, 1});
    test_mixed(3, (double[]){1, 2, 0.5});
    test_mixed(4, (double[]){1, 1, 1, 0.2});
    test_last();
    test_ends();
    return tap_done();
}
