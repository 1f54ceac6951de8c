/*
 * statstack.c - distances expected from reuse times
 *
 * Algorithm: of a window of D - 1 references before a reuse, the one that is
 *   j references behind its beginning is the first to its block within the
 *   window if its own reuse time is longer than j; the expected distance is
 *   the sum of those probabilities, E[d | D] = sum over 0 < j < D of P(T > j).
 *   The paper takes P from all of the trace, where a program that alternates
 *   between working sets has a mean of their reuse times that none of them has;
 *   so the trace is cut into 512 to 1024 windows, each with a P of its own
 *   (windows.h; windows=512).  windows=1 is the paper's algorithm; so is
 *   sample=RATE, where reuse times are measured for random references only.
 * Source: Eklov, Hagersten, "StatStack: efficient modeling of LRU caches",
 *   ISPASS 2010; the windows are ours.
 * Guarantee: none; good where reuse times are independent of each other.  Exact
 *   on loops and scans.
 * Cost: O(N) time; O(M) space, of a sample O(M rate).
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/engines/reuse.h"
#include "stackdist/engines/windows.h"

/* In the order of the class's parameters. */
enum parameter { SAMPLE, WINDOWS };

/* Positions in a window that stand for all at which its reuses end. */
#define POSITIONS 2

/* The most windows that a reuse may span before two become one; a power of two,
   for bars not to be cut. */
#define SPAN 16

/* Distances are gathered in bars before they are rounded. */
#define MASS_BITS 9
#define MASS_BARS MARGAY_BARS(MASS_BITS)

struct statstack {
    struct margay_windows windows;
    struct margay_reuse reuse; /* of a sample, if there is one */
    bool sampled;
    bool failed; /* in reset_counts(), which cannot say so itself */
};

static void destroy(void *state)
{
    struct statstack *statstack = state;
    margay_windows_destroy(&statstack->windows);
    margay_reuse_destroy(&statstack->reuse);
}

/* A sample is not cut into windows. */
static enum margay_status check(const struct margay_engine_setup *setup,
                                struct margay_error *error)
{
    if (setup->settings.fractions[SAMPLE] < 1 &&
        setup->settings.given & 1u << WINDOWS)
        return margay_engine_fail_parameter(&margay_engine_statstack, "windows",
                                            "...", "goes without a sample",
                                            error);
    return MARGAY_OK;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    double rate = setup->settings.fractions[SAMPLE];
    uint64_t most = rate < 1 ? 1 : setup->settings.counts[WINDOWS];
    struct statstack *statstack = state;
    statstack->sampled = rate < 1;
    /* Halved whenever they are all full. */
    enum margay_status status = margay_windows_create(
        &statstack->windows, (size_t)(most > 1 ? 2 * most : 1), error);
    if (status == MARGAY_OK && statstack->sampled)
        status = margay_reuse_create(&statstack->reuse, MARGAY_WINDOWS_BITS,
                                     rate, setup->options.seed, error);
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct statstack *statstack = state;
    if (statstack->failed)
        return margay_fail_memory(error, "a histogram of reuse times");
    if (statstack->sampled)
        return margay_reuse_feed(&statstack->reuse, blocks, count, error);
    return margay_windows_feed(&statstack->windows, blocks, count, error);
}

static void reset_counts(void *state)
{
    struct statstack *statstack = state;
    if (statstack->sampled)
        margay_reuse_reset_counts(&statstack->reuse);
    else if (margay_windows_reset_counts(&statstack->windows, NULL) !=
             MARGAY_OK)
        statstack->failed = true;
}

/* --------------------------------------------------------- the distances -- */

/* The references of a bar of distances, and the sum of their distances. */
struct mass {
    double references, distances;
};

static void add_mass(struct mass *masses, double distance, double references)
{
    struct mass *mass = &masses[margay_bar_of((uint64_t)distance, MASS_BITS)];
    mass->references += references;
    mass->distances += references * distance;
}

/* Reuses that end in window i with times of a bar. */
static void add_reuses(const struct margay_windows *windows, size_t i,
                       size_t bar, struct mass *masses)
{
    const struct margay_window *window = &windows->list[i];
    double part = (double)window->references / POSITIONS;
    double count = (double)window->counts[bar];
    double time = window->times[bar] / count;
    for (int position = 0; position < POSITIONS; position++)
        add_mass(
            masses,
            margay_windows_distance(windows, i, (position + 0.5) * part, time),
            count / POSITIONS);
}

/* Those with a time of from <= T < to. */
static void add_times(const struct margay_windows *windows, uint64_t from,
                      uint64_t to, struct mass *masses)
{
    size_t first = margay_bar_of(from, MARGAY_WINDOWS_BITS);
    size_t end = margay_bar_of(to, MARGAY_WINDOWS_BITS);
    for (size_t i = 0; i < windows->count; i++) {
        const struct margay_window *window = &windows->list[i];
        for (size_t bar = first; bar < end && bar < window->bars; bar++) {
            if (window->counts[bar] > 0)
                add_reuses(windows, i, bar, masses);
        }
    }
}

/* Reuses over many windows are computed from longer ones: shortest first. */
static enum margay_status find_masses(struct margay_windows *windows,
                                      struct mass *masses,
                                      struct margay_error *error)
{
    for (uint64_t from = 0, to; from < MARGAY_CLOCK_END; from = to) {
        enum margay_status status = margay_windows_find_reach(windows, error);
        if (status != MARGAY_OK)
            return status;
        to = windows->count <= SPAN ? MARGAY_CLOCK_END : SPAN * windows->length;
        add_times(windows, from, to, masses);
        margay_windows_join(windows);
    }
    return MARGAY_OK;
}

static enum margay_status round_masses(const struct mass *masses,
                                       uint64_t references, double total,
                                       struct margay_result *result,
                                       struct margay_error *error)
{
    struct margay_rounder rounder;
    enum margay_status status =
        margay_rounder_begin(&rounder, references, total, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < MASS_BARS && status == MARGAY_OK; i++) {
        const struct mass *mass = &masses[i];
        if (mass->references > 0)
            status = margay_rounder_add(
                &rounder, (uint64_t)(mass->distances / mass->references + 0.5),
                mass->references, error);
    }
    return margay_rounder_end(&rounder, status, &result->histogram, error);
}

/* A sample is one window, of those references that were sampled. */
static void take_sample(struct statstack *statstack)
{
    struct margay_reuse *reuse = &statstack->reuse;
    struct margay_window *window = &statstack->windows.list[0];
    margay_reuse_end(reuse);
    window->references = reuse->sampled;
    for (size_t bar = 0; bar < window->bars; bar++) {
        window->counts[bar] = reuse->counts[bar];
        window->times[bar] = reuse->sums[bar];
    }
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct statstack *statstack = state;
    struct margay_windows *windows = &statstack->windows;
    uint64_t references = statstack->reuse.references;
    result->distinct_blocks = margay_reuse_blocks(&statstack->reuse);
    if (statstack->sampled) {
        take_sample(statstack);
    } else {
        references = margay_windows_references(windows);
        result->distinct_blocks = windows->clock.last.entries;
    }
    struct mass *masses = calloc(MASS_BARS, sizeof *masses);
    if (masses == NULL)
        return margay_fail_memory(error, "the distances of reuse times");
    enum margay_status status = feed(state, NULL, 0, NULL, error);
    if (status == MARGAY_OK)
        status = find_masses(windows, masses, error);
    if (status == MARGAY_OK)
        status = round_masses(masses, references,
                              (double)margay_windows_references(windows),
                              result, error);
    free(masses);
    return status;
}

const struct margay_engine_class margay_engine_statstack = {
    .info =
        {
            .name = "statstack",
            .guarantee = "expected distances; no bound on the error",
            .parameters = "sample=1|0.000001..1,windows=512|1..4096",
            .time = "O(N)",
            .space = "O(M), of a sample O(M sample)",
            .source = "Eklov and Hagersten 2010",
        },
    .can = MARGAY_GIVES_COUNTS,
    .parameters = {[SAMPLE] = {"sample", "1|0.000001..1", MARGAY_FRACTION},
                   [WINDOWS] = {"windows", "512|1..4096", MARGAY_COUNT}},
    .check = check,
    MARGAY_ENGINE_FUNCTIONS(struct statstack),
};
