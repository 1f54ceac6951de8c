/*
 * test_run_refusals.c - what a run refuses, and how it ends when something
 * fails
 *
 * A consumer of the test's own fails in each place where one can: its status
 * and its message come back, and each consumer that was made is freed once.
 */
#define _GNU_SOURCE
#include "tests/sim/runs.h"

static struct trace traces[3];
static const char *paths[3];

/* ------------------------------------------------- a consumer that fails -- */

enum moment { BEGIN, FEED, RESET, FINISH, NEVER };
static const char *const moments[] = {"begin", "feed", "reset", "finish",
                                      "nothing"};

struct fragile {
    margay_consumer consumer;
    enum moment fails_in;
    struct breaks *breaks;
    void *memory; /* that only free() gives back */
};

struct breaks {
    enum moment fails_in;
    size_t fails_at; /* of the traces */
    bool behind_engine;
    atomic_uint made, freed, ended;
};

static enum margay_status reach(margay_consumer *consumer, enum moment moment,
                                struct margay_error *error)
{
    const struct fragile *fragile = (const struct fragile *)consumer;
    return fragile->fails_in == moment
               ? margay_fail(error, MARGAY_IO, "broke in %s", moments[moment])
               : MARGAY_OK;
}

static enum margay_status begin(margay_consumer *consumer,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    (void)passes, (void)count, (void)share;
    ((struct fragile *)consumer)->memory = malloc(100);
    return reach(consumer, BEGIN, error);
}

static enum margay_status feed(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    (void)pass, (void)span;
    return reach(consumer, FEED, error);
}

static enum margay_status reset(margay_consumer *consumer,
                                const struct margay_pass *pass,
                                struct margay_error *error)
{
    (void)pass;
    return reach(consumer, RESET, error);
}

static enum margay_status finish(margay_consumer *consumer,
                                 const struct margay_pass *pass,
                                 struct margay_error *error)
{
    (void)pass;
    return reach(consumer, FINISH, error);
}

static void free_fragile(margay_consumer *consumer)
{
    struct fragile *fragile = (struct fragile *)consumer;
    atomic_fetch_add(&fragile->breaks->freed, 1);
    free(fragile->memory);
    free(fragile);
}

static enum margay_status open_fragile(void *context, size_t index,
                                       margay_consumer **consumer,
                                       struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = begin,
        .feed = feed,
        .reset = reset,
        .finish = finish,
        .free = free_fragile,
    };
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    struct breaks *breaks = context;
    struct fragile *made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can = {.passes = true, .traces = true},
        .name = "a fragile one",
    };
    made->fails_in = index == breaks->fails_at ? breaks->fails_in : NEVER;
    made->breaks = breaks;
    atomic_fetch_add(&breaks->made, 1);
    *consumer = &made->consumer;
    return breaks->behind_engine
               ? margay_engine_consumer(&engine, *consumer, consumer, error)
               : MARGAY_OK;
}

static enum margay_status count_end(void *context, const struct margay_job *job,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    (void)job, (void)pass, (void)error;
    atomic_fetch_add(&((struct breaks *)context)->ended, 1);
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

/* As expected?  Two passes end of each trace before the one that fails. */
static bool breaks_well(enum moment moment, size_t at, unsigned threads,
                        bool behind_engine)
{
    struct breaks breaks = {
        .fails_in = moment, .fails_at = at, .behind_engine = behind_engine};
    const struct margay_host host = {
        .context = &breaks, .open = open_fragile, .ended = count_end};
    struct margay_request request = request_of(3, threads);
    struct margay_outcome outcome;
    struct margay_error error = {.status = MARGAY_OK};
    char expected[32];
    request.reading.warmup_refs = 10;
    enum margay_status status =
        margay_run_request(&request, &host, &outcome, &error);
    snprintf(expected, sizeof expected, "broke in %s", moments[moment]);
    bool told = moment == NEVER
                    ? status == MARGAY_OK
                    : status == MARGAY_IO && error.status == MARGAY_IO &&
                          strcmp(error.message, expected) == 0;
    return told && breaks.made == breaks.freed &&
           breaks.ended == 2 * (moment == NEVER ? 3 : at);
}

static void test_breaks(void)
{
    for (enum moment moment = BEGIN; moment <= NEVER; moment++) {
        unsigned wrong = 0;
        for (unsigned k = 0; k < 3 * 4 * 2; k++)
            wrong += !breaks_well(moment, k % 3, 1 + k / 3 % 4, k / 12 != 0);
        CHECK_U64(wrong, 0, "a consumer that fails in %s: told, and all freed",
                  moments[moment]);
    }
}

/* One that is not made fails in its turn, even while others are read. */
static void test_failure_to_open(void)
{
    unsigned wrong = 0;
    for (unsigned k = 0; k < 40; k++) {
        struct seat seat = {.fails_to_open = 2};
        struct margay_host host = host_of(&seat);
        struct margay_request request = request_of(3, 1 + k % 4);
        struct margay_outcome outcome;
        struct margay_error error;
        wrong += margay_run_request(&request, &host, &outcome, &error) !=
                     MARGAY_BAD_ARGUMENT ||
                 strcmp(error.message, "no consumer 1") != 0;
        fflush(seat.ended.file);
        wrong += strncmp(seat.ended.string, paths[0], strlen(paths[0])) != 0;
        seat_end(&seat);
    }
    CHECK_U64(wrong, 0, "the results of traces before it come all the same");
}

/* ------------------------------------------------------------- refusals -- */

static void refuse(const struct margay_request *request, const char *text,
                   const char *name)
{
    struct seat seat = {0};
    struct margay_host host = host_of(&seat);
    struct margay_outcome outcome = {.cut_short = true};
    struct margay_error error = {.message = ""};
    enum margay_status status =
        margay_run_request(request, &host, &outcome, &error);
    CHECK(status == MARGAY_BAD_ARGUMENT, "%s is refused", name);
    CHECK(strstr(error.message, text) != NULL, "and told: %s", error.message);
    CHECK(!outcome.cut_short && seat.ended.bytes == 0, "nothing is read");
    CHECK(margay_run_request(request, &host, &outcome, NULL) == status,
          "and that without a place for the message");
    seat_end(&seat);
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
    request.saves = true;
    request.window_refs = 10;
    refuse(&request, "--window", "a state of windows");
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
        margay_consumer *consumer = NULL;
        struct margay_error error;
        CHECK(margay_caches_consumer(&rows[i], &consumer, &error) ==
                  MARGAY_BAD_ARGUMENT,
              "caches of list %zu are refused", i);
        margay_consumer_free(consumer);
    }
}

/* -------------------------------------------------- columns that it lacks --
 */

/* Write-backs, of a cache's traffic or of the trace. */
static enum margay_status open_writebacks(void *context, size_t index,
                                          margay_consumer **consumer,
                                          struct margay_error *error)
{
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    const struct margay_filter_request cache = {.cache = {.ways = 4}};
    const bool *through_cache = context;
    margay_consumer *writebacks, *measured;
    (void)index;
    if (margay_writebacks_consumer(&writebacks, error) != MARGAY_OK ||
        margay_engine_consumer(&engine, writebacks, &measured, error) !=
            MARGAY_OK)
        return MARGAY_NO_MEMORY;
    *consumer = measured;
    return *through_cache
               ? margay_filter_consumer(&cache, measured, consumer, error)
               : MARGAY_OK;
}

static void test_columns(void)
{
    for (unsigned i = 0; i < 2; i++) {
        bool through_cache = i == 1;
        const struct margay_host host = {.context = &through_cache,
                                         .open = open_writebacks};
        const struct margay_request request = request_of(1, 2);
        struct margay_outcome outcome;
        struct margay_error error = {.message = ""};
        CHECK(margay_run_request(&request, &host, &outcome, &error) ==
                  MARGAY_BAD_ARGUMENT,
              "a trace without kinds has no write-backs%s",
              through_cache ? " behind a cache" : "");
        CHECK(strstr(error.message, paths[0]) == error.message &&
                  strstr(error.message, "kinds") != NULL,
              "which is told by name: %s", error.message);
    }
}

/* ----------------------------------------------- a host without functions --
 */

static void test_bare_host(void)
{
    struct seat seat = {0};
    const struct margay_host host = {.context = &seat, .open = open_engine};
    struct margay_outcome outcome;
    struct margay_request request = request_of(1, 2);
    request.window_refs = 100;
    CHECK(margay_run_request(&request, &host, &outcome, NULL) == MARGAY_OK,
          "windows that no function takes");
    request.window_refs = 0;
    request.saves = true;
    request.every_refs = 100;
    CHECK(margay_run_request(&request, &host, &outcome, NULL) == MARGAY_OK,
          "looks and states that no function takes");
}

/* A consumer of references does not stand behind an engine. */
static void test_references_behind(void)
{
    struct breaks breaks = {.fails_in = NEVER};
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    margay_consumer *next, *consumer;
    struct margay_error error;
    open_fragile(&breaks, 0, &next, &error);
    next->can.references = true;
    CHECK(margay_engine_consumer(&engine, next, &consumer, &error) ==
              MARGAY_BAD_ARGUMENT,
          "references as they stand do not come out of an engine");
    CHECK(consumer == NULL && breaks.freed == 1, "the consumer is freed");
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
    test_failure_to_open();
    test_requests();
    test_caches();
    test_columns();
    test_bare_host();
    test_references_behind();
    for (size_t i = 0; i < 3; i++)
        remove_trace(&traces[i]);
    rmdir(folder);
    return tap_done();
}
