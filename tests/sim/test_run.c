/*
 * test_run.c - the library's run, called as a program calls it
 *
 * Results must be those of a naive stack, from every executor; both
 * are written as text.
 */
#define _GNU_SOURCE
#include "tests/sim/runs.h"

static const uint64_t block_bytes[] = {64, 256, 1024};
static struct trace traces[3];
static const char *paths[3];

/* Enough for two parts of a file, and the end of a block of threads. */
#define LONG_REFS 540000

/* ------------------------------------------------------ the naive stack -- */

#define MOST_DEPTH 1024

struct naive {
    uint64_t stack[MOST_DEPTH]; /* the most recent first */
    size_t depth;
    uint64_t counts[MOST_DEPTH], infinite;
};

static void naive_refer(struct naive *naive, uint64_t block)
{
    size_t at = 0;
    while (at < naive->depth && naive->stack[at] != block)
        at++;
    if (at == MOST_DEPTH)
        abort();
    if (at == naive->depth) {
        naive->infinite++;
        naive->depth++;
    } else {
        naive->counts[at]++;
    }
    memmove(naive->stack + 1, naive->stack, at * sizeof *naive->stack);
    naive->stack[0] = block;
}

static void naive_write(FILE *file, const struct naive *naive)
{
    fprintf(file, " inf %" PRIu64, naive->infinite);
    for (size_t i = 0; i < MOST_DEPTH; i++) {
        if (naive->counts[i] != 0)
            fprintf(file, " %zu:%" PRIu64, i, naive->counts[i]);
    }
    fprintf(file, "\n");
}

/* ---------------------------------------------------------- what comes -- */

/* One window of a trace for each `window` references, at each block size. */
static void expect_trace(FILE *file, const struct trace *trace, size_t count,
                         size_t blocks, uint64_t window)
{
    static struct naive stacks[3];
    uint64_t ended = 0;
    memset(stacks, 0, sizeof stacks);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < blocks; k++)
            naive_refer(&stacks[k], trace->numbers[i] / block_bytes[k]);
        if (i + 1 != count && (window == 0 || (i + 1) % window != 0))
            continue;
        for (size_t k = 0; k < blocks; k++) {
            write_name(file, trace->path, block_bytes[k], ended);
            naive_write(file, &stacks[k]);
            stacks[k].infinite = 0;
            memset(stacks[k].counts, 0, sizeof stacks[k].counts);
        }
        ended++;
    }
}

static char *expect(size_t first, size_t count, size_t blocks, uint64_t window)
{
    struct text text;
    text_begin(&text);
    for (size_t i = first; i < first + count; i++)
        expect_trace(text.file, &traces[i], traces[i].count, blocks, window);
    return text_end(&text);
}

static struct margay_request request_of(size_t first, size_t count,
                                        size_t blocks, unsigned threads)
{
    struct margay_request request = MARGAY_REQUEST_DEFAULT;
    request.traces = paths + first;
    request.trace_count = count;
    request.block_bytes = block_bytes;
    request.block_count = blocks;
    request.threads = threads;
    return request;
}

/* The news of a run at its ends; in *looked at its looks. */
static char *run(const struct margay_request *request, struct seat *seat,
                 char **looked)
{
    struct margay_host host = host_of(seat);
    struct margay_outcome outcome;
    struct margay_error error;
    margay_question *question = ask_engine();
    enum margay_status status =
        margay_run_request(request, question, &host, &outcome, &error);
    margay_question_free(question);
    if (status != MARGAY_OK)
        printf("# %s\n", error.message);
    char *looks = text_end(&seat->looked);
    if (looked != NULL)
        *looked = looks;
    else
        free(looks);
    return text_end(&seat->ended);
}

static void check_same(char *got, char *expected, const char *name)
{
    CHECK(strcmp(got, expected) == 0, "%s", name);
    free(got);
    free(expected);
}

/* -------------------------------------------------------------- results -- */

static void test_results(void)
{
    static const struct {
        size_t first, count, blocks;
        uint64_t window;
    } rows[] = {
        {0, 3, 1, 0}, {0, 3, 3, 0},    {0, 1, 1, 0},
        {0, 1, 3, 0}, {1, 2, 3, 1000}, {0, 1, 2, 100000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *expected = expect(rows[i].first, rows[i].count, rows[i].blocks,
                                rows[i].window);
        for (unsigned threads = 1; threads <= 4; threads *= 2) {
            struct seat seat = {0};
            struct margay_request request = request_of(
                rows[i].first, rows[i].count, rows[i].blocks, threads);
            request.window_refs = rows[i].window;
            char *got = run(&request, &seat, NULL);
            CHECK(strcmp(got, expected) == 0,
                  "%zu traces, %zu block sizes, windows of %" PRIu64
                  ", %u threads: as a naive stack",
                  rows[i].count, rows[i].blocks, rows[i].window, threads);
            free(got);
        }
        free(expected);
    }
}

/* ----------------------------------------------------------- what is fed -- */

/* Block sizes that are fed as one count what each has been fed. */
static enum margay_status count_fed(void *context, const struct margay_job *job,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    (void)job, (void)error;
    *(uint64_t *)context += pass->fed_refs;
    return MARGAY_OK;
}

static void test_fed(void)
{
    static const uint64_t sets[] = {1};
    static const unsigned ways[] = {4};
    const struct margay_caches_request caches = {
        .sets = sets, .set_count = 1, .ways = ways, .way_count = 1, .seed = 1};
    uint64_t fed = 0;
    const struct margay_host host = {.context = &fed, .ended = count_fed};
    struct margay_request request = request_of(1, 1, 3, 2);
    struct margay_outcome outcome;
    margay_question *question;
    request.reading.warmup_refs = 100;
    if (margay_caches_question(&caches, &question, NULL) != MARGAY_OK)
        abort();
    margay_run_request(&request, question, &host, &outcome, NULL);
    margay_question_free(question);
    CHECK_U64(fed, 3 * traces[1].count, "each block size is fed all of it");
}

/* ------------------------------------------------------ looks and states -- */

static void test_looks(void)
{
    struct seat seat = {0};
    struct margay_request request = request_of(1, 1, 2, 2);
    struct text text;
    char *looked;
    request.every_refs = 2500;
    char *got = run(&request, &seat, &looked);
    check_same(got, expect(1, 1, 2, 0), "looks leave the results as they are");
    text_begin(&text);
    for (uint64_t refs = 2500; refs <= traces[1].count; refs += 2500) {
        struct text part;
        text_begin(&part);
        expect_trace(part.file, &traces[1], refs, 2, 0);
        char *lines = text_end(&part), *line, *rest = lines;
        while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
            /* The number of references stands where that of the window is. */
            char *counts = strstr(line, " inf");
            fprintf(text.file, "%.*s%" PRIu64 "%s\n", (int)(counts - line) - 1,
                    line, refs, counts);
        }
        free(lines);
    }
    check_same(looked, text_end(&text), "a look is a naive stack's so far");
}

/* Stop and save, go on, as often as it takes. */
static void test_states(void)
{
    char state[64];
    snprintf(state, sizeof state, "%s/state", folder);
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        char *got = NULL;
        uint64_t skip = 0;
        unsigned runs = 0;
        struct seat seat;
        do {
            struct margay_request request = request_of(0, 1, 3, threads);
            seat = (struct seat){.state_path = state, .most_calls = 9};
            request.saves = true;
            request.resume_path = runs == 0 ? NULL : state;
            request.reading.skip_refs = skip;
            free(got);
            got = run(&request, &seat, NULL);
            CHECK_U64(seat.resumed_refs, skip,
                      "run %u goes on where the "
                      "last one has ended",
                      runs);
            skip = seat.cut_refs;
        } while (seat.cut_refs != 0 && ++runs < 100);
        CHECK(runs > 2, "%u threads: stopped %u times", threads, runs);
        check_same(got, expect(0, 1, 3, 0), "the results are those of one run");
    }
    unlink(state);
}

/* ------------------------------------------------------------------ stop -- */

static void test_stop(void)
{
    static const unsigned calls[] = {2, 5, 12, 40};
    unsigned cuts = 0, wrong = 0;
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        for (size_t blocks = 1; blocks <= 3; blocks += 2) {
            for (size_t i = 0; i < 4; i++) {
                struct seat seat = {.most_calls = calls[i]};
                struct margay_request request =
                    request_of(0, 1, blocks, threads);
                char *got = run(&request, &seat, NULL);
                request.reading.limit_refs = seat.cut_refs;
                struct seat limited = {0};
                char *expected = run(&request, &limited, NULL);
                wrong += seat.cut_refs != 0 && strcmp(got, expected) != 0;
                cuts += seat.cut_refs != 0;
                free(got);
                free(expected);
            }
        }
    }
    CHECK(cuts > 8, "%u runs are stopped", cuts);
    CHECK_U64(wrong, 0, "their results are those of what was read");
}

static void test_unread(void)
{
    struct seat seat = {.most_calls = 1};
    struct margay_host host = host_of(&seat);
    struct margay_request request = request_of(0, 3, 1, 1);
    struct margay_outcome outcome;
    margay_question *question = ask_engine();
    CHECK(margay_run_request(&request, question, &host, &outcome, NULL) ==
              MARGAY_OK,
          "a run that stops early is no failure");
    margay_question_free(question);
    CHECK(outcome.cut_short && outcome.unread_traces == 2,
          "one trace is cut short, two are not begun");
    seat_end(&seat);
}

int main(void)
{
    make_folder();
    make_trace(&traces[0], "long", LONG_REFS, 300, 1);
    make_trace(&traces[1], "short", 10000, 500, 2);
    make_trace(&traces[2], "tiny", 37, 20, 3);
    for (size_t i = 0; i < 3; i++)
        paths[i] = traces[i].path;
    test_results();
    test_fed();
    test_looks();
    test_states();
    test_stop();
    test_unread();
    for (size_t i = 0; i < 3; i++)
        remove_trace(&traces[i]);
    rmdir(folder);
    return tap_done();
}
