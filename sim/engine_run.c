/* engine_run.c - margay engines --run: what each is worth on a trace */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/analysis.h"
#include "sim/engine_trials.h"
#include "sim/engine_truth.h"
#include "sim/message.h"
#include "sim/trial.h"
#include "traces/traces_internal.h"

#define PAGE_REFS (4096 / sizeof(uint64_t)) /* of the smallest pages */

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

/* A page is not in the child's memory before it is read. */
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

static bool is_too_slow(const struct engine_specs *specs, const char *only,
                        size_t i, double references, double blocks)
{
    if (only != NULL || !engine_spec_is(specs->list[i], "naive") ||
        references * blocks <= MOST_NAIVE_STEPS)
        return false;
    message_print("naive is left out: it would take too long (--only naive "
                  "runs it)");
    return true;
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
        struct trial_result result = {.misses = misses};
        trial.options.seed = options->seed;
        trial.options.threads = options->threads;
        /* It needs a bound: one that changes nothing. */
        if (engine_spec_is(trial.spec, "bounded"))
            trial.options.bound_blocks = blocks;
        status = trial_run(&trial, &result, error);
        if (status == MARGAY_OK)
            run_row(csv, trial.spec, truth, &result);
    }
    free(misses);
    return status;
}

enum margay_status engine_trials_run(const struct options *options,
                                     const struct engine_specs *specs,
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
                           "--block: one block size at a time, not %zu",
                           options->blocks.count);
    enum margay_status status =
        analysis_run(&reading, &hooks, &references, error);
    if (status == MARGAY_OK)
        status = truth_find(references.blocks, references.count, &truth, error);
    if (status == MARGAY_OK && references.count > 0)
        status = run_specs(options, specs, &references, &truth, csv, error);
    truth_clear(&truth);
    if (references.capacity != 0)
        munmap(references.blocks, references.capacity * sizeof(uint64_t));
    return status;
}
