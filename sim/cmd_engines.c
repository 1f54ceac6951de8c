/* cmd_engines.c - margay engines: what there is, and what each is worth */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/analysis.h"
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/csv.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/signals.h"
#include "sim/trial.h"
#include "traces/traces_internal.h"

/* References per call of an engine. */
#define PIECE_REFS 8192

/* Steps of the naive stack that nobody wants to wait for. */
#define MOST_NAIVE_STEPS 4e10

/* ------------------------------------------------------------- the list -- */

static void engine_row(struct csv_writer *csv,
                       const struct margay_engine_info *engine)
{
    csv_text(csv, engine->name);
    csv_text(csv, engine->exact ? "yes" : "no");
    csv_text(csv, engine->guarantee);
    csv_text(csv, engine->parameters);
    csv_text(csv, engine->time);
    csv_text(csv, engine->space);
    csv_text(csv, engine->source);
    csv_end_row(csv);
}

/* ------------------------------------------------------------- the specs -- */

/* The next spec of a list joined by commas, taken out of it.  Specs have
   commas themselves: what is KEY=VALUE belongs to the one before. */
static char *next_spec(char **rest)
{
    char *spec = *rest, *end = spec;
    if (spec == NULL)
        return NULL;
    for (;;) {
        end += strcspn(end, ",");
        if (*end == '\0') {
            *rest = NULL;
            return spec;
        }
        size_t name = strcspn(end + 1, ":,");
        bool goes_on = memchr(end + 1, '=', name) != NULL;
        if (!goes_on)
            break;
        end++;
    }
    *end = '\0';
    *rest = end + 1;
    return spec;
}

struct specs {
    char *text; /* of a list */
    const char **list;
    size_t count;
};

static enum margay_status list_specs(const char *only, struct specs *specs,
                                     struct margay_error *error)
{
    size_t most = margay_engine_count() + (only == NULL ? 0 : strlen(only));
    *specs = (struct specs){.list = calloc(most + 1, sizeof *specs->list)};
    if (only != NULL)
        specs->text = strdup(only);
    if (specs->list == NULL || (only != NULL && specs->text == NULL))
        return margay_fail_memory(error, "the engines");
    const struct margay_engine_info *engine;
    char *rest = specs->text, *spec;
    if (only != NULL) {
        while ((spec = next_spec(&rest)) != NULL)
            specs->list[specs->count++] = spec;
        return MARGAY_OK;
    }
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++)
        specs->list[specs->count++] = engine->name;
    return MARGAY_OK;
}

static void free_specs(struct specs *specs)
{
    free(specs->text);
    free(specs->list);
}

/* What is misspelt should not come out after the first ten trials. */
static enum margay_status check_specs(const struct specs *specs,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
        margay_engine *engine = NULL;
        options.bound_blocks = strncmp(specs->list[i], "bounded", 7) == 0;
        status = margay_engine_create(specs->list[i], &options, &engine, error);
        margay_engine_free(engine);
    }
    return status;
}

static bool is_named(const char *spec, const char *name)
{
    size_t bytes = strcspn(spec, ":");
    return bytes == strlen(name) && strncmp(spec, name, bytes) == 0;
}

/* ------------------------------------------------------- all on a trace -- */

/* The trace in memory, shared with the children, which do not pay for it. */
struct references {
    uint64_t *blocks;
    size_t count, capacity;
    size_t next; /* of a trial */
};

static enum margay_status keep_chunk(void *context,
                                     const struct analysis_pass *pass,
                                     const struct analysis_chunk *chunk,
                                     struct margay_error *error)
{
    (void)pass;
    struct references *references = context;
    while (references->count + chunk->count > references->capacity) {
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
    memcpy(references->blocks + references->count, chunk->blocks,
           chunk->count * sizeof(uint64_t));
    references->count += chunk->count;
    return MARGAY_OK;
}

static size_t next_references(void *context, const uint64_t **blocks)
{
    struct references *references = context;
    size_t left = references->count - references->next;
    size_t count = left < PIECE_REFS ? left : PIECE_REFS;
    *blocks = references->blocks + references->next;
    references->next += count;
    return count;
}

/* The exact curve, on which all are judged: at powers of two for the bars of
   the histogram, on octaves, and in equal steps. */
enum grid { POWERS, OCTAVES, STEPS, GRIDS };

#define LINEAR_STEPS 256

struct truth {
    struct margay_result result;
    uint64_t *sizes; /* of all grids, ascending */
    size_t size_count;
    uint64_t *misses;
    struct margay_point *grids[GRIDS]; /* sizes and misses */
    size_t grid_counts[GRIDS];
};

static void free_truth(struct truth *truth)
{
    margay_result_clear(&truth->result);
    for (int i = 0; i < GRIDS; i++)
        free(truth->grids[i]);
    free(truth->sizes);
    free(truth->misses);
}

static enum margay_status measure(const struct references *references,
                                  struct truth *truth,
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
        status = margay_engine_finish(engine, &truth->result, error);
    margay_engine_free(engine);
    return status;
}

static enum margay_status lay_grids(struct truth *truth,
                                    struct margay_error *error)
{
    uint64_t steps[LINEAR_STEPS], largest = 0;
    margay_histogram_largest(truth->result.histogram, &largest);
    for (uint64_t i = 0; i < LINEAR_STEPS; i++)
        steps[i] = largest * i / LINEAR_STEPS + 1;
    const struct margay_sizes kinds[GRIDS] = {
        [POWERS] = {.kind = MARGAY_SIZES_POW2},
        [OCTAVES] = {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 16},
        [STEPS] = {.kind = MARGAY_SIZES_LIST,
                   .list_blocks = steps,
                   .list_count = sort_unique(steps, LINEAR_STEPS)},
    };
    enum margay_status status = MARGAY_OK;
    size_t all = 0;
    for (int i = 0; i < GRIDS && status == MARGAY_OK; i++) {
        status =
            margay_result_curve(&truth->result, &kinds[i], &truth->grids[i],
                                &truth->grid_counts[i], error);
        all += truth->grid_counts[i];
    }
    truth->sizes = calloc(all + 1, sizeof *truth->sizes);
    truth->misses = calloc(all + 1, sizeof *truth->misses);
    if (truth->sizes == NULL || truth->misses == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (int i = 0; i < GRIDS; i++) {
        for (size_t j = 0; j < truth->grid_counts[i]; j++)
            truth->sizes[truth->size_count++] = truth->grids[i][j].cache_blocks;
    }
    truth->size_count = sort_unique(truth->sizes, truth->size_count);
    return status;
}

/* Misses at a size of a grid by a trial, whose misses are at truth->sizes. */
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

struct errors {
    double most, mean; /* of miss ratios */
};

static struct errors compare(const struct truth *truth, const uint64_t *misses,
                             enum grid grid)
{
    struct errors errors = {0, 0};
    double references = (double)truth->result.references;
    for (size_t i = 0; i < truth->grid_counts[grid]; i++) {
        const struct margay_point *point = &truth->grids[grid][i];
        double got = misses_at(truth, misses, point->cache_blocks);
        double error = fabs(got - (double)point->misses) / references;
        errors.most = error > errors.most ? error : errors.most;
        errors.mean += error / (double)truth->grid_counts[grid];
    }
    return errors;
}

/* 1 - sum |y - x| / 2 over the log2 bars, what is infinite being one. */
static double overlap(const struct truth *truth, const uint64_t *misses)
{
    const struct margay_point *points = truth->grids[POWERS];
    size_t count = truth->grid_counts[POWERS];
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
        struct errors octaves = compare(truth, result->misses, OCTAVES);
        struct errors steps = compare(truth, result->misses, STEPS);
        csv_decimal(csv, overlap(truth, result->misses));
        csv_decimal(csv, octaves.most);
        csv_decimal(csv, octaves.mean);
        csv_decimal(csv, steps.most);
        csv_decimal(csv, steps.mean);
    } else {
        for (int i = 0; i < 5; i++)
            csv_nothing(csv);
    }
    csv_end_row(csv);
}

static bool is_too_slow(const struct specs *specs, const char *only, size_t i,
                        double references, double blocks)
{
    if (only != NULL || !is_named(specs->list[i], "naive") ||
        references * blocks <= MOST_NAIVE_STEPS)
        return false;
    message_print("naive is left out: it would take too long (--only naive "
                  "runs it)");
    return true;
}

static enum margay_status run_specs(const struct options *options,
                                    const struct specs *specs,
                                    struct references *references,
                                    struct truth *truth, struct csv_writer *csv,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t blocks = truth->result.distinct_blocks;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        if (is_too_slow(specs, options->only, i, (double)references->count,
                        (double)blocks))
            continue;
        struct trial trial = {
            .spec = specs->list[i],
            .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
            .source = {next_references, references},
            .sizes = truth->sizes,
            .size_count = truth->size_count,
        };
        struct trial_result result = {.misses = truth->misses};
        trial.options.seed = options->seed;
        trial.options.threads = options->threads;
        /* It needs a bound: one that changes nothing. */
        if (is_named(trial.spec, "bounded"))
            trial.options.bound_blocks = blocks;
        status = trial_run(&trial, &result, error);
        if (status == MARGAY_OK)
            run_row(csv, trial.spec, truth, &result);
    }
    return status;
}

static enum margay_status run_trace(const struct options *options,
                                    const struct specs *specs,
                                    struct csv_writer *csv,
                                    struct margay_error *error)
{
    static const struct analysis_hooks hooks = {.no_engine = true,
                                                .chunk = keep_chunk};
    struct references references = {0};
    struct truth truth = {0};
    struct options reading = *options;
    const char *operands[] = {options->trace};
    reading.operands = operands;
    reading.operand_count = 1;
    if (options->blocks.count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--block: one block size at a time");
    enum margay_status status =
        analysis_run(&reading, &hooks, &references, error);
    if (status == MARGAY_OK)
        status = measure(&references, &truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = lay_grids(&truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = run_specs(options, specs, &references, &truth, csv, error);
    free_truth(&truth);
    if (references.capacity != 0)
        munmap(references.blocks, references.capacity * sizeof(uint64_t));
    return status;
}

/* ------------------------------------------------------------- the sweep -- */

/*
 * M blocks in hundred parts, each gone through twice: half of the references
 * are cold, and the others at a distance of M / 100 - 1.  After Zhong, Shen,
 * Ding, "Program locality analysis using reuse distance", 2009, Fig. 7.
 */
#define PARTS          100
#define SMALLEST_SWEEP 1000
#define LARGEST_SWEEP  100000000
#define SLOW_SECONDS   10
/* Short ones are repeated until they take as long as this. */
#define LEAST_SECONDS 0.1
/* Of memory, as much as a slow engine needs per block. */
#define BLOCK_BYTES 200

struct sweep {
    uint64_t part_blocks;
    uint64_t references, next;
    uint64_t piece[PIECE_REFS];
};

static size_t next_swept(void *context, const uint64_t **blocks)
{
    struct sweep *sweep = context;
    uint64_t left = sweep->references - sweep->next;
    size_t count = left < PIECE_REFS ? (size_t)left : PIECE_REFS;
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

static bool fits_memory(uint64_t blocks)
{
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages < 0 || page < 0)
        return true;
    return blocks <= (uint64_t)pages * (uint64_t)page / BLOCK_BYTES;
}

/* The mean time of as many runs as it takes to measure one. */
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
    uint64_t most = options->generate_blocks == 0 ? LARGEST_SWEEP
                                                  : options->generate_blocks;
    enum margay_status status = MARGAY_OK;
    double seconds = 0;
    for (uint64_t blocks = SMALLEST_SWEEP;
         blocks <= most && seconds < SLOW_SECONDS && fits_memory(blocks) &&
         status == MARGAY_OK && !signals_interrupted();
         blocks *= 10) {
        /* The naive stack is searched to its bottom for each new block. */
        if (is_named(spec, "naive") &&
            (double)blocks * (double)blocks > MOST_NAIVE_STEPS)
            break;
        struct trial trial = {.spec = spec,
                              .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
                              .source = {next_swept, sweep}};
        trial.options.threads = options->threads;
        trial.options.seed = options->seed;
        if (is_named(spec, "bounded"))
            trial.options.bound_blocks = blocks;
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

static enum margay_status run_sweep(const struct options *options,
                                    const struct specs *specs,
                                    struct csv_writer *csv,
                                    struct margay_error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep == NULL)
        return margay_fail_memory(error, "the sweep");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++)
        status = sweep_engine(options, specs->list[i], sweep, csv, error);
    free(sweep);
    return status;
}

/* ----------------------------------------------------------- the command -- */

static enum margay_status check_options(const struct options *options,
                                        struct margay_error *error)
{
    if (options->trace != NULL && options->sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--run and --sweep are two things: one at a time");
    if (options->only != NULL && options->trace == NULL && !options->sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--only goes with --run or --sweep");
    return MARGAY_OK;
}

static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct specs specs;
    enum margay_status status = list_specs(options->only, &specs, error);
    if (status == MARGAY_OK)
        status = check_specs(&specs, error);
    if (status == MARGAY_OK)
        status = options->sweep ? run_sweep(options, &specs, csv, error)
                                : run_trace(options, &specs, csv, error);
    free_specs(&specs);
    return status;
}

int cmd_engines(const struct options *options)
{
    struct csv_writer csv = {0};
    struct output *output = NULL;
    struct margay_error error;
    bool trials = options->trace != NULL || options->sweep;
    enum margay_status status = check_options(options, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&csv, output,
                  options->sweep ? ENGINES_SWEEP_COLUMNS
                  : trials       ? ENGINES_RUN_COLUMNS
                                 : ENGINES_COLUMNS);
        for (size_t i = 0; !trials && i < margay_engine_count(); i++)
            engine_row(&csv, margay_engine_at(i));
        if (trials)
            status = write_trials(options, &csv, &error);
    }
    return conclude(status, &output, 1, &error);
}
