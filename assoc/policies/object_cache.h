/*
 * object_cache.h - one cache of objects with sizes
 *
 * Algorithm: the cache has a number of bytes, and one set.  Objects are dense
 *   numbers, and each has a slot of its own, which is its number, so that there
 *   is nothing to find.  A request of an object that is not held evicts until
 *   the object fits.  An object that is larger than the cache is a miss, is
 *   not stored and evicts nothing; one of 0 bytes takes no room.
 *
 * Guarantee: objects of 1 byte each fare as blocks do in a cache of as many
 *   ways, with every policy.
 *
 * Cost: 1 byte for each object and what the policy takes, however small the
 *   cache is.
 */
#ifndef MARGAY_ASSOC_OBJECT_CACHE_H
#define MARGAY_ASSOC_OBJECT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* A request is the number of an object.  With this added, what a cache holds of
   the object is no longer valid: the request misses, and the object is stored
   anew where it stands. */
#define MARGAY_REQUEST_LATE (UINT32_C(1) << 31)

/* The most objects, so that their numbers leave that bit free. */
#define MARGAY_MOST_OBJECTS MARGAY_REQUEST_LATE

struct margay_object_cache_options {
    uint64_t bytes;        /* the capacity, at least 1 */
    const uint64_t *sizes; /* of the objects, which outlive the cache */
    uint32_t objects;      /* 1 to MARGAY_MOST_OBJECTS */
    const char *policy;    /* the spec of one with MARGAY_POLICY_FOR_OBJECTS */
    uint64_t seed;
};

typedef struct margay_object_cache margay_object_cache;

struct margay_object_counts {
    uint64_t misses, missed_bytes; /* of objects */
};

/* The bytes of state; UINT64_MAX if the options are not valid. */
uint64_t margay_object_cache_bytes(
    const struct margay_object_cache_options *options);

/* Make an empty cache.  MARGAY_BAD_ARGUMENT; MARGAY_NO_MEMORY.  The caller owns
 *cache. */
enum margay_status margay_object_cache_create(
    const struct margay_object_cache_options *options,
    margay_object_cache **cache, struct margay_error *error);

/* NULL is fine. */
void margay_object_cache_free(margay_object_cache *cache);

void margay_object_cache_feed(margay_object_cache *cache,
                              const uint32_t *requests, size_t count);

/* End the warm-up: set all counts to 0 and keep the objects in the cache. */
void margay_object_cache_reset_counts(margay_object_cache *cache);

struct margay_object_counts margay_object_cache_counts(
    const margay_object_cache *cache);

#endif
