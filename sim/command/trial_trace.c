/* trial_trace.c - engines on the trace of --run, against the exact one */
#define _GNU_SOURCE
#include "sim/command/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define PAGE_REFS (4096 / sizeof(uint64_t)) /* of the smallest pages */

/* The trace in a file in memory, which the children share and do not count as
   theirs. */
struct references {
    struct drive drive; /* which reads it */
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

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(margay_analysis), .feed = keep_span};
    static const margay_question kind = {.functions = &functions,
                                         .name = "the trace"};
    return margay_question_create(&kind, drive, 0, question, error);
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

#define STEPS 256

/* The misses of a result at the sizes of each grid. */
static enum margay_status lay_grids(const struct margay_result *result,
                                    struct grid grids[GRIDS],
                                    struct margay_error *error)
{
    uint64_t steps[STEPS], largest = 0;
    enum margay_status status = MARGAY_OK;
    margay_histogram_largest(result->histogram, &largest);
    /* Distances are below 2^56.  The last size holds the largest of them. */
    for (uint64_t i = 0; i < STEPS; i++)
        steps[i] = largest * i / (STEPS - 1) + 1;
    const struct margay_sizes sizes[GRIDS] = {
        [GRID_POWERS] = {.kind = MARGAY_SIZES_POW2},
        [GRID_OCTAVES] = {.kind = MARGAY_SIZES_OCTAVE,
                          .per_octave = GRID_PER_OCTAVE},
        [GRID_STEPS] = {.kind = MARGAY_SIZES_LIST,
                        .list_blocks = steps,
                        .list_count = margay_sort_unique(steps, STEPS)},
    };
    for (int i = 0; i < GRIDS && status == MARGAY_OK; i++) {
        struct grid *grid = &grids[i];
        struct margay_point *points;
        status = margay_result_curve(result, &sizes[i], &points, &grid->count,
                                     error);
        for (size_t k = 0; status == MARGAY_OK && k < grid->count; k++) {
            grid->sizes[k] = points[k].cache_blocks;
            grid->misses[k] = points[k].misses;
        }
        free(points);
    }
    return status;
}

/* ---------------------------------------------------------- comparisons -- */

/* The largest and the mean error of miss ratios on a grid. */
static void write_errors(struct csv_writer *csv, const struct grid *truth,
                         const uint64_t *misses, double references)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < truth->count; i++) {
        double error =
            fabs((double)misses[i] - (double)truth->misses[i]) / references;
        most = fmax(most, error);
        sum += error;
    }
    csv_decimal(csv, most);
    csv_decimal(csv, sum / (double)truth->count);
}

/* How much of the two log2 histograms overlaps: 1 - sum |y - x| / 2 over the
   shares of their bars, of which infinite distances are one. */
static double overlap(const struct grid *truth, const uint64_t *misses,
                      double references)
{
    double true_left = references, left = references, differences = 0;
    for (size_t i = 0; i <= truth->count; i++) {
        bool is_end = i == truth->count;
        double true_next = is_end ? 0 : (double)truth->misses[i];
        double next = is_end ? 0 : (double)misses[i];
        differences += fabs((true_left - true_next) - (left - next));
        true_left = true_next;
        left = next;
    }
    return 1 - differences / (2 * references);
}

static void write_row(struct csv_writer *csv, const struct trial *trial,
                      double references, const struct report *report)
{
    csv_text(csv, trial->spec);
    csv_u64(csv, report->references);
    csv_decimal(csv, report->seconds);
    csv_decimal(csv, (double)report->references / report->seconds);
    csv_u64(csv, report->peak_bytes);
    csv_u64(csv, report->nodes);
    for (int i = 0; !report->knows_sizes && i < 5; i++)
        csv_nothing(csv);
    if (report->knows_sizes)
        csv_decimal(csv, overlap(trial->grids, report->misses[GRID_POWERS],
                                 references));
    for (int i = GRID_OCTAVES; report->knows_sizes && i <= GRID_STEPS; i++)
        write_errors(csv, &trial->grids[i], report->misses[i], references);
    csv_end_row(csv);
}

/* ------------------------------------------------------------ the trials -- */

static enum margay_status run_specs(const struct options *options,
                                    struct references *references,
                                    struct csv_writer *csv,
                                    struct margay_error *error)
{
    struct margay_result exact = {0};
    struct grid *grids = calloc(GRIDS, sizeof *grids);
    struct report *report = trial_share(sizeof *report);
    enum margay_status status =
        grids == NULL || report == NULL
            ? margay_fail_memory(error, "the result of a trial")
            : measure(references, &exact, error);
    if (status == MARGAY_OK)
        status = lay_grids(&exact, grids, error);
    double count = (double)references->count;
    const char *spec;
    for (size_t i = 0;
         status == MARGAY_OK && (spec = trial_spec(options, i)) != NULL; i++) {
        if (options->trials.only.count == 0 &&
            trial_is_too_slow(spec, count, (double)exact.distinct_blocks)) {
            message_print("%s is left out: it would take too long (--only %s "
                          "runs it)",
                          spec, spec);
            continue;
        }
        /* A bound of all blocks changes no distance. */
        struct trial trial = trial_of(spec, options, exact.distinct_blocks);
        trial.next = next_references;
        trial.context = references;
        trial.grids = grids;
        status = trial_run(&trial, report, error);
        if (status == MARGAY_OK)
            write_row(csv, &trial, count, report);
    }
    margay_result_clear(&exact);
    if (report != NULL)
        munmap(report, sizeof *report);
    free(grids);
    return status;
}

enum margay_status trials_on_trace(const struct options *options,
                                   struct csv_writer *csv,
                                   struct margay_error *error)
{
    const char *operands[] = {options->trials.trace};
    struct references references = {
        .drive = {.options = *options, .ask = ask},
        .file = memfd_create("trace", MFD_CLOEXEC),
    };
    references.drive.options.operands = operands;
    references.drive.options.operand_count = 1;
    if (references.file < 0)
        return margay_fail(error, MARGAY_IO, "no memory for a trace: %s",
                           strerror(errno));
    enum margay_status status = drive_run(&references.drive, error);
    size_t bytes = references.count * sizeof *references.blocks;
    if (status == MARGAY_OK && bytes > 0) {
        void *blocks =
            mmap(NULL, bytes, PROT_READ, MAP_SHARED, references.file, 0);
        references.blocks = blocks;
        status = blocks == MAP_FAILED
                     ? margay_fail_memory(error, "the trace")
                     : run_specs(options, &references, csv, error);
        if (blocks != MAP_FAILED)
            munmap(blocks, bytes);
    }
    close(references.file);
    return status;
}
