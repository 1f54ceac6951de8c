/*
 * cmd_filter.c - margay filter: the trace of what a cache lets through
 *
 * A cache (sim/run/filter.c) before an analysis that writes what it is fed: a
 * read of each block that misses, a fetch if a fetch missed, and a write of
 * each block that is written back or through.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/command/units.h"
#include "sim/options/commands.h"
#include "sim/options/trace_format.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct filter {
    const struct options *options;
    struct output *output;
    margay_writer *writer;
    const char *trace; /* that has ended; NULL = none yet */
    struct margay_cache_counts counts;
};

/* References that are written at a time. */
#define PIECE_REFS 4096

/* The analysis that is fed what the cache passes on. */
struct writing {
    margay_analysis analysis;
    margay_writer *writer;
    uint64_t multiplier; /* from a block's id to its number, and its extent */
    uint64_t numbers[PIECE_REFS];
    uint32_t extents[PIECE_REFS];
};

/* -------------------------------------------------------------- writing -- */

static enum margay_status write_span(margay_analysis *analysis,
                                     const struct margay_span *span,
                                     struct margay_error *error)
{
    struct writing *writing = (struct writing *)analysis;
    uint64_t times = writing->multiplier;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < span->count && status == MARGAY_OK;) {
        size_t left = span->count - done;
        const struct margay_batch batch = {
            .references = left < PIECE_REFS ? left : PIECE_REFS,
            .numbers = writing->numbers,
            .kinds = span->kinds + done,
            .extents = writing->extents,
        };
        for (size_t i = 0; i < batch.references; i++) {
            uint64_t block = span->blocks[done + i];
            if (!margay_multiply_u64(block, times, &writing->numbers[i]))
                return margay_fail(error, MARGAY_BAD_ARGUMENT,
                                   "block %" PRIu64 " times %" PRIu64
                                   " is over what a trace can hold",
                                   block, times);
            writing->extents[i] =
                times > UINT32_MAX ? UINT32_MAX : (uint32_t)times;
        }
        status = margay_writer_put(writing->writer, &batch, error);
        done += batch.references;
    }
    return status;
}

static enum margay_status end_writing(margay_analysis *analysis,
                                      struct margay_error *error)
{
    return margay_writer_finish(((struct writing *)analysis)->writer, error);
}

static enum margay_status begin_writing(void *context,
                                        const struct margay_pass *passes,
                                        size_t count,
                                        const struct margay_share *share,
                                        margay_analysis **analysis,
                                        struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = write_span,
        .finish = end_writing,
    };
    struct writing *writing =
        drive_analysis(sizeof *writing, &functions, error);
    (void)count, (void)share;
    if (writing == NULL)
        return MARGAY_NO_MEMORY;
    *analysis = &writing->analysis;
    writing->writer = ((struct filter *)context)->writer;
    return units_of_blocks(passes, writing->writer, &writing->multiplier,
                           error);
}

/* -------------------------------------------------------------- the cache --
 */

static enum margay_status open_question(void *context,
                                        margay_question **question,
                                        struct margay_error *error)
{
    static const struct margay_abilities can = {.needs = 0};
    struct filter *filter = context;
    const struct options *options = filter->options;
    const struct margay_filter_request request = {
        .cache =
            {
                .sets = options->filter.sets,
                .index = options->caches.index,
                .ways = (uint32_t)options->filter.ways,
                .policy = options->caches.policy.spec,
                .seed = options->seed,
                .write_through = options->caches.write == WRITE_THROUGH,
            },
        .capacity = {.value = options->filter.bytes, .in_bytes = true},
    };
    margay_question *writing;
    enum margay_status status =
        drive_question(begin_writing, filter, "a trace", &can, &writing, error);
    return status == MARGAY_OK
               ? margay_filter_question(&request, writing, question, error)
               : status;
}

/* For people: what came, and what went on. */
static enum margay_status keep_counts(void *context,
                                      const struct margay_job *job,
                                      const struct margay_pass *pass,
                                      struct margay_error *error)
{
    struct filter *filter = context;
    (void)error;
    filter->trace = pass->trace;
    uint64_t ways = filter->options->filter.ways, sets = 1;
    if (filter->options->filter.sets != 0)
        sets = filter->options->filter.sets;
    else if (ways != 0 && pass->block_bytes != 0)
        sets = filter->options->filter.bytes / pass->block_bytes / ways;
    tell_few_sets("", filter->options->caches.policy.spec, sets);
    filter->counts = *margay_filter_analysis_counts(job->analyses[0]);
    return MARGAY_OK;
}

static uint64_t sum(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

static void report(const struct filter *filter)
{
    const struct margay_cache_counts *counts = &filter->counts;
    uint64_t references = sum(counts->references), misses = sum(counts->misses);
    if (filter->trace == NULL || filter->options->quiet)
        return;
    message_print(
        "%s: %" PRIu64 " reference%s, %" PRIu64 " miss%s (%.4g%%), %" PRIu64
        " block%s written",
        filter->trace, references, margay_plural(references, "s"), misses,
        margay_plural(misses, "es"),
        references == 0 ? 0 : (double)misses / (double)references * 100,
        counts->blocks_written, margay_plural(counts->blocks_written, "s"));
}

/* ---------------------------------------------------------------- set-up -- */

static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    uint64_t sets = options->filter.sets, ways = options->filter.ways;
    bool capacity = options->filter.bytes != 0;
    if (options->caches.policy.info->abilities & MARGAY_POLICY_NEEDS_FUTURE)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: what is optimal is known when the "
                           "trace has ended, and a filter writes before that",
                           options->caches.policy.spec);
    if (!capacity && (sets == 0 || ways == 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "which cache: expected --sets N --ways N, or "
                           "--bytes SIZE, perhaps with --ways N");
    if (sets > MARGAY_MOST_SETS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--sets: %" PRIu64 " (expected at most %" PRIu64 ")",
                           sets, MARGAY_MOST_SETS);
    if (ways > MARGAY_MOST_SLOTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--ways: %" PRIu64 " (expected at most %" PRIu64 ")",
                           ways, MARGAY_MOST_SLOTS);
    return MARGAY_OK;
}

static enum margay_status run(struct filter *filter, struct margay_error *error)
{
    const struct options *options = filter->options;
    const char *place = options->output == NULL ? "-" : options->output;
    const struct drive drive = {
        .options = options,
        .context = filter,
        .open = open_question,
        .ended = keep_counts,
    };
    enum margay_status status = trace_writer_create(
        options, place, &filter->output, &filter->writer, error);
    if (status == MARGAY_OK)
        status = check(options, error);
    if (status == MARGAY_OK)
        status = output_open(place, OUTPUT_HELD, &filter->output, error);
    return status == MARGAY_OK ? drive_run(&drive, error) : status;
}

int cmd_filter(const struct options *options)
{
    struct filter filter = {.options = options};
    struct margay_error error;
    enum margay_status status = run(&filter, &error);
    margay_writer_free(filter.writer);
    int exit_status = conclude(status, &filter.output, 1, &error);
    if (exit_status != EXIT_TROUBLE)
        report(&filter);
    return exit_status;
}
