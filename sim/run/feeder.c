/* feeder.c - batches of references to analyses, pass by pass */
#include "sim/run/feeder.h"

#include <stdlib.h>

#include "sim/run/batches.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"

/* Batches that the crew is given at once: enough work to be worth waking it,
   little enough to be held twice. */
#define GROUP_BATCHES 8

struct group {
    struct margay_batch_copy copies[GROUP_BATCHES];
    size_t count;
};

/* What the feeding of one pass needs; its own, as others are fed meanwhile. */
struct pass_feed {
    bool warming; /* nothing has been counted yet */
    enum margay_status status;
    struct margay_error error;
    struct margay_span_store store;
};

struct margay_feeder {
    margay_analysis *const *analyses;
    bool whole_refs; /* the analyses take references as they stand */
    unsigned columns;
    struct margay_pass *passes;
    struct pass_feed *feeds; /* one per pass */
    size_t pass_count;
    size_t fed_count; /* passes that are fed: with all_blocks, one */
    bool all_blocks;
    uint64_t repeats;  /* not yet fed */
    margay_crew *crew; /* NULL: all is fed at once, and not copied */
    struct group groups[2];
    struct group *filling, *fed;
};

/* ------------------------------------------------- one batch to one pass -- */

static enum margay_status end_warmup(struct margay_feeder *feeder, size_t i,
                                     struct margay_error *error)
{
    if (!feeder->feeds[i].warming)
        return MARGAY_OK;
    feeder->feeds[i].warming = false;
    return margay_analysis_reset(feeder->analyses[i], error);
}

/* Passes that are fed as one have come as far as it has. */
static void count_fed(struct margay_feeder *feeder, struct margay_pass *pass,
                      uint64_t refs)
{
    pass->fed_refs += refs;
    for (size_t i = feeder->fed_count; i < feeder->pass_count; i++)
        feeder->passes[i].fed_refs = pass->fed_refs;
}

static enum margay_status feed_span(struct margay_feeder *feeder, size_t i,
                                    struct margay_span *span,
                                    struct margay_error *error)
{
    struct margay_pass *pass = &feeder->passes[i];
    span->first_index = pass->fed_refs;
    count_fed(feeder, pass, span->count + span->repeats);
    /* Repeats of a warm-up leave nothing behind. */
    if (span->warmup)
        span->repeats = 0;
    return margay_analysis_feed(feeder->analyses[i], span, error);
}

static enum margay_status feed_batch(struct margay_feeder *feeder, size_t i,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    const struct margay_pass *pass = &feeder->passes[i];
    struct margay_span_walk walk = {
        .batch = batch,
        .shift = feeder->all_blocks ? 0 : pass->shift,
        .splits = pass->splits && !feeder->whole_refs,
        .columns = feeder->columns,
        .store = &feeder->feeds[i].store,
    };
    struct margay_span span;
    enum margay_status status = MARGAY_OK;
    if (!batch->warmup)
        status = end_warmup(feeder, i, error);
    while (status == MARGAY_OK) {
        status = margay_span_next(&walk, &span, error);
        if (status == MARGAY_OK)
            status = feed_span(feeder, i, &span, error);
    }
    return status == MARGAY_END ? MARGAY_OK : status;
}

/* ------------------------------------------------------------- the crew -- */

/* A task: the batches of a group, to pass i. */
static void feed_group(void *context, size_t i)
{
    struct margay_feeder *feeder = context;
    struct pass_feed *feed = &feeder->feeds[i];
    const struct group *group = feeder->fed;
    for (size_t k = 0; k < group->count && feed->status == MARGAY_OK; k++)
        feed->status =
            feed_batch(feeder, i, &group->copies[k].batch, &feed->error);
}

/* Wait for the crew; the first pass that failed counts. */
static enum margay_status await_crew(struct margay_feeder *feeder,
                                     struct margay_error *error)
{
    margay_crew_finish(feeder->crew);
    for (size_t i = 0; i < feeder->fed_count; i++) {
        if (feeder->feeds[i].status == MARGAY_OK)
            continue;
        *error = feeder->feeds[i].error;
        return feeder->feeds[i].status;
    }
    return MARGAY_OK;
}

/* Hand over what has been gathered, and gather more. */
static enum margay_status hand_over(struct margay_feeder *feeder,
                                    struct margay_error *error)
{
    enum margay_status status = await_crew(feeder, error);
    if (status != MARGAY_OK)
        return status;
    struct group *filled = feeder->filling;
    feeder->filling = feeder->fed;
    feeder->filling->count = 0;
    feeder->fed = filled;
    margay_crew_start(feeder->crew, feed_group, feeder, feeder->fed_count);
    return MARGAY_OK;
}

/* ------------------------------------------------------------ the whole -- */

enum margay_status margay_feeder_create(struct margay_running *running,
                                        struct margay_feeder **feeder,
                                        struct margay_error *error)
{
    const struct margay_plan *plan = &running->plan;
    const struct margay_abilities *can = &running->question->can;
    size_t count = running->pass_count;
    struct margay_feeder *made = calloc(1, sizeof *made);
    enum margay_status status = MARGAY_OK;
    *feeder = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the analysis");
    *made = (struct margay_feeder){
        .analyses = running->analyses,
        .whole_refs = can->references,
        .columns = can->needs | can->uses,
        .passes = running->passes,
        .pass_count = count,
        .fed_count = margay_running_analyses(running),
        .all_blocks = plan->all_blocks,
        .filling = &made->groups[0],
        .fed = &made->groups[1],
        .feeds = calloc(count, sizeof *made->feeds),
    };
    if (made->feeds == NULL)
        status = margay_fail_memory(error, "the analysis");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        made->feeds[i].warming = running->warmup_refs > 0;
    if (plan->passes > 1 && made->fed_count > 1 && status == MARGAY_OK)
        status = margay_crew_create(plan->passes, &made->crew, error);
    if (status == MARGAY_OK)
        *feeder = made;
    else
        margay_feeder_free(made);
    return status;
}

enum margay_status margay_feeder_put(struct margay_feeder *feeder,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (feeder->crew == NULL) {
        for (size_t i = 0; i < feeder->fed_count && status == MARGAY_OK; i++)
            status = feed_batch(feeder, i, batch, error);
        return status;
    }
    struct group *group = feeder->filling;
    status = margay_batch_copy(&group->copies[group->count], batch, error);
    if (status == MARGAY_OK && ++group->count == GROUP_BATCHES)
        status = hand_over(feeder, error);
    return status;
}

void margay_feeder_repeat(struct margay_feeder *feeder, uint64_t repeats)
{
    feeder->repeats += repeats;
}

/* A span of nothing but repeats, to every pass. */
static enum margay_status feed_repeats(struct margay_feeder *feeder,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         feeder->repeats > 0 && i < feeder->fed_count && status == MARGAY_OK;
         i++) {
        struct margay_span span = {
            .blocks = feeder->feeds[i].store.blocks,
            .repeats = feeder->repeats,
        };
        status = feed_span(feeder, i, &span, error);
    }
    feeder->repeats = 0;
    return status;
}

enum margay_status margay_feeder_flush(struct margay_feeder *feeder,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (feeder->crew != NULL && feeder->filling->count > 0)
        status = hand_over(feeder, error);
    if (feeder->crew != NULL && status == MARGAY_OK)
        status = await_crew(feeder, error);
    return status == MARGAY_OK ? feed_repeats(feeder, error) : status;
}

enum margay_status margay_feeder_end(struct margay_feeder *feeder,
                                     struct margay_error *error)
{
    enum margay_status status = margay_feeder_flush(feeder, error);
    for (size_t i = 0; i < feeder->fed_count && status == MARGAY_OK; i++)
        status = end_warmup(feeder, i, error);
    return status;
}

void margay_feeder_free(struct margay_feeder *feeder)
{
    if (feeder == NULL)
        return;
    if (feeder->crew != NULL)
        margay_crew_finish(feeder->crew);
    margay_crew_free(feeder->crew);
    for (size_t i = 0; feeder->feeds != NULL && i < feeder->pass_count; i++)
        margay_span_store_clear(&feeder->feeds[i].store);
    for (size_t k = 0; k < GROUP_BATCHES; k++) {
        margay_batch_copy_clear(&feeder->groups[0].copies[k]);
        margay_batch_copy_clear(&feeder->groups[1].copies[k]);
    }
    free(feeder->feeds);
    free(feeder);
}
