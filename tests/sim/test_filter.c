/*
 * test_filter.c - what a cache passes on, against a cache of lists
 *
 * Random references go through a cache before an analysis that keeps what it is
 * fed, and through an LRU cache that is written with lists and nothing else.
 */
#include <margay/questions.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 400
#define MOST_WAYS 5

struct keeper {
    size_t count, indexed;
    uint64_t blocks[MARGAY_MOST_TRAFFIC * MOST_REFS];
    uint64_t sites[MARGAY_MOST_TRAFFIC * MOST_REFS]; /* of the cause */
    uint8_t kinds[MARGAY_MOST_TRAFFIC * MOST_REFS];
};

/* What analyses of the question below are fed. */
static struct keeper keeper;

static enum margay_status keep(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    (void)analysis, (void)error;
    keeper.indexed += span->first_index == keeper.count;
    memcpy(keeper.blocks + keeper.count, span->blocks,
           span->count * sizeof *span->blocks);
    memcpy(keeper.sites + keeper.count, span->sites,
           span->count * sizeof *span->sites);
    memcpy(keeper.kinds + keeper.count, span->kinds, span->count);
    keeper.count += span->count;
    return MARGAY_OK;
}

static void free_nothing(margay_question *question)
{
    (void)question;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(margay_analysis), .feed = keep};

static margay_question keeping = {
    .functions = &functions, .free = free_nothing, .name = "what is kept"};

/* ------------------------------------------------------ a cache of lists -- */

struct line {
    uint64_t block;
    bool dirty;
};

struct naive {
    const struct margay_cache_options *options;
    struct line sets[8][MOST_WAYS]; /* the most recent first */
    unsigned filled[8];
    uint64_t now; /* which reference it is */
    struct keeper passed;
};

static void pass_on(struct naive *naive, uint64_t block, enum margay_kind kind)
{
    naive->passed.blocks[naive->passed.count] = block;
    naive->passed.sites[naive->passed.count] = naive->now;
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
           memcmp(a->sites, b->sites, a->count * sizeof *a->sites) == 0 &&
           memcmp(a->kinds, b->kinds, a->count) == 0;
}

static bool run_round(void)
{
    static uint64_t blocks[MOST_REFS], sites[MOST_REFS];
    static uint8_t kinds[MOST_REFS];
    static struct naive naive;
    const struct margay_filter_request request = {
        .cache = {
            .sets = 1 + below(8),
            .ways = (uint32_t)(1 + below(MOST_WAYS)),
            .write_through = one_in(3),
            .no_allocate = one_in(3),
        }};
    const struct margay_pass pass = {.trace = "random"};
    const struct margay_share share = {.threads = 1};
    size_t count = below(MOST_REFS) + 1;
    uint64_t most = 1 + below(60);
    margay_question *question;
    margay_analysis *filter;
    keeper = (struct keeper){.count = 0};
    naive = (struct naive){.options = &request.cache};
    for (size_t i = 0; i < count; i++) {
        blocks[i] = below(most);
        kinds[i] = (uint8_t)below(3);
        naive.now = sites[i] = i;
        reference(&naive, blocks[i], (enum margay_kind)kinds[i]);
    }
    if (margay_filter_question(&request, &keeping, &question, NULL) !=
            MARGAY_OK ||
        margay_question_begin(question, &pass, 1, &share, &filter, NULL) !=
            MARGAY_OK)
        return false;
    for (size_t done = 0; done < count;) {
        size_t some = 1 + below(count - done);
        const struct margay_span span = {.count = some,
                                         .blocks = blocks + done,
                                         .kinds = kinds + done,
                                         .sites = sites + done};
        margay_analysis_feed(filter, &span, NULL);
        done += some;
    }
    bool same = is_same(&keeper, &naive.passed);
    margay_analysis_free(filter);
    margay_question_free(question);
    return same;
}

/* A cache before an engine: the distances are those of its output. */
static void test_engine_after(void)
{
    const struct margay_engine_request request = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_filter_request one = {.cache = {.ways = 1}};
    const struct margay_pass pass = {.trace = "abab"};
    const struct margay_share share = {.threads = 1};
    const uint64_t blocks[] = {1, 1, 2, 1, 1, 2, 3, 1};
    const struct margay_span span = {.count = 8, .blocks = blocks};
    margay_question *engine, *question = NULL;
    margay_analysis *filter = NULL;
    CHECK(margay_engine_question(&request, NULL, &engine, NULL) == MARGAY_OK &&
              margay_filter_question(&one, engine, &question, NULL) ==
                  MARGAY_OK &&
              margay_question_begin(question, &pass, 1, &share, &filter,
                                    NULL) == MARGAY_OK,
          "an engine after a cache");
    margay_analysis_feed(filter, &span, NULL);
    margay_analysis_finish(filter, NULL);
    const struct margay_result *result =
        margay_engine_analysis_result(filter->next);
    CHECK_U64(result->references, 6, "1 2 1 2 3 1 are let through");
    CHECK_U64(result->distinct_blocks, 3, "three of them are different");
    CHECK_U64(margay_filter_analysis_counts(filter)->references[MARGAY_READ], 8,
              "eight references are counted");
    margay_analysis_free(filter);
    margay_question_free(question);
}

static void test_refusal(void)
{
    struct margay_error error;
    const struct margay_engine_request request = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_filter_request one = {.cache = {.ways = 1}};
    margay_question *engine, *filter;
    margay_engine_question(&request, NULL, &engine, NULL);
    engine->can.needs = MARGAY_COLUMN_EXTENTS;
    CHECK(margay_filter_question(&one, engine, &filter, &error) ==
              MARGAY_BAD_ARGUMENT,
          "extents do not go through a cache");
    CHECK(filter == NULL, "and there is nothing to be freed");
}

int main(void)
{
    unsigned count = (unsigned)rounds(3000), wrong = 0;
    seed_chance(18);
    for (unsigned i = 0; i < count; i++)
        wrong += !run_round();
    CHECK_U64(wrong, 0, "%u caches pass on what one of lists does", count);
    test_engine_after();
    test_refusal();
    return tap_done();
}
