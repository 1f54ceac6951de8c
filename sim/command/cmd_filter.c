/*
 * cmd_filter.c - margay filter: the trace of the misses of a cache
 *
 * A cache (sim/run/filter.c) before an analysis that writes its references
 * (stream.c): a read of each block that misses, a fetch if a fetch missed, and
 * a write of each block that is written back or through.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/command/stream.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct filter {
    struct drive drive;
    struct stream stream;
};

/* For people: the input and the output. */
static void tell(const struct options *options, const struct margay_pass *pass,
                 const struct margay_cache_counts *counts)
{
    uint64_t references = of_all_kinds(counts->references);
    uint64_t misses = of_all_kinds(counts->misses);
    uint64_t ways = options->filter.ways, sets = 1;
    if (options->filter.sets != 0)
        sets = options->filter.sets;
    else if (ways != 0 && pass->block_bytes != 0)
        sets = options->filter.bytes / pass->block_bytes / ways;
    tell_few_sets("", options->caches.policy.spec, sets);
    message_tell(
        "%s: %" PRIu64 " reference%s, %" PRIu64 " miss%s (%.4g%%), %" PRIu64
        " block%s written",
        pass->trace, references, margay_plural(references, "s"), misses,
        margay_plural(misses, "es"),
        references == 0 ? 0 : (double)misses / (double)references * 100,
        counts->blocks_written, margay_plural(counts->blocks_written, "s"));
}

static enum margay_status end(struct drive *drive, const struct margay_job *job,
                              const struct margay_pass *pass,
                              struct margay_error *error)
{
    tell(&drive->options, pass,
         margay_filter_analysis_counts(job->analyses[0]));
    return stream_finish(&((struct filter *)drive)->stream, job->reader, error);
}

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

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct stream *stream = &((struct filter *)drive)->stream;
    const struct options *options = &drive->options;
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
        stream_open(stream, options, options->output, error);
    if (status == MARGAY_OK)
        status = check(options, error);
    if (status == MARGAY_OK)
        status = stream_question(stream, &writing, error);
    return status == MARGAY_OK
               ? margay_filter_question(&request, writing, question, error)
               : status;
}

int cmd_filter(const struct options *options)
{
    struct filter filter = {
        .drive = {.options = *options, .ask = ask, .ended = end},
        .stream.output = &filter.drive.csvs[0].output,
    };
    int exit_status = drive_command(&filter.drive);
    margay_writer_free(filter.stream.writer);
    return exit_status;
}
