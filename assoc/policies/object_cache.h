/*
 * object_cache.h - one cache of objects with sizes
 *
 * Algorithm: the cache has a number of bytes, and one set.  Objects are dense
 *   numbers, and each has a slot of its own, which is its number, so that there
 *   is nothing to find.  A request of an object that is not held evicts until
 *   the object fits.  An object that is larger than the cache is a miss, is not
 *   stored and evicts nothing; one of 0 bytes takes no room.  Where a held
 *   object gets another size, the request is a hit, and others are evicted
 *   until all fits: where the policy names the object itself, it is passed
 *   over.  It leaves if it is larger than the cache.  A request after the
 *   object's expiry is a miss, and stores it in its place.  A deleted object
 *   frees its room at once.  Before the cache there may be memory (tier.c).
 *
 * Guarantee: objects of 1 byte each behave like blocks in a cache of as many
 *   ways, with every policy.
 *
 * Cost: 4 bytes for each object and the state of the policy, however small the
 *   cache is; 4 more where times are noted.  Sizes, costs and times (seconds if
 *   all are whole, else microseconds) of 2^31 and more take another 8 each.
 */
#ifndef MARGAY_ASSOC_OBJECT_CACHE_H
#define MARGAY_ASSOC_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <margay/status.h>

/* Requests are words: the number of an object, or a note, which two words of
   its value follow, the lower one first.  A note changes a value from there on,
   or of the next request.  Times begin with 0 (microseconds), costs with 1. */
#define MARGAY_NOTE       (UINT32_C(1) << 31)
#define MARGAY_NOTE_SIZE  (MARGAY_NOTE | 0u) /* the next object's bytes */
#define MARGAY_NOTE_TIME  (MARGAY_NOTE | 1u) /* the time of requests, */
#define MARGAY_NOTE_UNTIL (MARGAY_NOTE | 2u) /* the expiry of their stores, */
#define MARGAY_NOTE_STORE (MARGAY_NOTE | 3u) /* and the next one stores */
#define MARGAY_NOTE_DROP  (MARGAY_NOTE | 4u) /* an object that leaves */
#define MARGAY_NOTE_COST  (MARGAY_NOTE | 5u) /* the cost of misses */
#define MARGAY_NOTE_WORDS 3

/* Write a note; returns how many words it has. */
static inline size_t margay_note(uint32_t *words, uint32_t note, uint64_t value)
{
    words[0] = note;
    words[1] = (uint32_t)value;
    words[2] = (uint32_t)(value >> 32);
    return MARGAY_NOTE_WORDS;
}

/* The most objects, so that their numbers leave that bit free. */
#define MARGAY_MOST_OBJECTS MARGAY_NOTE

/* The notes of a history. */
struct margay_noted {
    bool any; /* but of costs alone */
    /* The most of all sizes, and of noted times, in microseconds, and costs;
       0 = there are none. */
    uint64_t most_bytes, last_time, most_cost;
    bool whole_seconds; /* all noted times are */
};

struct margay_object_cache_options {
    uint64_t bytes;        /* the capacity, at least 1 */
    const uint64_t *sizes; /* of the objects at first */
    struct margay_noted noted;
    /* Of each request, how many come before its object's next one; UINT64_MAX =
       there is none.  Outlives the cache; NULL = the future is not known. */
    const uint64_t *nexts;
    uint32_t objects;   /* 1 to MARGAY_MOST_OBJECTS */
    const char *policy; /* the spec of one with MARGAY_POLICY_FOR_OBJECTS */
    double scale;       /* its tier is smaller by as much; 0 = 1 */
    uint64_t seed;
};

typedef struct margay_object_cache margay_object_cache;

struct margay_object_counts {
    uint64_t misses, missed_bytes, missed_cost; /* of objects */
    /* Those of objects that came in, or were stored anew: by a set, with
       another size, or because they had expired. */
    uint64_t written_bytes;
    uint64_t memory_hits; /* of the tier before the cache */
};

/* Make an empty cache.  MARGAY_BAD_ARGUMENT; MARGAY_NO_MEMORY.  The caller owns
 *cache. */
enum margay_status margay_object_cache_create(
    const struct margay_object_cache_options *options,
    margay_object_cache **cache, struct margay_error *error);

/* Does a spec have parameters of caches of objects? */
static inline bool margay_spec_of_objects(const char *spec)
{
    return strstr(spec, "admit=") != NULL || strstr(spec, "tier=") != NULL;
}

/* NULL is fine. */
void margay_object_cache_free(margay_object_cache *cache);

/* Returns how many of the words it has taken: all, unless they end within a
   note. */
size_t margay_object_cache_feed(margay_object_cache *cache,
                                const uint32_t *words, size_t count);

/* End the warm-up: set all counts to 0 and keep the objects in the cache. */
void margay_object_cache_reset_counts(margay_object_cache *cache);

struct margay_object_counts margay_object_cache_counts(
    const margay_object_cache *cache);

#endif
