/*
 * test_repeats.c - repeats that are counted, not fed
 *
 * An engine that takes them gives what it gives when every one is fed, however
 * many there are.  Exact engines all do.
 */
#include <margay/stackdist.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"

#define MOST_REFS 400

static const char *const specs[] = {
    "exact",
    "naive",
    "olken",
    "bennett-kruskal",
    "holes",
    "bounded",
    "parda",
    "parda:merge=plain",
    "markers:at=1+5+16",
};
#define SPECS (sizeof specs / sizeof *specs)

/* Some blocks, with up to three repeats each. */
struct trace {
    uint64_t whole[4 * MOST_REFS], condensed[MOST_REFS];
    size_t whole_count, count;
};

static void make_trace(struct trace *trace)
{
    uint64_t distinct = 1 + below(40);
    trace->count = (size_t)below(MOST_REFS);
    trace->whole_count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        uint64_t block = below(distinct);
        uint64_t times = 1 + below(4);
        trace->condensed[i] = block;
        while (times-- > 0)
            trace->whole[trace->whole_count++] = block;
    }
}

static struct margay_result run(const char *spec, uint64_t bound,
                                const uint64_t *blocks, size_t count,
                                uint64_t repeats)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    options.threads = 2;
    options.bound_blocks = bound;
    if (margay_engine_create(spec, &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, count, NULL, NULL) != MARGAY_OK)
        abort();
    margay_engine_add_repeats(engine, repeats);
    if (margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        abort();
    margay_engine_free(engine);
    return result;
}

static bool same_points(const struct margay_result *a,
                        const struct margay_result *b)
{
    if (a->point_count != b->point_count || a->references != b->references)
        return false;
    for (size_t i = 0; i < a->point_count; i++) {
        if (a->points[i].misses != b->points[i].misses)
            return false;
    }
    return true;
}

static bool try_once(const char *spec)
{
    static struct trace trace;
    make_trace(&trace);
    bool bounded = strncmp(spec, "bounded", 7) == 0;
    uint64_t bound = bounded ? 1 + below(40) : 0;
    struct margay_result whole =
        run(spec, bound, trace.whole, trace.whole_count, 0);
    struct margay_result condensed =
        run(spec, bound, trace.condensed, trace.count,
            trace.whole_count - trace.count);
    bool same = whole.histogram == NULL ? same_points(&whole, &condensed)
                                        : same_results(&whole, &condensed);
    margay_result_clear(&whole);
    margay_result_clear(&condensed);
    return same;
}

static bool takes_repeats(const char *spec)
{
    struct margay_engine_abilities abilities;
    return margay_engine_abilities(spec, MARGAY_REUSE_DISTANCES, &abilities,
                                   NULL) == MARGAY_OK &&
           abilities.can & MARGAY_CAN_COUNT_REPEATS;
}

int main(void)
{
    uint64_t number = rounds(60);
    seed_chance(16);
    for (size_t i = 0; i < SPECS; i++) {
        uint64_t right = 0;
        for (uint64_t round = 0; round < number; round++)
            right += try_once(specs[i]);
        CHECK(takes_repeats(specs[i]), "%s takes repeats", specs[i]);
        CHECK_U64(right, number, "%s: as if each were fed", specs[i]);
    }
    return tap_done();
}
