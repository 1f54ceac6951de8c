/*
 * test_run_refusals.c - what a run refuses, and how it ends when something
 * fails
 *
 * A question of the test's own fails in each place where one can, in any pass:
 * its status and its message come back, and each analysis that was begun is
 * freed once.  Where nothing fails, each is fed the references of its pass.
 */
#define _GNU_SOURCE
#include "tests/sim/runs.h"

static struct trace traces[3];
static const char *paths[3];

/* ------------------------------------------------- a question that fails -- */

enum moment { BEGIN, FEED, RESET, FINISH, NEVER };
static const char *const moments[] = {"begin", "feed", "reset", "finish",
                                      "nothing"};

/* The most analyses of a run: three traces at two block sizes. */
#define MOST_BEGUN 6

struct fragile_question {
    margay_question question;
    enum moment fails_in;
    size_t fails_at;   /* of the traces */
    size_t fails_pass; /* of its block sizes */
    bool after_engine;
    bool is_freed;
    atomic_size_t begun, ended, misfed;
    atomic_size_t freed[MOST_BEGUN]; /* how often each analysis was */
};

struct fragile {
    margay_analysis analysis;
    enum moment fails_in;
    struct fragile_question *asked;
    size_t number;
    void *memory; /* that only free() gives back */
    uint64_t references, sum;
};

static enum margay_status reach(const struct fragile *fragile,
                                enum moment moment, struct margay_error *error)
{
    return fragile->fails_in == moment
               ? margay_fail(error, MARGAY_IO, "broke in %s", moments[moment])
               : MARGAY_OK;
}

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct fragile *fragile = (struct fragile *)analysis;
    fragile->references += span->count;
    for (size_t i = 0; i < span->count; i++)
        fragile->sum += span->blocks[i];
    return reach(fragile, FEED, error);
}

static enum margay_status reset(margay_analysis *analysis,
                                struct margay_error *error)
{
    return reach((const struct fragile *)analysis, RESET, error);
}

static enum margay_status finish(margay_analysis *analysis,
                                 struct margay_error *error)
{
    return reach((const struct fragile *)analysis, FINISH, error);
}

static void free_fragile(margay_analysis *analysis)
{
    struct fragile *fragile = (struct fragile *)analysis;
    atomic_fetch_add(&fragile->asked->freed[fragile->number], 1);
    free(fragile->memory);
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct fragile_question *asked =
        (struct fragile_question *)analysis->question;
    struct fragile *made = (struct fragile *)analysis;
    (void)share;
    made->memory = malloc(100);
    made->asked = asked;
    made->fails_in =
        strcmp(analysis->pass->trace, paths[asked->fails_at]) == 0 &&
                analysis->pass->index == asked->fails_pass
            ? asked->fails_in
            : NEVER;
    made->number = atomic_fetch_add(&asked->begun, 1);
    return reach(made, BEGIN, error);
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct fragile),
    .begin = begin,
    .feed = feed,
    .reset = reset,
    .finish = finish,
    .free = free_fragile,
};

static void free_question(margay_question *question)
{
    ((struct fragile_question *)question)->is_freed = true;
}

static struct fragile_question fragile_question(enum moment moment)
{
    return (struct fragile_question){
        .question = {.functions = &functions,
                     .free = free_question,
                     .can = {.passes = true, .traces = true},
                     .name = "a fragile one"},
        .fails_in = moment,
    };
}

static enum margay_status count_end(void *context, const struct margay_job *job,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    struct fragile_question *asked = context;
    const struct trace *trace = &traces[job->index];
    const struct fragile *fragile =
        (const struct fragile *)job->analyses[pass->index];
    uint64_t sum = 0;
    (void)error;
    atomic_fetch_add(&asked->ended, 1);
    if (asked->after_engine)
        return MARGAY_OK;
    for (size_t i = 0; i < trace->count; i++)
        sum += trace->numbers[i] /
               (fragile->analysis.pass_count > 1 ? 1 : pass->block_bytes);
    atomic_fetch_add(&asked->misfed, fragile->references != trace->count ||
                                         fragile->sum != sum ||
                                         strcmp(pass->trace, trace->path) != 0);
    return MARGAY_OK;
}

static struct margay_request request_of(size_t count, unsigned threads)
{
    static const uint64_t block_bytes[] = {64, 128};
    struct margay_request request = MARGAY_REQUEST_DEFAULT;
    request.traces = paths;
    request.trace_count = count;
    request.block_bytes = block_bytes;
    request.block_count = 2;
    request.threads = threads;
    return request;
}

/* Ask the fragile question, or an engine and that one after it. */
static enum margay_status run_fragile(struct fragile_question *asked,
                                      const struct margay_request *request,
                                      struct margay_error *error)
{
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_host host = {.context = asked, .ended = count_end};
    struct margay_outcome outcome;
    margay_question *question = &asked->question;
    if (asked->after_engine &&
        margay_engine_question(&engine, question, &question, error) !=
            MARGAY_OK)
        abort();
    enum margay_status status =
        margay_run_request(request, question, &host, &outcome, error);
    margay_question_free(question);
    return status;
}

/* As expected?  Two passes end of each trace before the one that fails. */
static bool breaks_well(struct fragile_question *asked, unsigned threads)
{
    struct margay_request request = request_of(3, threads);
    struct margay_error error = {.status = MARGAY_OK};
    char expected[32];
    size_t freed = 0;
    request.reading.warmup_refs = 10;
    enum margay_status status = run_fragile(asked, &request, &error);
    snprintf(expected, sizeof expected, "broke in %s",
             moments[asked->fails_in]);
    bool told = asked->fails_in == NEVER
                    ? status == MARGAY_OK
                    : status == MARGAY_IO && error.status == MARGAY_IO &&
                          strcmp(error.message, expected) == 0;
    for (size_t i = 0; i < MOST_BEGUN; i++)
        freed += asked->freed[i] == 1;
    return told && asked->is_freed && asked->begun == freed &&
           asked->misfed == 0 &&
           asked->ended == 2 * (asked->fails_in == NEVER ? 3 : asked->fails_at);
}

static void test_breaks(void)
{
    for (enum moment moment = BEGIN; moment <= NEVER; moment++) {
        unsigned wrong = 0;
        for (unsigned k = 0; k < 3 * 2 * 2 * 2 * 4; k++) {
            struct fragile_question asked = fragile_question(moment);
            asked.fails_at = k % 3;
            asked.fails_pass = k / 3 % 2;
            asked.after_engine = k / 6 % 2 != 0;
            /* One analysis of both block sizes is that of the first. */
            asked.question.can.all_blocks = k / 12 % 2 != 0;
            if (asked.question.can.all_blocks && !asked.after_engine)
                asked.fails_pass = 0;
            wrong += !breaks_well(&asked, 1 + k / 24);
        }
        CHECK_U64(wrong, 0, "what fails in %s: told, and all freed once",
                  moments[moment]);
    }
}

/* ------------------------------------------------------------- refusals -- */

static void refuse(const struct margay_request *request, const char *text,
                   const char *name)
{
    struct seat seat = {0};
    struct margay_host host = host_of(&seat);
    struct margay_outcome outcome = {.cut_short = true};
    struct margay_error error = {.message = ""};
    margay_question *question = ask_engine();
    enum margay_status status =
        margay_run_request(request, question, &host, &outcome, &error);
    CHECK(status == MARGAY_BAD_ARGUMENT, "%s is refused", name);
    CHECK(strstr(error.message, text) != NULL, "and told: %s", error.message);
    CHECK(!outcome.cut_short && seat.ended.bytes == 0, "nothing is read");
    CHECK(margay_run_request(request, question, &host, &outcome, NULL) ==
              status,
          "and that without a place for the message");
    margay_question_free(question);
    seat_end(&seat);
}

/* The traces have numbers only. */
static void test_mixes(void)
{
    const struct margay_mix_options orders[] = {
        {.name = "a mix", .by_time = true},
        {.name = "a mix", .by_instructions = true},
        {.name = "a mix", .turn_refs = 1},
    };
    static const char *const texts[] = {"times", "kinds", "--save"};
    for (size_t i = 0; i < 3; i++) {
        struct margay_request request = request_of(2, 1);
        request.mix = &orders[i];
        request.saves = i == 2;
        refuse(&request, texts[i], "a mix without what it needs");
    }
}

static void test_requests(void)
{
    static const char *const twice[] = {"-", "-"};
    static uint64_t many[65];
    static const uint64_t odd[] = {64, 96}, falling[] = {128, 64},
                          equal[] = {64, 64};
    struct margay_request request = request_of(2, 1);
    for (size_t i = 0; i < 65; i++)
        many[i] = UINT64_C(1) << (i % 64);
    request.traces = twice;
    refuse(&request, "standard input", "standard input twice");
    request = request_of(1, 1);
    request.block_bytes = many;
    request.block_count = 65;
    refuse(&request, "65 block sizes", "too many block sizes");
    request.block_count = 2;
    request.block_bytes = odd;
    refuse(&request, "96", "a block of 96 bytes");
    request.block_bytes = falling;
    refuse(&request, "64", "a falling list of block sizes");
    request.block_bytes = equal;
    refuse(&request, "64", "the same block size twice");
    request = request_of(2, 1);
    request.saves = true;
    refuse(&request, "--save", "a state of two traces");
    request = request_of(1, 1);
    request.every_refs = 5;
    request.window_refs = 10;
    refuse(&request, "--window", "looks into windows");
}

static void test_caches(void)
{
    static const uint64_t sets[] = {1, 8}, fewer[] = {2, 1}, none[] = {0, 1};
    static const uint64_t odd[] = {3, 4};
    static const unsigned ways[] = {1, 2}, falling[] = {4, 2};
    const struct margay_caches_request rows[] = {
        {.sets = sets, .ways = ways, .set_count = 2},
        {.sets = sets, .ways = ways, .way_count = 1},
        {.sets = none, .ways = ways, .set_count = 2, .way_count = 2},
        {.sets = odd,
         .ways = ways,
         .set_count = 2,
         .way_count = 2,
         .index = MARGAY_INDEX_XOR},
        {.sets = sets, .ways = falling, .set_count = 2, .way_count = 2},
        {.sets = fewer, .ways = ways, .set_count = 2, .way_count = 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        margay_question *question = NULL;
        struct margay_error error;
        CHECK(margay_caches_question(&rows[i], &question, &error) ==
                      MARGAY_BAD_ARGUMENT &&
                  question == NULL,
              "caches of list %zu are refused", i);
    }
}

/* ------------------------------------------------- columns that it lacks -- */

/* Write-backs, of a cache's traffic or of the trace. */
static margay_question *ask_writebacks(bool through_cache)
{
    const struct margay_engine_request engine = {.seed = 1, .writebacks = true};
    const struct margay_filter_request cache = {.cache = {.ways = 4}};
    margay_question *question;
    if (margay_engine_question(&engine, NULL, &question, NULL) != MARGAY_OK ||
        (through_cache && margay_filter_question(&cache, question, &question,
                                                 NULL) != MARGAY_OK))
        abort();
    return question;
}

static void test_columns(void)
{
    for (unsigned i = 0; i < 2; i++) {
        bool through_cache = i == 1;
        const struct margay_host host = {.context = NULL};
        const struct margay_request request = request_of(1, 2);
        struct margay_outcome outcome;
        struct margay_error error = {.message = ""};
        margay_question *question = ask_writebacks(through_cache);
        CHECK(margay_run_request(&request, question, &host, &outcome, &error) ==
                  MARGAY_BAD_ARGUMENT,
              "a trace without kinds has no write-backs%s",
              through_cache ? " after a cache" : "");
        CHECK(strstr(error.message, paths[0]) == error.message &&
                  strstr(error.message, "kinds") != NULL,
              "which is told by name: %s", error.message);
        margay_question_free(question);
    }
}

/* ---------------------------------------------- a host without functions -- */

static void test_bare_host(void)
{
    const struct margay_host host = {.context = NULL};
    struct margay_outcome outcome;
    struct margay_request request = request_of(1, 2);
    margay_question *question = ask_engine();
    request.window_refs = 100;
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
              MARGAY_OK,
          "windows that no function takes");
    request.window_refs = 0;
    request.saves = true;
    request.every_refs = 100;
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
              MARGAY_OK,
          "looks and states that no function takes");
    margay_question_free(question);
}

/* Of caches a state has what each block size was fed; references as they stand
   would be fed once for all of them. */
static void test_states_of_blocks(void)
{
    static const uint64_t sets[] = {1, 2};
    static const unsigned ways[] = {2};
    const struct margay_caches_request caches = {
        .sets = sets, .set_count = 2, .ways = ways, .way_count = 1};
    struct margay_request request = request_of(1, 1);
    struct fragile_question whole = fragile_question(NEVER);
    struct seat seat = {0};
    char state[80];
    struct margay_host host = {.context = &seat, .save = save_state};
    struct margay_outcome outcome;
    margay_question *question;
    snprintf(state, sizeof state, "%s/state", folder);
    seat.state_path = state;
    request.saves = true;
    if (margay_caches_question(&caches, &question, NULL) != MARGAY_OK)
        abort();
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
              MARGAY_OK,
          "a state of caches with two block sizes");
    request.resume_path = state;
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
              MARGAY_OK,
          "and a run that goes on from it");
    margay_question_free(question);
    unlink(state);
    whole.question.can.references = true;
    request.resume_path = NULL;
    CHECK(margay_run_request(&request, &whole.question, &host, &outcome,
                             NULL) == MARGAY_BAD_ARGUMENT,
          "no state of references as they stand with two block sizes");
}

static enum margay_status count_save(void *context,
                                     const struct margay_job *job,
                                     struct margay_error *error)
{
    (void)job, (void)error;
    ++*(size_t *)context;
    return MARGAY_OK;
}

/* A state that has all that was fed is written where it has doubled. */
static void test_states_that_grow(void)
{
    static const char *const fifo[] = {"fifo"};
    const struct margay_policies_request policies = {
        .policies = fifo, .policy_count = 1, .directory = "/tmp"};
    struct margay_request request = request_of(1, 1);
    size_t saves = 0;
    const struct margay_host host = {.context = &saves, .save = count_save};
    struct margay_outcome outcome;
    margay_question *question;
    request.block_count = request.every_refs = 1;
    request.saves = true;
    if (margay_policies_question(&policies, &question, NULL) != MARGAY_OK)
        abort();
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
                  MARGAY_OK &&
              saves > 2 && saves < 20,
          "few states at %zu looks", traces[0].count);
    margay_question_free(question);
}

/* A question of references is not asked after an engine. */
static void test_references_after(void)
{
    struct fragile_question next = fragile_question(NEVER);
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    margay_question *question;
    struct margay_error error;
    next.question.can.references = true;
    CHECK(margay_engine_question(&engine, &next.question, &question, &error) ==
              MARGAY_BAD_ARGUMENT,
          "references as they stand do not come out of an engine");
    CHECK(question == NULL && next.is_freed, "the further question is freed");
}

int main(void)
{
    make_folder();
    make_trace(&traces[0], "first", 600, 30, 1);
    make_trace(&traces[1], "second", 500, 50, 2);
    make_trace(&traces[2], "third", 400, 20, 3);
    for (size_t i = 0; i < 3; i++)
        paths[i] = traces[i].path;
    test_breaks();
    test_requests();
    test_mixes();
    test_states_of_blocks();
    test_states_that_grow();
    test_caches();
    test_columns();
    test_bare_host();
    test_references_after();
    for (size_t i = 0; i < 3; i++)
        remove_trace(&traces[i]);
    rmdir(folder);
    return tap_done();
}
