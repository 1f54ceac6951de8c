/*
 * critical_path.c - how long an analysis in parts takes on more processors than
 * there are
 *
 *     critical_path ROUNDS SHIFT FILE.u64
 *
 * Algorithm: the file is cut into as many parts as there are ranks.  All that a
 *   rank does - begin, feed and close its part, answer a list of first touches,
 *   copy one that is sent, count - runs here one after the other, each timed by
 *   the processor's time of this thread.  Then the schedule is added up: ranks
 *   begin together; a rank answers lists in the order of their parts, each once
 *   it has come from the next rank; the last rank to end, and all histograms
 *   after each other, end the analysis.
 *   Threads of one process answer in rounds, in which all lists move on by a
 *   part: their schedule is the slowest part, the longest answer of each round,
 *   and the histograms.  (Two threads share each list instead.)
 * Guarantee: the histogram is compared with that of one rank.  What the
 *   schedule leaves out is what ranks do to each other: caches and memory that
 *   they share, and the time of a network.
 *
 * A number's block is number >> SHIFT.
 *
 * Prints a row for each engine, bound (0 = none) and number of ranks: seconds
 * by the schedule; of the slowest part, the most that a rank spends on answers,
 * and all that is sent; the speed in ranks; and, for up to as many ranks as
 * there are processors, what threads take when they do it: the processor's time
 * of the slowest part, and of what follows; and the seconds by the schedule of
 * threads.  Medians.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "stackdist/stackdist_internal.h"
#include "tests/bench/bench.h"
#include "tests/stackdist/results.h"
#include "traces/traces_internal.h"

#define MAX_ROUNDS 99

struct input {
    uint64_t *refs;
    size_t count;
};

/* Seconds of one analysis. */
struct schedule {
    double all, slowest_part, most_answers, messages;
    double rounds[MARGAY_ROW_MAX_PARTS]; /* the longest answer of each */
    double threads;                      /* all, by rounds */
};

static void check(enum margay_status status)
{
    if (status != MARGAY_OK)
        die("a part", "no memory");
}

static double spent(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* ------------------------------------------------------------ a schedule -- */

static struct margay_part_setup setup_of(
    const char *engine, const struct margay_engine_options *options,
    size_t refs)
{
    return (struct margay_part_setup){
        .spec = engine, .options = options, .first = true, .refs = refs};
}

/* Analyse each part by itself, one after the other; its end in ends[]. */
static void run_parts(struct margay_row *row, const struct input *input,
                      struct margay_part_setup setup, double *ends,
                      struct schedule *schedule)
{
    for (unsigned i = 0; i < row->count; i++) {
        size_t from = input->count * i / row->count;
        size_t to = input->count * (i + 1) / row->count;
        double began = spent();
        setup.first = i == 0;
        check(margay_part_begin(&row->parts[i], &setup, NULL));
        check(margay_part_feed(&row->parts[i], input->refs + from, to - from,
                               NULL));
        check(margay_part_close(&row->parts[i], NULL));
        ends[i] = spent() - began;
        if (ends[i] > schedule->slowest_part)
            schedule->slowest_part = ends[i];
    }
}

/* What it takes to hand `count` blocks to another rank. */
static double send(const uint64_t *blocks, size_t count)
{
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    double began = spent();
    if (copy == NULL)
        die("a message", "no memory");
    memcpy(copy, blocks, count * sizeof *blocks);
    __asm__ volatile("" : : "r"(copy) : "memory");
    double seconds = spent() - began;
    free(copy);
    return seconds;
}

/* The list of part `asking` goes from rank to rank; ends[] are when ranks are
   free, answers[] what they have spent. */
static void answer(struct margay_row *row, unsigned asking, double *ends,
                   double *answers, struct schedule *schedule)
{
    static const struct margay_part_help none;
    size_t left;
    uint64_t *blocks = margay_part_touches(&row->parts[asking], &left);
    double at = ends[asking];
    for (unsigned rank = asking; rank-- > 0;) {
        double message = send(blocks, left);
        double began = spent();
        check(
            margay_part_answer(&row->parts[rank], blocks, &left, &none, NULL));
        double seconds = spent() - began;
        schedule->messages += message;
        answers[rank] += seconds;
        unsigned round = asking - rank;
        if (seconds > schedule->rounds[round])
            schedule->rounds[round] = seconds;
        at = (at + message > ends[rank] ? at + message : ends[rank]) + seconds;
        ends[rank] = at;
    }
}

static struct schedule run(const struct input *input, const char *engine,
                           const struct margay_engine_options *options,
                           unsigned ranks, margay_histogram *histogram)
{
    static struct margay_row row;
    struct schedule schedule = {0};
    double slowest_finish = 0;
    double ends[MARGAY_ROW_MAX_PARTS] = {0},
           answers[MARGAY_ROW_MAX_PARTS] = {0};
    row = (struct margay_row){.count = ranks, .first = true};
    run_parts(&row, input, setup_of(engine, options, input->count / ranks),
              ends, &schedule);
    for (unsigned i = 1; i < ranks; i++)
        answer(&row, i, ends, answers, &schedule);
    for (unsigned i = 0; i < ranks; i++) {
        double began = spent();
        check(margay_part_finish(&row.parts[i], NULL));
        double seconds = spent() - began;
        ends[i] += seconds;
        if (seconds > slowest_finish)
            slowest_finish = seconds;
        if (ends[i] > schedule.all)
            schedule.all = ends[i];
        if (answers[i] > schedule.most_answers)
            schedule.most_answers = answers[i];
    }
    double began = spent();
    for (unsigned i = 0; i < ranks; i++)
        check(margay_part_end(&row.parts[i], histogram, NULL));
    double ended = spent() - began;
    schedule.all += ended;
    schedule.threads = schedule.slowest_part + slowest_finish + ended;
    for (unsigned i = 1; i < ranks; i++)
        schedule.threads += schedule.rounds[i];
    margay_row_free(&row);
    return schedule;
}

/* ------------------------------------------------------------ by threads -- */

struct threads {
    struct margay_row row;
    const struct input *input;
    double fed[MARGAY_ROW_MAX_PARTS]; /* seconds of each part */
};

static void feed_part(void *context, size_t i)
{
    struct threads *threads = context;
    size_t from = threads->input->count * i / threads->row.count;
    size_t to = threads->input->count * (i + 1) / threads->row.count;
    double began = spent();
    threads->row.statuses[i] = margay_part_feed(
        &threads->row.parts[i], threads->input->refs + from, to - from, NULL);
    threads->fed[i] = spent() - began;
}

static double run_threads(const struct input *input, const char *engine,
                          const struct margay_engine_options *options,
                          unsigned ranks, margay_histogram *histogram)
{
    static struct threads threads;
    margay_crew *crew;
    threads.input = input;
    check(margay_crew_create(ranks, &crew, NULL));
    const struct margay_part_setup setup =
        setup_of(engine, options, input->count / ranks);
    double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    check(margay_row_begin(&threads.row, &setup, ranks, crew, NULL));
    double seconds = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began) / ranks;
    margay_crew_run(crew, feed_part, &threads, ranks);
    began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    check(margay_row_close(&threads.row, ranks, NULL));
    check(margay_row_end(&threads.row, histogram, NULL));
    seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began;
    double slowest = 0;
    for (unsigned i = 0; i < ranks; i++)
        slowest = threads.fed[i] > slowest ? threads.fed[i] : slowest;
    seconds += slowest;
    margay_row_free(&threads.row);
    margay_crew_free(crew);
    return seconds;
}

/* ------------------------------------------------------------- the table -- */

static margay_histogram *make_histogram(void)
{
    margay_histogram *histogram;
    check(margay_histogram_create(&histogram, NULL));
    return histogram;
}

struct measurement {
    const struct input *input;
    const char *engine;
    struct margay_engine_options options;
    unsigned rounds;
    margay_histogram *one; /* by one rank */
    double alone;          /* its seconds */
};

static double measure_threads(struct measurement *what, unsigned ranks)
{
    double seconds[MAX_ROUNDS];
    for (unsigned i = 0; i < what->rounds; i++) {
        margay_histogram *histogram = make_histogram();
        seconds[i] = run_threads(what->input, what->engine, &what->options,
                                 ranks, histogram);
        margay_histogram_free(histogram);
    }
    return median(seconds, what->rounds);
}

static void measure(struct measurement *what, unsigned ranks)
{
    double all[MAX_ROUNDS], parts[MAX_ROUNDS], answers[MAX_ROUNDS],
        messages[MAX_ROUNDS], threads[MAX_ROUNDS];
    for (unsigned i = 0; i < what->rounds; i++) {
        margay_histogram *histogram = make_histogram();
        struct schedule schedule =
            run(what->input, what->engine, &what->options, ranks, histogram);
        if (what->one != NULL && !same_histogram(what->one, histogram))
            die(what->engine, "another histogram than that of one rank");
        all[i] = schedule.all;
        parts[i] = schedule.slowest_part;
        answers[i] = schedule.most_answers;
        messages[i] = schedule.messages;
        threads[i] = schedule.threads;
        if (what->one == NULL)
            what->one = histogram;
        else
            margay_histogram_free(histogram);
    }
    double seconds = median(all, what->rounds);
    what->alone = ranks == 1 ? seconds : what->alone;
    printf("%s,%" PRIu64 ",%u,%.3f,%.3f,%.3f,%.3f,%.2f,", what->engine,
           what->options.bound_blocks, ranks, seconds,
           median(parts, what->rounds), median(answers, what->rounds),
           median(messages, what->rounds), what->alone / seconds);
    if (ranks <= (unsigned)sysconf(_SC_NPROCESSORS_ONLN))
        printf("%.3f", measure_threads(what, ranks));
    printf(",%.3f\n", median(threads, what->rounds));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"olken", "exact"};
    static const uint64_t bounds[] = {0, 65536, 4096};
    unsigned long rounds = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
    if (rounds < 1 || rounds > MAX_ROUNDS)
        die("usage", "critical_path ROUNDS SHIFT FILE.u64");
    struct input input;
    input.refs = read_numbers(argv[3], (unsigned)strtoul(argv[2], NULL, 10),
                              &input.count);
    printf("engine,bound_blocks,ranks,seconds,slowest_part_seconds,"
           "most_answers_seconds,messages_seconds,speedup,threads_seconds,"
           "rounds_seconds\n");
    for (size_t i = 0; i < 6; i++) {
        struct measurement what = {.input = &input,
                                   .engine = engines[i / 3],
                                   .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
                                   .rounds = (unsigned)rounds};
        what.options.bound_blocks = bounds[i % 3];
        for (unsigned ranks = 1; ranks <= MARGAY_ROW_MAX_PARTS; ranks *= 2)
            measure(&what, ranks);
        margay_histogram_free(what.one);
    }
    free(input.refs);
    return 0;
}
