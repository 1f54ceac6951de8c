/* best.c - the caches with the fewest misses */
#define _GNU_SOURCE
#include "sim/best.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/message.h"
#include "traces/traces_internal.h"

uint64_t best_capacity(const struct best_cache *cache)
{
    uint64_t blocks = cache->sets * cache->ways;
    return cache->block_bytes == 0 ? blocks : blocks * cache->block_bytes;
}

static bool better(const struct best_cache *a, const struct best_cache *b)
{
    if (a->misses != b->misses)
        return a->misses < b->misses;
    if (best_capacity(a) != best_capacity(b))
        return best_capacity(a) < best_capacity(b);
    return a->ways < b->ways;
}

enum margay_status best_add(struct best *best, const struct best_cache *cache,
                            struct margay_error *error)
{
    size_t place = best->count;
    while (place > 0 && better(cache, &best->caches[place - 1]))
        place--;
    if (place == best->most)
        return MARGAY_OK;
    if (best->count < best->most) {
        struct best_cache *caches =
            reallocarray(best->caches, best->count + 1, sizeof *best->caches);
        if (caches == NULL)
            return margay_fail_memory(error, "the best caches");
        best->caches = caches;
        best->count++;
    }
    memmove(best->caches + place + 1, best->caches + place,
            (best->count - place - 1) * sizeof *best->caches);
    best->caches[place] = *cache;
    return MARGAY_OK;
}

static void print_one(size_t place, const struct best_cache *cache)
{
    char blocks[48] = "";
    if (cache->block_bytes != 0)
        snprintf(blocks, sizeof blocks, " in blocks of %" PRIu64,
                 cache->block_bytes);
    uint64_t capacity = best_capacity(cache);
    message_print("%s: best %zu: %" PRIu64 " %s%s%s, %" PRIu64
                  " set%s, %" PRIu64 " way%s: %" PRIu64 " miss%s, ratio %.6g",
                  cache->trace, place, capacity,
                  cache->block_bytes == 0 ? "block" : "byte",
                  margay_plural(capacity, "s"), blocks, cache->sets,
                  margay_plural(cache->sets, "s"), cache->ways,
                  margay_plural(cache->ways, "s"), cache->misses,
                  margay_plural(cache->misses, "es"),
                  cache->references == 0
                      ? 0
                      : (double)cache->misses / (double)cache->references);
}

void best_print(struct best *best)
{
    if (best->count == 0)
        message_print("%s: there is no cache to name", best->trace);
    for (size_t i = 0; i < best->count; i++)
        print_one(i + 1, &best->caches[i]);
    best->count = 0;
}

void best_free(struct best *best)
{
    free(best->caches);
    *best = (struct best){0};
}
