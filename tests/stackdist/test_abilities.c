/*
 * test_abilities.c - the declared abilities of engines, and the real ones
 *
 * Each row of the table of engines is asked for its abilities, then an engine
 * of it is made, and shows or fails to show every one of them.
 */
#include <dirent.h>

#include "stackdist/engine.h"
#include "stackdist/parts/cluster.h"
#include "stackdist/parts/row.h"
#include "tests/chance.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"

#define REFS   20000
#define BLOCKS 300

/* A size that no spec has by default. */
#define OTHER_SIZE 100

/* After this number of references an engine with threads uses them. */
#define MANY_REFS ((size_t)1 << 20)
#define THREADS   4

/* Each block is referenced once or several times in a row. */
static uint64_t blocks[REFS];

struct subject {
    const char *spec;
    enum margay_measure measure;
    struct margay_engine_abilities abilities;
    uint64_t bound; /* one that nothing exceeds, where a bound is needed */
};

static bool can(const struct subject *subject,
                enum margay_engine_ability ability)
{
    return (subject->abilities.can & ability) != 0;
}

static struct margay_engine_options options_of(const struct subject *subject)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    options.measure = subject->measure;
    options.bound_blocks = subject->bound;
    return options;
}

static margay_engine *make(const struct subject *subject, unsigned threads)
{
    struct margay_engine_options options = options_of(subject);
    struct margay_error error;
    margay_engine *engine;
    options.threads = threads;
    if (margay_engine_create(subject->spec, &options, &engine, &error) ==
        MARGAY_OK)
        return engine;
    printf("Bail out! %s: %s\n", subject->spec, error.message);
    exit(1);
}

/* The engine is freed. */
static struct margay_result finish(margay_engine *engine)
{
    struct margay_result result = {0};
    if (margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        result = (struct margay_result){0};
    margay_engine_free(engine);
    return result;
}

static struct margay_result run(const struct subject *subject, size_t count)
{
    margay_engine *engine = make(subject, 1);
    margay_engine_feed(engine, blocks, count, NULL, NULL);
    return finish(engine);
}

/* Both are cleared. */
static bool same_points(const struct margay_result *a,
                        const struct margay_result *b)
{
    bool same =
        a->point_count == b->point_count && a->references == b->references;
    for (size_t i = 0; same && i < a->point_count; i++)
        same = a->points[i].cache_blocks == b->points[i].cache_blocks &&
               a->points[i].misses == b->points[i].misses;
    return same && a->point_count > 0;
}

/* Histograms, or else curves. */
static bool are_same(struct margay_result *a, struct margay_result *b)
{
    bool same = a->histogram != NULL && b->histogram != NULL
                    ? same_results(a, b)
                    : same_points(a, b);
    margay_result_clear(a);
    margay_result_clear(b);
    return same;
}

/* -------------------------------------------------------- one by one -- */

/* No reference is left out. */
static bool tells_distances(const struct subject *subject)
{
    const uint64_t untold = MARGAY_INFINITE - 1;
    static uint64_t distances[REFS];
    for (size_t i = 0; i < REFS; i++)
        distances[i] = untold;
    margay_engine *engine = make(subject, 1);
    bool tells =
        margay_engine_feed(engine, blocks, REFS, distances, NULL) == MARGAY_OK;
    for (size_t i = 0; i < REFS && tells; i++)
        tells = distances[i] != untold;
    margay_engine_free(engine);
    return tells;
}

static bool gives_histogram(const struct subject *subject)
{
    struct margay_result result = run(subject, REFS);
    bool gives = result.histogram != NULL;
    margay_result_clear(&result);
    return gives;
}

static bool gives_size(const struct subject *subject, uint64_t size)
{
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = &size, .list_count = 1};
    struct margay_result result = run(subject, REFS);
    struct margay_point *points = NULL;
    size_t count = 0;
    bool gives = margay_result_curve(&result, &sizes, &points, &count, NULL) ==
                     MARGAY_OK &&
                 count == 1;
    bool says = margay_engine_check_sizes(&subject->abilities, &sizes, NULL) ==
                MARGAY_OK;
    if (gives != says)
        printf("#   %s: the curve %s size %" PRIu64 "\n", subject->spec,
               gives ? "has" : "does not have", size);
    free(points);
    margay_result_clear(&result);
    return gives && says;
}

static bool peeks(const struct subject *subject)
{
    struct margay_result half, whole;
    struct margay_result expected_half = run(subject, REFS / 2);
    struct margay_result expected_whole = run(subject, REFS);
    margay_engine *engine = make(subject, 1);
    margay_engine_feed(engine, blocks, REFS / 2, NULL, NULL);
    bool peeked = margay_engine_peek(engine, &half, NULL) == MARGAY_OK;
    margay_engine_feed(engine, blocks + REFS / 2, REFS - REFS / 2, NULL, NULL);
    whole = finish(engine);
    bool same = are_same(&half, &expected_half);
    return are_same(&whole, &expected_whole) && same && peeked;
}

static bool saves(const struct subject *subject)
{
    struct margay_engine_state state;
    struct margay_result expected = run(subject, REFS);
    margay_engine *first = make(subject, 1), *second = make(subject, 1);
    margay_engine_feed(first, blocks, REFS / 2, NULL, NULL);
    bool saved = margay_engine_export(first, &state, NULL) == MARGAY_OK &&
                 margay_engine_import(second, &state, NULL) == MARGAY_OK;
    margay_engine_free(first);
    if (saved)
        margay_engine_feed(second, blocks + REFS / 2, REFS - REFS / 2, NULL,
                           NULL);
    margay_engine_state_clear(&state);
    struct margay_result got = finish(second);
    return are_same(&got, &expected) && saved;
}

/* In two parts, whose engines answer by themselves. */
static bool takes_parts(const struct subject *subject)
{
    static struct margay_row row;
    struct margay_engine_options options = options_of(subject);
    const struct margay_part_setup setup = {.spec = subject->spec,
                                            .options = &options,
                                            .first = true,
                                            .refs = REFS / 2};
    struct margay_result got = {0}, expected = run(subject, REFS);
    margay_crew *crew;
    bool fine =
        margay_crew_create(2, &crew, NULL) == MARGAY_OK &&
        margay_row_begin(&row, &setup, 2, crew, NULL) == MARGAY_OK &&
        margay_part_feed(&row.parts[0], blocks, REFS / 2, NULL) == MARGAY_OK &&
        margay_part_feed(&row.parts[1], blocks + REFS / 2, REFS - REFS / 2,
                         NULL) == MARGAY_OK &&
        row.parts[0].own && margay_row_close(&row, 2, NULL) == MARGAY_OK &&
        margay_row_finish(&row, &got, NULL) == MARGAY_OK;
    margay_row_free(&row);
    margay_crew_free(crew);
    return are_same(&got, &expected) && fine;
}

/* On one rank, which has the work of two to do. */
static bool shares_ranks(const struct subject *subject)
{
    const struct margay_transport alone = {.rank = 0, .ranks = 1};
    struct margay_engine_options options = options_of(subject);
    struct margay_result got = {0}, expected = run(subject, REFS);
    margay_cluster *cluster = NULL;
    margay_crew *crew;
    bool fine =
        margay_crew_create(2, &crew, NULL) == MARGAY_OK &&
        margay_cluster_create(&alone, subject->spec, &options, crew, &cluster,
                              NULL) == MARGAY_OK &&
        margay_cluster_begin_phase(cluster, 2, REFS, NULL) == MARGAY_OK &&
        margay_cluster_feed(cluster, 0, blocks, REFS / 2, NULL) == MARGAY_OK &&
        margay_cluster_feed(cluster, 1, blocks + REFS / 2, REFS - REFS / 2,
                            NULL) == MARGAY_OK;
    if (fine) {
        margay_cluster_end_phase(cluster, false);
        margay_cluster_finish(cluster, &got);
    }
    margay_cluster_free(cluster);
    margay_crew_free(crew);
    return are_same(&got, &expected) && fine;
}

/* The threads of this process.  One that was joined may be among them for a
   while yet, so new threads are found by their number, not by the count. */
struct threads {
    size_t count;
    long numbers[64];
};

static struct threads list_threads(void)
{
    struct threads threads = {0};
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    while (tasks != NULL && (task = readdir(tasks)) != NULL)
        if (task->d_name[0] != '.' && threads.count < 64)
            threads.numbers[threads.count++] = strtol(task->d_name, NULL, 10);
    if (tasks != NULL)
        closedir(tasks);
    return threads;
}

static bool has_new_thread(const struct threads *before)
{
    struct threads now = list_threads();
    for (size_t i = 0; i < now.count; i++) {
        bool is_old = false;
        for (size_t k = 0; k < before->count; k++)
            is_old = is_old || before->numbers[k] == now.numbers[i];
        if (!is_old)
            return true;
    }
    return false;
}

static bool uses_threads(const struct subject *subject)
{
    struct threads before = list_threads();
    margay_engine *engine = make(subject, THREADS);
    for (size_t fed = 0; fed < MANY_REFS && !has_new_thread(&before);
         fed += REFS)
        margay_engine_feed(engine, blocks, REFS, NULL, NULL);
    /* What is kept back to the end is work for threads then. */
    struct margay_result result = {0};
    bool uses = has_new_thread(&before) ||
                (margay_engine_finish(engine, &result, NULL) == MARGAY_OK &&
                 has_new_thread(&before));
    margay_result_clear(&result);
    margay_engine_free(engine);
    return uses;
}

/* ------------------------------------------------------- all of them -- */

/* The results of making an engine with this bound, and of asking. */
static bool agree_on_bound(const struct subject *subject, uint64_t bound,
                           bool *takes)
{
    struct margay_engine_options options = options_of(subject);
    struct margay_error made = {0}, asked = {0};
    margay_engine *engine;
    options.bound_blocks = bound;
    enum margay_status status =
        margay_engine_create(subject->spec, &options, &engine, &made);
    margay_engine_free(engine);
    *takes = status == MARGAY_OK;
    return margay_engine_check_bound(&subject->abilities, bound, &asked) ==
               status &&
           strcmp(made.message, asked.message) == 0;
}

/* A result up to a bound says so. */
static bool keeps_bound(const struct subject *subject, uint64_t bound)
{
    struct subject bounded = *subject;
    bounded.bound = bound;
    struct margay_result result = run(&bounded, REFS);
    bool keeps = result.histogram != NULL &&
                 margay_histogram_exceeded_bound(result.histogram) == bound &&
                 result.distinct_blocks == bound + 1;
    margay_result_clear(&result);
    return keeps;
}

static void check_bounds(const struct subject *subject)
{
    bool takes, takes_none;
    CHECK(agree_on_bound(subject, 7, &takes) &&
              takes == can(subject, MARGAY_CAN_TAKE_BOUND) &&
              (!takes || keeps_bound(subject, 7)),
          "%s: a bound", subject->spec);
    CHECK(agree_on_bound(subject, 0, &takes_none) &&
              takes_none != subject->abilities.needs_bound,
          "%s: no bound", subject->spec);
}

static void check_sizes(const struct subject *subject)
{
    const struct margay_engine_abilities *abilities = &subject->abilities;
    bool all = can(subject, MARGAY_CAN_GIVE_ALL_SIZES);
    CHECK(gives_size(subject, OTHER_SIZE) == all, "%s: any size",
          subject->spec);
    CHECK((abilities->size_count == 0) == all, "%s: the sizes of the spec",
          subject->spec);
    for (size_t i = 0; i < abilities->size_count; i++)
        CHECK(gives_size(subject, abilities->sizes[i]), "%s: size %" PRIu64,
              subject->spec, abilities->sizes[i]);
}

static void check_engine(const char *spec, enum margay_measure measure)
{
    /* `alone`: an engine that is not said to be able to may happen to be, as on
       this trace; that is not used. */
    static const struct {
        enum margay_engine_ability ability;
        const char *what;
        bool (*shows)(const struct subject *subject);
        bool alone;
    } tries[] = {
        {MARGAY_CAN_TELL_DISTANCES, "distances", tells_distances, false},
        {MARGAY_CAN_GIVE_HISTOGRAM, "a histogram", gives_histogram, false},
        {MARGAY_CAN_PEEK, "a look before the end", peeks, false},
        {MARGAY_CAN_SAVE, "its state", saves, false},
        {MARGAY_CAN_TAKE_PARTS, "parts", takes_parts, false},
        {MARGAY_CAN_SHARE_RANKS, "ranks", shares_ranks, true},
        {MARGAY_CAN_USE_THREADS, "threads", uses_threads, false},
    };
    struct subject subject = {.spec = spec, .measure = measure};
    struct margay_error error = {0};
    if (!CHECK(margay_engine_abilities(spec, measure, &subject.abilities,
                                       &error) == MARGAY_OK,
               "%s, measure %d: abilities %s", spec, (int)measure,
               error.message))
        return;
    subject.bound = subject.abilities.needs_bound ? 2 * BLOCKS : 0;
    CHECK(subject.abilities.measure == measure, "%s: its measure", spec);
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        bool says = can(&subject, tries[i].ability);
        if (says || !tries[i].alone)
            CHECK(tries[i].shows(&subject) == says, "%s: %s%s", spec,
                  says ? "" : "not ", tries[i].what);
    }
    check_sizes(&subject);
    check_bounds(&subject);
}

int main(void)
{
    seed_chance(1);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = i > 0 && one_in(4) ? blocks[i - 1] : below(BLOCKS);
    const struct margay_engine_info *info;
    for (size_t i = 0; (info = margay_engine_at(i)) != NULL; i++)
        check_engine(info->name, MARGAY_REUSE_DISTANCES);
    check_engine("markers:at=3+200", MARGAY_REUSE_DISTANCES);
    check_engine("shards:blocks=16", MARGAY_REUSE_DISTANCES);
    check_engine("parda:merge=plain,phases=off", MARGAY_REUSE_DISTANCES);
    check_engine("exact", MARGAY_REUSE_TIMES);
    check_engine("exact", MARGAY_FOOTPRINT);
    check_engine("exact", MARGAY_OPTIMAL_DISTANCES);
    check_engine("exact", MARGAY_OPTIMAL_BYPASS_DISTANCES);
    return tap_done();
}
