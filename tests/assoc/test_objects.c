/*
 * test_objects.c - caches of objects with sizes against lists that are searched
 * and summed up, and objects of one byte against blocks
 */
#include "assoc/policies/object_cache.h"
#include "tests/assoc/naive_lists.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define REFS    600
#define OBJECTS 90

static const char *const specs[] = {
    "fifo", "clock", "sieve", "lfu", "s3fifo", "s3fifo:small=0.4", "random",
};
#define SPECS (sizeof specs / sizeof specs[0])

static uint64_t sizes[OBJECTS];
static uint32_t requests[REFS];

/* ----------------------------------------------------- caches of lists -- */

/* List 0 has what is held; of s3fifo also 1, the main queue, and 2, ghosts.
   The values are marks, hits or uses. */
struct naive {
    const char *policy;
    uint64_t bytes;
    double small;
    struct naive_list list[3];
    size_t hand, gap;
    struct margay_random random;
    uint64_t misses, missed_bytes;
};

static bool is(const struct naive *naive, const char *policy)
{
    return strncmp(naive->policy, policy, strlen(policy)) == 0;
}

static uint64_t bytes_of(const struct naive_list *list)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += sizes[list->entries[i].block];
    return sum;
}

static void naive_hit(struct naive *naive, uint64_t object)
{
    struct naive_list *in = &naive->list[!list_has(&naive->list[0], object)];
    uint64_t *value = list_value(in, object);
    if (is(naive, "lfu")) {
        ++*value;
        list_renew(in, object);
    } else if (is(naive, "s3fifo")) {
        *value = *value < 3 ? *value + 1 : 3;
    } else {
        *value = 1;
    }
}

static void sieve(struct naive *naive)
{
    struct naive_list *all = &naive->list[0];
    while (all->entries[naive->hand].value == 1) {
        all->entries[naive->hand].value = 0;
        naive->hand = (naive->hand + 1) % all->count;
    }
    list_drop(all, all->entries[naive->hand].block);
    if (naive->hand == all->count)
        naive->hand = 0;
}

static void s3fifo(struct naive *naive)
{
    struct naive_list *small = &naive->list[0], *main = &naive->list[1];
    uint64_t share = naive_share(naive->bytes, naive->small);
    if (bytes_of(small) >= share || main->count == 0) {
        while (small->count > 0) {
            uint64_t hits = small->entries[0].value, object = list_shift(small);
            if (hits < 2) {
                list_push(&naive->list[2], object, 0);
                while (bytes_of(&naive->list[2]) > naive->bytes - share)
                    list_shift(&naive->list[2]);
                return;
            }
            list_push(main, object, 0);
        }
    }
    while (main->entries[0].value > 0) {
        uint64_t hits = main->entries[0].value, object = list_shift(main);
        list_push(main, object, hits - 1);
    }
    list_shift(main);
}

static void evict(struct naive *naive)
{
    struct naive_list *all = &naive->list[0];
    if (is(naive, "sieve")) {
        sieve(naive);
    } else if (is(naive, "lfu")) {
        lfu_evict(&(struct naive_set){.list = {*all}}, 0);
        all->count--;
    } else if (is(naive, "s3fifo")) {
        s3fifo(naive);
    } else if (is(naive, "random")) {
        naive->gap = margay_random_below(&naive->random, all->count);
        all->entries[naive->gap] = all->entries[--all->count];
    } else {
        while (is(naive, "clock") && all->entries[0].value == 1)
            list_push(all, list_shift(all), 0);
        list_shift(all);
    }
}

static void naive_request(struct naive *naive, uint32_t request)
{
    uint64_t object = request & ~MARGAY_REQUEST_LATE, size = sizes[object];
    bool held =
        list_has(&naive->list[0], object) || list_has(&naive->list[1], object);
    if (!held || object != request) {
        naive->misses++;
        naive->missed_bytes += size;
    }
    if (held) {
        naive_hit(naive, object);
        return;
    }
    if (size > naive->bytes)
        return;
    struct naive_list *to = &naive->list[0];
    if (list_has(&naive->list[2], object))
        to = &naive->list[1];
    bool full = false;
    while (bytes_of(&naive->list[0]) + bytes_of(&naive->list[1]) + size >
           naive->bytes) {
        list_drop(&naive->list[2], object);
        evict(naive);
        full = true;
    }
    list_drop(&naive->list[2], object);
    list_push(to, object, is(naive, "lfu"));
    if (is(naive, "random") && full) {
        to->entries[to->count - 1] = to->entries[naive->gap];
        to->entries[naive->gap] = (struct naive_entry){object, 0};
    }
}

/* ------------------------------------------------------------ the cases -- */

static void make_trace(struct margay_random *random)
{
    uint64_t objects = 1 + margay_random_below(random, OBJECTS);
    uint64_t most = UINT64_C(1) << margay_random_below(random, 10);
    for (size_t i = 0; i < OBJECTS; i++)
        sizes[i] = margay_random_below(random, 8) == 0
                       ? 0
                       : 1 + margay_random_below(random, most);
    for (size_t i = 0; i < REFS; i++) {
        uint64_t some = 1 + margay_random_below(random, objects);
        requests[i] = (uint32_t)margay_random_below(random, some);
        if (margay_random_below(random, 50) == 0)
            requests[i] |= MARGAY_REQUEST_LATE;
    }
}

static bool differ(struct margay_random *random, const char *spec)
{
    const struct margay_object_cache_options options = {
        .bytes = 1 + margay_random_below(random,
                                         1 + margay_random_below(random, 4000)),
        .sizes = sizes,
        .objects = OBJECTS,
        .policy = spec,
        .seed = margay_random_u64(random),
    };
    struct naive naive = {.policy = spec,
                          .bytes = options.bytes,
                          .small = strchr(spec, ':') == NULL ? 0.1 : 0.4};
    size_t warmup = margay_random_below(random, 2) * (REFS / 3);
    margay_object_cache *cache;
    if (margay_object_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_random_seed(&naive.random, options.seed);
    margay_object_cache_feed(cache, requests, warmup);
    margay_object_cache_reset_counts(cache);
    margay_object_cache_feed(cache, requests + warmup, REFS - warmup);
    for (size_t i = 0; i < REFS; i++) {
        if (i == warmup)
            naive.misses = naive.missed_bytes = 0;
        naive_request(&naive, requests[i]);
    }
    const struct margay_object_counts counts =
        margay_object_cache_counts(cache);
    margay_object_cache_free(cache);
    for (size_t i = 0; i < 3; i++)
        free(naive.list[i].entries);
    return counts.misses != naive.misses ||
           counts.missed_bytes != naive.missed_bytes;
}

static void test_lists(const char *spec)
{
    struct margay_random random;
    uint64_t wrong = 0, traces = rounds(4000);
    margay_random_seed(&random, 31);
    for (uint64_t i = 0; i < traces; i++) {
        make_trace(&random);
        wrong += differ(&random, spec);
    }
    CHECK_U64(wrong, 0, "%s: as lists have it (%" PRIu64 " traces)", spec,
              traces);
}

static uint64_t misses_of_blocks(const char *spec, uint32_t ways)
{
    const struct margay_cache_options options = {
        .ways = ways, .policy = spec, .seed = 7};
    uint64_t blocks[REFS];
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = requests[i];
    margay_cache_feed(cache, blocks, NULL, NULL, REFS);
    uint64_t misses = margay_cache_counts(cache)->misses[MARGAY_READ];
    margay_cache_free(cache);
    return misses;
}

static void test_blocks(const char *spec)
{
    struct margay_random random;
    uint64_t wrong = 0, traces = rounds(2000);
    margay_random_seed(&random, 32);
    for (uint64_t i = 0; i < traces; i++) {
        uint32_t ways = 1 + (uint32_t)margay_random_below(&random, OBJECTS);
        const struct margay_object_cache_options options = {.bytes = ways,
                                                            .sizes = sizes,
                                                            .objects = OBJECTS,
                                                            .policy = spec,
                                                            .seed = 7};
        margay_object_cache *cache;
        make_trace(&random);
        for (size_t j = 0; j < REFS; j++)
            requests[j] &= ~MARGAY_REQUEST_LATE;
        for (size_t j = 0; j < OBJECTS; j++)
            sizes[j] = 1;
        if (margay_object_cache_create(&options, &cache, NULL) != MARGAY_OK)
            exit(1);
        margay_object_cache_feed(cache, requests, REFS);
        wrong += margay_object_cache_counts(cache).misses !=
                 misses_of_blocks(spec, ways);
        margay_object_cache_free(cache);
    }
    CHECK_U64(wrong, 0, "%s: objects of one byte are as blocks", spec);
}

static void refused(const char *spec, uint64_t bytes, const char *why)
{
    const struct margay_object_cache_options options = {
        .bytes = bytes, .sizes = sizes, .objects = OBJECTS, .policy = spec};
    struct margay_error error = {.message = ""};
    margay_object_cache *cache;
    CHECK(margay_object_cache_create(&options, &cache, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              cache == NULL && strstr(error.message, why) != NULL &&
              margay_object_cache_bytes(&options) == UINT64_MAX,
          "%s in %" PRIu64 " bytes: refused", spec, bytes);
}

/* Every policy of the table keeps to what its row says. */
static void test_abilities(void)
{
    for (size_t i = 0; i < margay_policy_count(); i++) {
        const struct margay_policy_info *info = margay_policy_at(i);
        const struct margay_object_cache_options options = {
            .bytes = 9, .sizes = sizes, .objects = 1, .policy = info->name};
        bool can = (info->abilities & MARGAY_POLICY_FOR_OBJECTS) != 0;
        margay_object_cache *cache;
        enum margay_status status =
            margay_object_cache_create(&options, &cache, NULL);
        CHECK((status == MARGAY_OK) == can, "%s is for objects, or is not",
              info->name);
        margay_object_cache_free(cache);
    }
}

int main(void)
{
    for (size_t i = 0; i < SPECS; i++) {
        test_lists(specs[i]);
        test_blocks(specs[i]);
    }
    test_abilities();
    refused("arc", 9, "policy arc is not defined for objects with sizes");
    refused("fifo", 0, "at least 1 byte");
    return tap_done();
}
