/* engines_run.c - margay engines --run: time, memory and errors on a trace */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/command/drive.h"
#include "sim/command/engines.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define PAGE_REFS (4096 / sizeof(uint64_t)) /* of the smallest pages */

/* The trace in memory, which the children share and do not count as theirs. */
struct references {
    uint64_t *blocks;
    size_t count, capacity;
    size_t next; /* of a trial */
};

/* Keeps all blocks. */
struct keeper {
    margay_analysis analysis;
    struct references *references;
};

static enum margay_status keep_span(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    struct references *references = ((struct keeper *)analysis)->references;
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

static enum margay_status begin_keeper(void *context,
                                       const struct margay_pass *passes,
                                       size_t count,
                                       const struct margay_share *share,
                                       margay_analysis **analysis,
                                       struct margay_error *error)
{
    static const struct margay_analysis_class functions = {.feed = keep_span};
    struct keeper *keeper = drive_analysis(sizeof *keeper, &functions, error);
    (void)passes, (void)count, (void)share;
    if (keeper == NULL)
        return MARGAY_NO_MEMORY;
    keeper->references = context;
    *analysis = &keeper->analysis;
    return MARGAY_OK;
}

static enum margay_status open_keeper(void *context, margay_question **question,
                                      struct margay_error *error)
{
    static const struct margay_abilities can = {.needs = 0};
    return drive_question(begin_keeper, context, "the trace", &can, question,
                          error);
}

/* A page is mapped into the child when it is first read, which takes time that
   is not the engine's. */
static void touch_pages(const volatile uint64_t *blocks, size_t count)
{
    for (size_t i = 0; i < count; i += PAGE_REFS)
        (void)blocks[i];
}

static size_t next_references(void *context, const uint64_t **blocks)
{
    struct references *references = context;
    size_t left = references->count - references->next;
    size_t count = left < TRIAL_PIECE_REFS ? left : TRIAL_PIECE_REFS;
    *blocks = references->blocks + references->next;
    touch_pages(*blocks, count);
    references->next += count;
    return count;
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
        struct truth_errors octaves =
            truth_compare(truth, result->misses, TRUTH_OCTAVES);
        struct truth_errors steps =
            truth_compare(truth, result->misses, TRUTH_STEPS);
        csv_decimal(csv, truth_overlap(truth, result->misses));
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

static enum margay_status run_specs(const struct options *options,
                                    const struct engine_specs *specs,
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
        if (options->trials.only == NULL &&
            trial_is_too_slow(specs->list[i], (double)references->count,
                              (double)blocks)) {
            message_print("%s is left out: it would take too long (--only %s "
                          "runs it)",
                          specs->list[i], specs->list[i]);
            continue;
        }
        /* A bound of all blocks changes no distance. */
        struct trial trial = trial_of(specs->list[i], options, blocks);
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
                               const struct engine_specs *specs,
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
        status = truth_find(references.blocks, references.count, &truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = run_specs(options, specs, &references, &truth, csv, error);
    truth_clear(&truth);
    if (references.capacity != 0)
        munmap(references.blocks, references.capacity * sizeof(uint64_t));
    return status;
}
