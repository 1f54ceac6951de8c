/*
 * test_policies.c - the question of policies in a program of its own: sizes
 * however large, and a watch that leaves no time; policies.t has the curves
 */
#include <stdatomic.h>

#include <margay/questions.h>

#include "tests/chance.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS   3000
#define BLOCKS 200

static uint64_t blocks[REFS];
static const struct margay_watch *watched; /* of the next run */

/* A curve of one policy. */
struct curve {
    size_t count;
    struct margay_series_point points[128];
};

static enum margay_status take(void *context,
                               const struct margay_series *series,
                               struct margay_error *error)
{
    struct curve *curve = context;
    (void)error;
    curve->count = series->count;
    for (size_t i = 0; i < series->count && i < 128; i++)
        curve->points[i] = series->points[i];
    CHECK_U64(series->references, REFS, "%s: all references are counted",
              series->policy);
    return MARGAY_OK;
}

/* Of spans of different lengths; empty = it failed. */
static struct curve run(const char *policy,
                        const struct margay_cache_sizes *sizes)
{
    const struct margay_policies_request request = {.policies = &policy,
                                                    .policy_count = 1,
                                                    .directory = "/tmp",
                                                    .sizes = sizes};
    const struct margay_pass pass = {.index = 0};
    const struct margay_share share = {.threads = 2, .watch = watched};
    const struct margay_sizes of_request = {.kind = MARGAY_SIZES_USUAL};
    struct curve curve = {.count = 0};
    margay_question *question;
    margay_analysis *analysis;
    if (margay_policies_question(&request, &question, NULL) != MARGAY_OK)
        return curve;
    enum margay_status status =
        margay_question_begin(question, &pass, 1, &share, &analysis, NULL);
    for (size_t done = 0, piece = 1; done < REFS; done += piece++) {
        piece = piece < REFS - done ? piece : REFS - done;
        const struct margay_span span = {.count = piece,
                                         .blocks = blocks + done};
        if (status == MARGAY_OK)
            status = margay_analysis_feed(analysis, &span, NULL);
    }
    if (status == MARGAY_OK)
        status = margay_analysis_finish(analysis, NULL);
    if (status == MARGAY_OK)
        margay_analysis_series(analysis, &of_request, take, &curve, NULL);
    margay_analysis_free(analysis);
    margay_question_free(question);
    return curve;
}

static uint64_t misses_of_cache(const char *policy, uint64_t size)
{
    const struct margay_cache_options options = {.ways = (uint32_t)size,
                                                 .policy = policy};
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_cache_feed(cache, blocks, NULL, REFS);
    uint64_t misses = margay_cache_counts(cache)->misses[MARGAY_READ];
    margay_cache_free(cache);
    return misses;
}

/* How many points are not what single caches have. */
static unsigned wrong_points(const char *policy, const struct curve *curve)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < curve->count; i++)
        wrong += curve->points[i].misses !=
                 misses_of_cache(policy, curve->points[i].size);
    return wrong;
}

static void test_lists(void)
{
    struct margay_cache_size list[] = {
        {7, false}, {1000, false}, {UINT64_MAX, false}};
    const struct margay_cache_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list = list, .count = 3};
    const struct curve curve = run("clock", &sizes);
    CHECK_U64(curve.count, 3, "a list of sizes");
    CHECK(curve.points[0].misses == misses_of_cache("clock", 7) &&
              curve.points[1].misses == BLOCKS &&
              curve.points[2].misses == BLOCKS,
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
    watched = &watch;
    const struct curve curve = run("sieve", NULL);
    watched = NULL;
    CHECK(patience.lacking + curve.count == 16 &&
              wrong_points("sieve", &curve) == 0 &&
              (questions < 1000) == (patience.lacking > 0) &&
              patience.caches == (patience.lacking > 0 ? 16 : 0),
          "time for %d questions: %zu caches", questions, curve.count);
    CHECK(patience.done <= patience.total &&
              (questions < 1000 || patience.done == (uint64_t)REFS * 16),
          "and how far all is");
}

int main(void)
{
    seed_chance(1);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = i < BLOCKS ? i : below(BLOCKS);
    test_lists();
    test_watch(0);
    test_watch(7);
    test_watch(30);
    test_watch(1000);
    return tap_done();
}
