/* summary.c - a pass of a curve, in a line for people */
#include "sim/command/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/command/curve_question.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------- requests -- */

static void summarise_requests(const struct margay_pass *pass,
                               const struct margay_series *series)
{
    uint64_t requests = series->requests, bound = series->bound;
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    message_keep("%s: %" PRIu64 " reference%s of %" PRIu64
                 " request%s, distinct%s %" PRIu64 " block%s, %" PRIu64
                 " reference%s and %" PRIu64
                 " request%s miss in every cache%s, %.1f M refs/s",
                 pass->trace, series->references,
                 margay_plural(series->references, "s"), requests,
                 margay_plural(requests, "s"), bound == 0 ? "" : " >",
                 bound == 0 ? series->distinct : bound,
                 margay_plural(bound == 0 ? series->distinct : bound, "s"),
                 series->infinite, margay_plural(series->infinite, "s"),
                 series->infinite_requests,
                 margay_plural(series->infinite_requests, "s"),
                 bound == 0 ? "" : " up to the bound", rate);
}

/* -------------------------------------------------------------- objects -- */

/* "12 expired", where there are any. */
static void add_part(char *text, size_t bytes, uint64_t count, const char *what)
{
    size_t used = strlen(text);
    if (count > 0)
        snprintf(text + used, bytes - used, ", %" PRIu64 " %s", count, what);
}

static bool is_more_than_a_hundredth(uint64_t part, uint64_t all)
{
    return part > all / 100;
}

static void warn_of_sizes(const struct margay_job *job,
                          const margay_objects *engine)
{
    struct margay_objects_counts counts = margay_objects_counted(engine);
    uint64_t never;
    margay_objects_round(&counts);
    (void)margay_trace_unknown_sizes(job->reader, &never);
    if (is_more_than_a_hundredth(counts.resized, counts.sampled_refs))
        message_keep("%s: %" PRIu64 " requests (%.3g%%) have another size than "
                     "their object had before; each size counts from its "
                     "request on (--sizes-from takes one for all)",
                     job->trace, counts.resized,
                     100 * (double)counts.resized /
                         (double)counts.sampled_refs);
    if (is_more_than_a_hundredth(never, counts.references))
        message_keep("%s: %" PRIu64 " request%s 0 bytes, as the size of "
                     "their object is never said%s",
                     job->trace, never, never == 1 ? " counts" : "s count",
                     strcmp(job->trace, "-") == 0 ? " before them" : "");
}

static void summarise_objects(const struct margay_job *job,
                              const struct margay_pass *pass,
                              const margay_objects *engine,
                              const struct margay_objects_options *options)
{
    struct margay_objects_counts counts = margay_objects_counted(engine);
    bool sampled = options->rate < 1;
    margay_objects_round(&counts);
    uint64_t never, unknown = margay_trace_unknown_sizes(job->reader, &never);
    char objects[80], parts[320] = "";
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    add_part(parts, sizeof parts, counts.expired, "expired");
    add_part(parts, sizeof parts, counts.deletes, "deleted");
    add_part(parts, sizeof parts, counts.resized, "with another size");
    /* Ages leave nothing in doubt that could be counted, and a sample does not
       say how much there is of all. */
    if ((counts.doubtful > 0 && !sampled) ||
        (counts.shrunk > 0 && !options->ages && !sampled))
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts),
                 ", in caches smaller than the largest object at most %" PRIu64
                 " misses (%.2g%% of references) more",
                 counts.doubtful,
                 100 * (double)counts.doubtful / (double)counts.references);
    add_part(parts, sizeof parts, counts.merged,
             "with an approximate time to live");
    add_part(parts, sizeof parts, unknown, "without a size of their own");
    add_part(parts, sizeof parts, never,
             "of these 0 bytes, as no size was known");
    if (counts.exceeded_bound != 0)
        snprintf(
            objects, sizeof objects, "objects of more than %" PRIu64 " byte%s",
            counts.exceeded_bound, margay_plural(counts.exceeded_bound, "s"));
    else
        snprintf(objects, sizeof objects,
                 "%" PRIu64 " object%s of %" PRIu64 " byte%s", counts.objects,
                 margay_plural(counts.objects, "s"), counts.object_bytes,
                 margay_plural(counts.object_bytes, "s"));
    message_keep("%s: %" PRIu64 " reference%s, %s%s in all, %" PRIu64
                 " %s%s%s, %.1f M refs/s",
                 pass->trace, counts.references,
                 margay_plural(counts.references, "s"), sampled ? "about " : "",
                 objects, counts.cold,
                 counts.exceeded_bound != 0 ? "hit in no cache up to there"
                 : counts.cold == 1         ? "cold miss"
                                            : "cold misses",
                 sampled ? " in the sample" : "", parts, rate);
}

/* -------------------------------------------------------------- the pass -- */

void summarise_objects_pass(const struct options *options,
                            const struct margay_job *job,
                            const struct margay_pass *pass)
{
    const margay_objects *engine =
        objects_engine(options, job->analyses[pass->index]);
    struct margay_objects_options asked = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    (void)margay_objects_take_spec(options->engine.spec, &asked, NULL);
    if (options->results.sample_rate != 0)
        asked.rate = options->results.sample_rate;
    asked.ages = options->results.ttl.given;
    if (!options->quiet)
        summarise_objects(job, pass, engine, &asked);
    warn_of_sizes(job, engine);
}

void summary_add(struct margay_series *all, const struct margay_series *series)
{
    if (all->references == 0)
        *all = *series;
    else if (series->has_key && series->policy == all->policy) {
        all->references += series->references;
        all->distinct += series->distinct;
        all->infinite += series->infinite;
        all->requests += series->requests;
        all->request_tokens += series->request_tokens;
        all->infinite_requests += series->infinite_requests;
    }
}

void summarise_pass(const struct options *options, const struct margay_job *job,
                    const struct margay_pass *pass,
                    const struct margay_series *series)
{
    if (options->results.objects && options->reading.tenant == NULL)
        summarise_objects_pass(options, job, pass);
    else if (options->quiet)
        return;
    else if (options->results.requests)
        summarise_requests(pass, series);
    else
        table_summarise(pass, series);
    /* What this curve does not count, and another would. */
    if (options->reading.tenant != NULL || options->results.objects ||
        options->results.requests || options->results.policies.count > 0 ||
        job->reader == NULL || pass->index != 0 || pass->fed_refs == 0)
        return;
    unsigned columns = margay_trace_columns(job->reader);
    if (columns & MARGAY_COLUMN_SIZES)
        message_keep("%s: the trace has sizes: --objects counts bytes",
                     job->trace);
    if ((columns & MARGAY_COLUMN_REQUESTS) && !options->results.in_report)
        message_keep("%s: the trace has requests: --requests counts them",
                     job->trace);
}
