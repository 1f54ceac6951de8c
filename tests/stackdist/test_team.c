/*
 * test_team.c - the exact engine's threads give what one thread gives
 *
 * A team normally takes over late and works in long batches; here it starts
 * after a few references and its batches are short, so that small random
 * traces go through compactions, through changes of the filter, and through
 * batches with fewer words than threads.
 */
#include "stackdist/exact/exact_state.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 60000

static uint64_t blocks[MOST_REFS], expected[MOST_REFS], got[MOST_REFS];

struct trial {
    size_t refs, reset, chunk;
    uint64_t bound;
    unsigned filter, target, threads;
    size_t batch_refs;
    uint64_t after_refs;
    bool distances;
};

static void make_blocks(struct margay_random *random, size_t refs)
{
    uint64_t distinct = 1 + margay_random_below(random, 20000);
    uint64_t near_share = margay_random_below(random, 101);
    size_t phase = 1 + (size_t)margay_random_below(random, 20000);
    for (size_t i = 0; i < refs; i++) {
        bool near = margay_random_below(random, 100) < near_share;
        if (i / phase % 2 != 0)
            near = !near;
        /* Few enough near ones for the filter, which then comes and goes. */
        blocks[i] = near ? margay_random_below(random, 10)
                         : ~margay_random_below(random, distinct);
    }
}

/* One trial with `threads` threads; false if anything fails. */
static bool run(const struct trial *trial, unsigned threads,
                uint64_t *distances, struct margay_result *result)
{
    struct margay_engine_setup setup = {
        .settings = {.choices = {trial->filter, trial->target}},
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    const struct margay_engine_class *class = &margay_engine_exact;
    setup.options.bound_blocks = trial->bound;
    setup.options.threads = threads;
    void *state;
    if (margay_engine_make_state(class, &setup, &state, NULL) != MARGAY_OK)
        return false;
    struct margay_exact *e = state;
    e->team_after_refs = trial->after_refs;
    e->team_batch_refs = trial->batch_refs;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0, n; i < trial->refs && status == MARGAY_OK; i += n) {
        n = trial->chunk < trial->refs - i ? trial->chunk : trial->refs - i;
        if (i / trial->chunk == trial->reset)
            class->reset_counts(state);
        bool wanted = trial->distances && i / trial->chunk % 3 != 1;
        status = class->feed(state, blocks + i, n,
                             wanted ? distances + i : NULL, NULL);
    }
    if (status == MARGAY_OK && threads > 1 && e->team == NULL)
        status = MARGAY_END; /* the test would test nothing */
    if (status == MARGAY_OK)
        status = class->finish(state, result, NULL);
    margay_engine_free_state(class, state);
    return status == MARGAY_OK;
}

static bool same_results(const struct margay_result *a,
                         const struct margay_result *b)
{
    uint64_t d[2], count[2];
    if (a->distinct_blocks != b->distinct_blocks ||
        margay_histogram_infinite(a->histogram) !=
            margay_histogram_infinite(b->histogram) ||
        margay_histogram_exceeded_bound(a->histogram) !=
            margay_histogram_exceeded_bound(b->histogram))
        return false;
    for (uint64_t at = 0;; at = d[0] + 1) {
        bool more = margay_histogram_next(a->histogram, at, &d[0], &count[0]);
        if (more != margay_histogram_next(b->histogram, at, &d[1], &count[1]))
            return false;
        if (!more)
            return true;
        if (d[0] != d[1] || count[0] != count[1])
            return false;
    }
}

static bool try_once(const struct trial *trial)
{
    struct margay_result one, many;
    memset(expected, 0, sizeof expected);
    memset(got, 0, sizeof got);
    if (!run(trial, 1, expected, &one))
        return false;
    if (!run(trial, trial->threads, got, &many)) {
        margay_histogram_free(one.histogram);
        return false;
    }
    bool same =
        same_results(&one, &many) && memcmp(expected, got, sizeof got) == 0;
    margay_histogram_free(one.histogram);
    margay_histogram_free(many.histogram);
    return same;
}

static unsigned runnable_target(struct margay_random *random)
{
    unsigned choice = (unsigned)margay_random_below(random, 4);
    if ((choice == 1 && !margay_target_available(MARGAY_TARGET_V4)) ||
        (choice == 2 && !margay_target_available(MARGAY_TARGET_V3)))
        return 3;
    return choice;
}

static struct trial random_trial(struct margay_random *random)
{
    struct trial trial = {
        .refs = 5000 + (size_t)margay_random_below(random, MOST_REFS - 5000),
        .chunk = 1 + (size_t)margay_random_below(random, 9000),
        .filter = (unsigned)margay_random_below(random, 3),
        .target = runnable_target(random),
        .threads = 2 + (unsigned)margay_random_below(random, 8),
        .batch_refs = 1 + (size_t)margay_random_below(random, 3000),
        .after_refs = margay_random_below(random, 2) * 1000,
        .distances = margay_random_below(random, 2) == 0,
    };
    /* Sometimes never: SIZE_MAX chunks are not reached. */
    trial.reset = margay_random_below(random, 2) ? SIZE_MAX : 2;
    if (margay_random_below(random, 2) == 0)
        trial.bound = 1 + margay_random_below(
                              random, 1u << margay_random_below(random, 15));
    return trial;
}

static void test_random(void)
{
    struct margay_random random;
    margay_random_seed(&random, 5);
    unsigned all = (unsigned)rounds(300), right = 0;
    for (unsigned i = 0; i < all; i++) {
        struct trial trial = random_trial(&random);
        make_blocks(&random, trial.refs);
        bool same = try_once(&trial);
        right += same;
        if (!same)
            printf("# %zu refs in chunks of %zu, bound %" PRIu64
                   ", filter %u, target %u, %u threads, batches of %zu\n",
                   trial.refs, trial.chunk, trial.bound, trial.filter,
                   trial.target, trial.threads, trial.batch_refs);
    }
    CHECK_U64(right, all, "random traces with 2 to 9 threads");
}

/* Far more threads than words in a batch. */
static void test_many_threads(void)
{
    struct margay_random random;
    margay_random_seed(&random, 6);
    struct trial trial = {.refs = 20000,
                          .chunk = 20000,
                          .reset = SIZE_MAX,
                          .threads = 64,
                          .batch_refs = 200,
                          .distances = true};
    make_blocks(&random, trial.refs);
    CHECK(try_once(&trial), "64 threads, three words a batch");
}

/* An engine that is given up in the middle of its work. */
static void test_abandoned(void)
{
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    setup.options.threads = 3;
    void *state;
    bool fine = true;
    for (size_t refs = 100; refs < 20000; refs += 1700) {
        fine = fine && margay_engine_make_state(&margay_engine_exact, &setup,
                                                &state, NULL) == MARGAY_OK;
        struct margay_exact *e = state;
        e->team_after_refs = 50;
        e->team_batch_refs = 64;
        fine = fine && margay_engine_exact.feed(state, blocks, refs, NULL,
                                                NULL) == MARGAY_OK;
        margay_engine_free_state(&margay_engine_exact, state);
    }
    CHECK(fine, "freed while its threads are at work");
}

int main(void)
{
    test_random();
    test_many_threads();
    test_abandoned();
    return tap_done();
}
