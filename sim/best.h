/*
 * best.h - the caches with the fewest misses
 */
#ifndef MARGAY_SIM_BEST_H
#define MARGAY_SIM_BEST_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

struct best_cache {
    const char *trace;
    uint64_t block_bytes, sets, ways; /* bytes 0 = unknown */
    uint64_t references, misses;
};

/* The best few of one trace so far; zero it to begin, but for the first two. */
struct best {
    const char *trace;
    size_t most; /* to be kept */
    size_t count;
    struct best_cache *caches; /* the best first */
};

/*
 * Keep the cache if it is among the best: those with the fewest misses, then
 * the smallest, then those of the fewest ways.  MARGAY_NO_MEMORY on failure.
 */
enum margay_status best_add(struct best *best, const struct best_cache *cache,
                            struct margay_error *error);

/* Capacity in bytes; in blocks if nobody knows how large these are. */
uint64_t best_capacity(const struct best_cache *cache);

/* Print them, and begin anew. */
void best_print(struct best *best);

void best_free(struct best *best);

#endif
