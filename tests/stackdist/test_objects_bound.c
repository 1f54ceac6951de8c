/*
 * test_objects_bound.c - objects of which those are forgotten that no cache
 * up to a bound holds
 *
 * Against a cache of each size up to the bound, and against the engine that
 * forgets nothing.  Time is moved on so that sweeps come at any moment.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/objects/objects.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/naive_objects.h"
#include "tests/tap.h"

#define BOUND_OBJECTS 48
#define MOST_BOUND    160

static const struct margay_sizes every_size = {.kind = MARGAY_SIZES_ALL};

/* ---------------------------------------------------------------- traces -- */

static uint64_t draw_size(unsigned kind)
{
    switch (kind) {
    case 0:
        return below(12);
    case 1:
        return 16 + below(16);
    case 2:
        return below(UINT64_C(1) << below(9));
    case 3:
        return UINT64_C(1) << below(9);
    default:
        return 7;
    }
}

/* Sizes that change, and ages, where `changes`. */
static void make_trace(struct trace *trace, bool changes)
{
    unsigned kind = (unsigned)below(5);
    uint64_t objects = 1 + below(BOUND_OBJECTS);
    uint64_t sizes[BOUND_OBJECTS], time = 0;
    bool removes = one_in(2);
    trace->count = (size_t)below(MOST_REFS);
    trace->ages = changes && one_in(2);
    trace->operates = true;
    trace->ttl_seconds = UINT64_MAX;
    for (size_t i = 0; i < objects; i++)
        sizes[i] = draw_size(kind);
    for (size_t i = 0; i < trace->count; i++) {
        uint64_t most = 1 + below(objects);
        uint64_t name = below(most);
        bool other = changes && one_in(4);
        uint64_t op = below(8);
        trace->names[i] = name;
        trace->sizes[i] = other ? draw_size(kind) : sizes[name];
        trace->times[i] = time += below(3);
        trace->ttls[i] = below(60);
        trace->ops[i] = (uint8_t)(op == 0 && removes ? MARGAY_DELETE
                                  : op < 3           ? MARGAY_SET
                                                     : MARGAY_GET);
    }
}

/* The next request begins a new time. */
static void end_time(margay_objects *objects)
{
    struct margay_weights *weights = &objects->weights;
    while (weights->capacity - weights->next > 2 * MARGAY_OBJECTS_BATCH)
        margay_weights_skip(weights);
}

static margay_objects *analyse(const struct trace *trace,
                               const struct margay_sizes *sizes, uint64_t bound,
                               uint64_t *distances)
{
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    margay_objects *objects;
    options.curve = sizes;
    options.distances = true;
    options.ages = trace->ages;
    options.bound_bytes = bound;
    if (margay_objects_create(&options, &objects, NULL) != MARGAY_OK)
        abort();
    for (size_t done = 0, some; done < trace->count; done += some) {
        some = 1 + (size_t)below(40);
        if (some > trace->count - done)
            some = trace->count - done;
        const struct margay_requests requests = {
            some,
            trace->names + done,
            trace->sizes + done,
            trace->times + done,
            trace->ttls + done,
            trace->ops + done,
        };
        if (margay_objects_feed(objects, &requests, distances + done, NULL) !=
            MARGAY_OK)
            abort();
        if (one_in(2))
            end_time(objects);
    }
    return objects;
}

/* ---------------------------------------------- a cache of each size --- */

static struct naive_objects caches[MOST_BOUND + 1];

/* How many of the caches differ, or are not in the bracket where changes of
   sizes leave those in doubt that are smaller than the largest object. */
static size_t differences(const struct trace *trace,
                          const margay_objects *objects, uint64_t bound)
{
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    struct margay_objects_point *points;
    size_t count, differ = 0, next = 0;
    uint64_t misses = counts.references, bytes_missed = counts.reference_bytes;
    uint64_t largest = largest_size(trace);
    if (margay_objects_curve(objects, NULL, &points, &count, NULL) != MARGAY_OK)
        return 1;
    for (uint64_t bytes = 1; bytes <= bound; bytes++) {
        while (next < count && points[next].cache_bytes <= bytes) {
            misses = points[next].misses;
            bytes_missed = points[next++].missed_bytes;
        }
        bool doubtful = counts.doubtful > 0 && bytes < largest;
        if (counts.merged > 0 || (doubtful && trace->ages))
            continue;
        differ += doubtful ? caches[bytes].misses < misses ||
                                 caches[bytes].misses > misses + counts.doubtful
                           : caches[bytes].misses != misses ||
                                 caches[bytes].missed_bytes != bytes_missed;
    }
    differ += counts.exceeded_bound != 0 && next < count;
    free(points);
    return differ;
}

static void test_each_size(void)
{
    uint64_t all = rounds(3000), compared = 0;
    size_t differ = 0, exceeded = 0;
    seed_chance(31);
    for (uint64_t round = 0; round < all; round++) {
        struct trace trace;
        uint64_t distances[MOST_REFS];
        uint64_t bound = 1 + below(MOST_BOUND);
        make_trace(&trace, true);
        margay_objects *objects =
            analyse(&trace, &every_size, bound, distances);
        for (uint64_t bytes = 1; bytes <= bound; bytes++)
            simulate(&caches[bytes], &trace, bytes, 0);
        differ += differences(&trace, objects, bound);
        exceeded += objects->bound.exceeded;
        compared += bound;
        margay_objects_free(objects);
    }
    CHECK_U64(differ, 0, "of %llu caches up to bounds none differs",
              (unsigned long long)compared);
    CHECK(exceeded > all / 2, "in most traces something is forgotten");
}

/* ---------------------------------------- an engine that forgets nothing -- */

/* What the engine without a bound says, cut at the bound. */
static size_t unlike(const struct trace *trace, uint64_t bound,
                     const struct margay_sizes *sizes)
{
    uint64_t distances[MOST_REFS], bounded[MOST_REFS];
    struct margay_objects_point *points, *cut;
    size_t count, cut_count, differ = 0, k = 0;
    margay_objects *all = analyse(trace, sizes, 0, distances);
    margay_objects *objects = analyse(trace, sizes, bound, bounded);
    for (size_t i = 0; i < trace->count; i++)
        differ += bounded[i] !=
                  (distances[i] > bound ? MARGAY_INFINITE : distances[i]);
    if (margay_objects_curve(all, NULL, &points, &count, NULL) != MARGAY_OK ||
        margay_objects_curve(objects, NULL, &cut, &cut_count, NULL) !=
            MARGAY_OK)
        abort();
    for (size_t i = 0; i < count && points[i].cache_bytes <= bound; i++) {
        if (k < cut_count && cut[k].cache_bytes == points[i].cache_bytes)
            differ += cut[k].misses != points[i].misses ||
                      cut[k++].missed_bytes != points[i].missed_bytes;
        else
            differ++;
    }
    margay_histogram *histogram;
    if (margay_objects_histogram(objects, &histogram, NULL) != MARGAY_OK)
        abort();
    differ += margay_histogram_references(histogram) !=
              margay_objects_counted(all).references;
    differ += margay_histogram_exceeded_bound(histogram) !=
              (all->weights.total > bound ? bound + 1 : 0);
    margay_histogram_free(histogram);
    free(points);
    free(cut);
    margay_objects_free(all);
    margay_objects_free(objects);
    return differ;
}

static void test_unbounded(void)
{
    static const struct margay_sizes grids[] = {
        {.kind = MARGAY_SIZES_ALL},
        {.kind = MARGAY_SIZES_POW2},
        {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 3}};
    uint64_t all = rounds(3000);
    size_t differ = 0;
    seed_chance(32);
    for (uint64_t round = 0; round < all; round++) {
        struct trace trace;
        uint64_t bound = UINT64_C(1) << below(12);
        bound += below(bound);
        make_trace(&trace, false);
        differ += unlike(&trace, bound, &grids[round % 3]) > 0;
    }
    CHECK_U64(differ, 0, "%llu traces are cut at their bounds",
              (unsigned long long)all);
}

/* ------------------------------------------------------------ long traces --
 */

#define LONG_REFS    400000
#define LONG_OBJECTS 100000
#define LONG_BOUND   (UINT64_C(1) << 22)

static margay_objects *analyse_long(const struct margay_sizes *sizes,
                                    uint64_t bound, uint64_t most_entries,
                                    bool *small)
{
    static uint64_t names[1000], bytes[1000];
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    margay_objects *objects;
    options.curve = sizes;
    options.bound_bytes = bound;
    seed_chance(33);
    if (margay_objects_create(&options, &objects, NULL) != MARGAY_OK)
        abort();
    for (size_t done = 0; done < LONG_REFS; done += 1000) {
        for (size_t i = 0; i < 1000; i++) {
            uint64_t most = 1 + below(LONG_OBJECTS);
            names[i] = below(most);
            bytes[i] =
                (names[i] * 2654435761u >> 7) % (UINT64_C(64) << names[i] % 11);
        }
        const struct margay_requests requests = {
            .count = 1000, .objects = names, .sizes = bytes};
        if (margay_objects_feed(objects, &requests, NULL, NULL) != MARGAY_OK)
            abort();
        *small = *small && objects->hash.entries <= most_entries;
    }
    return objects;
}

static void test_long(void)
{
    const struct margay_sizes sizes = {.kind = MARGAY_SIZES_OCTAVE,
                                       .per_octave = 4};
    bool small = true;
    size_t count, cut_count, same = 0;
    struct margay_objects_point *points, *cut;
    margay_objects *all = analyse_long(&sizes, 0, UINT64_MAX, &small);
    margay_objects *objects = analyse_long(&sizes, LONG_BOUND, 20000, &small);
    if (margay_objects_curve(all, NULL, &points, &count, NULL) != MARGAY_OK ||
        margay_objects_curve(objects, NULL, &cut, &cut_count, NULL) !=
            MARGAY_OK)
        abort();
    while (same < cut_count && same < count &&
           points[same].cache_bytes == cut[same].cache_bytes &&
           points[same].misses == cut[same].misses &&
           points[same].missed_bytes == cut[same].missed_bytes)
        same++;
    CHECK_U64(same, cut_count, "a long trace is cut at its bound");
    CHECK_U64(cut[cut_count - 1].cache_bytes, LONG_BOUND, "where it ends");
    CHECK(small, "most objects are forgotten");
    free(points);
    free(cut);
    margay_objects_free(all);
    margay_objects_free(objects);
}

static void test_refusals(void)
{
    static const uint64_t list[] = {4, 100};
    const struct margay_sizes sizes = {MARGAY_SIZES_LIST, 0, list, 2};
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    struct margay_objects_point *points;
    margay_objects *objects;
    struct margay_error error;
    size_t count;
    const uint64_t names[] = {1, 2}, bytes[] = {10, 50};
    const struct margay_requests requests = {
        .count = 2, .objects = names, .sizes = bytes};
    options.curve = &sizes;
    options.bound_bytes = 50;
    CHECK(margay_objects_create(&options, &objects, NULL) == MARGAY_OK &&
              margay_objects_feed(objects, &requests, NULL, NULL) == MARGAY_OK,
          "an engine with a bound");
    CHECK(margay_objects_curve(objects, NULL, &points, &count, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              strstr(error.message, "100 bytes is above the bound of 50") !=
                  NULL,
          "a size above an exceeded bound is refused");
    margay_objects_free(objects);
    options.rate = 0.5;
    CHECK(margay_objects_create(&options, &objects, &error) ==
              MARGAY_BAD_ARGUMENT,
          "a sample has no bound");
}

int main(void)
{
    test_each_size();
    test_unbounded();
    test_long();
    test_refusals();
    return tap_done();
}
