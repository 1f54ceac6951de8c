/* plan.c - all decisions about the execution of a run */
#include "sim/run/plan.h"

#include <limits.h>
#include <stdio.h>

#include "stackdist/stackdist_internal.h"

/* Fewer references are analysed before other threads have begun. */
#define LEAST_PART_REFS ((uint64_t)1 << 18)

/* The same of text, which has a thread that decodes during the analysis if it
   is not read in parts. */
#define LEAST_LINE_REFS ((uint64_t)1 << 20)

void margay_plan_state(const struct margay_request *request,
                       const struct margay_abilities *can,
                       struct margay_plan_facts *facts)
{
    *facts = (struct margay_plan_facts){
        .trace_count = request->mix == NULL ? request->trace_count : 1,
        .block_count = request->block_count,
        .threads = request->threads,
        .straddle = request->straddle,
        .windows = request->window_refs != 0,
        .looks_by_refs = request->every_refs != 0,
        .looks_by_time = request->every_seconds > 0,
        .saves = request->saves,
        .resumes = request->resume_path != NULL,
        .warms_up = request->reading.warmup_refs != 0,
        .ranks = request->ranks == NULL ? 1 : request->ranks->ranks,
        .can = *can,
    };
}

static unsigned thread_count(const struct margay_plan_facts *facts)
{
    return facts->threads == 0 ? 1 : facts->threads;
}

static unsigned pass_count(const struct margay_plan_facts *facts)
{
    return facts->block_count == 0 ? 1 : (unsigned)facts->block_count;
}

/* Windows, looks and states want the trace in its order, on one process. */
static bool looks_inside(const struct margay_plan_facts *facts)
{
    return facts->windows || facts->looks_by_refs || facts->looks_by_time ||
           facts->saves || facts->resumes;
}

/* ------------------------------------------- before the trace is open -- */

static bool goes_to_ranks(const struct margay_plan_facts *facts)
{
    return facts->ranks > 1 && facts->can.ranks && !looks_inside(facts);
}

/* Threads go to traces first.  Windows of several traces would come out of
   order. */
static unsigned traces_at_once(const struct margay_plan_facts *facts)
{
    if (!facts->can.traces || facts->windows || facts->trace_count == 0 ||
        goes_to_ranks(facts))
        return 1;
    return (unsigned)margay_minimum(facts->trace_count, thread_count(facts));
}

static unsigned columns_read(const struct margay_plan_facts *facts)
{
    unsigned columns = facts->can.needs | facts->can.uses;
    if (facts->straddle == MARGAY_STRADDLE_SPLIT || goes_to_ranks(facts))
        columns |= MARGAY_COLUMN_EXTENTS;
    return columns;
}

/* --------------------------------------------------- the trace is open -- */

bool margay_plan_splits(const struct margay_plan_facts *facts)
{
    return facts->straddle == MARGAY_STRADDLE_SPLIT ||
           (facts->straddle == MARGAY_STRADDLE_USUAL && facts->trace_splits);
}

/* Parts that are long enough, for threads that no block size needs. */
static unsigned most_parts(const struct margay_plan_facts *facts,
                           unsigned threads)
{
    uint64_t least = facts->by_lines ? LEAST_LINE_REFS : LEAST_PART_REFS;
    uint64_t parts =
        margay_minimum(facts->refs / least, threads / pass_count(facts));
    return (unsigned)margay_minimum(parts, MARGAY_ROW_MAX_PARTS);
}

/* A single part has no other thread to decode, so that it pays where there
   is nothing to decode.  UINT_MAX: the trace has to be read in its order. */
static unsigned least_parts(const struct margay_plan_facts *facts)
{
    if (!facts->can.parts || !facts->has_ranges || looks_inside(facts) ||
        facts->warms_up)
        return UINT_MAX;
    return facts->has_records ? 1 : 2;
}

static void plan_feeding(const struct margay_plan_facts *facts,
                         struct margay_plan *plan)
{
    plan->most_parts = most_parts(facts, plan->threads);
    plan->executor = goes_to_ranks(facts) ? MARGAY_ON_RANKS
                     : plan->most_parts >= least_parts(facts)
                         ? MARGAY_IN_PARTS
                         : MARGAY_ONE_READER;
    plan->ranks_read = facts->has_ranges && !facts->by_lines && facts->is_named;
    plan->all_blocks = facts->can.references ||
                       (facts->can.all_blocks && !facts->saves &&
                        !facts->resumes && !margay_plan_splits(facts));
    plan->passes =
        facts->can.passes
            ? (unsigned)margay_minimum(pass_count(facts), plan->threads)
            : 1;
    plan->pass_threads = plan->threads / plan->passes;
    plan->shares = facts->can.shares;
}

void margay_plan_make(const struct margay_plan_facts *facts,
                      struct margay_plan *plan)
{
    *plan = (struct margay_plan){
        .traces = traces_at_once(facts),
        .columns = columns_read(facts),
        .data = facts->can.data,
    };
    plan->threads = thread_count(facts) / plan->traces;
    plan->numbers_only = plan->columns == 0;
    if (facts->is_open)
        plan_feeding(facts, plan);
}

/* ------------------------------------------------------------ for people -- */

static const char *executor_text(const struct margay_plan *plan)
{
    switch (plan->executor) {
    case MARGAY_IN_PARTS:
        return plan->most_parts == 1 ? "as it is read, without a reading thread"
                                     : "in parts of the file, a thread each";
    case MARGAY_ON_RANKS:
        return plan->ranks_read ? "on ranks that read the file themselves"
                                : "on ranks that one of them reads for";
    default:
        return "in one piece";
    }
}

void margay_plan_describe(const struct margay_plan_facts *facts,
                          const struct margay_plan *plan,
                          char text[MARGAY_PLAN_TEXT_BYTES])
{
    char parts[32] = "", passes[64] = "";
    if (plan->executor == MARGAY_IN_PARTS && plan->most_parts > 1)
        snprintf(parts, sizeof parts, ", at most %u of them", plan->most_parts);
    if (pass_count(facts) > 1)
        snprintf(passes, sizeof passes, "; %u block sizes, %s",
                 pass_count(facts),
                 plan->all_blocks   ? "in one structure"
                 : plan->passes > 1 ? "at the same time"
                                    : "one after the other");
    snprintf(text, MARGAY_PLAN_TEXT_BYTES,
             "analysed %s%s, with %u thread%s%s%s", executor_text(plan), parts,
             plan->threads, margay_plural(plan->threads, "s"), passes,
             plan->shares ? "; what machines have in common is simulated once"
                          : "");
}
