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
    const struct options *options;
    struct stream stream;
    const char *trace; /* that has ended; NULL = none yet */
    struct margay_cache_counts counts;
};

static enum margay_status ask(struct filter *filter, margay_question **question,
                              struct margay_error *error)
{
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
        stream_question(&filter->stream, &writing, error);
    return status == MARGAY_OK
               ? margay_filter_question(&request, writing, question, error)
               : status;
}

/* For people: the input and the output. */
static enum margay_status keep_counts(void *context,
                                      const struct margay_job *job,
                                      const struct margay_pass *pass,
                                      struct margay_error *error)
{
    struct filter *filter = context;
    filter->trace = pass->trace;
    uint64_t ways = filter->options->filter.ways, sets = 1;
    if (filter->options->filter.sets != 0)
        sets = filter->options->filter.sets;
    else if (ways != 0 && pass->block_bytes != 0)
        sets = filter->options->filter.bytes / pass->block_bytes / ways;
    tell_few_sets("", filter->options->caches.policy.spec, sets);
    filter->counts = *margay_filter_analysis_counts(job->analyses[0]);
    return stream_finish(&filter->stream, job->reader, error);
}

static void report(const struct filter *filter)
{
    const struct margay_cache_counts *counts = &filter->counts;
    uint64_t references = of_all_kinds(counts->references);
    uint64_t misses = of_all_kinds(counts->misses);
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
    const struct drive drive = {
        .options = options,
        .context = filter,
        .ended = keep_counts,
    };
    margay_question *question;
    enum margay_status status =
        stream_open(&filter->stream, options,
                    options->output == NULL ? "-" : options->output, error);
    if (status == MARGAY_OK)
        status = check(options, error);
    if (status == MARGAY_OK)
        status = ask(filter, &question, error);
    return status == MARGAY_OK ? drive_run(&drive, question, error) : status;
}

int cmd_filter(const struct options *options)
{
    struct filter filter = {.options = options};
    struct margay_error error;
    enum margay_status status = run(&filter, &error);
    margay_writer_free(filter.stream.writer);
    int exit_status = conclude(status, &filter.stream.output, 1, &error);
    if (exit_status != EXIT_TROUBLE)
        report(&filter);
    return exit_status;
}
