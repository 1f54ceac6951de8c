/*
 * hierarchy.c - the question of machines of caches that feed caches
 *
 * The levels have blocks of different sizes, so that the analysis is fed the
 * unchanged references of a trace, and the machines find their blocks.  Where
 * the plan says so, machines that may be are simulated together; all others are
 * fed each span in parallel.  The analysis of another question may be fed the
 * output of levels of a single machine.
 */
#include <stdlib.h>

#include "sim/run/series.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct machines {
    margay_analysis analysis;
    struct margay_machine_request request;
    margay_family *family;   /* owned; NULL = none are simulated together */
    size_t apart_count;      /* the others, */
    size_t *apart;           /* which they are, */
    margay_hierarchy **each; /* and by machine; owned */
    margay_crew *crew;
    struct margay_passed_on passed_on;
    /* The task of the crew. */
    const struct margay_span *span;
    struct margay_error *errors; /* by machine; owned */
};

static struct machines *self(const margay_analysis *analysis)
{
    return (struct machines *)analysis;
}

static void machines_free(margay_analysis *analysis)
{
    struct machines *machines = self(analysis);
    margay_crew_free(machines->crew);
    margay_family_free(machines->family);
    for (size_t i = 0;
         machines->each != NULL && i < machines->request.machine_count; i++)
        margay_hierarchy_free(machines->each[i]);
    free(machines->each);
    free(machines->apart);
    free(machines->errors);
    free(machines->passed_on.columns);
}

static const struct margay_level *levels_of(
    const struct margay_machine_request *request, size_t machine)
{
    return request->levels + machine * request->level_count;
}

static bool may_share(const struct margay_machine_request *request,
                      size_t machine)
{
    return margay_machine_shares(levels_of(request, machine),
                                 request->level_count);
}

static enum margay_status make_apart(struct machines *machines,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    const struct margay_machine_request *request = &machines->request;
    enum margay_status status = MARGAY_OK;
    struct margay_hierarchy_options options = {
        .level_count = request->level_count,
        .seed = request->seed,
        .unit_shift = margay_log2_floor(pass->block_bytes) - pass->shift,
        .splits = pass->splits,
        .cores = (uint32_t)request->cores,
        .notes_sharing = request->notes_sharing,
        .sends = request->sends,
    };
    for (size_t i = 0; i < request->machine_count && status == MARGAY_OK; i++) {
        if (machines->family != NULL && may_share(request, i))
            continue;
        machines->apart[machines->apart_count++] = i;
        options.levels = levels_of(request, i);
        status = margay_hierarchy_create(&options, &machines->each[i], error);
    }
    return status;
}

static enum margay_status make_family(struct machines *machines,
                                      const struct margay_pass *pass,
                                      unsigned threads,
                                      struct margay_error *error)
{
    const struct margay_machine_request *request = &machines->request;
    const struct margay_family_options options = {
        .levels = request->levels,
        .level_count = request->level_count,
        .machine_count = request->machine_count,
        .seed = request->seed,
        .unit_shift = margay_log2_floor(pass->block_bytes) - pass->shift,
        .splits = pass->splits,
        .cores = (uint32_t)request->cores,
        .threads = threads,
    };
    return margay_family_create(&options, &machines->family, error);
}

static void feed_one(void *context, size_t i)
{
    struct machines *machines = context;
    struct margay_error *error = &machines->errors[i];
    error->status = margay_hierarchy_feed(machines->each[machines->apart[i]],
                                          machines->span, error);
}

/* The library below does not know the name of the trace.  The only error that
   references can have here is the number of a thread. */
static enum margay_status name_trace(const struct margay_pass *pass,
                                     enum margay_status status,
                                     struct margay_error *error)
{
    if (status != MARGAY_BAD_ARGUMENT || error == NULL)
        return status;
    const struct margay_error cause = *error;
    return margay_fail(error, status, "%s: %s (or say --cores N)", pass->trace,
                       cause.message);
}

static enum margay_status machines_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    const struct margay_pass *pass = analysis->pass;
    struct machines *machines = self(analysis);
    machines->span = span;
    margay_crew_run(machines->crew, feed_one, machines, machines->apart_count);
    enum margay_status status =
        margay_first_failure(machines->errors, machines->apart_count, error);
    if (status != MARGAY_OK)
        return name_trace(pass, status, error);
    if (analysis->next != NULL)
        return margay_span_pass_on(span,
                                   margay_hierarchy_traffic(machines->each[0]),
                                   &machines->passed_on, analysis->next, error);
    return machines->family == NULL
               ? MARGAY_OK
               : name_trace(pass,
                            margay_family_feed(machines->family, span, error),
                            error);
}

static enum margay_status machines_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct machines *machines = self(analysis);
    for (size_t i = 0; i < machines->apart_count; i++)
        margay_hierarchy_reset_counts(machines->each[machines->apart[i]]);
    return machines->family == NULL
               ? MARGAY_OK
               : margay_family_reset_counts(machines->family, error);
}

static enum margay_status machines_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    const struct machines *machines = self(analysis);
    return machines->family == NULL
               ? MARGAY_OK
               : margay_family_settle(machines->family, error);
}

static enum margay_status check_machines(
    const struct margay_machine_request *request, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t wrong;
    if (request->cores > MARGAY_MOST_CORES)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT, "found %llu cores, expected at most %d",
            (unsigned long long)request->cores, MARGAY_MOST_CORES);
    for (size_t i = 0; i < request->machine_count && status == MARGAY_OK; i++)
        status = margay_machine_check(levels_of(request, i),
                                      request->level_count, &wrong, error);
    return status;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct machines *machines = self(analysis);
    const struct margay_pass *pass = analysis->pass;
    machines->request =
        *(const struct margay_machine_request *)analysis->question->context;
    size_t all = machines->request.machine_count;
    if (pass->block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: caches hold bytes, and nothing says what a "
                           "block id of this trace stands for (say --unit "
                           "BYTES)",
                           pass->trace);
    machines->each = calloc(all, sizeof(margay_hierarchy *));
    machines->apart = calloc(all, sizeof *machines->apart);
    machines->errors = calloc(all, sizeof *machines->errors);
    if (machines->each == NULL || machines->apart == NULL ||
        machines->errors == NULL)
        return margay_fail_memory(error, "the machines");
    enum margay_status status =
        share->shares ? make_family(machines, pass, share->threads, error)
                      : MARGAY_OK;
    if (status == MARGAY_OK)
        status = make_apart(machines, pass, error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &machines->crew, error)
               : status;
}

enum margay_status margay_machine_question(
    const struct margay_machine_request *request, margay_question **question,
    struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct machines),
        .begin = begin,
        .feed = machines_feed,
        .reset = machines_reset,
        .finish = machines_finish,
        .free = machines_free,
    };
    *question = NULL;
    enum margay_status status = check_machines(request, error);
    if (status != MARGAY_OK) {
        margay_question_free(request->next);
        return status;
    }
    margay_question kind = {
        .functions = &functions,
        .next = request->next,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_THREADS,
                .references = true,
                .traces = request->machine_count == 1},
        .name = "the machine",
    };
    if (request->notes_sharing)
        kind.can.uses |= MARGAY_COLUMN_SITES;
    if (request->next != NULL) {
        kind.can.needs |= request->next->can.needs;
        kind.can.uses |= request->next->can.uses;
    }
    for (size_t i = 0; i < request->machine_count * request->level_count; i++) {
        if (margay_level_needs_sites(&request->levels[i]))
            kind.can.needs |= MARGAY_COLUMN_SITES;
        if (request->levels[i].coherence != MARGAY_COHERENCE_NONE)
            kind.can.needs |= MARGAY_COLUMN_THREADS;
    }
    size_t sharing = 0;
    for (size_t i = 0; i < request->machine_count; i++)
        sharing += may_share(request, i);
    kind.can.shares = sharing > 1;
    return margay_question_create(&kind, request, sizeof *request, question,
                                  error);
}

struct margay_level_counts margay_machine_analysis_counts(
    const margay_analysis *analysis, size_t machine, size_t level)
{
    const struct machines *machines = self(analysis);
    return machines->each[machine] == NULL
               ? margay_family_counts(machines->family, machine, level)
               : margay_hierarchy_counts(machines->each[machine], level);
}

/* In a family no level is coherent. */
enum margay_status margay_machine_analysis_sharing(
    const margay_analysis *analysis, size_t machine,
    struct margay_sharing_place **places, size_t *count,
    struct margay_error *error)
{
    const struct machines *machines = self(analysis);
    *places = NULL;
    *count = 0;
    return machines->each[machine] == NULL
               ? MARGAY_OK
               : margay_hierarchy_sharing(machines->each[machine], places,
                                          count, error);
}

/* All machines were fed the same, so that any of them tells. */
struct margay_machine_fed margay_machine_analysis_fed(
    const margay_analysis *analysis)
{
    const struct machines *machines = self(analysis);
    return machines->family == NULL ? margay_hierarchy_fed(machines->each[0])
                                    : margay_family_fed(machines->family);
}
