/*
 * hierarchy.c - the question of machines of caches that feed caches
 *
 * The levels have blocks of different sizes, so that the analysis is fed the
 * unchanged references of a trace, and the machines find their blocks.  The
 * analysis of another question may be fed the output of levels of a single
 * machine.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/series.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct machines {
    margay_analysis analysis;
    margay_family *family; /* owned */
    struct margay_passed_on passed_on;
    /* The counts of the analysis: of each level of all machines, and then those
       of the references fed. */
    struct margay_level_counts *counts;
    size_t level_count;
};

static struct machines *self(const margay_analysis *analysis)
{
    return (struct machines *)analysis;
}

static void machines_free(margay_analysis *analysis)
{
    margay_family_free(self(analysis)->family);
    free(self(analysis)->passed_on.columns);
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
    struct machines *machines = self(analysis);
    enum margay_status status =
        name_trace(analysis->pass,
                   margay_family_feed(machines->family, span, error), error);
    if (status != MARGAY_OK || analysis->next == NULL)
        return status;
    return margay_span_pass_on(
        span,
        margay_hierarchy_traffic(margay_family_hierarchy(machines->family, 0)),
        &machines->passed_on, analysis->next, error);
}

static enum margay_status machines_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    return margay_family_reset_counts(self(analysis)->family, error);
}

static enum margay_status machines_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    const struct machines *machines = self(analysis);
    const struct margay_machine_request *request = analysis->question->context;
    size_t levels = request->machines.machine.level_count;
    struct margay_level_counts *counts = machines->counts;
    enum margay_status status = margay_family_settle(machines->family, error);
    for (size_t i = 0; i < machines->level_count; i++)
        *counts++ =
            margay_family_counts(machines->family, i / levels, i % levels);
    const struct margay_machine_fed fed = margay_family_fed(machines->family);
    memcpy(counts->references, fed.references, sizeof fed.references);
    return status;
}

static const struct margay_level *levels_of(
    const struct margay_family_options *machines, size_t machine)
{
    return machines->machine.levels + machine * machines->machine.level_count;
}

static enum margay_status check_machines(
    const struct margay_family_options *machines, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t wrong;
    if (machines->machine.cores > MARGAY_MOST_CORES)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT, "found %llu cores, expected at most %d",
            (unsigned long long)machines->machine.cores, MARGAY_MOST_CORES);
    for (size_t i = 0; i < machines->machine_count && status == MARGAY_OK; i++)
        status =
            margay_machine_check(levels_of(machines, i),
                                 machines->machine.level_count, &wrong, error);
    return status;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct machines *machines = self(analysis);
    const struct margay_pass *pass = analysis->pass;
    const struct margay_machine_request *request = analysis->question->context;
    struct margay_family_options options = request->machines;
    if (pass->block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: caches hold bytes, and nothing says what a "
                           "block id of this trace stands for (say --unit "
                           "BYTES)",
                           pass->trace);
    options.machine.unit_shift =
        margay_log2_floor(pass->block_bytes) - pass->shift;
    options.machine.splits = pass->splits;
    options.threads = share->threads;
    machines->level_count = options.machine_count * options.machine.level_count;
    machines->counts =
        calloc(machines->level_count + 1, sizeof *machines->counts);
    _Static_assert(sizeof *machines->counts ==
                       (13 + 2 * MARGAY_KINDS) * sizeof(uint64_t),
                   "a level has counts alone");
    analysis->counts = (uint64_t *)machines->counts;
    analysis->count_count = (machines->level_count + 1) *
                            (sizeof *machines->counts / sizeof(uint64_t));
    return machines->counts == NULL
               ? margay_fail_memory(error, "the machines")
               : margay_family_create(&options, &machines->family, error);
}

/* The columns that the levels of a machine need. */
static unsigned needs_of(const struct margay_level *levels, size_t count)
{
    unsigned needs = 0;
    for (size_t i = 0; i < count; i++) {
        if (margay_level_needs_sites(&levels[i]))
            needs |= MARGAY_COLUMN_SITES;
        if (levels[i].coherence != MARGAY_COHERENCE_NONE)
            needs |= MARGAY_COLUMN_THREADS;
    }
    return needs;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct machines),
    .begin = begin,
    .feed = machines_feed,
    .reset = machines_reset,
    .finish = machines_look,
    .free = machines_free,
    .look = machines_look,
};

enum margay_status margay_machine_question(
    const struct margay_machine_request *request, margay_question **question,
    struct margay_error *error)
{
    const struct margay_family_options *machines = &request->machines;
    *question = NULL;
    enum margay_status status = check_machines(machines, error);
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
                .traces = machines->machine_count == 1},
        .name = "the machine",
        .half_life_refs = request->half_life_refs,
    };
    if (machines->machine.notes_sharing)
        kind.can.uses |= MARGAY_COLUMN_SITES;
    if (request->next != NULL) {
        kind.can.needs |= request->next->can.needs;
        kind.can.uses |= request->next->can.uses;
    }
    size_t sharing = 0, count = machines->machine.level_count;
    for (size_t i = 0; i < machines->machine_count; i++) {
        kind.can.needs |= needs_of(levels_of(machines, i), count);
        sharing += margay_machine_shares(levels_of(machines, i), count);
    }
    kind.can.shares = sharing > 1;
    return margay_question_create(&kind, request, sizeof *request, question,
                                  error);
}

const margay_family *margay_machine_analysis_family(
    const margay_analysis *analysis)
{
    return self(analysis)->family;
}

const struct margay_level_counts *margay_machine_analysis_counts(
    const margay_analysis *analysis)
{
    return self(analysis)->counts;
}
