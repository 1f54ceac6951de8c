/*
 * test_filter.c - what a cache passes on, against a cache of lists
 *
 * Random references go through a cache before a consumer that keeps what it is
 * fed, and through an LRU cache that is written with lists and nothing else.
 */
#include <margay/run.h>

#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 400
#define MOST_WAYS 5

struct keeper {
    margay_consumer consumer;
    size_t count, indexed;
    uint64_t blocks[MARGAY_MOST_TRAFFIC * MOST_REFS];
    uint8_t kinds[MARGAY_MOST_TRAFFIC * MOST_REFS];
};

static enum margay_status keep(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct keeper *keeper = (struct keeper *)consumer;
    (void)pass, (void)error;
    keeper->indexed += span->first_index == keeper->count;
    memcpy(keeper->blocks + keeper->count, span->blocks,
           span->count * sizeof *span->blocks);
    memcpy(keeper->kinds + keeper->count, span->kinds, span->count);
    keeper->count += span->count;
    return MARGAY_OK;
}

static void free_nothing(margay_consumer *consumer)
{
    (void)consumer;
}

/* ------------------------------------------------------ a cache of lists -- */

struct line {
    uint64_t block;
    bool dirty;
};

struct naive {
    const struct margay_cache_options *options;
    struct line sets[8][MOST_WAYS]; /* the most recent first */
    unsigned filled[8];
    struct keeper passed;
};

static void pass_on(struct naive *naive, uint64_t block, enum margay_kind kind)
{
    naive->passed.blocks[naive->passed.count] = block;
    naive->passed.kinds[naive->passed.count++] = (uint8_t)kind;
}

static void put_first(struct line *set, unsigned from, struct line line)
{
    for (unsigned i = from; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = line;
}

static void reference(struct naive *naive, uint64_t block,
                      enum margay_kind kind)
{
    const struct margay_cache_options *options = naive->options;
    uint64_t s = block % options->sets;
    struct line *set = naive->sets[s], line = {block, false};
    unsigned at = 0;
    while (at < naive->filled[s] && set[at].block != block)
        at++;
    bool hit = at < naive->filled[s];
    bool allocates = hit || kind != MARGAY_WRITE || !options->no_allocate;
    if (hit)
        line = set[at];
    else if (!allocates)
        ;
    else if (naive->filled[s] < options->ways)
        naive->filled[s]++;
    else if (set[--at].dirty)
        pass_on(naive, set[at].block, MARGAY_WRITE);
    if (!hit && allocates)
        pass_on(naive, block,
                kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ);
    if (kind == MARGAY_WRITE && (options->write_through || !allocates))
        pass_on(naive, block, MARGAY_WRITE);
    else if (kind == MARGAY_WRITE)
        line.dirty = true;
    if (allocates)
        put_first(set, at, line);
}

/* --------------------------------------------------------- both of them -- */

static bool is_same(const struct keeper *a, const struct keeper *b)
{
    return a->count == b->count &&
           memcmp(a->blocks, b->blocks, a->count * sizeof *a->blocks) == 0 &&
           memcmp(a->kinds, b->kinds, a->count) == 0;
}

static bool run_round(struct margay_random *random)
{
    static const struct margay_consumer_class functions = {
        .feed = keep, .free = free_nothing};
    static uint64_t blocks[MOST_REFS];
    static uint8_t kinds[MOST_REFS];
    static struct naive naive;
    static struct keeper keeper;
    const struct margay_filter_request request = {
        .cache = {
            .sets = 1 + margay_random_below(random, 8),
            .ways = (uint32_t)(1 + margay_random_below(random, MOST_WAYS)),
            .write_through = margay_random_below(random, 3) == 0,
            .no_allocate = margay_random_below(random, 3) == 0,
        }};
    const struct margay_pass pass = {.trace = "random"};
    const struct margay_share share = {.threads = 1};
    size_t count = margay_random_below(random, MOST_REFS) + 1;
    uint64_t most = 1 + margay_random_below(random, 60);
    margay_consumer *filter;
    naive = (struct naive){.options = &request.cache};
    keeper = (struct keeper){.consumer = {.functions = &functions}};
    for (size_t i = 0; i < count; i++) {
        blocks[i] = margay_random_below(random, most);
        kinds[i] = (uint8_t)margay_random_below(random, 3);
        reference(&naive, blocks[i], (enum margay_kind)kinds[i]);
    }
    if (margay_filter_consumer(&request, &keeper.consumer, &filter, NULL) !=
        MARGAY_OK)
        return false;
    filter->functions->begin(filter, &pass, 1, &share, NULL);
    for (size_t done = 0; done < count;) {
        size_t some = 1 + margay_random_below(random, count - done);
        const struct margay_span span = {
            .count = some, .blocks = blocks + done, .kinds = kinds + done};
        filter->functions->feed(filter, &pass, &span, NULL);
        done += some;
    }
    bool same = is_same(&keeper, &naive.passed);
    margay_consumer_free(filter);
    return same;
}

/* A cache before an engine: the distances are those of what it lets through. */
static void test_engine_behind(void)
{
    const struct margay_engine_request request = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_filter_request one = {.cache = {.ways = 1}};
    const struct margay_pass pass = {.trace = "abab"};
    const struct margay_share share = {.threads = 1};
    const uint64_t blocks[] = {1, 1, 2, 1, 1, 2, 3, 1};
    const struct margay_span span = {.count = 8, .blocks = blocks};
    margay_consumer *engine, *filter = NULL;
    CHECK(margay_engine_consumer(&request, NULL, &engine, NULL) == MARGAY_OK &&
              margay_filter_consumer(&one, engine, &filter, NULL) == MARGAY_OK,
          "an engine behind a cache");
    filter->functions->begin(filter, &pass, 1, &share, NULL);
    filter->functions->feed(filter, &pass, &span, NULL);
    filter->functions->finish(filter, &pass, NULL);
    const struct margay_result *result = margay_engine_consumer_result(
        margay_filter_consumer_next(filter), &pass);
    CHECK_U64(result->references, 6, "1 2 1 2 3 1 are let through");
    CHECK_U64(result->distinct_blocks, 3, "three of them are different");
    CHECK_U64(
        margay_filter_consumer_counts(filter, &pass)->references[MARGAY_READ],
        8, "eight references are counted");
    margay_consumer_free(filter);
}

static void test_refusal(void)
{
    struct margay_error error;
    const struct margay_engine_request request = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_filter_request one = {.cache = {.ways = 1}};
    margay_consumer *attribution, *engine, *filter;
    margay_attribution_consumer(MARGAY_BY_SITE, NULL, NULL, &attribution, NULL);
    margay_engine_consumer(&request, attribution, &engine, NULL);
    CHECK(margay_filter_consumer(&one, engine, &filter, &error) ==
              MARGAY_BAD_ARGUMENT,
          "sites do not go through a cache");
    CHECK(filter == NULL, "and there is nothing to be freed");
}

int main(void)
{
    struct margay_random random;
    unsigned count = (unsigned)rounds(3000), wrong = 0;
    margay_random_seed(&random, 18);
    for (unsigned i = 0; i < count; i++)
        wrong += !run_round(&random);
    CHECK_U64(wrong, 0, "%u caches pass on what one of lists does", count);
    test_engine_behind();
    test_refusal();
    return tap_done();
}
