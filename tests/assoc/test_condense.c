/*
 * test_condense.c - caches of ascending sets without the references that do
 * nothing there, against caches that are fed all of them
 */
#include <inttypes.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include <margay/assoc.h>

#define REFS   600
#define LEVELS 4

static uint64_t blocks[REFS], left[REFS];
static uint8_t kinds[REFS], left_kinds[REFS];

static const char *const policies[] = {"lru",   "fifo", "random", "plru",
                                       "clock", "nru",  "sieve",  "srrip"};

static margay_cache *create(const struct margay_cache_options *options)
{
    margay_cache *cache;
    if (margay_cache_create(options, &cache, NULL) != MARGAY_OK)
        exit(1);
    return cache;
}

/* A trace that stays where it was, or alternates, or goes elsewhere; of block
   UINT64_MAX, too. */
static void make_trace(void)
{
    uint64_t range = 1 + below(200), base = UINT64_MAX - below(2 * range);
    for (size_t i = 0; i < REFS; i++) {
        blocks[i] = i > 1 && !one_in(3) ? blocks[i - 1 - below(2)]
                                        : base + below(range);
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
    }
}

/* Returns how many references were left out, and UINT64_MAX if that changed a
   count. */
static uint64_t left_out(void)
{
    struct margay_cache_options options = {
        .sets = 1 + below(3),
        .index = MARGAY_INDEX_MODULO,
        .ways = 1u << below(4),
        .policy = policies[below(sizeof policies / sizeof *policies)],
        .seed = 7,
        .notes_latest = true,
    };
    margay_cache *all[LEVELS], *some[LEVELS];
    uint64_t out = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        some[i] = create(&options);
        all[i] = create(&options);
        options.sets *= 1 + below(4);
    }
    for (size_t done = 0, now; done < REFS; done += now) {
        size_t count = now = 1 + below(REFS - done);
        memcpy(left, blocks + done, now * sizeof *left);
        memcpy(left_kinds, kinds + done, now);
        for (size_t i = 0; i < LEVELS; i++) {
            margay_cache_feed(all[i], blocks + done, kinds + done, now);
            count = margay_cache_condense(some[i], left, left_kinds, count,
                                          left, left_kinds);
            margay_cache_feed(some[i], left, left_kinds, count);
            out += now - count;
        }
    }
    for (size_t i = 0; i < LEVELS; i++) {
        if (memcmp(margay_cache_counts(all[i])->misses,
                   margay_cache_counts(some[i])->misses,
                   sizeof(uint64_t) * MARGAY_KINDS) != 0) {
            printf("# %s of %u ways: level %zu\n", options.policy, options.ways,
                   i);
            out = UINT64_MAX;
        }
        margay_cache_free(all[i]);
        margay_cache_free(some[i]);
    }
    return out;
}

int main(void)
{
    uint64_t count = rounds(4000), out = 0, wrong = 0;
    seed_chance(42);
    for (uint64_t i = 0; i < count && wrong < 5; i++) {
        make_trace();
        uint64_t more = left_out();
        wrong += more == UINT64_MAX;
        out += more == UINT64_MAX ? 0 : more;
    }
    CHECK(wrong == 0, "%" PRIu64 " families of caches count the same misses",
          count);
    CHECK(out > 200 * count, "and %" PRIu64 " references were left out", out);
    return tap_done();
}
