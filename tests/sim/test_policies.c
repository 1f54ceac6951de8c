/*
 * test_policies.c - the consumer of policies in a program of its own: sizes
 * that it is not told, and what it refuses
 */
#include <stdatomic.h>

#include "sim/run/consumer.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS   3000
#define BLOCKS 200

static uint64_t blocks[REFS];
static const struct margay_watch *watched; /* of the next run */

/* A curve of one policy, of spans of different lengths; 0 = it failed. */
static size_t run(const char *policy, const struct margay_sizes *sizes,
                  struct margay_point *curve, size_t most)
{
    const struct margay_policies_request request = {
        .policies = &policy, .policy_count = 1, .directory = "/tmp"};
    const struct margay_pass pass = {.index = 0};
    const struct margay_share share = {.threads = 2, .watch = watched};
    const struct margay_point *points;
    margay_consumer *consumer;
    size_t count = 0;
    if (margay_policies_consumer(&request, &consumer, NULL) != MARGAY_OK)
        return 0;
    enum margay_status status =
        margay_consumer_begin(consumer, &pass, 1, &share, NULL);
    if (sizes != NULL && status == MARGAY_OK)
        status =
            margay_policies_consumer_set_sizes(consumer, &pass, sizes, NULL);
    for (size_t done = 0, piece = 1; done < REFS; done += piece++) {
        piece = piece < REFS - done ? piece : REFS - done;
        const struct margay_span span = {.count = piece,
                                         .blocks = blocks + done};
        if (status == MARGAY_OK)
            status = margay_consumer_feed(consumer, &pass, &span, NULL);
    }
    if (status == MARGAY_OK)
        status = margay_consumer_finish(consumer, &pass, NULL);
    if (status == MARGAY_OK) {
        count = margay_policies_consumer_curve(consumer, &pass, 0, &points);
        for (size_t i = 0; i < count && i < most; i++)
            curve[i] = points[i];
        CHECK(margay_policies_consumer_result(consumer, &pass)->references ==
                  REFS,
              "%s: all references are counted", policy);
    }
    margay_consumer_free(consumer);
    return count;
}

static uint64_t misses_of_cache(const char *policy, uint64_t size)
{
    const struct margay_cache_options options = {.ways = (uint32_t)size,
                                                 .policy = policy};
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_cache_feed(cache, blocks, NULL, NULL, REFS);
    uint64_t misses = margay_cache_counts(cache)->misses[MARGAY_READ];
    margay_cache_free(cache);
    return misses;
}

static void test_curves(const char *policy, size_t expected)
{
    struct margay_point curve[128];
    size_t count = run(policy, NULL, curve, 128);
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong +=
            curve[i].misses != misses_of_cache(policy, curve[i].cache_blocks);
    CHECK_U64(count, expected, "%s: the usual sizes", policy);
    CHECK_U64(wrong, 0, "%s: as many misses as single caches have", policy);
}

static void test_lists(void)
{
    struct margay_point curve[3];
    uint64_t list[] = {7, 1000, UINT64_MAX};
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = list, .list_count = 3};
    CHECK_U64(run("clock", &sizes, curve, 3), 3, "a list of sizes");
    CHECK(curve[0].misses == misses_of_cache("clock", 7) &&
              curve[1].misses == BLOCKS && curve[2].misses == BLOCKS,
          "however large they are");
}

/* A watch that leaves time for some questions. */
struct patience {
    atomic_int questions;
    size_t lacking, caches;
    uint64_t done, total;
};

static bool stop(void *context)
{
    struct patience *patience = context;
    return atomic_fetch_sub(&patience->questions, 1) <= 0;
}

static void progress(void *context, uint64_t done, uint64_t total)
{
    struct patience *patience = context;
    patience->done = done > patience->done ? done : patience->done;
    patience->total = total;
}

static void leave(void *context, size_t lacking, size_t caches)
{
    struct patience *patience = context;
    patience->lacking = lacking;
    patience->caches = caches;
}

/* Caches for which there is no time are left out, and all others are right. */
static void test_watch(int questions)
{
    struct patience patience = {.questions = questions};
    const struct margay_watch watch = {&patience, stop, progress, leave};
    struct margay_point curve[128];
    unsigned wrong = 0;
    watched = &watch;
    size_t count = run("sieve", NULL, curve, 128);
    watched = NULL;
    for (size_t i = 0; i < count; i++)
        wrong +=
            curve[i].misses != misses_of_cache("sieve", curve[i].cache_blocks);
    CHECK(patience.lacking + count == 16 && wrong == 0 &&
              (questions < 1000) == (patience.lacking > 0) &&
              patience.caches == (patience.lacking > 0 ? 16 : 0),
          "time for %d questions: %zu caches", questions, count);
    CHECK(patience.done <= patience.total &&
              (questions < 1000 || patience.done == (uint64_t)REFS * 16),
          "and how far all is");
}

static void refused(const char *first, const char *second, const char *why)
{
    const char *const policies[] = {first, second};
    const struct margay_policies_request request = {
        .policies = policies, .policy_count = 2, .directory = "/tmp"};
    struct margay_error error = {.message = ""};
    margay_consumer *consumer;
    CHECK(margay_policies_consumer(&request, &consumer, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              consumer == NULL && strstr(error.message, why) != NULL,
          "%s,%s: %s", first, second, why);
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 1);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = i < BLOCKS ? i : margay_random_below(&random, BLOCKS);
    /* 2 or 16 sizes an octave up to the largest distance, which is above 192:
       the two of 7 octaves and 2 of the last, and the largest. */
    test_curves("fifo", 16);
    test_curves("sieve", 16);
    test_curves("lru", 1 + 2 + 4 + 8 + 16 * 3 + 9 + 1);
    test_lists();
    test_watch(0);
    test_watch(7);
    test_watch(30);
    test_watch(1000);
    refused("lru", "lru", "given twice");
    refused("fifo", "nosuch", "unknown policy");
    refused("fifo", "plru", "for sets of some ways only");
    return tap_done();
}
