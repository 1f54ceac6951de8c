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
    uint64_t block_bytes, sets, ways, cache_bytes;
    uint64_t references, misses;
};

/* The best few of one trace so far; zero it to begin, but for `most`. */
struct best {
    size_t most; /* to be kept */
    size_t count;
    struct best_cache *caches; /* the best first */
};

/*
 * Keep the cache if it is among the best: those with the fewest misses, then
 * the fewest bytes, then the fewest ways.  MARGAY_NO_MEMORY on failure.
 */
enum margay_status best_add(struct best *best, const struct best_cache *cache,
                            struct margay_error *error);

/* Print them, and begin anew. */
void best_print(struct best *best);

void best_free(struct best *best);

#endif
