/*
 * cmd_engines.c - margay engines: the list of engines, and engines on trial
 *
 * Each trial of an engine runs in a child process, which measures the engine's
 * time and memory: no engine inherits the heap of another, and an engine that
 * is killed spoils no other trial.
 */
#define _GNU_SOURCE
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
#include "sim/options/commands.h"
#include "sim/result/csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
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

/* Curves are compared at powers of two, between which lie the bars of the
   log2 histogram; on octaves; and in equal steps. */
enum { GRID_POWERS, GRID_OCTAVES, GRID_STEPS, GRIDS };

#define PER_OCTAVE   16
#define LINEAR_SIZES 256
#define MOST_SIZES   (64 + 64 * PER_OCTAVE + LINEAR_SIZES)

/* What the exact engine says of a trace. */
struct truth {
    double references;
    size_t count;
    uint64_t sizes[MOST_SIZES]; /* of all grids, ascending, in blocks */
    uint64_t misses[MOST_SIZES];
    unsigned grids[MOST_SIZES]; /* the bits of those that a size is of */
};

struct trial {
    const char *spec;
    struct margay_engine_options options;
    struct trial_source source;
    const struct truth *truth; /* at whose sizes misses are asked; or NULL */
};

/* What the child leaves in memory that it shares with its parent. */
struct report {
    enum margay_status status;
    struct margay_error error;
    uint64_t references;
    /* Spent in feeding and finishing, not in the source: processor time of an
       engine on one thread, and otherwise elapsed time. */
    double seconds;
    uint64_t peak_bytes, nodes;
    bool knows_sizes;
    uint64_t misses[MOST_SIZES]; /* at each, with knows_sizes */
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

/* Memory of zeros that children share with their parent; NULL = there is none.
 */
static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static enum margay_status feed_all(const struct trial *trial,
                                   margay_engine *engine, struct report *report)
{
    const uint64_t *blocks;
    size_t count;
    while ((count = trial->source.next(trial->source.context, &blocks)) != 0) {
        double begin = now_seconds(trial);
        enum margay_status status =
            margay_engine_feed(engine, blocks, count, NULL, &report->error);
        report->seconds += now_seconds(trial) - begin;
        report->references += count;
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* The misses at each size; an engine that cannot tell them does not fail. */
static void ask_sizes(const struct trial *trial,
                      const struct margay_result *found, struct report *report)
{
    const struct truth *truth = trial->truth;
    struct margay_point *points;
    size_t count;
    if (truth == NULL)
        return;
    const struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                       .list_blocks = truth->sizes,
                                       .list_count = truth->count};
    if (margay_result_curve(found, &sizes, &points, &count, NULL) != MARGAY_OK)
        return;
    report->knows_sizes = count == truth->count;
    for (size_t i = 0; report->knows_sizes && i < count; i++)
        report->misses[i] = points[i].misses;
    free(points);
}

static enum margay_status run(const struct trial *trial, struct report *report)
{
    struct margay_error *error = &report->error;
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
    status = feed_all(trial, engine, report);
    look_at_memory(&memory);
    double begin = now_seconds(trial);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &found, error);
    report->seconds += now_seconds(trial) - begin;
    look_at_memory(&memory);
    report->peak_bytes = peak_of(&memory);
    report->nodes = found.nodes;
    if (status == MARGAY_OK)
        ask_sizes(trial, &found, report);
    margay_engine_free(engine);
    margay_result_clear(&found);
    return status;
}

/*
 * Run the trial in a child, which ends without cleaning up after its parent.
 * Fails as the engine does, and with MARGAY_NO_MEMORY when the child was
 * killed.
 */
static enum margay_status trial_run(const struct trial *trial,
                                    struct report *report,
                                    struct margay_error *error)
{
    int state = 0;
    *report = (struct report){.status = MARGAY_OK};
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

/* ------------------------------------------------- --run: a trace -- */

#define PAGE_REFS (4096 / sizeof(uint64_t)) /* of the smallest pages */

/* The trace in a file in memory, which the children share and do not count as
   theirs. */
struct references {
    int file;
    uint64_t *blocks; /* once all are there */
    size_t count;
    size_t next; /* of a trial */
};

/* Keeps all blocks. */
static enum margay_status keep_span(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    struct references *references = analysis->question->context;
    references->count += span->count;
    return output_write_to(references->file, "the trace in memory",
                           (const char *)span->blocks,
                           span->count * sizeof *span->blocks, error);
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

static enum margay_status measure(const struct references *references,
                                  struct margay_result *result,
                                  struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    enum margay_status status =
        margay_engine_create("exact", &options, &engine, error);
    if (status == MARGAY_OK)
        status = margay_engine_feed(engine, references->blocks,
                                    references->count, NULL, error);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, result, error);
    margay_engine_free(engine);
    return status;
}

static enum margay_status lay_grids(const struct margay_result *result,
                                    struct truth *truth,
                                    struct margay_error *error)
{
    uint64_t steps[LINEAR_SIZES], largest = 0;
    struct margay_point *grids[GRIDS] = {NULL};
    size_t counts[GRIDS];
    enum margay_status status = MARGAY_OK;
    margay_histogram_largest(result->histogram, &largest);
    /* Distances are below 2^56.  The last size holds the largest of them. */
    for (uint64_t i = 0; i < LINEAR_SIZES; i++)
        steps[i] = largest * i / (LINEAR_SIZES - 1) + 1;
    const struct margay_sizes kinds[GRIDS] = {
        [GRID_POWERS] = {.kind = MARGAY_SIZES_POW2},
        [GRID_OCTAVES] = {.kind = MARGAY_SIZES_OCTAVE,
                          .per_octave = PER_OCTAVE},
        [GRID_STEPS] = {.kind = MARGAY_SIZES_LIST,
                        .list_blocks = steps,
                        .list_count = margay_sort_unique(steps, LINEAR_SIZES)},
    };
    *truth = (struct truth){.references = (double)result->references};
    for (int grid = 0; grid < GRIDS && status == MARGAY_OK; grid++) {
        status = margay_result_curve(result, &kinds[grid], &grids[grid],
                                     &counts[grid], error);
        for (size_t i = 0; status == MARGAY_OK && i < counts[grid]; i++)
            truth->sizes[truth->count++] = grids[grid][i].cache_blocks;
    }
    truth->count = margay_sort_unique(truth->sizes, truth->count);
    for (int grid = 0; grid < GRIDS && status == MARGAY_OK; grid++) {
        for (size_t i = 0, at = 0; at < counts[grid]; i++) {
            if (truth->sizes[i] != grids[grid][at].cache_blocks)
                continue;
            truth->grids[i] |= 1u << grid;
            truth->misses[i] = grids[grid][at++].misses;
        }
    }
    for (int grid = 0; grid < GRIDS; grid++)
        free(grids[grid]);
    return status;
}

/* ---------------------------------------------------------- comparisons -- */

/* The largest and the mean error of miss ratios on a grid. */
static void write_errors(struct csv_writer *csv, const struct truth *truth,
                         const uint64_t *misses, int grid)
{
    double most = 0, sum = 0, count = 0;
    for (size_t i = 0; i < truth->count; i++) {
        if ((truth->grids[i] >> grid & 1) == 0)
            continue;
        double error = fabs((double)misses[i] - (double)truth->misses[i]) /
                       truth->references;
        most = fmax(most, error);
        sum += error;
        count++;
    }
    csv_decimal(csv, most);
    csv_decimal(csv, sum / count);
}

/* How much of the two log2 histograms overlaps: 1 - sum |y - x| / 2 over the
   shares of their bars, of which infinite distances are one. */
static double overlap(const struct truth *truth, const uint64_t *misses)
{
    double true_left = truth->references, left = true_left, differences = 0;
    for (size_t i = 0; i <= truth->count; i++) {
        bool is_end = i == truth->count;
        if (!is_end && (truth->grids[i] >> GRID_POWERS & 1) == 0)
            continue;
        double true_next = is_end ? 0 : (double)truth->misses[i];
        double next = is_end ? 0 : (double)misses[i];
        differences += fabs((true_left - true_next) - (left - next));
        true_left = true_next;
        left = next;
    }
    return 1 - differences / (2 * truth->references);
}

/* ------------------------------------------------------------ the trials -- */

static void run_row(struct csv_writer *csv, const char *spec,
                    const struct truth *truth, const struct report *report)
{
    csv_text(csv, spec);
    csv_u64(csv, report->references);
    csv_decimal(csv, report->seconds);
    csv_decimal(csv, (double)report->references / report->seconds);
    csv_u64(csv, report->peak_bytes);
    csv_u64(csv, report->nodes);
    if (report->knows_sizes) {
        csv_decimal(csv, overlap(truth, report->misses));
        write_errors(csv, truth, report->misses, GRID_OCTAVES);
        write_errors(csv, truth, report->misses, GRID_STEPS);
    } else {
        for (int i = 0; i < 5; i++)
            csv_nothing(csv);
    }
    csv_end_row(csv);
}

static enum margay_status run_specs(const struct options *options,
                                    const struct policy_list *specs,
                                    struct references *references,
                                    uint64_t distinct_blocks,
                                    const struct truth *truth,
                                    struct csv_writer *csv,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct report *report = share(sizeof *report);
    if (report == NULL)
        return margay_fail_memory(error, "the result of a trial");
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        if (options->trials.only.count == 0 &&
            trial_is_too_slow(specs->specs[i], truth->references,
                              (double)distinct_blocks)) {
            message_print("%s is left out: it would take too long (--only %s "
                          "runs it)",
                          specs->specs[i], specs->specs[i]);
            continue;
        }
        /* A bound of all blocks changes no distance. */
        struct trial trial =
            trial_of(specs->specs[i], options, distinct_blocks);
        trial.source = (struct trial_source){next_references, references};
        trial.truth = truth;
        status = trial_run(&trial, report, error);
        if (status == MARGAY_OK)
            run_row(csv, trial.spec, truth, report);
    }
    munmap(report, sizeof *report);
    return status;
}

/* The whole trace as an array. */
static enum margay_status map_references(struct references *references,
                                         struct margay_error *error)
{
    void *blocks = MAP_FAILED;
    if (references->count > 0)
        blocks = mmap(NULL, references->count * sizeof(uint64_t), PROT_READ,
                      MAP_SHARED, references->file, 0);
    if (references->count > 0 && blocks == MAP_FAILED)
        return margay_fail_memory(error, "the trace");
    references->blocks = blocks == MAP_FAILED ? NULL : blocks;
    return MARGAY_OK;
}

static enum margay_status engines_run(const struct options *options,
                                      const struct policy_list *specs,
                                      struct csv_writer *csv,
                                      struct margay_error *error)
{
    struct references references = {.file = memfd_create("trace", MFD_CLOEXEC)};
    struct truth truth;
    struct margay_result result = {0};
    struct options reading = *options;
    const char *operands[] = {options->trials.trace};
    const struct drive drive = {
        .options = &reading,
        .context = &references,
        .open = open_keeper,
    };
    reading.operands = operands;
    reading.operand_count = 1;
    if (references.file < 0)
        return margay_fail(error, MARGAY_IO, "no memory for a trace: %s",
                           strerror(errno));
    enum margay_status status = drive_run(&drive, error);
    if (status == MARGAY_OK)
        status = map_references(&references, error);
    if (status == MARGAY_OK && references.count > 0) {
        status = measure(&references, &result, error);
        if (status == MARGAY_OK)
            status = lay_grids(&result, &truth, error);
        if (status == MARGAY_OK)
            status = run_specs(options, specs, &references,
                               result.distinct_blocks, &truth, csv, error);
        margay_result_clear(&result);
        if (references.blocks != NULL)
            munmap(references.blocks, references.count * sizeof(uint64_t));
    }
    close(references.file);
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
    uint64_t piece[TRIAL_PIECE_REFS]; /* the child's */
    struct report report;
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
        sweep->next = 0;
        status = trial_run(trial, &sweep->report, error);
        sum += sweep->report.seconds;
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

static enum margay_status engines_sweep(const struct options *options,
                                        const struct policy_list *specs,
                                        struct csv_writer *csv,
                                        struct margay_error *error)
{
    struct sweep *sweep = share(sizeof *sweep);
    if (sweep == NULL)
        return margay_fail_memory(error, "the sweep");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++)
        status = sweep_engine(options, specs->specs[i], sweep, csv, error);
    munmap(sweep, sizeof *sweep);
    return status;
}

/* ---------------------------------------------------------- the command -- */

static void list_engines(struct csv_writer *csv)
{
    const struct margay_engine_info *engine;
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++) {
        csv_text(csv, engine->name);
        csv_text(csv, engine->exact ? "yes" : "no");
        csv_text(csv, engine->guarantee);
        csv_text(csv, engine->parameters);
        csv_text(csv, engine->time);
        csv_text(csv, engine->space);
        csv_text(csv, engine->source);
        csv_end_row(csv);
    }
}

/* All engines, unless --only says which. */
static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct policy_list specs = options->trials.only;
    char **all = calloc(margay_engine_count(), sizeof *all);
    enum margay_status status = MARGAY_OK;
    if (all == NULL)
        return margay_fail_memory(error, "the engines");
    for (size_t i = 0; i < margay_engine_count(); i++)
        all[i] = (char *)margay_engine_at(i)->name; /* only read */
    if (specs.count == 0)
        specs = (struct policy_list){all, margay_engine_count(), 0};
    /* A misspelt spec fails before the first trial. */
    for (size_t i = 0; i < specs.count && status == MARGAY_OK; i++) {
        struct margay_engine_abilities engine;
        status = margay_engine_abilities(specs.specs[i], MARGAY_REUSE_DISTANCES,
                                         &engine, error);
    }
    if (status == MARGAY_OK)
        status = options->trials.sweep
                     ? engines_sweep(options, &specs, csv, error)
                     : engines_run(options, &specs, csv, error);
    free(all);
    return status;
}

int cmd_engines(const struct options *options)
{
    struct csv_writer csv = {0};
    struct margay_error error;
    bool trials = options->trials.trace != NULL || options->trials.sweep;
    enum margay_status status = MARGAY_OK;
    if (options->trials.trace != NULL && options->trials.sweep)
        status = margay_fail(&error, MARGAY_BAD_ARGUMENT,
                             "--run and --sweep are two things: one at a time");
    else if (options->trials.only.count > 0 && !trials)
        status = margay_fail(&error, MARGAY_BAD_ARGUMENT,
                             "--only goes with --run or --sweep: it says "
                             "which engines these measure");
    if (status == MARGAY_OK)
        status = csv_open(&csv, options->output, options->json,
                          options->trials.sweep ? ENGINES_SWEEP_COLUMNS
                          : trials              ? ENGINES_RUN_COLUMNS
                                                : ENGINES_COLUMNS,
                          &error);
    if (status == MARGAY_OK && trials)
        status = write_trials(options, &csv, &error);
    else if (status == MARGAY_OK)
        list_engines(&csv);
    return csv_conclude(status, &csv, 1, &error);
}
