/*
 * margay/objects.h - caches of bytes that hold objects of different sizes
 *
 * Fully associative LRU caches with a size in bytes, which hold objects of
 * different sizes: one pass finds the hits of every cache size.
 *
 * The byte distance of a request is the total size of the distinct objects
 * requested since the last request of its object, its own size included: a
 * cache at least as large as the largest object hits iff the distance is at
 * most its size.  A smaller cache bypasses objects larger than itself, which
 * evict nothing; the curve is exact there, too, as long as no size changes.
 *
 * A request sets the size of its object from then on.  The room of objects that
 * became smaller does not bring evicted ones back, so the distance is the
 * largest sum of sizes since the last request.  Curves are exact even if sizes
 * change, except in caches smaller than the largest object (see `doubtful`).
 * An object of size 0 takes no room, and leaves the cache only when it is the
 * least recent and room is needed.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_OBJECTS_H
#define MARGAY_OBJECTS_H

#include <margay/stackdist.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct margay_objects margay_objects;

/* Of the objects that came last, a sample has all: log10(1 / rate) / rate, up
   to this many. */
#define MARGAY_OBJECTS_FRONT 4096

struct margay_objects_options {
    /* The sizes of caches, in bytes; NULL = no curve.  A list must outlive the
       engine.  The grids run from 1 to the bytes of all objects. */
    const struct margay_sizes *curve;
    /* Keep a histogram of all byte distances. */
    bool distances;
    /* Requests have times, and an object that a cache stores, at a miss or a
       set, is valid for some seconds.  A later request misses in this cache and
       stores the object anew, in its place.  Caches of different sizes thus
       have copies of different ages, of which some are kept (see `merged`). */
    bool ages;
    /* The seconds, for all; UINT64_MAX = those of the request that stores
       it. */
    uint64_t ttl_seconds;
    /* Analyse this share of the objects, and those that came last; 1 = all.
       The rest is estimated, and so is the whole curve. */
    double rate;
    uint64_t seed;
    /* A request counts half when this number of others has followed, in steps
       of a sixteenth of the number; cache contents do not change.  0 = no
       fading. */
    uint64_t half_life_refs;
    /* No cache is larger than this many bytes, and objects that no such cache
       holds any more are forgotten, which bounds the memory.  Their next
       request counts as a first one.  0 = no bound.  Not with a rate below
       1. */
    uint64_t bound_bytes;
};
#define MARGAY_OBJECTS_OPTIONS_DEFAULT             \
    {                                              \
        NULL, false, false, UINT64_MAX, 1, 1, 0, 0 \
    }

/* Requests in their order, as arrays of `count`. */
struct margay_requests {
    size_t count;
    const uint64_t *objects; /* the name of each, any number */
    const uint64_t *sizes;   /* in bytes */
    /* With ages: microseconds since some moment, and seconds from a store on
       (UINT64_MAX = for ever), which ttl_seconds may replace. */
    const uint64_t *times, *ttls;
    /* enum margay_op; NULL = all are gets.  A delete is no reference: the next
       request of its object is a first one, and the old copy keeps its room
       until it is evicted, like an expired one. */
    const uint8_t *ops;
};

/* Counts; of a sample, estimates where noted.  With a half-life those
   before `objects` fade. */
struct margay_objects_counts {
    uint64_t references, reference_bytes; /* of all requests but deletes */
    uint64_t cold, cold_bytes;       /* of these, first requests; estimated */
    uint64_t expired, expired_bytes; /* and expired ones in all caches from
                                        their distance on */
    /* Requests whose size differs from the object's last one, and those of them
       with a smaller size; estimated. */
    uint64_t resized, shrunk;
    /* Requests that count as hits in caches smaller than the largest object,
       but may be misses there because sizes changed: no such cache has more
       further misses than this.  Without ages and samples. */
    uint64_t doubtful;
    uint64_t deletes;
    uint64_t far; /* requests beyond the bound that hit in a cache that large
                     objects bypass */
    uint64_t objects, object_bytes; /* distinct ones, and the most bytes that
                                       they had; estimated */
    /* Of a sample, the bytes of the largest object, else 0: it passes smaller
       caches by, which a sample does not know, and their rows are no guide. */
    uint64_t unsure_below;
    uint64_t exceeded_bound; /* the bound in bytes if the objects have more, or
                                0.  `cold` are then requests that hit in no
                                cache, and the counts of objects are unknown and
                                0. */
    /* Of the sample, requests so far whose object had more copies of different
       ages than are kept.  0: all ages are right. */
    uint64_t merged;
    /* Counts of requests that fade are in 2^-fraction_bits of them, and counts
       of their bytes in 2^-byte_fraction_bits, as those of curves and
       histograms are: see struct margay_result. */
    unsigned fraction_bits, byte_fraction_bits;
};

/* A point of a curve: references that miss, and their bytes. */
struct margay_objects_point {
    uint64_t cache_bytes, misses, missed_bytes;
};

/* Take the rate from the spec of an engine, "exact" or "shards:rate=...".
   MARGAY_BAD_ARGUMENT for others. */
MARGAY_API enum margay_status margay_objects_take_spec(
    const char *spec, struct margay_objects_options *options,
    struct margay_error *error);

/* Fails with MARGAY_NO_MEMORY, and with MARGAY_BAD_ARGUMENT where a sample has
   a bound.  The caller owns *objects. */
MARGAY_API enum margay_status margay_objects_create(
    const struct margay_objects_options *options, margay_objects **objects,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_objects_free(margay_objects *objects);

/* Analyse further requests.  Unless it is NULL, distances[i] becomes the byte
   distance of each, or MARGAY_INFINITE; with a sample, an estimate where the
   object is in the sample, and MARGAY_INFINITE for all others.
   MARGAY_BAD_INPUT where the bytes of all objects, or of all requests, are
   2^64 - 1 or more; the message says at which request.  MARGAY_NO_MEMORY.
   After a failure the engine can only be freed. */
MARGAY_API enum margay_status margay_objects_feed(
    margay_objects *objects, const struct margay_requests *requests,
    uint64_t *distances, struct margay_error *error);

/* End the warm-up: forget all counts, and keep the cached objects. */
MARGAY_API void margay_objects_reset_counts(margay_objects *objects);

MARGAY_API struct margay_objects_counts margay_objects_counted(
    const margay_objects *objects);

/* Round fading counts to whole numbers, as margay_round_count() does. */
MARGAY_API void margay_objects_round(struct margay_objects_counts *counts);

/* The curve so far, in a new array of *count points that the caller releases
   with free().  With MARGAY_SIZES_ALL in the options it has `sizes`; otherwise,
   and where these are NULL, the sizes of the options.  An exceeded bound ends
   the grid.  MARGAY_BAD_ARGUMENT where a listed size is above that, and
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_objects_curve(
    const margay_objects *objects, const struct margay_sizes *sizes,
    struct margay_objects_point **points, size_t *count,
    struct margay_error *error);

/* The histogram so far, if the options asked for one.  The caller owns it; it
   can be read and freed, and nothing can be added.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_objects_histogram(
    const margay_objects *objects, margay_histogram **histogram,
    struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
