/* resuming.c - a trace that goes on from a state, and is saved in one */
#include <stddef.h>

#include "sim/run/consumer.h"
#include "sim/run/running.h"
#include "traces/traces_internal.h"

enum margay_status margay_running_read_state(struct margay_running *running,
                                             struct margay_error *error)
{
    const struct margay_request *request = running->request;
    running->warmup_refs = request->reading.warmup_refs;
    if (request->resume_path == NULL)
        return MARGAY_OK;
    enum margay_status status =
        margay_state_read(request->resume_path, &running->state, error);
    running->warmup_refs = running->state.place.warmup_refs;
    running->read_refs = running->state.place.references;
    return status;
}

void margay_running_tell_state(struct margay_running *running)
{
    const struct margay_host *host = running->host;
    if (running->state.path == NULL || running->state_told)
        return;
    if (host->resumed != NULL)
        host->resumed(host->context, running->state.place.references,
                      running->state.place.warmup_refs);
    running->state_told = true;
}

enum margay_status margay_running_resume(struct margay_running *running,
                                         struct margay_error *error)
{
    if (running->state.path == NULL)
        return MARGAY_OK;
    enum margay_status status = margay_state_restore(
        &running->state, &running->reading, running->consumer, running->passes,
        running->pass_count, error);
    if (status == MARGAY_OK)
        margay_running_tell_state(running);
    return status;
}

enum margay_status margay_running_begin_with_state(
    struct margay_running *running, struct margay_error *error)
{
    const struct margay_request *request = running->request;
    enum margay_status status;
    running->reading = running->state.reading;
    running->reading.kinds = request->reading.kinds;
    if (request->straddle != MARGAY_STRADDLE_USUAL)
        running->reading.split = request->straddle == MARGAY_STRADDLE_SPLIT;
    running->plan.pass_threads = 1;
    margay_passes_of_state(running);
    status = margay_running_begin_consumer(running, error);
    if (status == MARGAY_OK)
        status = margay_running_resume(running, error);
    for (size_t i = 0; i < running->pass_count && running->warmup_refs > 0 &&
                       status == MARGAY_OK;
         i++)
        status = margay_consumer_reset(running->consumer, &running->passes[i],
                                       error);
    return status;
}

/* References of this run's trace, those of kinds that are left out too. */
uint64_t margay_running_warmup_left(const struct margay_running *running)
{
    uint64_t refs = running->read_refs - running->state.place.references;
    return refs < running->warmup_refs ? running->warmup_refs - refs : 0;
}

/* The trace that a job is part of. */
static const struct margay_running *running_of(const struct margay_job *job)
{
    const char *at = (const char *)job;
    return (const void *)(at - offsetof(struct margay_running, job));
}

enum margay_status margay_job_save(const struct margay_job *job,
                                   const struct margay_sink *sink,
                                   struct margay_error *error)
{
    const struct margay_running *running = running_of(job);
    const struct margay_state_place place = {
        running->read_refs, margay_running_warmup_left(running)};
    struct margay_error unread;
    return margay_state_write(sink, &running->reading, &place, job->consumer,
                              job->passes, job->pass_count,
                              error == NULL ? &unread : error);
}
