/*
 * test_prefix_cache.c - caches of prompts, against caches that search all
 *
 * Random trees of prompts, and requests that go down them, or of any blocks:
 * each cache finds as many blocks of each request as one that is made of loops.
 */
#include "assoc/policies/prefix_cache.h"
#include "tests/assoc/naive_cache.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

#define MOST_IDS    40
#define MOST_LENGTH 12
#define REQUESTS    60

struct trace {
    uint32_t blocks[REQUESTS][MOST_LENGTH];
    size_t counts[REQUESTS];
    uint64_t times[REQUESTS];
};

/* When what a naive cache has of a block expires; in one of two cases all is
   valid for ever. */
static uint64_t ends[MOST_IDS], now, ttl;

static void store_naive(uint32_t block)
{
    ends[block] = ttl == UINT64_MAX ? UINT64_MAX : now + ttl * 1000000;
}

/* Options of one cache. */
static struct margay_prefix_cache_options of_one(const uint64_t *room,
                                                 const char *policy, bool back)
{
    return (struct margay_prefix_cache_options){
        .sums = room,
        .tiers = 1,
        .counted = 1,
        .policy = policy,
        .blocks = MOST_IDS,
        .back = back,
        .expires = ttl != UINT64_MAX,
        .ttl_seconds = ttl,
    };
}

/* Each block has its parent, or, one time in three, requests are of any. */
static void make_trace(struct trace *trace)
{
    uint32_t parents[MOST_IDS], ids = 2 + (uint32_t)below(MOST_IDS - 1);
    bool any = one_in(3);
    for (uint32_t i = 0; i < ids; i++)
        parents[i] = one_in(4) ? UINT32_MAX : (uint32_t)below(i + 1);
    for (size_t r = 0; r < REQUESTS; r++) {
        uint32_t path[MOST_IDS];
        size_t count = 0;
        for (uint32_t at = (uint32_t)below(ids);; at = parents[at]) {
            path[count++] = any ? (uint32_t)below(ids) : at;
            if (count == MOST_LENGTH || parents[at] >= at)
                break;
        }
        /* A path that is cut at its root is one of another tree. */
        for (size_t i = 0; i < count; i++)
            trace->blocks[r][i] = path[count - 1 - i];
        trace->counts[r] = count;
        trace->times[r] = (r == 0 ? 0 : trace->times[r - 1]) +
                          below(4) * (one_in(2) ? 1000000 : 499999);
    }
}

/* ------------------------------------------------------------- leaf-lru -- */

struct naive_leaves {
    uint64_t used[MOST_IDS], time; /* 0 = it is not held */
    uint32_t parents[MOST_IDS];
    size_t room, held;
};

static bool is_in(const uint32_t *blocks, size_t count, uint32_t block)
{
    for (size_t i = 0; i < count; i++) {
        if (blocks[i] == block)
            return true;
    }
    return false;
}

static bool has_child(const struct naive_leaves *cache, uint32_t block)
{
    for (uint32_t i = 0; i < MOST_IDS; i++) {
        if (cache->used[i] != 0 && cache->parents[i] == block)
            return true;
    }
    return false;
}

static bool make_room(struct naive_leaves *cache, const uint32_t *blocks,
                      size_t count)
{
    uint32_t victim = MOST_IDS;
    if (cache->held < cache->room)
        return true;
    for (uint32_t i = 0; i < MOST_IDS; i++) {
        if (cache->used[i] != 0 && !has_child(cache, i) &&
            !is_in(blocks, count, i) &&
            (victim == MOST_IDS || cache->used[i] < cache->used[victim]))
            victim = i;
    }
    if (victim == MOST_IDS)
        return false;
    cache->used[victim] = 0;
    cache->held--;
    return true;
}

static size_t ask_leaves(struct naive_leaves *cache, const uint32_t *blocks,
                         size_t count, bool back)
{
    size_t hits = 0;
    while (hits < count && cache->used[blocks[hits]] != 0 &&
           now <= ends[blocks[hits]])
        hits++;
    for (size_t i = 0; i < count; i++) {
        if (cache->used[blocks[i]] != 0 && now > ends[blocks[i]])
            store_naive(blocks[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (cache->used[blocks[i]] != 0)
            continue;
        if (!make_room(cache, blocks, count))
            break;
        store_naive(blocks[i]);
        cache->held++;
        cache->used[blocks[i]] = 1;
        cache->parents[blocks[i]] = i == 0 ? UINT32_MAX : blocks[i - 1];
    }
    for (size_t n = 0; n < count; n++) {
        uint32_t block = blocks[back ? count - 1 - n : n];
        if (cache->used[block] != 0)
            cache->used[block] = ++cache->time + 1;
    }
    return hits;
}

/* ---------------------------------------------------------------- tiers -- */

#define MOST_TIERS  4
#define MOST_GROUPS 3

/* The blocks of each tier, the least recently used first. */
struct naive_tiers {
    uint32_t lists[MOST_TIERS][MOST_GROUPS * MOST_IDS];
    size_t held[MOST_TIERS], rooms[MOST_TIERS], count;
    bool inclusive, exclusive;
};

static size_t place_in(const struct naive_tiers *tiers, size_t tier,
                       uint32_t block)
{
    size_t i = 0;
    while (i < tiers->held[tier] && tiers->lists[tier][i] != block)
        i++;
    return i;
}

static void leave_tier(struct naive_tiers *tiers, size_t tier, uint32_t block)
{
    size_t at = place_in(tiers, tier, block);
    if (at == tiers->held[tier])
        return;
    for (tiers->held[tier]--; at < tiers->held[tier]; at++)
        tiers->lists[tier][at] = tiers->lists[tier][at + 1];
}

/* The first tier that has a block, or how many there are. */
static size_t tier_of(const struct naive_tiers *tiers, uint32_t block)
{
    size_t tier = 0;
    while (tier < tiers->count &&
           place_in(tiers, tier, block) == tiers->held[tier])
        tier++;
    return tier;
}

/* A block moves to the first tier, from which the oldest goes on. */
static void move_up(struct naive_tiers *tiers, uint32_t block)
{
    for (size_t i = 0; i < tiers->count; i++)
        leave_tier(tiers, i, block);
    for (size_t i = 0; i < tiers->count; i++) {
        tiers->lists[i][tiers->held[i]++] = block;
        if (tiers->held[i] <= tiers->rooms[i])
            return;
        block = tiers->lists[i][0];
        leave_tier(tiers, i, block);
    }
}

/* One that is stale is used in all tiers. */
static void use_tiers(struct naive_tiers *tiers, uint32_t block, bool stale)
{
    size_t found = tier_of(tiers, block);
    size_t used = stale || found == tiers->count ? tiers->count : found + 1;
    for (size_t i = used; i-- > 0;) {
        leave_tier(tiers, i, block);
        if (tiers->held[i] == tiers->rooms[i]) {
            uint32_t oldest = tiers->lists[i][0];
            leave_tier(tiers, i, oldest);
            for (size_t j = 0; j < i && tiers->inclusive; j++)
                leave_tier(tiers, j, oldest);
        }
        tiers->lists[i][tiers->held[i]++] = block;
    }
}

static size_t wrong_in_tiers(const struct trace *trace, bool back)
{
    struct naive_tiers naive = {.count = 1 + (size_t)below(MOST_TIERS),
                                .exclusive = one_in(3)};
    uint64_t sums[MOST_TIERS], sum = 0;
    size_t wrong = 0, counted = 1 + (size_t)below(naive.count);
    margay_prefix_cache *cache;
    ttl = one_in(2) ? UINT64_MAX : below(100);
    naive.inclusive = !naive.exclusive && one_in(2);
    for (size_t i = 0; i < naive.count; i++) {
        naive.rooms[i] = 1 + (size_t)below(MOST_IDS);
        sums[i] = sum += naive.rooms[i];
    }
    struct margay_prefix_cache_options options = of_one(sums, "lru", back);
    options.tiers = naive.count;
    options.counted = counted;
    options.inclusive = naive.inclusive;
    options.exclusive = naive.exclusive;
    if (margay_prefix_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    for (size_t r = 0; r < REQUESTS; r++) {
        const uint32_t *blocks = trace->blocks[r];
        size_t count = trace->counts[r], hits, found = 0;
        now = trace->times[r];
        while (found < count && tier_of(&naive, blocks[found]) < counted &&
               now <= ends[blocks[found]])
            found++;
        wrong += margay_prefix_cache_request(cache, blocks, count, now, &hits,
                                             NULL) != MARGAY_OK;
        wrong += hits != found;
        for (size_t i = 0; i < count; i++) {
            uint32_t block = blocks[back ? count - 1 - i : i];
            bool stale =
                tier_of(&naive, block) == naive.count || now > ends[block];
            if (stale)
                store_naive(block);
            if (naive.exclusive)
                move_up(&naive, block);
            else
                use_tiers(&naive, block, stale);
        }
    }
    margay_prefix_cache_free(cache);
    return wrong;
}

/* --------------------------------------------------------------- groups -- */

/* The longest of the first beginnings that a group lets hit, as vLLM looks for
   it: with a window, from the end on. */
static size_t longest_hit(const struct naive_tiers *pool, size_t groups,
                          size_t group, uint64_t window, const uint32_t *blocks,
                          size_t most)
{
    for (size_t end = most; end > 0; end--) {
        size_t run = 0, needed = window < end ? (size_t)window : end;
        while (run < needed &&
               place_in(pool, 0,
                        (uint32_t)(blocks[end - 1 - run] * groups + group)) <
                   pool->held[0])
            run++;
        if (run == needed)
            return end;
    }
    return 0;
}

static size_t wrong_in_groups(const struct trace *trace, bool back)
{
    uint64_t windows[MOST_GROUPS], room = 1 + below(MOST_IDS);
    ttl = UINT64_MAX;
    size_t groups = 1 + (size_t)below(MOST_GROUPS), wrong = 0;
    size_t asked = (size_t)below(groups + 1);
    struct naive_tiers pool = {.rooms = {(size_t)room * groups}, .count = 1};
    margay_prefix_cache *cache;
    for (size_t g = 0; g < groups; g++)
        windows[g] = one_in(3) ? UINT64_MAX : 1 + below(5);
    struct margay_prefix_cache_options options = of_one(&room, "lru", back);
    options.windows = windows;
    options.groups = groups;
    options.group = asked;
    if (margay_prefix_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    for (size_t r = 0; r < REQUESTS; r++) {
        const uint32_t *blocks = trace->blocks[r];
        size_t count = trace->counts[r], hits = count, told, most;
        do {
            most = hits;
            for (size_t g = 0; g < groups; g++)
                hits = longest_hit(&pool, groups, g, windows[g], blocks, hits);
        } while (hits < most);
        most = asked == 0 ? hits
                          : longest_hit(&pool, groups, asked - 1,
                                        windows[asked - 1], blocks, count);
        wrong += margay_prefix_cache_request(cache, blocks, count, 0, &told,
                                             NULL) != MARGAY_OK;
        wrong += told != most;
        /* What leaves the window is free before the rest. */
        for (size_t n = 0; n < 2 * groups * count; n++) {
            size_t g = n / count % groups, i = n % count;
            size_t at = back ? count - 1 - i : i;
            uint64_t later = count - at, before = hits > at ? hits - at : 0;
            if (before <= windows[g] &&
                (later > windows[g]) == (n < groups * count))
                use_tiers(&pool, (uint32_t)(blocks[at] * groups + g), false);
        }
    }
    margay_prefix_cache_free(cache);
    return wrong;
}

static void test_many(const char *what,
                      size_t wrong_in(const struct trace *, bool))
{
    uint64_t cases = rounds(3000);
    size_t wrong = 0;
    seed_chance(41);
    for (uint64_t i = 0; i < cases; i++) {
        struct trace trace;
        make_trace(&trace);
        wrong += wrong_in(&trace, one_in(2));
    }
    CHECK_U64(wrong, 0, "%s: %" PRIu64 " trees of requests", what, cases);
}

/* ------------------------------------------------------------ comparing -- */

static const char *tested; /* policy */

static size_t ask_naive(struct naive_cache *cache, const uint32_t *blocks,
                        size_t count, bool back)
{
    size_t hits = 0, ways = cache->options.ways;
    while (hits < count &&
           naive_find(cache->lines, ways, blocks[hits]) != NULL &&
           now <= ends[blocks[hits]])
        hits++;
    for (size_t i = 0; i < count; i++) {
        uint32_t block = blocks[back ? count - 1 - i : i];
        if (naive_find(cache->lines, ways, block) == NULL || now > ends[block])
            store_naive(block);
        naive_reference(cache, block, UINT64_MAX, MARGAY_READ);
    }
    return hits;
}

static size_t wrong_requests(const struct trace *trace, const char *policy,
                             size_t room, bool back, bool like_lru)
{
    ttl = one_in(2) ? UINT64_MAX : below(100);
    const uint64_t sum = room;
    const struct margay_prefix_cache_options options =
        of_one(&sum, policy, back);
    const struct margay_cache_options plain = {
        .ways = (uint32_t)room,
        .policy = like_lru ? "lru" : policy,
    };
    struct naive_leaves leaves = {.room = room};
    struct naive_cache *naive = malloc(sizeof *naive);
    margay_prefix_cache *cache;
    size_t wrong = 0;
    if (naive == NULL ||
        margay_prefix_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    naive_create(naive, &plain);
    for (size_t r = 0; r < REQUESTS; r++) {
        const uint32_t *blocks = trace->blocks[r];
        size_t count = trace->counts[r], hits;
        now = trace->times[r];
        wrong += margay_prefix_cache_request(cache, blocks, count, now, &hits,
                                             NULL) != MARGAY_OK;
        wrong += hits != (strcmp(policy, MARGAY_LEAF_LRU) == 0 && !like_lru
                              ? ask_leaves(&leaves, blocks, count, back)
                              : ask_naive(naive, blocks, count, back));
    }
    margay_prefix_cache_free(cache);
    naive_free(naive);
    free(naive);
    return wrong;
}

static size_t wrong_of_policy(const struct trace *trace, bool back)
{
    return wrong_requests(trace, tested, 1 + (size_t)below(MOST_IDS), back,
                          false);
}

/* The guarantee of prefix_cache.h.  Blocks of different requests are different
   but for a tree of two branches to each block. */
static size_t wrong_from_back(const struct trace *other, bool back)
{
    struct trace tree = {.counts = {0}};
    (void)other, (void)back;
    for (size_t r = 0; r < REQUESTS; r++) {
        uint32_t at = 1 + (uint32_t)below(2);
        tree.counts[r] = 1 + (size_t)below(4);
        for (size_t n = 0; n < tree.counts[r]; n++) {
            tree.blocks[r][n] = at;
            at = 2 * at + 1 + (uint32_t)below(2);
        }
    }
    return wrong_requests(&tree, MARGAY_LEAF_LRU,
                          4 + (size_t)below(MOST_IDS - 4), true, true);
}

static void test_refusals(void)
{
    const uint64_t room = 4;
    const struct margay_prefix_cache_options options =
        of_one(&room, "nothing", false);
    margay_prefix_cache *cache;
    CHECK(margay_prefix_cache_create(&options, &cache, NULL) ==
                  MARGAY_BAD_ARGUMENT &&
              cache == NULL,
          "an unknown policy is refused");
    margay_prefix_cache_free(NULL);
}

int main(void)
{
    static const char *const policies[] = {"lru", MARGAY_LEAF_LRU, "lfu", "arc",
                                           "slru"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        tested = policies[i];
        test_many(tested, wrong_of_policy);
    }
    test_many("leaf-lru from back to front is lru", wrong_from_back);
    test_many("tiers", wrong_in_tiers);
    test_many("groups of layers", wrong_in_groups);
    test_refusals();
    return tap_done();
}
