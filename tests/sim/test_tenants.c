/*
 * test_tenants.c - tenants in a shared cache and alone, against lists
 *
 * Random references of a few tenants, who share some blocks, go through an
 * engine and the consumer of tenants.  At every size, plain LRU caches, written
 * with lists and nothing else, tell what each tenant misses in the cache of all
 * and in one of its own.
 */
#include <margay/run.h>

#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS    80
#define MOST_BLOCKS  16
#define MOST_TENANTS 5

struct trace {
    size_t count, warmup;
    uint64_t blocks[MOST_REFS];
    uint32_t tenants[MOST_REFS]; /* numbers of which few are small */
    uint64_t bound;              /* 0 = none */
};

/* ------------------------------------------------------ a cache of lists -- */

struct naive {
    uint64_t blocks[MOST_BLOCKS]; /* the most recent first */
    size_t count;
};

/* Does the block miss in a cache of this size? */
static bool misses(struct naive *cache, size_t size, uint64_t block)
{
    size_t i = 0;
    while (i < cache->count && cache->blocks[i] != block)
        i++;
    bool missed = i == cache->count;
    if (missed && cache->count < size)
        cache->count++;
    if (missed)
        i = cache->count - 1;
    memmove(cache->blocks + 1, cache->blocks, i * sizeof *cache->blocks);
    cache->blocks[0] = block;
    return missed;
}

/* The misses of a tenant in caches of `size` blocks. */
static void count_misses(const struct trace *trace, uint32_t tenant,
                         size_t size, uint64_t *shared, uint64_t *alone)
{
    struct naive together = {.count = 0}, own = {.count = 0};
    *shared = *alone = 0;
    for (size_t i = 0; i < trace->count; i++) {
        bool missed = misses(&together, size, trace->blocks[i]);
        if (trace->tenants[i] != tenant)
            continue;
        bool missed_alone = misses(&own, size, trace->blocks[i]);
        *shared += missed && i >= trace->warmup;
        *alone += missed_alone && i >= trace->warmup;
    }
}

/* -------------------------------------------------------------- a round -- */

static uint64_t misses_in(const margay_histogram *histogram, uint64_t size)
{
    uint64_t left = margay_histogram_references(histogram);
    uint64_t next = 0, distance, references;
    while (margay_histogram_next(histogram, next, &distance, &references) &&
           distance < size) {
        left -= references;
        next = distance + 1;
    }
    return left;
}

struct seen {
    const struct trace *trace;
    size_t tenants, wrong;
    uint64_t references, last;
};

static enum margay_status compare(void *context, uint64_t key,
                                  const margay_histogram *shared,
                                  const struct margay_result *alone,
                                  struct margay_error *error)
{
    struct seen *seen = context;
    const struct trace *trace = seen->trace;
    uint64_t most = trace->bound == 0 ? MOST_BLOCKS : trace->bound;
    (void)error;
    seen->wrong += seen->tenants++ > 0 && key <= seen->last;
    seen->last = key;
    seen->references += alone->references;
    seen->wrong += alone->references != margay_histogram_references(shared);
    for (uint64_t size = 1; size <= most; size++) {
        uint64_t shared_misses, own_misses;
        count_misses(trace, (uint32_t)key, size, &shared_misses, &own_misses);
        seen->wrong += misses_in(shared, size) != shared_misses;
        seen->wrong += misses_in(alone->histogram, size) != own_misses;
    }
    return MARGAY_OK;
}

static void feed(margay_consumer *engine, const struct margay_pass *pass,
                 const struct trace *trace, size_t from, size_t count)
{
    const struct margay_span span = {.count = count,
                                     .blocks = trace->blocks + from,
                                     .tenants = trace->tenants + from,
                                     .threads = trace->tenants + from,
                                     .first_index = from,
                                     .warmup = from < trace->warmup};
    if (trace->warmup > 0 && from == trace->warmup)
        engine->functions->reset(engine, pass, NULL);
    engine->functions->feed(engine, pass, &span, NULL);
}

/* The number of mistakes. */
static size_t compare_trace(const struct trace *trace,
                            enum margay_attribution by,
                            struct margay_random *random)
{
    const struct margay_engine_request request = {
        .seed = 1, .bound = {.value = trace->bound}};
    const struct margay_pass pass = {.trace = "random"};
    const struct margay_share share = {.threads = 1};
    struct seen seen = {.trace = trace};
    margay_consumer *tenants, *engine;
    if (margay_tenants_consumer(&request, by, &tenants, NULL) != MARGAY_OK ||
        margay_engine_consumer(&request, tenants, &engine, NULL) != MARGAY_OK)
        return 1;
    engine->functions->begin(engine, &pass, 1, &share, NULL);
    for (size_t done = 0; done < trace->count;) {
        size_t end = done < trace->warmup ? trace->warmup : trace->count;
        size_t some = 1 + margay_random_below(random, end - done);
        feed(engine, &pass, trace, done, some);
        done += some;
    }
    engine->functions->finish(engine, &pass, NULL);
    margay_tenants_visit(
        margay_engine_consumer_next(engine), &pass,
        margay_histogram_exceeded_bound(
            margay_engine_consumer_result(engine, &pass)->histogram),
        compare, &seen, NULL);
    margay_consumer_free(engine);
    return seen.wrong + (seen.references != trace->count - trace->warmup);
}

static size_t run_round(struct margay_random *random)
{
    struct trace trace = {.count = 1 + margay_random_below(random, MOST_REFS)};
    uint64_t blocks = 1 + margay_random_below(random, MOST_BLOCKS);
    uint64_t tenants = 1 + margay_random_below(random, MOST_TENANTS);
    uint64_t apart = margay_random_below(random, 2) * blocks / 2;
    if (margay_random_below(random, 3) == 0)
        trace.warmup = margay_random_below(random, trace.count);
    if (margay_random_below(random, 3) == 0)
        trace.bound = 1 + margay_random_below(random, MOST_BLOCKS);
    for (size_t i = 0; i < trace.count; i++) {
        uint64_t tenant = margay_random_below(random, tenants);
        trace.tenants[i] = (uint32_t)(tenant * UINT32_C(1234567890));
        trace.blocks[i] =
            (margay_random_below(random, blocks) + tenant * apart) %
            MOST_BLOCKS;
    }
    return compare_trace(&trace,
                         margay_random_below(random, 2) ? MARGAY_BY_TENANT
                                                        : MARGAY_BY_THREAD,
                         random);
}

static void test_refusal(void)
{
    struct margay_error error;
    const struct margay_engine_request request = {.spec = "shards"};
    margay_consumer *tenants;
    CHECK(margay_tenants_consumer(&request, MARGAY_BY_TENANT, &tenants,
                                  &error) == MARGAY_BAD_ARGUMENT &&
              tenants == NULL,
          "an engine that samples is refused");
}

int main(void)
{
    struct margay_random random;
    unsigned count = (unsigned)rounds(10000), wrong = 0;
    margay_random_seed(&random, 20);
    for (unsigned i = 0; i < count; i++)
        wrong += run_round(&random) > 0;
    CHECK_U64(wrong, 0,
              "%u traces: tenants miss, shared and alone, what lists do",
              count);
    test_refusal();
    return tap_done();
}
