/*
 * margay/objects.h - caches of bytes that hold objects of different sizes
 *
 * Fully associative LRU caches with a size in bytes, which hold objects of
 * different sizes: one pass finds what each size of cache hits.
 *
 * The byte distance of a request is the bytes of the distinct objects that were
 * asked for since its object was last, its own included: a cache that is no
 * smaller than the largest object hits iff the distance is at most its size. A
 * smaller one lets objects pass by that are larger than itself, and they evict
 * nothing; the curve is exact there, too, as long as no size changes.
 *
 * A request names the size that its object has from then on.  Where objects
 * have become smaller, what they gave free does not bring others back, so the
 * distance is the most that these bytes have been: curves are exact whatever
 * sizes do, but in caches smaller than the largest object (see `doubtful`).  An
 * object of size 0 takes no room, and leaves the cache only when it is the
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

struct margay_objects_options {
    /* The sizes of caches, in bytes; NULL = no curve is asked for.  A list must
       outlive the engine.  The grids run from 1 to the bytes of all objects. */
    const struct margay_sizes *curve;
    /* Keep a histogram of all byte distances. */
    bool distances;
    /*
     * Requests have times, and what a cache stores, at a miss or a set, is
     * valid for some seconds.  A request that comes later than that misses in
     * this cache and stores the object anew, where it stands.  Caches of
     * different sizes thus have different ages of an object; of these some are
     * kept (see `merged`).
     */
    bool ages;
    /* How long, for all; UINT64_MAX = as the request says that stores it. */
    uint64_t ttl_seconds;
    /* Analyse a share of the objects, chosen by their hashes; 1 = all.  The
       rest is estimated, and so is the whole curve. */
    double rate;
    /* The sample differs from its share in how many requests it has; count the
       difference as hits in the smallest cache. */
    bool adjust;
    uint64_t seed;
    /* A request counts half when this number of others has followed, in steps
       of a sixteenth of the number; what is cached does not change.  0 = for
       ever.  Not with a rate below 1. */
    uint64_t half_life_refs;
    /*
     * No cache is larger than this many bytes, and objects that none of these
     * caches holds any more are forgotten: memory is that of those which they
     * hold.  The next request of such an object is a first one again.  0 = no
     * bound.  Not with a rate below 1.
     */
    uint64_t bound_bytes;
};
#define MARGAY_OBJECTS_OPTIONS_DEFAULT                   \
    {                                                    \
        NULL, false, false, UINT64_MAX, 1, true, 1, 0, 0 \
    }

/* Requests in their order, as arrays of `count`. */
struct margay_requests {
    size_t count;
    const uint64_t *objects; /* the name of each, any number */
    const uint64_t *sizes;   /* in bytes */
    /* With ages: seconds since some moment, and seconds from a store on
       (UINT64_MAX = for ever), which ttl_seconds may replace. */
    const uint64_t *times, *ttls;
    /* enum margay_op; NULL = all are gets.  A delete is no reference: the next
       request of its object is a first one, and the old one keeps its room
       until it is evicted, as what has expired does. */
    const uint8_t *ops;
};

/* What has been counted; of a sample, estimates where that is said.  With a
   half-life, what older requests still count; `objects` and their bytes do not
   fade. */
struct margay_objects_counts {
    uint64_t references, reference_bytes; /* of all requests but deletes */
    uint64_t sampled_refs, sampled_bytes; /* those of the sample */
    uint64_t cold, cold_bytes;            /* of these, first requests */
    uint64_t expired, expired_bytes;      /* and those that came too late in all
                                             caches from their distance on */
    uint64_t objects, object_bytes; /* distinct ones, and the bytes that they
                                       had at most; estimated */
    /* Of the sample, requests whose size is not that of the object's request
       before, and of these those with a smaller one. */
    uint64_t resized, shrunk;
    /* Of the sample, requests that count as hits in caches smaller than the
       largest object, and may be misses there as sizes have changed: no such
       cache has more than this number of further misses.  Without ages. */
    uint64_t doubtful;
    /* Of the sample, requests whose object had more ages in caches of different
       sizes than are kept.  0: all ages are right. */
    uint64_t merged;
    uint64_t deletes;
    uint64_t far; /* requests whose distance is above the bound, and which still
                     hit in a cache that large objects pass by */
    uint64_t exceeded_bound; /* the bound in bytes, where the objects have more
                                than that, or 0.  `cold` then are requests that
                                hit in no cache, and how many objects there are
                                is not known: these counts are 0. */
    /* With a half-life counts of requests are in 2^-fraction_bits of them, and
       counts of their bytes in 2^-byte_fraction_bits, as those of curves and
       histograms are: see struct margay_result. */
    unsigned fraction_bits, byte_fraction_bits;
};

/* A point of a curve; misses of references, and the bytes that these ask for.
 */
struct margay_objects_point {
    uint64_t cache_bytes, misses, missed_bytes;
};

/* Take the rate and the adjustment from the spec of an engine, "exact" or
   "shards:...".  MARGAY_BAD_ARGUMENT for others. */
MARGAY_API enum margay_status margay_objects_take_spec(
    const char *spec, struct margay_objects_options *options,
    struct margay_error *error);

/* Fails with MARGAY_NO_MEMORY, and with MARGAY_BAD_ARGUMENT where a sample is
   to fade or has a bound.  The caller owns *objects. */
MARGAY_API enum margay_status margay_objects_create(
    const struct margay_objects_options *options, margay_objects **objects,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_objects_free(margay_objects *objects);

/*
 * Analyse further requests.  Unless it is NULL, distances[i] becomes the byte
 * distance of each, or MARGAY_INFINITE; with a sample, that among the objects
 * of the sample, and MARGAY_INFINITE for all others.  MARGAY_BAD_INPUT
 * where the bytes of all objects, or of all requests, are 2^64 - 1 or more; the
 * message says at which request.  MARGAY_NO_MEMORY.  After a failure the engine
 * can only be freed.
 */
MARGAY_API enum margay_status margay_objects_feed(
    margay_objects *objects, const struct margay_requests *requests,
    uint64_t *distances, struct margay_error *error);

/* A warm-up is over: forget all counts, and keep what is cached. */
MARGAY_API void margay_objects_reset_counts(margay_objects *objects);

MARGAY_API struct margay_objects_counts margay_objects_counted(
    const margay_objects *objects);

/* Round what fades to whole numbers, as margay_round_count() does. */
MARGAY_API void margay_objects_round(struct margay_objects_counts *counts);

/*
 * The curve so far, in a new array of *count points that the caller releases
 * with free().  Where the options ask for MARGAY_SIZES_ALL it has `sizes`;
 * otherwise, and where these are NULL, the sizes that the options ask for.  An
 * exceeded bound ends the grid.  MARGAY_BAD_ARGUMENT where a listed size is
 * above that, and MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_objects_curve(
    const margay_objects *objects, const struct margay_sizes *sizes,
    struct margay_objects_point **points, size_t *count,
    struct margay_error *error);

/* The histogram that was asked for so far, which the caller owns: it can be
   read and freed, and nothing can be added to it.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_objects_histogram(
    const margay_objects *objects, margay_histogram **histogram,
    struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
