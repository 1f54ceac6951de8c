/*
 * in_order.c - a trace read from its beginning to its end
 *
 * A batch goes to every block size.  Where the plan has several of them fed at
 * the same time, batches are copied and fed meanwhile, by a crew in which each
 * thread takes one block size at a time.
 */
#include <stdlib.h>

#include "sim/run/mix.h"
#include "sim/run/running.h"
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
    struct margay_error error;
    struct margay_span_store store;
};

struct feeder {
    margay_analysis *const *analyses;
    bool whole_refs; /* the analyses take references as they stand */
    unsigned columns;
    struct margay_pass *passes;
    struct margay_fed *fed_all;
    struct pass_feed *feeds; /* one per pass */
    size_t pass_count;
    size_t fed_count; /* passes that are fed: with all_blocks, one */
    bool all_blocks;
    margay_crew *crew; /* NULL: all is fed at once, and not copied */
    struct group groups[2];
    struct group *filling, *fed;
};

/* ------------------------------------------------- one batch to one pass -- */

static enum margay_status end_warmup(struct feeder *feeder, size_t i,
                                     struct margay_error *error)
{
    if (!feeder->feeds[i].warming)
        return MARGAY_OK;
    feeder->feeds[i].warming = false;
    const struct margay_span end = {.count = 0};
    enum margay_status status =
        margay_fed_add(&feeder->fed_all[i], &end, error);
    return status == MARGAY_OK
               ? margay_analysis_reset(feeder->analyses[i], error)
               : status;
}

static enum margay_status feed_span(struct feeder *feeder, size_t i,
                                    struct margay_span *span,
                                    struct margay_error *error)
{
    struct margay_pass *pass = &feeder->passes[i];
    span->first_index = pass->fed_refs;
    pass->fed_refs += span->count;
    /* Passes that are fed as one have come as far as it has. */
    for (size_t k = feeder->fed_count; k < feeder->pass_count; k++)
        feeder->passes[k].fed_refs = pass->fed_refs;
    enum margay_status status =
        margay_fed_add(&feeder->fed_all[i], span, error);
    return status == MARGAY_OK
               ? margay_analysis_feed(feeder->analyses[i], span, error)
               : status;
}

static enum margay_status feed_batch(struct feeder *feeder, size_t i,
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
    struct feeder *feeder = context;
    struct pass_feed *feed = &feeder->feeds[i];
    const struct group *group = feeder->fed;
    for (size_t k = 0; k < group->count && feed->error.status == MARGAY_OK; k++)
        feed->error.status =
            feed_batch(feeder, i, &group->copies[k].batch, &feed->error);
}

/* Wait for the crew; the first pass that failed counts. */
static enum margay_status await_crew(struct feeder *feeder,
                                     struct margay_error *error)
{
    margay_crew_finish(feeder->crew);
    for (size_t i = 0; i < feeder->fed_count; i++) {
        if (feeder->feeds[i].error.status == MARGAY_OK)
            continue;
        *error = feeder->feeds[i].error;
        return error->status;
    }
    return MARGAY_OK;
}

/* Hand over what has been gathered, and gather more. */
static enum margay_status hand_over(struct feeder *feeder,
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

/* ---------------------------------------- making and filling the feeder -- */

static void free_feeder(struct feeder *feeder)
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

static enum margay_status make_feeder(struct margay_running *running,
                                      struct feeder **feeder,
                                      struct margay_error *error)
{
    const struct margay_plan *plan = &running->plan;
    const struct margay_abilities *can = &running->question->can;
    size_t count = running->pass_count;
    struct feeder *made = calloc(1, sizeof *made);
    enum margay_status status = MARGAY_OK;
    *feeder = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the analysis");
    *made = (struct feeder){
        .analyses = running->analyses,
        .whole_refs = can->references,
        .columns = can->needs | can->uses,
        .passes = running->passes,
        .fed_all = running->fed,
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
        free_feeder(made);
    return status;
}

/* Feed a batch, now or later.  A failure may be that of an earlier batch. */
static enum margay_status put(struct feeder *feeder,
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

/* Wait until everything has been fed: the passes are then the caller's. */
static enum margay_status flush(struct feeder *feeder,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (feeder->crew != NULL && feeder->filling->count > 0)
        status = hand_over(feeder, error);
    if (feeder->crew != NULL && status == MARGAY_OK)
        status = await_crew(feeder, error);
    return status;
}

/* Wait likewise, and end the warm-up if the trace has not gone beyond it. */
static enum margay_status end_feeding(struct feeder *feeder,
                                      struct margay_error *error)
{
    enum margay_status status = flush(feeder, error);
    for (size_t i = 0; i < feeder->fed_count && status == MARGAY_OK; i++)
        status = end_warmup(feeder, i, error);
    return status;
}

/* ------------------------------------------------------------ in order -- */

struct order {
    struct margay_running *running;
    struct feeder *feeder;
    uint64_t looked_refs; /* at the last look, */
    double looked_seconds;
};

/* ------------------------------------------------- looks before the end -- */

static enum margay_status look_at_passes(struct order *order,
                                         struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = flush(order->feeder, error);
    running->looking = true;
    for (size_t i = 0; i < running->pass_count && status == MARGAY_OK; i++) {
        running->passes[i].seconds = margay_running_seconds(running);
        if (i < margay_running_analyses(running))
            status = margay_analysis_look(running->analyses[i], error);
    }
    running->looking = false;
    return status;
}

/* A window is a look, after which counts begin anew; what is cached stays. */
static enum margay_status end_window(struct order *order,
                                     struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_host *host = running->host;
    enum margay_status status = look_at_passes(order, error);
    for (size_t i = 0;
         host->ended != NULL && i < running->pass_count && status == MARGAY_OK;
         i++) {
        running->passes[i].window = running->window;
        status = host->ended(host->context, &running->job, &running->passes[i],
                             error);
    }
    for (size_t i = 0;
         i < margay_running_analyses(running) && status == MARGAY_OK; i++)
        status = margay_analysis_reset(running->analyses[i], error);
    running->window++;
    return status;
}

/* What a warm-up counted is forgotten at its end, even if the trace ends there;
   a state that has none of it left must hold nothing of it. */
static enum margay_status save(struct order *order, struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_host *host = running->host;
    enum margay_status status = MARGAY_OK;
    if (!running->request->saves || host->save == NULL)
        return MARGAY_OK;
    if (order->feeder != NULL && margay_running_warmup_left(running) == 0)
        status = end_feeding(order->feeder, error);
    return status == MARGAY_OK ? host->save(host->context, &running->job, error)
                               : status;
}

/*
 * The state goes first: if the run ends in between, a run that goes on from it
 * never repeats what a look has shown.  In the warm-up there is a state, but
 * nothing to be seen yet.
 */
static enum margay_status look(struct order *order, struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_host *host = running->host;
    order->looked_refs = running->read_refs;
    order->looked_seconds = margay_running_seconds(running);
    enum margay_status status = flush(order->feeder, error);
    if (status == MARGAY_OK)
        status = save(order, error);
    if (status != MARGAY_OK || host->look == NULL ||
        margay_running_refs(running) <= running->warmup_refs)
        return status;
    status = look_at_passes(order, error);
    return status == MARGAY_OK ? host->look(host->context, &running->job,
                                            running->read_refs, error)
                               : status;
}

static bool look_is_due(const struct order *order)
{
    const struct margay_running *running = order->running;
    const struct margay_request *request = running->request;
    if (running->read_refs == order->looked_refs)
        return false;
    if (request->every_refs != 0 &&
        running->read_refs % request->every_refs == 0)
        return true;
    return request->every_seconds != 0 &&
           margay_running_seconds(running) - order->looked_seconds >=
               (double)request->every_seconds;
}

/* ------------------------------------------------------------- reading -- */

/* Is the run to end within a batch, and may it?  Only a whole one says how many
   references of the trace it stands for where kinds are left out, which a state
   has to say. */
static bool ends_within(const struct margay_running *running)
{
    return !(running->request->saves && margay_running_leaves_out(running)) &&
           margay_running_is_over(running);
}

/* In parts that end where a window does.  False in *whole: a request to stop
   came before the end of the batch. */
static enum margay_status feed_parts(struct order *order,
                                     const struct margay_batch *batch,
                                     bool *whole, struct margay_error *error)
{
    struct margay_running *running = order->running;
    uint64_t window = batch->warmup ? 0 : running->request->window_refs;
    enum margay_status status = MARGAY_OK;
    *whole = true;
    for (size_t done = 0;
         done < batch->references && *whole && status == MARGAY_OK;) {
        struct margay_batch part;
        status = margay_running_take(
            running, batch, done,
            window == 0 ? UINT64_MAX : window - running->counted_refs % window,
            &part, error);
        if (status != MARGAY_OK)
            return status;
        status = put(order->feeder, &part, error);
        running->read_refs += part.references;
        running->counted_refs += part.warmup ? 0 : part.references;
        margay_running_show(running, running->read_refs);
        if (status == MARGAY_OK && window != 0 &&
            running->counted_refs % window == 0)
            status = end_window(order, error);
        done += part.references;
        *whole = done == batch->references || !ends_within(running);
    }
    return status;
}

static enum margay_status read_batch(struct order *order,
                                     struct margay_error *error)
{
    struct margay_running *running = order->running;
    uint64_t every = running->request->every_refs;
    struct margay_batch batch;
    bool whole = true;
    /* A batch ends where a look is due. */
    uint64_t most =
        every == 0 ? UINT64_MAX : every - running->read_refs % every;
    margay_trace_set_most(running->trace,
                          running->mix == NULL ? most : UINT64_MAX);
    enum margay_status status =
        running->mix == NULL
            ? margay_trace_next(running->trace, MARGAY_WAIT_MS, &batch, error)
            : margay_mix_next(running->mix, most, MARGAY_WAIT_MS, &batch,
                              error);
    if (status != MARGAY_OK && status != MARGAY_AGAIN)
        return status;
    enum margay_status analysed = MARGAY_OK;
    if (status == MARGAY_OK)
        analysed = feed_parts(order, &batch, &whole, error);
    /* Where kinds are left out, a batch does not tell how many references of
       the trace it stands for, by which a run that goes on is told to skip
       them. */
    if (status == MARGAY_OK && whole && running->mix == NULL &&
        margay_running_leaves_out(running))
        running->read_refs =
            running->state.head.references + margay_trace_given(running->trace);
    if (analysed == MARGAY_OK && whole && margay_running_refs(running) > 0 &&
        look_is_due(order))
        analysed = look(order, error);
    return analysed == MARGAY_OK ? status : analysed;
}

static enum margay_status finish_passes(struct order *order,
                                        struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = save(order, error);
    for (size_t i = 0; i < running->pass_count && status == MARGAY_OK; i++) {
        struct margay_pass *pass = &running->passes[i];
        pass->window = running->window;
        if (i < margay_running_analyses(running))
            status = margay_analysis_finish(running->analyses[i], error);
        pass->seconds = margay_running_seconds(running);
    }
    return status;
}

enum margay_status margay_read_in_order(struct margay_running *running,
                                        struct margay_error *error)
{
    struct order order = {.running = running};
    enum margay_status status = margay_running_resume(running, error);
    if (status == MARGAY_OK)
        status = make_feeder(running, &order.feeder, error);
    while ((status == MARGAY_OK || status == MARGAY_AGAIN) &&
           !margay_running_is_over(running)) {
        status = read_batch(&order, error);
        margay_running_show(running, running->read_refs);
    }
    running->interrupted = status == MARGAY_OK || status == MARGAY_AGAIN;
    if (running->interrupted || status == MARGAY_END)
        status = end_feeding(order.feeder, error);
    if (status == MARGAY_OK)
        status = finish_passes(&order, error);
    free_feeder(order.feeder);
    return status;
}

enum margay_status margay_end_with_state(struct margay_running *running,
                                         struct margay_error *error)
{
    struct order order = {.running = running};
    enum margay_status status = margay_running_begin_with_state(running, error);
    return status == MARGAY_OK ? finish_passes(&order, error) : status;
}
