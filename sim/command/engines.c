/*
 * engines.c - margay engines --run and --sweep: engines on trial
 *
 * Each trial of an engine runs in a child process, which measures the engine's
 * time and memory: no engine inherits the heap of another, and an engine that
 * is killed spoils no other trial.
 */
#define _GNU_SOURCE
#include "sim/command/engines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------ one trial -- */

/* References per call of an engine. */
#define TRIAL_PIECE_REFS 8192

/* Where the references come from: each call gives the next of them, and 0 at
   the end. */
struct trial_source {
    size_t (*next)(void *context, const uint64_t **blocks);
    void *context; /* each child begins with the parent's */
};

struct trial {
    const char *spec;
    struct margay_engine_options options;
    struct trial_source source;
    const uint64_t *sizes; /* cache sizes in blocks, ascending */
    size_t size_count;     /* may be 0 */
};

struct trial_result {
    uint64_t references;
    /* Spent in feeding and finishing, not in the source: processor time of an
       engine on one thread, and otherwise elapsed time. */
    double seconds;
    uint64_t peak_bytes;
    uint64_t nodes;
    bool knows_sizes;
    uint64_t *misses; /* the caller's; at each size, with knows_sizes */
};

/* Steps through the naive engine's stack, one per reference and block. */
#define MOST_NAIVE_STEPS 4e10

/* Would the engine take hours for this number of references to this number of
   blocks?  It would if it searches its whole stack for each new block. */
static bool trial_is_too_slow(const char *spec, double references,
                              double blocks)
{
    bool is_naive =
        strcmp(spec, "naive") == 0 || strncmp(spec, "naive:", 6) == 0;
    return is_naive && references * blocks > MOST_NAIVE_STEPS;
}

/* The trial of a spec of these options, which says nothing of references yet.
   A spec that needs a bound gets `bound_blocks`. */
static struct trial trial_of(const char *spec, const struct options *options,
                             uint64_t bound_blocks)
{
    struct trial trial = {.spec = spec,
                          .options = MARGAY_ENGINE_OPTIONS_DEFAULT};
    struct margay_engine_abilities engine;
    trial.options.seed = options->seed;
    trial.options.threads = options->run.threads;
    if (margay_engine_abilities(spec, MARGAY_REUSE_DISTANCES, &engine, NULL) ==
            MARGAY_OK &&
        engine.needs_bound)
        trial.options.bound_blocks = bound_blocks;
    return trial;
}

/* What the child leaves in memory that it shares with its parent. */
struct report {
    enum margay_status status;
    struct margay_error error;
    struct trial_result result;
    uint64_t misses[]; /* size_count of them */
};

/* On one thread, the processor's time, which does not depend on what else the
   machine does. */
static double now_seconds(const struct trial *trial)
{
    return margay_clock_seconds(trial->options.threads > 1
                                    ? CLOCK_MONOTONIC
                                    : CLOCK_PROCESS_CPUTIME_ID);
}

/* The bytes of the pages that this process has alone, and of those it shares.
 */
static void resident(uint64_t *own, uint64_t *shared)
{
    unsigned long long all = 0, common = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*u %llu %llu", &all, &common) != 2)
            all = common = 0;
        fclose(file);
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *own = (all - common) * page;
    *shared = common * page;
}

/* The number of KiB that the first line of this format of a system's file
   names, in bytes; 0 = unknown. */
static uint64_t trial_system_bytes(const char *path, const char *format)
{
    unsigned long long kibibytes = 0;
    char line[128];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, format, &kibibytes) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return (uint64_t)kibibytes * 1024;
}

/* Pages that this process has written to since it began, in bytes. */
static uint64_t written(void)
{
    return trial_system_bytes("/proc/self/smaps_rollup", "Private_Dirty: %llu");
}

/*
 * The most memory that an engine needs beyond that of the process before it.
 * The system counts the most pages of a process at a time, but only to some
 * hundred pages, and misses those that the parent released and the engine got
 * again.  The bytes written are exact, but known only when they are asked for.
 * The larger of the two numbers is reported.
 */
struct memory {
    uint64_t own, written; /* at the beginning */
    uint64_t most_written;
};

static void look_at_memory(struct memory *memory)
{
    uint64_t now = written();
    if (now > memory->most_written)
        memory->most_written = now;
}

static uint64_t peak_of(const struct memory *memory)
{
    struct rusage usage;
    uint64_t own, shared, grown = memory->most_written - memory->written;
    resident(&own, &shared);
    getrusage(RUSAGE_SELF, &usage);
    uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
    peak = peak > shared + memory->own ? peak - shared - memory->own : 0;
    return peak > grown ? peak : grown;
}

static enum margay_status feed_all(const struct trial *trial,
                                   margay_engine *engine,
                                   struct trial_result *result,
                                   struct margay_error *error)
{
    const uint64_t *blocks;
    size_t count;
    while ((count = trial->source.next(trial->source.context, &blocks)) != 0) {
        double begin = now_seconds(trial);
        enum margay_status status =
            margay_engine_feed(engine, blocks, count, NULL, error);
        result->seconds += now_seconds(trial) - begin;
        result->references += count;
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* The misses at each size; an engine that cannot tell them does not fail. */
static void ask_sizes(const struct trial *trial,
                      const struct margay_result *found, struct report *report)
{
    struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                 .list_blocks = trial->sizes,
                                 .list_count = trial->size_count};
    struct margay_point *points;
    size_t count;
    if (margay_result_curve(found, &sizes, &points, &count, NULL) != MARGAY_OK)
        return;
    for (size_t i = 0; i < count; i++)
        report->misses[i] = points[i].misses;
    report->result.knows_sizes = count == trial->size_count;
    free(points);
}

static enum margay_status run(const struct trial *trial, struct report *report)
{
    struct margay_error *error = &report->error;
    struct trial_result *result = &report->result;
    struct margay_result found = {0};
    margay_engine *engine;
    struct memory memory = {.most_written = 0};
    uint64_t shared;
    resident(&memory.own, &shared);
    memory.written = memory.most_written = written();
    enum margay_status status =
        margay_engine_create(trial->spec, &trial->options, &engine, error);
    if (status != MARGAY_OK)
        return status;
    status = feed_all(trial, engine, result, error);
    look_at_memory(&memory);
    double begin = now_seconds(trial);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &found, error);
    result->seconds += now_seconds(trial) - begin;
    look_at_memory(&memory);
    result->peak_bytes = peak_of(&memory);
    result->nodes = found.nodes;
    if (status == MARGAY_OK)
        ask_sizes(trial, &found, report);
    margay_engine_free(engine);
    margay_result_clear(&found);
    return status;
}

/* Fork, and wait for the child, which ends without cleaning up after its
   parent. */
static enum margay_status run_in_child(const struct trial *trial,
                                       struct report *report,
                                       struct margay_error *error)
{
    int state = 0;
    pid_t child = fork();
    if (child < 0)
        return margay_fail(error, MARGAY_IO, "%s: no process: %s", trial->spec,
                           strerror(errno));
    if (child == 0) {
        signals_reset();
        report->status = run(trial, report);
        _exit(0);
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "%s: ended by signal %d (9 is the system's where "
                           "memory runs out; --only leaves engines out)",
                           trial->spec,
                           WIFSIGNALED(state) ? WTERMSIG(state) : 0);
    if (report->status != MARGAY_OK)
        return margay_fail(error, report->status, "%s", report->error.message);
    return MARGAY_OK;
}

/*
 * Run the trial.  Fails as the engine does, and with MARGAY_NO_MEMORY when the
 * child was killed.
 */
static enum margay_status trial_run(const struct trial *trial,
                                    struct trial_result *result,
                                    struct margay_error *error)
{
    size_t misses_bytes = trial->size_count * sizeof(uint64_t);
    size_t bytes = sizeof(struct report) + misses_bytes;
    struct report *report = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return margay_fail_memory(error, "the result of a trial");
    uint64_t *misses = result->misses;
    enum margay_status status = run_in_child(trial, report, error);
    *result = report->result;
    result->misses = misses;
    if (misses_bytes != 0)
        memcpy(misses, report->misses, misses_bytes);
    munmap(report, bytes);
    return status;
}

/* ------------------------------------------------- --run: a trace -- */

#define PAGE_REFS (4096 / sizeof(uint64_t)) /* of the smallest pages */

#define LINEAR_SIZES 256

/* The trace in memory, which the children share and do not count as theirs. */
struct references {
    uint64_t *blocks;
    size_t count, capacity;
    size_t next; /* of a trial */
};

/* Curves are compared at powers of two, between which lie the bars of the
   log2 histogram; on octaves; and in equal steps. */
enum truth_grid { TRUTH_POWERS, TRUTH_OCTAVES, TRUTH_STEPS, TRUTH_GRIDS };

struct truth {
    struct margay_result result;
    uint64_t *sizes; /* of all grids, ascending; owned */
    size_t size_count;
    struct margay_point *grids[TRUTH_GRIDS]; /* owned */
    size_t grid_counts[TRUTH_GRIDS];
};

/* ----------------------------------------------------------- the trace -- */

/* Keeps all blocks. */
static enum margay_status keep_span(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    struct references *references = analysis->question->context;
    while (references->count + span->count > references->capacity) {
        size_t bytes = references->capacity * sizeof(uint64_t);
        size_t more = bytes == 0 ? (size_t)1 << 23 : 2 * bytes;
        void *blocks = mmap(NULL, more, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (blocks == MAP_FAILED)
            return margay_fail_memory(error, "the trace");
        if (bytes != 0) {
            memcpy(blocks, references->blocks, bytes);
            munmap(references->blocks, bytes);
        }
        references->blocks = blocks;
        references->capacity = more / sizeof(uint64_t);
    }
    memcpy(references->blocks + references->count, span->blocks,
           span->count * sizeof(uint64_t));
    references->count += span->count;
    return MARGAY_OK;
}

static enum margay_status open_keeper(void *context, margay_question **question,
                                      struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(margay_analysis), .feed = keep_span};
    static const margay_question kind = {.functions = &functions,
                                         .name = "the trace"};
    return drive_question(&kind, context, question, error);
}

static size_t next_references(void *context, const uint64_t **blocks)
{
    struct references *references = context;
    size_t left = references->count - references->next;
    size_t count = left < TRIAL_PIECE_REFS ? left : TRIAL_PIECE_REFS;
    *blocks = references->blocks + references->next;
    /* A page is mapped into the child when it is first read, which takes time
       that is not the engine's. */
    for (size_t i = 0; i < count; i += PAGE_REFS)
        (void)((const volatile uint64_t *)*blocks)[i];
    references->next += count;
    return count;
}

/* ------------------------------------------------------ the exact curve -- */

static enum margay_status measure(const uint64_t *blocks, size_t count,
                                  struct truth *truth,
                                  struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    enum margay_status status =
        margay_engine_create("exact", &options, &engine, error);
    if (status == MARGAY_OK)
        status = margay_engine_feed(engine, blocks, count, NULL, error);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &truth->result, error);
    margay_engine_free(engine);
    return status;
}

static enum margay_status lay_grids(struct truth *truth,
                                    struct margay_error *error)
{
    uint64_t steps[LINEAR_SIZES], largest = 0;
    margay_histogram_largest(truth->result.histogram, &largest);
    /* Distances are below 2^56.  The last size holds the largest of them. */
    for (uint64_t i = 0; i < LINEAR_SIZES; i++)
        steps[i] = largest * i / (LINEAR_SIZES - 1) + 1;
    const struct margay_sizes kinds[TRUTH_GRIDS] = {
        [TRUTH_POWERS] = {.kind = MARGAY_SIZES_POW2},
        [TRUTH_OCTAVES] = {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 16},
        [TRUTH_STEPS] = {.kind = MARGAY_SIZES_LIST,
                         .list_blocks = steps,
                         .list_count = margay_sort_unique(steps, LINEAR_SIZES)},
    };
    enum margay_status status = MARGAY_OK;
    size_t all = 0;
    for (int i = 0; i < TRUTH_GRIDS && status == MARGAY_OK; i++) {
        status =
            margay_result_curve(&truth->result, &kinds[i], &truth->grids[i],
                                &truth->grid_counts[i], error);
        all += truth->grid_counts[i];
    }
    truth->sizes = calloc(all + 1, sizeof *truth->sizes);
    if (truth->sizes == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (int i = 0; i < TRUTH_GRIDS; i++) {
        for (size_t j = 0; j < truth->grid_counts[i]; j++)
            truth->sizes[truth->size_count++] = truth->grids[i][j].cache_blocks;
    }
    truth->size_count = margay_sort_unique(truth->sizes, truth->size_count);
    return status;
}

/* ---------------------------------------------------------- comparisons -- */

/* The misses of a trial at a size of a grid, which is among truth->sizes. */
static double misses_at(const struct truth *truth, const uint64_t *misses,
                        uint64_t size)
{
    size_t low = 0, high = truth->size_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (truth->sizes[middle] < size)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)misses[low];
}

/* The largest and the mean error of miss ratios on a grid, of misses at
   truth->sizes. */
static void write_errors(struct csv_writer *csv, const struct truth *truth,
                         const uint64_t *misses, enum truth_grid grid)
{
    double most = 0, mean = 0;
    double references = (double)truth->result.references;
    for (size_t i = 0; i < truth->grid_counts[grid]; i++) {
        const struct margay_point *point = &truth->grids[grid][i];
        double got = misses_at(truth, misses, point->cache_blocks);
        double error = fabs(got - (double)point->misses) / references;
        most = error > most ? error : most;
        mean += error / (double)truth->grid_counts[grid];
    }
    csv_decimal(csv, most);
    csv_decimal(csv, mean);
}

/* How much of the two log2 histograms overlaps: 1 - sum |y - x| / 2 over the
   shares of their bars, of which infinite distances are one. */
static double overlap(const struct truth *truth, const uint64_t *misses)
{
    const struct margay_point *points = truth->grids[TRUTH_POWERS];
    size_t count = truth->grid_counts[TRUTH_POWERS];
    double references = (double)truth->result.references;
    double true_left = references, left = references, differences = 0;
    for (size_t i = 0; i <= count; i++) {
        double true_next = i < count ? (double)points[i].misses : 0;
        double next =
            i < count ? misses_at(truth, misses, points[i].cache_blocks) : 0;
        differences += fabs((true_left - true_next) - (left - next));
        true_left = true_next;
        left = next;
    }
    return 1 - differences / (2 * references);
}

/* ------------------------------------------------------------ the trials -- */

static void run_row(struct csv_writer *csv, const char *spec,
                    const struct truth *truth,
                    const struct trial_result *result)
{
    csv_text(csv, spec);
    csv_u64(csv, result->references);
    csv_decimal(csv, result->seconds);
    csv_decimal(csv, (double)result->references / result->seconds);
    csv_u64(csv, result->peak_bytes);
    csv_u64(csv, result->nodes);
    if (result->knows_sizes) {
        csv_decimal(csv, overlap(truth, result->misses));
        write_errors(csv, truth, result->misses, TRUTH_OCTAVES);
        write_errors(csv, truth, result->misses, TRUTH_STEPS);
    } else {
        for (int i = 0; i < 5; i++)
            csv_nothing(csv);
    }
    csv_end_row(csv);
}

static enum margay_status run_specs(const struct options *options,
                                    const struct policy_list *specs,
                                    struct references *references,
                                    const struct truth *truth,
                                    struct csv_writer *csv,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t *misses = calloc(truth->size_count + 1, sizeof *misses);
    if (misses == NULL)
        return margay_fail_memory(error, "the misses of an engine");
    uint64_t blocks = truth->result.distinct_blocks;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        if (options->trials.only.count == 0 &&
            trial_is_too_slow(specs->specs[i], (double)references->count,
                              (double)blocks)) {
            message_print("%s is left out: it would take too long (--only %s "
                          "runs it)",
                          specs->specs[i], specs->specs[i]);
            continue;
        }
        /* A bound of all blocks changes no distance. */
        struct trial trial = trial_of(specs->specs[i], options, blocks);
        struct trial_result result = {.misses = misses};
        trial.source = (struct trial_source){next_references, references};
        trial.sizes = truth->sizes;
        trial.size_count = truth->size_count;
        status = trial_run(&trial, &result, error);
        if (status == MARGAY_OK)
            run_row(csv, trial.spec, truth, &result);
    }
    free(misses);
    return status;
}

enum margay_status engines_run(const struct options *options,
                               const struct policy_list *specs,
                               struct csv_writer *csv,
                               struct margay_error *error)
{
    struct references references = {0};
    struct truth truth = {0};
    struct options reading = *options;
    const char *operands[] = {options->trials.trace};
    const struct drive drive = {
        .options = &reading,
        .context = &references,
        .open = open_keeper,
    };
    reading.operands = operands;
    reading.operand_count = 1;
    enum margay_status status = drive_run(&drive, error);
    if (status == MARGAY_OK)
        status = measure(references.blocks, references.count, &truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = lay_grids(&truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = run_specs(options, specs, &references, &truth, csv, error);
    margay_result_clear(&truth.result);
    for (int i = 0; i < TRUTH_GRIDS; i++)
        free(truth.grids[i]);
    free(truth.sizes);
    if (references.capacity != 0)
        munmap(references.blocks, references.capacity * sizeof(uint64_t));
    return status;
}

/* -------------------------------------- --sweep: more and more blocks -- */

/*
 * M blocks in a hundred parts; the references go through each part twice.  Half
 * of them are cold, and the others have a distance of M / 100 - 1.  After
 * Zhong, Shen, Ding, "Program locality analysis using reuse distance", 2009,
 * Fig. 7.
 */
#define PARTS          100
#define SMALLEST_SWEEP 1000
#define LARGEST_SWEEP  100000000
#define SLOW_SECONDS   10
/* Trials are repeated until they take this long together. */
#define LEAST_SECONDS 0.1
/* The memory that the largest engine needs per block. */
#define BLOCK_BYTES 200

struct sweep {
    uint64_t part_blocks;
    uint64_t references, next;
    uint64_t piece[TRIAL_PIECE_REFS];
};

static size_t next_swept(void *context, const uint64_t **blocks)
{
    struct sweep *sweep = context;
    uint64_t left = sweep->references - sweep->next;
    size_t count = left < TRIAL_PIECE_REFS ? (size_t)left : TRIAL_PIECE_REFS;
    uint64_t part = sweep->next / (2 * sweep->part_blocks);
    uint64_t at = sweep->next % (2 * sweep->part_blocks);
    for (size_t i = 0; i < count; i++) {
        sweep->piece[i] = part * sweep->part_blocks + at % sweep->part_blocks;
        if (++at == 2 * sweep->part_blocks) {
            at = 0;
            part++;
        }
    }
    sweep->next += count;
    *blocks = sweep->piece;
    return count;
}

/* Is so much memory available without swapping, as far as is known? */
static bool fits_memory(uint64_t blocks)
{
    uint64_t bytes =
        trial_system_bytes("/proc/meminfo", "MemAvailable: %llu kB");
    return bytes == 0 || blocks <= bytes / BLOCK_BYTES;
}

/* The mean time of enough runs to measure one. */
static enum margay_status time_sweep(struct trial *trial, struct sweep *sweep,
                                     double *seconds,
                                     struct margay_error *error)
{
    double sum = 0;
    unsigned runs = 0;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && sum < LEAST_SECONDS && runs < 20) {
        struct trial_result result = {0};
        sweep->next = 0;
        status = trial_run(trial, &result, error);
        sum += result.seconds;
        runs++;
    }
    *seconds = sum / runs;
    return status;
}

static enum margay_status sweep_engine(const struct options *options,
                                       const char *spec, struct sweep *sweep,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    uint64_t most = options->trials.most_blocks == 0
                        ? LARGEST_SWEEP
                        : options->trials.most_blocks;
    enum margay_status status = MARGAY_OK;
    double seconds = 0;
    for (uint64_t blocks = SMALLEST_SWEEP;
         blocks <= most && seconds < SLOW_SECONDS && fits_memory(blocks) &&
         status == MARGAY_OK && !signals_interrupted();
         blocks *= 10) {
        if (trial_is_too_slow(spec, (double)blocks, (double)blocks))
            break;
        struct trial trial = trial_of(spec, options, blocks);
        trial.source = (struct trial_source){next_swept, sweep};
        sweep->part_blocks = blocks / PARTS;
        sweep->references = 2 * blocks;
        status = time_sweep(&trial, sweep, &seconds, error);
        if (status != MARGAY_OK)
            break;
        csv_text(csv, spec);
        csv_u64(csv, blocks);
        csv_u64(csv, sweep->references);
        csv_decimal(csv, seconds);
        csv_decimal(csv, (double)sweep->references / seconds);
        csv_end_row(csv);
    }
    return status;
}

enum margay_status engines_sweep(const struct options *options,
                                 const struct policy_list *specs,
                                 struct csv_writer *csv,
                                 struct margay_error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep == NULL)
        return margay_fail_memory(error, "the sweep");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++)
        status = sweep_engine(options, specs->specs[i], sweep, csv, error);
    free(sweep);
    return status;
}
