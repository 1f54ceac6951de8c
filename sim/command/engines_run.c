/* engines_run.c - margay engines --run: time, memory and errors on a trace */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/command/drive.h"
#include "sim/command/engines.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

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

/* Keep all blocks. */
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
    const margay_question own = {
        .functions = &functions, .name = "the trace", .context = context};
    return drive_question(&own, question, error);
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
