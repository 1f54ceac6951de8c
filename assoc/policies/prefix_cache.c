/* prefix_cache.c - see prefix_cache.h */
#define _GNU_SOURCE
#include "assoc/policies/prefix_cache.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/policies/cache.h"
#include "assoc/room.h"

#define NO_BLOCK UINT32_MAX

/* A block that was a leaf when it was last used at this time. */
struct leaf {
    uint64_t used;
    uint32_t block;
};

/* Of a block of the trace. */
struct node {
    uint64_t used;     /* the time of its last use; 0 = it is not held */
    uint32_t parent;   /* while it is held; NO_BLOCK = none */
    uint32_t children; /* that are held */
};

struct margay_prefix_cache {
    bool back, inclusive, exclusive;
    margay_cache *tiers[MARGAY_MOST_TIERS]; /* usually one */
    size_t tier_count, counted;             /* 0 = it is leaf-lru */
    /* The expiry of each block; NULL = there is none.  Blocks stored now expire
       at `end`. */
    uint64_t *ends, end, now, ttl;
    uint64_t *uses; /* of a request, in their order */
    size_t use_room;
    const uint64_t *windows; /* [group] */
    size_t groups, group;

    uint64_t room, held, time;
    struct node *nodes;
    /* The least recently used first.  An entry that is no longer a leaf, or was
       used again, is dropped when it comes to the top. */
    struct leaf *heap;
    size_t heap_count, heap_room;
};

/* ----------------------------------------------------------- the leaves -- */

static void sift_down(margay_prefix_cache *cache, size_t i)
{
    struct leaf *heap = cache->heap, leaf = heap[i];
    for (size_t child; (child = 2 * i + 1) < cache->heap_count; i = child) {
        if (child + 1 < cache->heap_count &&
            heap[child + 1].used < heap[child].used)
            child++;
        if (leaf.used <= heap[child].used)
            break;
        heap[i] = heap[child];
    }
    heap[i] = leaf;
}

static bool is_leaf(const margay_prefix_cache *cache, const struct leaf *leaf)
{
    const struct node *node = &cache->nodes[leaf->block];
    return node->used == leaf->used && node->children == 0;
}

/* Rebuild the heap unless most of it is leaves. */
static void tidy(margay_prefix_cache *cache)
{
    size_t kept = 0;
    for (size_t i = 0; i < cache->heap_count; i++) {
        if (is_leaf(cache, &cache->heap[i]))
            cache->heap[kept++] = cache->heap[i];
    }
    cache->heap_count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down(cache, i);
}

/* The block is held and has no children. */
static void add_leaf(margay_prefix_cache *cache, uint32_t block)
{
    if (cache->heap_count == cache->heap_room)
        tidy(cache);
    struct leaf *heap = cache->heap;
    const struct leaf leaf = {cache->nodes[block].used, block};
    size_t i = cache->heap_count++;
    for (; i > 0 && heap[(i - 1) / 2].used > leaf.used; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = leaf;
}

/* Evict the leaf that was used the longest time ago, unless that was at `limit`
   or later. */
static bool evict(margay_prefix_cache *cache, uint64_t limit)
{
    while (cache->heap_count > 0 && cache->heap[0].used < limit) {
        const struct leaf first = cache->heap[0];
        cache->heap[0] = cache->heap[--cache->heap_count];
        sift_down(cache, 0);
        if (!is_leaf(cache, &first))
            continue;
        struct node *node = &cache->nodes[first.block];
        node->used = 0;
        cache->held--;
        if (node->parent != NO_BLOCK &&
            --cache->nodes[node->parent].children == 0)
            add_leaf(cache, node->parent);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------ expiring -- */

static void store(margay_prefix_cache *cache, uint32_t block)
{
    if (cache->ends != NULL)
        cache->ends[block] = cache->end;
}

static bool has_expired(const margay_prefix_cache *cache, uint32_t block)
{
    return cache->ends != NULL && cache->now > cache->ends[block];
}

/* ------------------------------------------------------------- leaf-lru -- */

/* The held blocks of the request are used first, so that they stay; new blocks
   come in at their place among these. */
static void use_leaves(margay_prefix_cache *cache, const uint32_t *blocks,
                       size_t count)
{
    uint64_t begin = cache->time + 1;
    bool full = false;
    cache->time += count;
    for (size_t n = 0; n < count; n++) {
        size_t i = cache->back ? count - 1 - n : n;
        struct node *node = &cache->nodes[blocks[i]];
        if (node->used == 0)
            continue;
        node->used = begin + n;
        if (node->children == 0)
            add_leaf(cache, blocks[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct node *node = &cache->nodes[blocks[i]];
        if (node->used == 0) {
            full = full || (cache->held == cache->room && !evict(cache, begin));
            if (full)
                continue;
            cache->held++;
            node->parent = i == 0 ? NO_BLOCK : blocks[i - 1];
            if (i > 0)
                cache->nodes[node->parent].children++;
            store(cache, blocks[i]);
        }
        uint64_t used = begin + (cache->back ? count - 1 - i : i);
        if (used <= node->used)
            continue;
        node->used = used;
        if (node->children == 0)
            add_leaf(cache, blocks[i]);
    }
}

/* ------------------------------------------------------------- any cache -- */

static bool holds(const margay_prefix_cache *cache, uint32_t block,
                  size_t tiers)
{
    size_t i = 0;
    if (cache->tier_count == 0)
        return cache->nodes[block].used != 0;
    while (i < tiers &&
           margay_cache_where(cache->tiers[i], block) == MARGAY_NOWHERE)
        i++;
    return i < tiers;
}

static bool has(const margay_prefix_cache *cache, uint32_t block)
{
    return holds(cache, block, cache->counted) && !has_expired(cache, block);
}

/* Store a block that no tier has, or only as one that has expired. */
static bool renew(margay_prefix_cache *cache, uint32_t block)
{
    if (cache->ends == NULL ||
        (holds(cache, block, cache->tier_count) && !has_expired(cache, block)))
        return false;
    store(cache, block);
    return true;
}

static void use_tiers(margay_prefix_cache *cache, uint64_t block)
{
    struct margay_use use = {.block = block};
    bool all = renew(cache, (uint32_t)block) || cache->exclusive;
    bool lack[MARGAY_MOST_TIERS] = {false};
    size_t i = 0;
    for (bool found = false; i < cache->tier_count && !found; i++) {
        margay_cache *tier = cache->tiers[i];
        lack[i] = tier->policy->loops[tier->finder.form].touch(tier, &use) ==
                  MARGAY_NOWHERE;
        found = !lack[i] && !all;
    }
    use.memory = MARGAY_NO_SLOT;
    while (i-- > 0) {
        margay_cache *tier = cache->tiers[i];
        if (!lack[i])
            continue;
        tier->policy->loops[tier->finder.form].bring_in(tier, &use);
        for (size_t k = 0; k < i && cache->inclusive && tier->evicted.left;
             k++) {
            uint64_t at =
                margay_cache_where(cache->tiers[k], tier->evicted.block);
            if (at != MARGAY_NOWHERE)
                margay_cache_take_out(cache->tiers[k], at);
        }
    }
}

/* The longest beginning that all groups let hit, and in *told, that of the
   wanted group. */
static size_t find_hits(const margay_prefix_cache *cache,
                        const uint32_t *blocks, size_t count, size_t *told)
{
    uint64_t runs[MARGAY_MOST_GROUPS]; /* that are held, up to here */
    size_t hits = 0, groups = cache->groups;
    if (groups == 1 && cache->windows[0] == UINT64_MAX) {
        while (hits < count && has(cache, blocks[hits]))
            hits++;
        return *told = hits;
    }
    memset(runs, 0, sizeof runs);
    *told = 0;
    for (size_t i = 0; i < count; i++) {
        size_t good = 0;
        for (size_t g = 0; g < groups; g++) {
            uint32_t block = (uint32_t)(blocks[i] * groups + g);
            uint64_t window = cache->windows[g];
            runs[g] = has(cache, block) ? runs[g] + 1 : 0;
            bool is_good = runs[g] >= (window <= i ? window : i + 1);
            good += is_good;
            if (is_good && g + 1 == cache->group)
                *told = i + 1;
        }
        if (good == groups)
            hits = i + 1;
    }
    if (cache->group == 0)
        *told = hits;
    return hits;
}

/* List the uses of a request in order: before the last windows, and in them;
   returns how many blocks. */
static size_t list_uses(margay_prefix_cache *cache, const uint32_t *blocks,
                        size_t count, size_t hits)
{
    uint64_t *uses = cache->uses;
    const size_t groups = cache->groups;
    const bool back = cache->back;
    for (int ends = 0; ends < 2; ends++) {
        for (size_t g = 0; g < groups; g++) {
            uint64_t window = cache->windows[g];
            uint64_t last = count > window ? count - window : 0;
            uint64_t from = ends != 0       ? last
                            : hits > window ? hits - window
                                            : 0;
            uint64_t to = ends != 0 ? count : last;
            for (uint64_t n = from; n < to; n++)
                *uses++ = blocks[back ? from + to - 1 - n : n] * groups + g;
        }
    }
    return (size_t)(uses - cache->uses);
}

enum margay_status margay_prefix_cache_request(margay_prefix_cache *cache,
                                               const uint32_t *blocks,
                                               size_t count, uint64_t time,
                                               size_t *hits,
                                               struct margay_error *error)
{
    cache->now = time;
    cache->end = margay_time_after(time, cache->ttl);
    size_t found = find_hits(cache, blocks, count, hits);
    if (cache->tier_count == 0) {
        for (size_t i = 0; i < count; i++) {
            if (holds(cache, blocks[i], 0))
                renew(cache, blocks[i]);
        }
        use_leaves(cache, blocks, count);
        return MARGAY_OK;
    }
    if (!MARGAY_MAKE_ROOM(cache->uses, 0, count * cache->groups,
                          cache->use_room))
        return margay_fail_memory(error, "the blocks of a request");
    count = list_uses(cache, blocks, count, found);
    /* Blocks that may expire are used one by one, as each new one may evict
       another. */
    size_t at_once = cache->ends == NULL ? count : 1;
    for (size_t i = 0; i < count && cache->tier_count > 1; i++)
        use_tiers(cache, cache->uses[i]);
    for (size_t i = 0; i < count && cache->tier_count == 1; i += at_once) {
        renew(cache, (uint32_t)cache->uses[i]);
        margay_cache_feed(cache->tiers[0], &cache->uses[i], NULL, at_once);
    }
    return MARGAY_OK;
}

/* -------------------------------------------------------- begin and end -- */

/* A leaf may be in the heap twice, as it is added again when its last child has
   gone, so that tidying leaves half of the room. */
static enum margay_status make_leaves(
    const struct margay_prefix_cache_options *options,
    margay_prefix_cache *cache, struct margay_error *error)
{
    cache->heap_room = 4 * (size_t)cache->room + 64;
    enum margay_status status =
        margay_room_check("a cache",
                          options->blocks * sizeof *cache->nodes +
                              cache->heap_room * sizeof *cache->heap,
                          error);
    if (status != MARGAY_OK)
        return status;
    cache->nodes = calloc(options->blocks, sizeof *cache->nodes);
    cache->heap = calloc(cache->heap_room, sizeof *cache->heap);
    return cache->nodes == NULL || cache->heap == NULL
               ? margay_fail_memory(error, "a cache")
               : MARGAY_OK;
}

/* A table of dense blocks misses those that leave before others come. */
static enum margay_status make_tier(
    const struct margay_prefix_cache_options *options,
    margay_prefix_cache *cache, struct margay_error *error)
{
    const struct margay_cache_options made = {
        .ways = (uint32_t)cache->room,
        .policy = options->policy,
        .seed = options->seed,
        .dense_blocks = !options->inclusive,
    };
    margay_cache **tier = &cache->tiers[cache->tier_count];
    enum margay_status status = margay_room_check(
        "a cache", margay_cache_bytes(&made) + 4 * (uint64_t)options->blocks,
        error);
    if (status == MARGAY_OK)
        status = margay_cache_create(&made, tier, error);
    if (status != MARGAY_OK)
        return status;
    cache->tier_count++;
    return margay_cache_reserve(*tier, options->blocks, error);
}

/* Tiers for the blocks of all groups.  One that has room for all blocks never
   evicts any. */
static enum margay_status make_tiers(
    const struct margay_prefix_cache_options *options, uint64_t blocks,
    margay_prefix_cache *cache, struct margay_error *error)
{
    struct margay_prefix_cache_options of_all = *options;
    bool leaves = strcasecmp(options->policy, MARGAY_LEAF_LRU) == 0;
    uint64_t before = 0;
    enum margay_status status =
        blocks > UINT32_MAX
            ? margay_fail_memory(error, "the blocks of all groups")
            : MARGAY_OK;
    of_all.blocks = (uint32_t)blocks;
    /* Exclusive ones are two stacks: of those that are counted, and of all. */
    size_t tiers = options->exclusive ? 2 : options->tiers;
    for (size_t i = 0; i < tiers && status == MARGAY_OK; i++) {
        cache->room = options->sums[i] - before;
        if (options->exclusive)
            cache->room =
                options->sums[(i == 0 ? options->counted : options->tiers) - 1];
        cache->room =
            margay_minimum(cache->room, options->blocks) * cache->groups;
        status = leaves ? make_leaves(&of_all, cache, error)
                        : make_tier(&of_all, cache, error);
        before = options->sums[i];
    }
    return status;
}

enum margay_status margay_prefix_cache_create(
    const struct margay_prefix_cache_options *options,
    margay_prefix_cache **cache, struct margay_error *error)
{
    static const uint64_t no_window = UINT64_MAX;
    margay_prefix_cache *made = calloc(1, sizeof *made);
    *cache = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a cache");
    made->back = options->back;
    made->inclusive = options->inclusive;
    made->exclusive = options->exclusive;
    made->counted = options->exclusive ? 1 : options->counted;
    made->windows = options->windows == NULL ? &no_window : options->windows;
    made->groups = options->windows == NULL ? 1 : options->groups;
    made->group = options->group;
    made->ttl = options->ttl_seconds;
    uint64_t blocks = options->blocks * made->groups;
    enum margay_status status = make_tiers(options, blocks, made, error);
    if (status == MARGAY_OK && options->expires) {
        made->ends = calloc(blocks, sizeof *made->ends);
        if (made->ends == NULL)
            status = margay_fail_memory(error, "a cache");
    }
    if (status == MARGAY_OK)
        *cache = made;
    else
        margay_prefix_cache_free(made);
    return status;
}

void margay_prefix_cache_free(margay_prefix_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->tier_count; i++)
        margay_cache_free(cache->tiers[i]);
    free(cache->uses);
    free(cache->nodes);
    free(cache->heap);
    free(cache->ends);
    free(cache);
}
