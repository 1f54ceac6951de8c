/*
 * test_objects.c - objects with sizes, against plain LRU caches
 *
 * Random traces, and at each size of a grid a cache that is simulated by
 * itself.  No size differs, those below the largest object included, unless
 * sizes change: then these are in the bracket that the engine names.
 *
 * Where the engine has a bound, it forgets objects that no cache up to that
 * holds.  Time is moved on so that it is renumbered, and sweeps come, at any
 * moment.
 */
#include <math.h>
#include <stdlib.h>

#include "stackdist/objects/objects.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/objects.h>

/* ---------------------------- a plain LRU cache with a size in bytes -- */

#define NAIVE_MOST 512 /* objects, the deleted ones included */

struct naive_objects {
    uint64_t capacity_bytes, used_bytes;
    struct naive_object {
        uint64_t name, size;
        uint64_t expiry; /* the last second at which it is valid */
        bool gone;       /* deleted, and not yet evicted */
    } list[NAIVE_MOST];  /* what is cached, the most recent first */
    size_t count;
    uint64_t misses, missed_bytes;
};

static void naive_objects_remove(struct naive_objects *cache, size_t at)
{
    struct naive_object *object = &cache->list[at];
    cache->used_bytes -= object->size;
    memmove(object, object + 1, (--cache->count - at) * sizeof *object);
}

static size_t naive_objects_find(const struct naive_objects *cache,
                                 uint64_t name)
{
    size_t at = 0;
    while (at < cache->count &&
           (cache->list[at].gone || cache->list[at].name != name))
        at++;
    return at;
}

/* A request at `time` of an object that has this size from now on.  Stored
   objects are valid up to `expiry`; a request that `sets` stores, too. */
static void naive_objects_ask(struct naive_objects *cache, uint64_t name,
                              uint64_t size, uint64_t time, uint64_t expiry,
                              bool sets)
{
    size_t at = naive_objects_find(cache, name);
    bool hits = at < cache->count && time <= cache->list[at].expiry;
    if (!hits) {
        cache->misses++;
        cache->missed_bytes += size;
    }
    if (hits && !sets)
        expiry = cache->list[at].expiry;
    if (at < cache->count)
        naive_objects_remove(cache, at);
    if (size > cache->capacity_bytes)
        return;
    while (size > cache->capacity_bytes - cache->used_bytes)
        naive_objects_remove(cache, cache->count - 1);
    memmove(cache->list + 1, cache->list, cache->count * sizeof *cache->list);
    cache->list[0] = (struct naive_object){name, size, expiry, false};
    cache->used_bytes += size;
    cache->count++;
}

static void naive_objects_delete(struct naive_objects *cache, uint64_t name)
{
    size_t at = naive_objects_find(cache, name);
    if (at < cache->count)
        cache->list[at].gone = true;
}

/* -------------------------------------------------------------- traces -- */

#define MOST_REFS    300
#define MOST_OBJECTS 64
#define MOST_BOUND   160 /* up to which all sizes are compared */

struct trace {
    size_t count, objects;
    uint64_t names[MOST_REFS], sizes[MOST_REFS], times[MOST_REFS];
    uint64_t ttls[MOST_REFS];
    uint8_t ops[MOST_REFS];
    uint64_t resized, shrunk; /* requests with another size than before */
    bool ages, operates;
    uint64_t ttl_seconds;
    uint64_t half_life_refs; /* 0 = counts do not fade */
};

static bool deletes(const struct trace *trace, size_t i)
{
    return trace->operates && trace->ops[i] == MARGAY_DELETE;
}

/* One request; true: it missed. */
static bool ask(struct naive_objects *cache, const struct trace *trace,
                size_t i)
{
    uint64_t ttl =
        trace->ttl_seconds != UINT64_MAX ? trace->ttl_seconds : trace->ttls[i];
    uint64_t expiry =
        trace->ages ? trace->times[i] + ttl * 1000000 : UINT64_MAX;
    uint64_t misses = cache->misses;
    if (deletes(trace, i))
        naive_objects_delete(cache, trace->names[i]);
    else
        naive_objects_ask(cache, trace->names[i], trace->sizes[i],
                          trace->times[i], expiry,
                          trace->operates && trace->ops[i] == MARGAY_SET);
    return cache->misses > misses;
}

static void simulate(struct naive_objects *cache, const struct trace *trace,
                     uint64_t bytes, size_t from)
{
    cache->capacity_bytes = bytes;
    cache->used_bytes = cache->misses = cache->missed_bytes = 0;
    cache->count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        if (i == from)
            cache->misses = cache->missed_bytes = 0;
        ask(cache, trace, i);
    }
}

static uint64_t largest_size(const struct trace *trace)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < trace->count; i++)
        largest = trace->sizes[i] > largest ? trace->sizes[i] : largest;
    return largest;
}

enum distribution {
    SMALL,
    SAME_CLASS,
    FEW_OCTAVES,
    OCTAVES,
    ENDS,
    TIES,
    DISTRIBUTIONS
};

static uint64_t draw_size(enum distribution distribution)
{
    static const uint64_t ends[] = {0,
                                    1,
                                    2,
                                    3,
                                    UINT64_C(1) << 40,
                                    (UINT64_C(1) << 32) - 1,
                                    UINT64_C(1) << 32};
    switch (distribution) {
    case SMALL:
        return below(12);
    case SAME_CLASS:
        return 64 + below(64);
    case FEW_OCTAVES:
        return below(UINT64_C(1) << below(9));
    case OCTAVES:
        return below(UINT64_C(1) << below(24));
    case ENDS:
        return ends[below(7)];
    default:
        return UINT64_C(1) << below(6);
    }
}

/* Sizes stay, or become larger or different now and then, for one request, or
   always. */
enum changes { FIXED, RARELY, BRIEFLY, OFTEN, GROWS, CHANGES };

static uint64_t change_size(enum changes changes, uint64_t size,
                            enum distribution distribution)
{
    if (changes == GROWS && size >> 44 == 0)
        return size + below(4) / 3 * (1 + below(1 + size / 2));
    return changes == OFTEN || (changes == RARELY && one_in(8))
               ? draw_size(distribution)
               : size;
}

static void count_changes(struct trace *trace)
{
    uint64_t sizes[MOST_OBJECTS];
    bool known[MOST_OBJECTS] = {false};
    trace->resized = trace->shrunk = 0;
    for (size_t i = 0; i < trace->count; i++) {
        uint64_t name = trace->names[i];
        if (!deletes(trace, i) && known[name]) {
            trace->resized += trace->sizes[i] != sizes[name];
            trace->shrunk += trace->sizes[i] < sizes[name];
        }
        known[name] = !deletes(trace, i);
        sizes[name] = trace->sizes[i];
    }
}

/* In some traces an object of size 0 alone is asked for during a whole row of
   classes, and until marks are looked for. */
static void make_trace(struct trace *trace)
{
    enum distribution distribution = (enum distribution)below(DISTRIBUTIONS);
    uint64_t sizes[MOST_OBJECTS], time = 0;
    bool rests = one_in(16);
    trace->count = rests ? MOST_REFS : (size_t)below(MOST_REFS);
    trace->half_life_refs = 0;
    trace->objects = 1 + (size_t)below(MOST_OBJECTS);
    trace->ages = one_in(3);
    trace->operates = one_in(3);
    trace->ttl_seconds = one_in(2) ? UINT64_MAX : below(100);
    enum changes changes = one_in(2) ? FIXED : (enum changes)below(CHANGES);
    for (size_t i = 0; i < trace->objects; i++)
        sizes[i] = rests && i == 0 ? 0 : draw_size(distribution);
    for (size_t i = 0; i < trace->count; i++) {
        uint64_t most = 1 + below(trace->objects);
        uint64_t name = rests && (i + 1) >> 7 == 1 ? 0 : below(most);
        trace->names[i] = name;
        trace->sizes[i] = changes == BRIEFLY && one_in(4)
                              ? draw_size(distribution)
                              : sizes[name];
        sizes[name] = change_size(changes, sizes[name], distribution);
        trace->times[i] = time += below(3) * (one_in(2) ? 1000000 : 499999);
        trace->ttls[i] = below(60);
        uint64_t op = below(8);
        trace->ops[i] = (uint8_t)(op == 0 ? MARGAY_DELETE : op < 3);
    }
    count_changes(trace);
}

/* --------------------------------------------------------------- oracles -- */

/* The next request begins a new time. */
static void end_time(margay_objects *objects)
{
    struct margay_weights *weights = &objects->weights;
    while (weights->capacity - weights->next > 2 * MARGAY_OBJECTS_BATCH)
        margay_weights_skip(weights);
}

static margay_objects *analyse(const struct trace *trace,
                               const struct margay_sizes *sizes, size_t warmup,
                               uint64_t bound, uint64_t *distances)
{
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    margay_objects *objects;
    bool pieces = bound != 0 || one_in(2);
    options.curve = sizes;
    options.distances = true;
    options.ages = trace->ages;
    options.ttl_seconds = trace->ttl_seconds;
    options.half_life_refs = trace->half_life_refs;
    options.bound_bytes = bound;
    if (margay_objects_create(&options, &objects, NULL) != MARGAY_OK)
        abort();
    for (size_t done = 0, some; done < trace->count; done += some) {
        some = done < warmup ? warmup - done : trace->count - done;
        some = pieces ? 1 + (size_t)below(some < 40 ? some : 40) : some;
        const struct margay_requests requests = {
            .count = some,
            .objects = trace->names + done,
            .sizes = trace->sizes + done,
            .times = trace->times + done,
            .ttls = trace->ttls + done,
            .ops = trace->operates ? trace->ops + done : NULL,
        };
        if (margay_objects_feed(objects, &requests, distances + done, NULL) !=
            MARGAY_OK)
            abort();
        if (done + some == warmup)
            margay_objects_reset_counts(objects);
        if (pieces && one_in(2))
            end_time(objects);
    }
    return objects;
}

/* What was compared. */
struct compared {
    size_t caches, differ;
    size_t exact, doubtful, merged, exceeded; /* traces of each kind */
    uint64_t width, excess, refs; /* caches in doubt: the width, of it used */
    uint64_t off, merged_refs;    /* where lives were merged */
};

/* Caches in doubt, where no object that is larger may come. */
static bool is_within(const struct margay_objects_point *point,
                      const struct naive_objects *cache,
                      const struct margay_objects_counts *counts,
                      struct compared *sums)
{
    sums->width += counts->doubtful;
    sums->excess += cache->misses - point->misses;
    sums->refs += counts->references;
    return cache->misses >= point->misses &&
           cache->misses <= point->misses + counts->doubtful &&
           cache->missed_bytes >= point->missed_bytes;
}

static bool is_as_told(const struct trace *trace,
                       const struct margay_objects_counts *counts,
                       const struct margay_objects_point *point,
                       const struct naive_objects *cache, struct compared *sums)
{
    bool same = cache->misses == point->misses &&
                cache->missed_bytes == point->missed_bytes;
    sums->caches++;
    if (counts->merged > 0) {
        sums->merged_refs += counts->references;
        sums->off += cache->misses > point->misses
                         ? cache->misses - point->misses
                         : point->misses - cache->misses;
        return true;
    }
    if (counts->doubtful == 0 || cache->capacity_bytes >= largest_size(trace))
        return same;
    /* What is in doubt may have been stored later than it seems. */
    return trace->ages || is_within(point, cache, counts, sums);
}

/* How many sizes of the curve differ from a cache of that size. */
static void compare(const struct trace *trace, margay_objects *objects,
                    size_t warmup, struct compared *sums)
{
    static struct naive_objects cache;
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    struct margay_objects_point *points;
    size_t count;
    if (margay_objects_curve(objects, NULL, &points, &count, NULL) != MARGAY_OK)
        abort();
    sums->exact += counts.merged == 0 && counts.doubtful == 0;
    sums->doubtful += counts.doubtful > 0;
    sums->merged += counts.merged > 0;
    sums->exceeded += counts.exceeded_bound != 0;
    for (size_t i = 0; i < count; i++) {
        simulate(&cache, trace, points[i].cache_bytes, warmup);
        sums->differ += !is_as_told(trace, &counts, &points[i], &cache, sums);
        sums->differ +=
            (i > 0 && points[i].cache_bytes <= points[i - 1].cache_bytes) ||
            (counts.exceeded_bound != 0 &&
             points[i].cache_bytes > counts.exceeded_bound);
    }
    free(points);
    /* Of what was forgotten, no size is known. */
    if (warmup == 0 && counts.exceeded_bound == 0)
        sums->differ += counts.resized != trace->resized ||
                        counts.shrunk != trace->shrunk ||
                        (trace->resized == 0 && counts.doubtful > 0);
}

/* A curve of all sizes says what happens between its steps. */
static size_t missing_steps(const struct trace *trace, margay_objects *objects,
                            size_t warmup, struct compared *sums)
{
    static struct naive_objects cache;
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    struct margay_objects_point *points;
    size_t count, differ = 0;
    if (margay_objects_curve(objects, NULL, &points, &count, NULL) != MARGAY_OK)
        return 1;
    /* Up to a small bound all sizes. */
    uint64_t bound = counts.exceeded_bound;
    uint64_t tries = bound > MOST_BOUND ? 8 : bound;
    for (uint64_t k = 0; k < (bound == 0 ? 8 : tries) && count > 0; k++) {
        uint64_t most = bound == 0 ? points[count - 1].cache_bytes + 2 : bound;
        uint64_t bytes = 1 + (tries == bound && bound > 0 ? k : below(most));
        struct margay_objects_point point = {0, counts.references,
                                             counts.reference_bytes};
        for (size_t i = 0; i < count && points[i].cache_bytes <= bytes; i++)
            point = points[i];
        simulate(&cache, trace, bytes, warmup);
        differ += !is_as_told(trace, &counts, &point, &cache, sums);
    }
    free(points);
    return differ;
}

/* A distance says which caches hit that are no smaller than any object. */
static size_t wrong_distances(const struct trace *trace, uint64_t bound,
                              const uint64_t *distances)
{
    static struct naive_objects cache;
    uint64_t largest = largest_size(trace);
    size_t wrong = 0;
    cache = (struct naive_objects){.capacity_bytes = 2 * largest + 1};
    if (trace->ages || (bound != 0 && bound < cache.capacity_bytes))
        return 0;
    for (size_t i = 0; i < trace->count; i++) {
        bool misses = ask(&cache, trace, i);
        if (!deletes(trace, i))
            wrong += (distances[i] <= cache.capacity_bytes) == misses;
    }
    return wrong;
}

/* Where no size changes, the distances are those of the engine without a bound,
   cut there, and its histogram has as many references. */
static bool is_cut(const struct trace *trace, const margay_objects *objects,
                   uint64_t bound, const uint64_t *bounded)
{
    static const struct margay_sizes sizes = {.kind = MARGAY_SIZES_POW2};
    uint64_t distances[MOST_REFS];
    margay_histogram *histogram;
    if (bound == 0 || trace->resized > 0 || trace->ages)
        return true;
    margay_objects *all = analyse(trace, &sizes, 0, 0, distances);
    if (margay_objects_histogram(objects, &histogram, NULL) != MARGAY_OK)
        abort();
    bool same = margay_histogram_references(histogram) ==
                    margay_objects_counted(objects).references &&
                margay_histogram_exceeded_bound(histogram) ==
                    (all->weights.total > bound ? bound + 1 : 0);
    for (size_t i = 0; i < trace->count; i++)
        same = same && bounded[i] == (distances[i] > bound ? MARGAY_INFINITE
                                                           : distances[i]);
    margay_histogram_free(histogram);
    margay_objects_free(all);
    return same;
}

/* ----------------------------------------------------------------- tests -- */

static void test_random(void)
{
    uint64_t all = rounds(7000);
    size_t missing = 0, wrong = 0, bounded = 0, uncut = 0;
    struct compared sums = {0};
    seed_chance(77);
    for (uint64_t round = 0; round < all; round++) {
        static const struct margay_sizes grids[] = {
            {.kind = MARGAY_SIZES_ALL},
            {.kind = MARGAY_SIZES_POW2},
            {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 4},
            {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 3},
        };
        static const uint64_t list[] = {1, 5, 8, 77, 100, 4000, 1u << 20};
        struct margay_sizes sizes = grids[round % 4];
        struct trace trace;
        uint64_t distances[MOST_REFS];
        make_trace(&trace);
        if (round % 16 == 9)
            sizes = (struct margay_sizes){MARGAY_SIZES_LIST, 0, list, 7};
        size_t warmup = round % 5 == 0 ? (size_t)below(MOST_REFS) : 0;
        if (warmup > trace.count)
            warmup = trace.count;
        /* What is not exact before the warm-up ends is not counted. */
        if (trace.ages)
            warmup = 0;
        /* No listed size may be above an exceeded bound. */
        uint64_t bound = 0;
        if (sizes.kind != MARGAY_SIZES_LIST && one_in(2))
            bound =
                1 + below(one_in(2) ? MOST_BOUND : UINT64_C(1) << below(24));
        if (bound != 0 && bound <= MOST_BOUND)
            sizes.kind = MARGAY_SIZES_ALL;
        bounded += bound != 0;
        margay_objects *objects =
            analyse(&trace, &sizes, warmup, bound, distances);
        compare(&trace, objects, warmup, &sums);
        uncut += !is_cut(&trace, objects, bound, distances);
        if (sizes.kind == MARGAY_SIZES_ALL)
            missing += missing_steps(&trace, objects, warmup, &sums);
        wrong += wrong_distances(&trace, bound, distances);
        margay_objects_free(objects);
    }
    CHECK_U64(sums.differ, 0, "%zu caches of %llu traces are as told",
              sums.caches, (unsigned long long)all);
    /* That the traces are of each kind, also where there are only some
       hundred. */
    CHECK(sums.exact > all / 3 && sums.doubtful > all / 16 &&
              sums.merged > all / 64,
          "  %zu traces exact, %zu with a bracket, %zu with lives merged",
          sums.exact, sums.doubtful, sums.merged);
    printf("# in doubt: %g of %g of the width; merged: off by %g\n",
           (double)sums.excess / (double)sums.refs,
           (double)sums.width / (double)sums.refs,
           (double)sums.off / (double)sums.merged_refs);
    CHECK_U64(missing, 0, "nothing changes between the steps");
    CHECK_U64(wrong, 0, "distances say which large caches hit");
    CHECK(sums.exceeded > bounded / 4, "%zu of %zu bounds are exceeded",
          sums.exceeded, bounded);
    CHECK_U64(uncut, 0, "distances are cut at their bounds");
}

/* ---------------------------------------------------------------- fading -- */

/* The mass of reference r of `refs`, by the pieces that end after it. */
static double weight_of(const struct trace *trace, size_t r, size_t refs)
{
    size_t half = (size_t)trace->half_life_refs;
    size_t piece = half < 16 ? 1 : half / 16;
    return exp2(-(double)(refs / piece - r / piece) * (double)piece /
                (double)half);
}

static size_t count_refs(const struct trace *trace, size_t from)
{
    size_t refs = 0;
    for (size_t i = from; i < trace->count; i++)
        refs += !deletes(trace, i);
    return refs;
}

struct weights {
    double refs, bytes, misses, missed_bytes;
};

static struct weights simulate_fading(const struct trace *trace, uint64_t bytes,
                                      size_t from)
{
    static struct naive_objects cache;
    struct weights sums = {0, 0, 0, 0};
    size_t r = 0, refs = count_refs(trace, from);
    cache = (struct naive_objects){.capacity_bytes = bytes};
    for (size_t i = 0; i < trace->count; i++) {
        bool misses = ask(&cache, trace, i);
        if (i < from || deletes(trace, i))
            continue;
        double weight = weight_of(trace, r++, refs);
        sums.refs += weight;
        sums.bytes += weight * (double)trace->sizes[i];
        if (misses) {
            sums.misses += weight;
            sums.missed_bytes += weight * (double)trace->sizes[i];
        }
    }
    return sums;
}

/* A mass is the sum of these weights, and its count theirs rounded, to either
   neighbour where a half is just missed: what misses is what is left of all. */
static bool is_near(uint64_t mass, unsigned bits, double sum, double all)
{
    double count = (double)margay_round_count(mass, bits);
    double error = fabs(ldexp((double)mass, -(int)bits) - sum);
    return error <= 1e-14 * (1 + all) && fabs(count - sum) <= 0.5 + error;
}

/* The counts of the trace if they do not fade. */
static struct margay_objects_counts count_all(const struct trace *trace)
{
    static const struct margay_sizes sizes = {.kind = MARGAY_SIZES_POW2};
    uint64_t distances[MOST_REFS];
    struct trace kept = *trace;
    kept.half_life_refs = 0;
    margay_objects *objects = analyse(&kept, &sizes, 0, 0, distances);
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    margay_objects_free(objects);
    return counts;
}

/* How many sizes of a curve that fades are not what the weights come to. */
static size_t faded_differences(const struct trace *trace,
                                const margay_objects *objects, size_t warmup,
                                size_t *compared)
{
    struct margay_objects_point *points;
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    const struct margay_objects_counts all = count_all(trace);
    size_t count, differ = 0;
    if (margay_objects_curve(objects, NULL, &points, &count, NULL) != MARGAY_OK)
        return 1;
    for (size_t i = 0; i < count; i++) {
        struct weights sums =
            simulate_fading(trace, points[i].cache_bytes, warmup);
        if (all.merged > 0 ||
            (all.doubtful > 0 && points[i].cache_bytes < largest_size(trace)))
            continue;
        ++*compared;
        unsigned bits = counts.fraction_bits;
        unsigned byte_bits = counts.byte_fraction_bits;
        differ += !is_near(counts.references, bits, sums.refs, sums.refs) ||
                  !is_near(points[i].misses, bits, sums.misses, sums.refs) ||
                  !is_near(counts.reference_bytes, byte_bits, sums.bytes,
                           sums.bytes) ||
                  !is_near(points[i].missed_bytes, byte_bits, sums.missed_bytes,
                           sums.bytes);
    }
    free(points);
    return differ;
}

/* As many as the histogram says, to the rounding of each of its masses. */
static bool has_all(const margay_objects *objects)
{
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    margay_histogram *histogram;
    if (margay_objects_histogram(objects, &histogram, NULL) != MARGAY_OK)
        return false;
    double all = (double)margay_histogram_references(histogram);
    margay_histogram_free(histogram);
    return fabs(all - (double)counts.references) <= 1e-12 * all;
}

static void test_fading(void)
{
    static const struct margay_sizes grids[] = {
        {.kind = MARGAY_SIZES_ALL},
        {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 3}};
    uint64_t all = rounds(1500);
    size_t differ = 0, compared = 0, incomplete = 0;
    seed_chance(78);
    for (uint64_t round = 0; round < all; round++) {
        struct trace trace;
        uint64_t distances[MOST_REFS];
        make_trace(&trace);
        trace.half_life_refs = 1 + below(200);
        size_t warmup = round % 3 == 0 ? trace.count / 4 : 0;
        margay_objects *objects =
            analyse(&trace, &grids[round % 2], warmup, 0, distances);
        differ += faded_differences(&trace, objects, warmup, &compared);
        incomplete += !has_all(objects);
        margay_objects_free(objects);
    }
    CHECK_U64(differ, 0, "of %zu caches of %llu traces that fade none differs",
              compared, (unsigned long long)all);
    CHECK_U64(incomplete, 0, "their histograms have all references");
}

/* ----------------------------------------------------------- long traces -- */

#define BOUND_REFS    400000
#define BOUND_OBJECTS 100000
#define LONG_BOUND    (UINT64_C(1) << 22)

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
    for (size_t done = 0; done < BOUND_REFS; done += 1000) {
        for (size_t i = 0; i < 1000; i++) {
            uint64_t most = 1 + below(BOUND_OBJECTS);
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

static void test_long_bound(void)
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

/* ---------------------------------------------------------------- limits -- */

static void test_totals(void)
{
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    const uint64_t names[] = {1, 2, 1, 3};
    uint64_t bytes[] = {UINT64_C(1) << 63, (UINT64_C(1) << 63) - 2, 5, 1};
    const struct margay_requests two = {
        .count = 2, .objects = names, .sizes = bytes};
    const struct margay_requests again = {
        .count = 2, .objects = names + 2, .sizes = bytes + 2};
    struct margay_error error;
    margay_objects *objects;
    margay_objects_create(&options, &objects, &error);
    CHECK(margay_objects_feed(objects, &two, NULL, &error) == MARGAY_OK,
          "objects of 2^64 - 2 bytes together");
    CHECK(margay_objects_feed(objects, &again, NULL, &error) ==
                  MARGAY_BAD_INPUT &&
              strstr(error.message, "reference 3 of those analysed: ") ==
                  error.message,
          "  and references of more: %s", error.message);
    margay_objects_free(objects);
    margay_objects_create(&options, &objects, &error);
    bytes[1]++;
    CHECK(margay_objects_feed(objects, &two, NULL, &error) ==
                  MARGAY_BAD_INPUT &&
              strstr(error.message, "reference 2 of those analysed: ") ==
                  error.message,
          "objects of 2^64 - 1 bytes: %s", error.message);
    margay_objects_free(objects);
}

int main(void)
{
    test_random();
    test_fading();
    test_long_bound();
    test_totals();
    test_refusals();
    return tap_done();
}
