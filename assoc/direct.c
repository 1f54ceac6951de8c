/*
 * direct.c - one cache, any policy
 *
 * Algorithm: every reference looks at all ways of its set; on a miss the
 *   block takes an empty way, or else that of the block which the policy
 *   names.  LRU, FIFO and OPT keep a number with each block and take the
 *   smallest or largest: when it was used last, when it came, when it will be
 *   used again.  Tree PLRU has a bit for each inner node of a binary tree over
 *   the ways: an access makes the bits on its path point away from it, and
 *   the victim is where they point.
 * Cost: O(ways) per reference, 24 bytes for each way of each set.
 *
 * Everything else that simulates caches is tested against this, so it is to
 * be read, not to be fast.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"
#include <margay/assoc.h>

struct way {
    uint64_t block;
    uint64_t rank; /* what the policy compares */
    bool valid, dirty;
};

struct margay_cache {
    struct margay_cache_options options;
    struct way *ways; /* [set][way] */
    size_t ways_bytes;
    uint64_t *trees; /* PLRU: a set's bits; node i has children 2i, 2i + 1 */
    size_t trees_bytes;
    struct margay_random random;
    uint64_t now; /* references so far */
    struct margay_cache_counts counts;
};

const char *margay_policy_name(enum margay_policy policy)
{
    static const char *const names[] = {
        [MARGAY_LRU] = "lru",   [MARGAY_FIFO] = "fifo",
        [MARGAY_PLRU] = "plru", [MARGAY_RANDOM] = "random",
        [MARGAY_OPT] = "opt",
    };
    size_t index = (size_t)policy;
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

uint64_t margay_cache_bytes(unsigned set_shift, unsigned ways)
{
    return ((uint64_t)ways * sizeof(struct way) + sizeof(uint64_t))
           << set_shift;
}

enum margay_status margay_cache_create(
    const struct margay_cache_options *options, margay_cache **result,
    struct margay_error *error)
{
    *result = NULL;
    if (options->set_shift > MARGAY_MOST_SET_SHIFT || options->ways < 1 ||
        options->ways > MARGAY_MOST_WAYS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of 2^%u sets of %u way%s (expected at "
                           "most 2^%d sets and 1 to %d ways)",
                           options->set_shift, options->ways,
                           margay_plural(options->ways, "s"),
                           MARGAY_MOST_SET_SHIFT, MARGAY_MOST_WAYS);
    if (options->policy == MARGAY_PLRU &&
        !margay_is_power_of_two(options->ways))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "plru: %u ways (expected a power of two)",
                           options->ways);
    margay_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return margay_fail_memory(error, "a cache");
    cache->options = *options;
    cache->ways_bytes = (sizeof *cache->ways * options->ways)
                        << options->set_shift;
    cache->ways = margay_map(cache->ways_bytes);
    cache->trees_bytes = sizeof *cache->trees << options->set_shift;
    if (options->policy == MARGAY_PLRU)
        cache->trees = margay_map(cache->trees_bytes);
    margay_random_seed(&cache->random, options->seed);
    if (cache->ways == NULL ||
        (options->policy == MARGAY_PLRU && cache->trees == NULL)) {
        margay_cache_free(cache);
        return margay_fail_memory(error, "a cache");
    }
    *result = cache;
    return MARGAY_OK;
}

void margay_cache_free(margay_cache *cache)
{
    if (cache == NULL)
        return;
    margay_unmap(cache->ways, cache->ways_bytes);
    margay_unmap(cache->trees, cache->trees_bytes);
    free(cache);
}

/* ---------------------------------------------------------- the policies -- */

static void point_away_from(uint64_t *tree, unsigned ways, unsigned way)
{
    for (unsigned node = ways + way; node > 1; node /= 2) {
        uint64_t bit = UINT64_C(1) << node / 2;
        *tree = node % 2 == 0 ? *tree | bit : *tree & ~bit;
    }
}

static unsigned pointed_to(uint64_t tree, unsigned ways)
{
    unsigned node = 1;
    while (node < ways)
        node = 2 * node + (unsigned)(tree >> node & 1);
    return node - ways;
}

static unsigned least_rank(const struct way *set, unsigned ways)
{
    unsigned least = 0;
    for (unsigned i = 1; i < ways; i++) {
        if (set[i].rank < set[least].rank)
            least = i;
    }
    return least;
}

static unsigned most_rank(const struct way *set, unsigned ways)
{
    unsigned most = 0;
    for (unsigned i = 1; i < ways; i++) {
        if (set[i].rank > set[most].rank)
            most = i;
    }
    return most;
}

/* Which block of a full set is to go. */
static unsigned choose_victim(margay_cache *cache, uint64_t set_index,
                              const struct way *set)
{
    unsigned ways = cache->options.ways;
    switch (cache->options.policy) {
    case MARGAY_LRU:
    case MARGAY_FIFO:
        return least_rank(set, ways);
    case MARGAY_PLRU:
        return pointed_to(cache->trees[set_index], ways);
    case MARGAY_RANDOM:
        return (unsigned)margay_random_below(&cache->random, ways);
    case MARGAY_OPT:
        return most_rank(set, ways);
    }
    return 0;
}

/* Tell the policy about a reference to a block that is now there. */
static void note_use(margay_cache *cache, uint64_t set_index, unsigned way,
                     bool came, uint64_t next_use)
{
    unsigned ways = cache->options.ways;
    struct way *used = &cache->ways[set_index * ways + way];
    switch (cache->options.policy) {
    case MARGAY_LRU:
        used->rank = cache->now;
        break;
    case MARGAY_FIFO:
        if (came)
            used->rank = cache->now;
        break;
    case MARGAY_PLRU:
        point_away_from(&cache->trees[set_index], ways, way);
        break;
    case MARGAY_RANDOM:
        break;
    case MARGAY_OPT:
        used->rank = next_use;
        break;
    }
}

/* --------------------------------------------------------- a reference -- */

/* The way that holds `block`, else an empty one, else `ways`. */
static unsigned find(const struct way *set, unsigned ways, uint64_t block)
{
    unsigned empty = ways;
    for (unsigned i = ways; i-- > 0;) {
        if (set[i].valid && set[i].block == block)
            return i;
        if (!set[i].valid)
            empty = i;
    }
    return empty;
}

/* Bring `block` into its set; returns its way, `ways` if it is bypassed. */
static unsigned bring_in(margay_cache *cache, uint64_t set_index, unsigned way,
                         uint64_t block, uint64_t next_use)
{
    const struct margay_cache_options *options = &cache->options;
    struct way *set = &cache->ways[set_index * options->ways];
    if (way == options->ways) {
        way = choose_victim(cache, set_index, set);
        if (options->policy == MARGAY_OPT && options->bypass &&
            next_use >= set[way].rank)
            return options->ways;
        cache->counts.writebacks += set[way].dirty;
        cache->counts.blocks_written += set[way].dirty;
    }
    set[way] = (struct way){.block = block, .valid = true};
    return way;
}

static void reference(margay_cache *cache, uint64_t block, uint64_t next_use,
                      enum margay_kind kind)
{
    const struct margay_cache_options *options = &cache->options;
    unsigned ways = options->ways;
    uint64_t set_index = block & ((UINT64_C(1) << options->set_shift) - 1);
    struct way *set = &cache->ways[set_index * ways];
    bool write = kind == MARGAY_WRITE;
    unsigned way = find(set, ways, block);
    bool hit = way < ways && set[way].valid;
    cache->now++;
    cache->counts.references[kind]++;
    cache->counts.misses[kind] += !hit;
    if (!hit)
        way = write && options->no_allocate
                  ? ways
                  : bring_in(cache, set_index, way, block, next_use);
    bool present = way < ways;
    /* A write that finds no place goes to memory without fetching. */
    if (!hit && (present || !write))
        cache->counts.blocks_fetched++;
    if (write && (options->write_through || !present))
        cache->counts.blocks_written++;
    else if (write)
        set[way].dirty = true;
    if (present)
        note_use(cache, set_index, way, !hit, next_use);
}

void margay_cache_feed(margay_cache *cache, const uint64_t *blocks,
                       const uint64_t *next_uses, const uint8_t *kinds,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        reference(cache, blocks[i], next_uses == NULL ? 0 : next_uses[i],
                  kinds == NULL ? MARGAY_READ : (enum margay_kind)kinds[i]);
}

void margay_cache_reset_counts(margay_cache *cache)
{
    cache->counts = (struct margay_cache_counts){0};
}

const struct margay_cache_counts *margay_cache_counts(const margay_cache *cache)
{
    return &cache->counts;
}
