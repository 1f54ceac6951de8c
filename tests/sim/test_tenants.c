/*
 * test_tenants.c - tenants in a shared cache and alone, against lists
 *
 * The question of tenants is asked of random references of a few tenants, who
 * share some blocks.  At every size, plain LRU caches, written
 * with lists and nothing else, tell what each tenant misses in the cache of all
 * and in one of its own.
 */
#include <margay/questions.h>

#include "tests/chance.h"
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

struct seen {
    const struct trace *trace;
    size_t tenants, wrong;
    uint64_t references, last;
};

static enum margay_status compare(void *context,
                                  const struct margay_series *series,
                                  struct margay_error *error)
{
    struct seen *seen = context;
    const struct trace *trace = seen->trace;
    (void)error;
    seen->wrong += !series->has_key;
    seen->wrong += seen->tenants++ > 0 && series->key <= seen->last;
    seen->wrong += (series->counters & MARGAY_COUNTS_SHARED) == 0;
    seen->wrong +=
        series->count != (trace->bound == 0 ? MOST_BLOCKS : trace->bound);
    seen->last = series->key;
    seen->references += series->references;
    for (size_t i = 0; i < series->count; i++) {
        uint64_t shared, own;
        count_misses(trace, (uint32_t)series->key, series->points[i].size,
                     &shared, &own);
        seen->wrong += series->points[i].shared_misses != shared;
        seen->wrong += series->points[i].misses != own;
    }
    return MARGAY_OK;
}

static void feed(margay_analysis *analysis, const struct trace *trace,
                 size_t from, size_t count)
{
    const struct margay_span span = {.count = count,
                                     .blocks = trace->blocks + from,
                                     .tenants = trace->tenants + from,
                                     .threads = trace->tenants + from,
                                     .first_index = from,
                                     .warmup = from < trace->warmup};
    if (trace->warmup > 0 && from == trace->warmup)
        margay_analysis_reset(analysis, NULL);
    margay_analysis_feed(analysis, &span, NULL);
}

/* The number of mistakes, at all sizes up to the bound. */
static size_t compare_trace(const struct trace *trace,
                            enum margay_attribution by)
{
    const struct margay_engine_request request = {
        .seed = 1, .bound = {.value = trace->bound}};
    const struct margay_pass pass = {.trace = "random"};
    const struct margay_share share = {.threads = 1};
    static uint64_t list[MOST_BLOCKS];
    struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                 .list_blocks = list};
    struct seen seen = {.trace = trace};
    margay_question *question;
    margay_analysis *tenants;
    uint64_t most = trace->bound == 0 ? MOST_BLOCKS : trace->bound;
    while (sizes.list_count < most)
        list[sizes.list_count] = sizes.list_count + 1, sizes.list_count++;
    if (margay_tenants_question(&request, by, &question, NULL) != MARGAY_OK ||
        margay_question_begin(question, &pass, 1, &share, &tenants, NULL) !=
            MARGAY_OK)
        return 1;
    for (size_t done = 0; done < trace->count;) {
        size_t end = done < trace->warmup ? trace->warmup : trace->count;
        size_t some = 1 + below(end - done);
        feed(tenants, trace, done, some);
        done += some;
    }
    margay_analysis_finish(tenants, NULL);
    if (margay_analysis_series(tenants, &sizes, compare, &seen, NULL) !=
        MARGAY_OK)
        seen.wrong++;
    margay_analysis_free(tenants);
    margay_question_free(question);
    return seen.wrong + (seen.references != trace->count - trace->warmup);
}

static size_t run_round(void)
{
    struct trace trace = {.count = 1 + below(MOST_REFS)};
    uint64_t blocks = 1 + below(MOST_BLOCKS);
    uint64_t tenants = 1 + below(MOST_TENANTS);
    uint64_t apart = below(2) * blocks / 2;
    if (one_in(3))
        trace.warmup = below(trace.count);
    if (one_in(3))
        trace.bound = 1 + below(MOST_BLOCKS);
    for (size_t i = 0; i < trace.count; i++) {
        uint64_t tenant = below(tenants);
        trace.tenants[i] = (uint32_t)(tenant * UINT32_C(1234567890));
        trace.blocks[i] = (below(blocks) + tenant * apart) % MOST_BLOCKS;
    }
    return compare_trace(&trace,
                         below(2) ? MARGAY_BY_TENANT : MARGAY_BY_THREAD);
}

static void test_refusal(void)
{
    struct margay_error error;
    const struct margay_engine_request request = {.spec = "shards"};
    margay_question *tenants;
    CHECK(margay_tenants_question(&request, MARGAY_BY_TENANT, &tenants,
                                  &error) == MARGAY_BAD_ARGUMENT &&
              tenants == NULL,
          "an engine that samples is refused");
}

int main(void)
{
    unsigned count = (unsigned)rounds(4000), wrong = 0;
    seed_chance(20);
    for (unsigned i = 0; i < count; i++)
        wrong += run_round() > 0;
    CHECK_U64(wrong, 0,
              "%u traces: tenants miss, shared and alone, what lists do",
              count);
    test_refusal();
    return tap_done();
}
