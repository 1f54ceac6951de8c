/* request.c - the request of a run that the options make */
#include "sim/command/request.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

bool request_joins(const struct options *options)
{
    return options->machine.mix || options->run.join;
}

bool request_tenants_are_threads(const struct options *options)
{
    return options->reading.tenant != NULL &&
           strcmp(options->reading.tenant, "thread") == 0;
}

void request_needs(const struct options *options,
                   struct margay_need needs[REQUEST_NEEDS])
{
    const unsigned writes = MARGAY_KIND_BIT(MARGAY_WRITE);
    const struct attribution_option *by = &options->results.by;
    const bool joins = request_joins(options);
    const struct {
        bool given;
        struct margay_need need;
    } table[REQUEST_NEEDS] = {
        {options->reading.kinds != MARGAY_ALL_KINDS,
         {"--kind", MARGAY_COLUMN_KINDS, options->reading.kinds, NULL}},
        {options->reading.ops != MARGAY_ALL_OPS,
         {"--op", MARGAY_COLUMN_OPS, 0, NULL}},
        {options->results.objects, {"--objects", MARGAY_COLUMN_SIZES, 0, NULL}},
        {options->run.mixing.by_time,
         {options->run.join ? "--join" : "--interleave time",
          MARGAY_COLUMN_TIMES, 0, NULL}},
        {options->run.mixing.by_instructions,
         {"--interleave instructions", MARGAY_COLUMN_KINDS,
          MARGAY_KIND_BIT(MARGAY_FETCH), NULL}},
        {options->results.ttl.given, {"--ttl", MARGAY_COLUMN_TIMES, 0, NULL}},
        {options->results.requests,
         {"--requests", MARGAY_COLUMN_REQUESTS, 0, NULL}},
        {options->reading.tenant != NULL && !joins,
         {"--tenant",
          request_tenants_are_threads(options) ? MARGAY_COLUMN_THREADS
                                               : MARGAY_COLUMN_TENANTS,
          0, NULL}},
        {options->run.straddle == MARGAY_STRADDLE_SPLIT,
         {"--straddle split", MARGAY_COLUMN_EXTENTS, 0,
          options->reading.ids ? "the trace without --ids" : NULL}},
        {options->results.writebacks,
         {"--writebacks", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.write != WRITE_UNSAID,
         {"--write", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.allocate != WRITE_UNSAID,
         {"--allocate", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.by_kind,
         {"--by kind", MARGAY_COLUMN_KINDS, MARGAY_ALL_KINDS, NULL}},
        {(options->caches.policy.info->abilities |
          options->caches.policies.abilities) &
             MARGAY_POLICY_NEEDS_SITES,
         {"--policy ship", MARGAY_COLUMN_SITES, 0,
          "margay record --to mgt --sites"}},
        {options->command->bit == ON_ANNOTATE,
         {"annotate", MARGAY_COLUMN_SITES, 0,
          "margay record --to mgt --sites"}},
        {by->given && by->by == MARGAY_BY_SITE,
         {"--by site", MARGAY_COLUMN_SITES, 0,
          "margay record --to mgt --sites"}},
        {by->given && by->by == MARGAY_BY_THREAD && !joins,
         {"--by thread", MARGAY_COLUMN_THREADS, 0, "margay record --to mgt"}},
        {by->given && by->by == MARGAY_BY_OP,
         {"--by op", MARGAY_COLUMN_OPS, 0, NULL}},
    };
    for (size_t i = 0; i < REQUEST_NEEDS; i++)
        needs[i] = table[i].given ? table[i].need : (struct margay_need){0};
}

struct margay_engine_request request_engine(const struct options *options,
                                            unsigned needs)
{
    struct margay_engine_request engine = options->engine;
    engine.seed = options->seed;
    engine.needs = needs;
    if (engine.half_life_refs != 0)
        engine.measure = MARGAY_FADING_DISTANCES;
    return engine;
}

struct margay_request request_of(const struct options *options)
{
    static const char *const standard_input[] = {"-"};
    bool none = options->operand_count == 0;
    struct margay_trace_options reading = options->reading;
    if (request_joins(options))
        reading.tenant = NULL; /* the tenants are the traces */
    return (struct margay_request){
        .traces = none ? standard_input : options->operands,
        .trace_count = none ? 1 : options->operand_count,
        .reading = reading,
        .straddle = options->run.straddle,
        .block_bytes = options->run.blocks.bytes,
        .block_count = options->run.blocks.count,
        .threads = options->run.threads,
        .chunk_refs = options->run.chunk_refs,
        .phase_refs = options->run.phase_refs,
        .block_tokens = options->run.block_tokens,
        .token_bytes = options->run.token_bytes,
        .window_refs = options->run.window_refs,
        .every_refs = options->run.every.refs,
        .every_seconds = options->run.every.seconds,
        .saves = options->run.save != NULL,
        .resume_path = options->run.resume,
        .mix = request_joins(options) ? &options->run.mixing : NULL,
        .directory = output_temporary_directory(),
    };
}

/* Can a file of this name be replaced as a whole? */
static bool is_file(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

/* A snapshot goes next to a file that is written as a whole. */
static enum margay_status check_snapshots(const struct options *options,
                                          struct margay_error *error)
{
    const char *output = options->output;
    const char *prometheus = options->results.prometheus;
    if (options->run.every.refs == 0 && options->run.every.seconds == 0)
        return MARGAY_OK;
    if (output == NULL && options->run.save == NULL && prometheus == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot next to the FILE of "
                           "--output, which is not given");
    if (output != NULL && !is_file(output))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot next to the FILE of "
                           "--output, and '%s' is not a regular file",
                           output);
    if (prometheus != NULL && !is_file(prometheus))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every replaces the FILE of --prometheus, and "
                           "'%s' is not a regular file",
                           prometheus);
    return MARGAY_OK;
}

enum margay_status request_check(const struct options *options,
                                 struct margay_error *error)
{
    const bool joins = request_joins(options);
    if (joins && options->reading.tenant != NULL &&
        !request_tenants_are_threads(options))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--tenant: found '%s', expected 'thread': with "
                           "--join the tenants are the traces",
                           options->reading.tenant);
    if (options->run.mixing.by_instructions &&
        (options->reading.kinds & MARGAY_KIND_BIT(MARGAY_FETCH)) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--interleave instructions: expected fetches among "
                           "the kinds of --kind, as these begin instructions");
    if (!joins && options->operand_count > 1 &&
        (options->command->bit & (ON_FILTER | ON_CONVERT)) != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "found %zu traces, expected one, or --join to write "
                           "all as one, in the order of their times",
                           options->operand_count);
    if (options->results.prometheus != NULL && options->operand_count > 1 &&
        !joins)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--prometheus: the file is for one trace at a "
                           "time, not %zu",
                           options->operand_count);
    return check_snapshots(options, error);
}

void request_tell_reading(const struct options *options, const char *name,
                          const margay_trace *trace)
{
    const char *first, *guess = margay_trace_guess(trace);
    if (guess != NULL && !options->quiet)
        message_keep("%s: the names of its columns are taken for --column %s",
                     name, guess);
    uint64_t lines = margay_trace_bad_lines(trace, &first);
    if (lines > 0)
        message_keep("%s: %" PRIu64 " line%s could not be read and %s left "
                     "out%s: %s",
                     name, lines, margay_plural(lines, "s"),
                     lines == 1 ? "is" : "are", lines == 1 ? "" : "; the first",
                     first);
}
