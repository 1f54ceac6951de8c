/*
 * test_objects.c - caches of objects with sizes against lists that are searched
 * and summed up, and objects of one byte against blocks
 */
#include "assoc/policies/cache.h"
#include "tests/assoc/naive_objects.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define REFS 600
#define MANY 1049600 /* objects: a sketch of them takes 16 bytes for each */

/* Besides each policy by its name. */
static const char *const specs[] = {
    "clock:max=3,new=2",
    "s3fifo:small=0.4",
    "2q:in=0.5,out=2",
    "lirs:hir=0.3",
    "tinylfu:window=0.3,protected=0.5",
    "slru:protected=0.5",
    "hyperbolic:sample=3",
    "redis-lru:samples=2,tick=9",
    "redis-lfu:samples=9,log-factor=1",
    "lhd:interval=16",
    "lru:admit=size<40",
    "lfu:admit=0.3",
    "s3fifo:small=0.4,admit=second-hit",
    "lru:admit=adaptsize@50",
    "sieve:admit=adaptsize@7",
    "lru:admit=tinylfu",
    "fifo:admit=tinylfu",
    "lfu:admit=tinylfu",
    "slru:protected=0.5,admit=tinylfu",
    "lfuda:admit=tinylfu",
    "gdsf:admit=tinylfu",
    "lru:tier=40",
    "gdsf:tier=300",
    "lirs:hir=0.3,tier=90",
    "lhd:tier=90",
    "s3fifo:small=0.4,tier=90,admit=second-hit",
    "lru:tier=9,admit=tinylfu",
};
#define SPECS (sizeof specs / sizeof specs[0])

static uint64_t sizes[OBJECTS]; /* at first, multiples of */
static uint64_t unit, most_bytes;
static struct request {
    uint32_t object;
    uint64_t size, cost, time, until;
    bool stores, deletes;
} requests[REFS];

/* ------------------------------------------------------------ the cases -- */

static uint64_t any_size(uint64_t most)
{
    uint64_t size = one_in(8) ? 0 : unit * (1 + below(most));
    most_bytes = size > most_bytes ? size : most_bytes;
    return size;
}

/* In one of two traces sizes change, in one of two objects expire, in one of
   three some are deleted, which come again as others, or no more, and in one of
   four some numbers are 2^31 or more. */
static void make_trace(void)
{
    static const uint64_t often[] = {2, 20, 200, UINT64_MAX};
    uint64_t objects = 1 + below(OBJECTS);
    uint64_t most = UINT64_C(1) << below(10), time = 0;
    uint64_t resized = one_in(2) ? UINT64_MAX : often[below(3)];
    bool expires = one_in(2), deletes = one_in(3), costs = one_in(2);
    uint64_t now[OBJECTS], numbers[OBJECTS], numbered = objects;
    unit = one_in(4) ? UINT64_C(1) << 24 : 1;
    most_bytes = 0;
    for (size_t i = 0; i < OBJECTS; i++) {
        now[i] = sizes[i] = any_size(most);
        numbers[i] = i;
    }
    for (size_t i = 0; i < REFS; i++) {
        uint64_t some = 1 + below(objects);
        uint64_t drawn = below(some), object = numbers[drawn];
        bool deleted = deletes && numbered < OBJECTS && one_in(9);
        if (deleted)
            numbers[drawn] = numbered++;
        if (!deleted && resized != UINT64_MAX && one_in(resized))
            now[object] = any_size(1 + most);
        time += expires && one_in(3);
        requests[i] = (struct request){(uint32_t)object,
                                       now[object],
                                       costs ? below(30) * 8 * unit : 1,
                                       time * unit,
                                       expires ? (time + below(100)) * unit : 0,
                                       expires && one_in(9),
                                       deleted};
    }
}

/* The words of some requests, of which the first makes no note unless the sizes
   of `now` differ.  Returns how many there are. */
static size_t encode(size_t from, size_t to, uint64_t *now, uint32_t *words)
{
    uint32_t *next = words;
    for (size_t i = from; i < to; i++) {
        const struct request *request = &requests[i];
        if (i == 0 || request->time != request[-1].time)
            next += margay_note(next, MARGAY_NOTE_TIME, request->time);
        if (request->deletes) {
            next += margay_note(next, MARGAY_NOTE_DROP, request->object);
            continue;
        }
        if (request->size != now[request->object])
            next += margay_note(next, MARGAY_NOTE_SIZE, request->size);
        now[request->object] = request->size;
        next += margay_note(next, MARGAY_NOTE_COST, request->cost);
        next += margay_note(
            next, request->stores ? MARGAY_NOTE_STORE : MARGAY_NOTE_UNTIL,
            request->until);
        *next++ = request->object;
    }
    return (size_t)(next - words);
}

/* In pieces, as from a buffer; what is left of one comes again. */
static void feed(margay_object_cache *cache, const uint32_t *words,
                 size_t count)
{
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < 100 ? count - done : 100;
        done += margay_object_cache_feed(cache, words + done, piece);
    }
}

static bool differ(const char *spec)
{
    const struct margay_object_cache_options options = {
        .bytes = unit * (1 + below(1 + below(4000))),
        .sizes = sizes,
        .objects = OBJECTS,
        .policy = spec,
        .seed = any_u64(),
        .noted = {true, most_bytes, requests[REFS - 1].time, 29 * 8 * unit,
                  false},
    };
    static uint32_t words[REFS * (4 * MARGAY_NOTE_WORDS + 1)];
    uint64_t now[OBJECTS];
    struct naive naive;
    size_t warmup = below(2) * (REFS / 3);
    margay_object_cache *cache;
    if (margay_object_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    naive_begin(&naive, spec, options.bytes, sizes, options.seed);
    memcpy(now, sizes, sizeof now);
    feed(cache, words, encode(0, warmup, now, words));
    margay_object_cache_reset_counts(cache);
    feed(cache, words, encode(warmup, REFS, now, words));
    for (size_t i = 0; i < REFS; i++) {
        if (i == warmup)
            naive.misses = naive.missed_bytes = naive.missed_cost =
                naive.written_bytes = naive.memory_hits = 0;
        if (!requests[i].deletes)
            naive_request(&naive, requests[i].object, requests[i].size,
                          requests[i].cost, requests[i].time, requests[i].until,
                          requests[i].stores);
        else if (naive.held[requests[i].object])
            naive_take_out(&naive, requests[i].object);
        if (requests[i].deletes)
            list_drop(&naive.memory, requests[i].object);
    }
    const struct margay_object_counts counts =
        margay_object_cache_counts(cache);
    margay_object_cache_free(cache);
    naive_end(&naive);
    return counts.misses != naive.misses ||
           counts.missed_bytes != naive.missed_bytes ||
           counts.missed_cost != naive.missed_cost ||
           counts.written_bytes != naive.written_bytes ||
           counts.memory_hits != naive.memory_hits;
}

/* Fewer of those that work through all ages or objects after each interval, or
   are slow for other reasons. */
static uint64_t traces_of(const char *spec)
{
    static const char *const slow[] = {"lhd", "redis", "tier=", "=adapt",
                                       "=tiny"};
    uint64_t traces = strcmp(spec, "lhd:interval=16") == 0 ? 15 : 2000;
    for (size_t i = 0; i < 5 && traces > 300; i++)
        traces = strstr(spec, slow[i]) != NULL ? 300 : traces;
    return traces;
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
        blocks[i] = requests[i].object;
    margay_cache_feed(cache, blocks, NULL, REFS);
    uint64_t misses = margay_cache_counts(cache)->misses[MARGAY_READ];
    margay_cache_free(cache);
    return misses;
}

/* The objects of a trace have one byte each. */
static bool blocks_differ(const char *spec)
{
    uint32_t words[REFS], ways = 1 + (uint32_t)below(OBJECTS);
    const struct margay_object_cache_options options = {.bytes = ways,
                                                        .sizes = sizes,
                                                        .objects = OBJECTS,
                                                        .policy = spec,
                                                        .seed = 7};
    margay_object_cache *cache;
    for (size_t j = 0; j < REFS; j++)
        words[j] = requests[j].object;
    for (size_t j = 0; j < OBJECTS; j++)
        sizes[j] = 1;
    if (margay_object_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_object_cache_feed(cache, words, REFS);
    uint64_t misses = margay_object_cache_counts(cache).misses;
    margay_object_cache_free(cache);
    return misses != misses_of_blocks(spec, ways);
}

static void test_spec(const char *spec)
{
    uint64_t wrong = 0, wrong_blocks = 0, traces = rounds(traces_of(spec));
    bool plain = strstr(spec, "admit") == NULL && strstr(spec, "tier") == NULL;
    seed_chance(31);
    for (uint64_t i = 0; i < traces; i++) {
        make_trace();
        wrong += differ(spec);
        wrong_blocks += plain && blocks_differ(spec);
    }
    CHECK_U64(wrong, 0, "%s: as lists have it (%" PRIu64 " traces)", spec,
              traces);
    if (plain)
        CHECK_U64(wrong_blocks, 0, "%s: objects of one byte are as blocks",
                  spec);
}

static void refused(const char *spec, uint64_t bytes, const char *why)
{
    const struct margay_object_cache_options options = {
        .bytes = bytes, .sizes = sizes, .objects = OBJECTS, .policy = spec};
    struct margay_error error = {.message = ""};
    margay_object_cache *cache;
    CHECK(margay_object_cache_create(&options, &cache, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              cache == NULL && strstr(error.message, why) != NULL,
          "%s in %" PRIu64 " bytes: refused", spec, bytes);
}

/* Every policy of the table has the abilities of its row.  With room for all
   objects none takes more than 48 bytes for each, and a part of one: notes of
   all kinds and a tier, or any admission, included. */
static void test_abilities(void)
{
    static const char *const more[] = {"", ":tier=9,admit=second-hit",
                                       ":admit=adaptsize", ":admit=tinylfu"};
    static const uint64_t nothing[MANY];
    const struct margay_policy_info *info;
    for (size_t i = 0; (info = margay_policy_at(i)) != NULL; i++) {
        bool can = (info->abilities & MARGAY_POLICY_FOR_OBJECTS) != 0 &&
                   strncmp(info->name, "pfoo-", 5) != 0;
        uint64_t all = 0;
        for (size_t j = 0; j < sizeof more / sizeof *more; j++) {
            char spec[64];
            const struct margay_object_cache_options options = {
                .bytes = 9,
                .sizes = nothing,
                .objects = MANY,
                .policy = spec,
                .noted = {true, 0, 1, 1, false},
            };
            margay_object_cache *cache;
            snprintf(spec, sizeof spec, "%s%s", info->name, more[j]);
            enum margay_status status =
                margay_object_cache_create(&options, &cache, NULL);
            if (j == 0)
                CHECK((status == MARGAY_OK) == can, "%s is for objects, or not",
                      info->name);
            if (status == MARGAY_OK && cache->array_bytes > all)
                all = cache->array_bytes;
            margay_object_cache_free(cache);
        }
        if (can && !(info->abilities & MARGAY_POLICY_NEEDS_FUTURE))
            test_spec(info->name);
        CHECK(all / MANY <= 48, "%s: %" PRIu64 " bytes an object", info->name,
              all / MANY);
    }
}

int main(void)
{
    for (size_t i = 0; i < SPECS; i++)
        test_spec(specs[i]);
    test_abilities();
    refused("plru", 9, "policy plru is not defined for objects with sizes");
    refused("fifo", 0, "at least 1 byte");
    refused("arc:admit=tinylfu", 9, "expected lru, fifo, lfu, slru");
    refused("lru:admit=adaptsize@0", 9, "admit=adaptsize@REQUESTS");
    refused("lru:tier=0", 9, "one tier=BYTES");
    refused("lru:tier=1,tier=2", 9, "one tier=BYTES");
    refused("belady-size:tier=5", 9, "it knows the future of requests");
    refused("lru:admit=adaptsize50", 9, "admit=adaptsize@REQUESTS");
    return tap_done();
}
