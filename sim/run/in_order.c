/*
 * in_order.c - a trace read from its beginning to its end
 *
 * A batch goes to every block size, in parts that end where a window does.
 * Where the plan has several block sizes fed at the same time, batches are
 * copied and fed meanwhile, by a crew in which each thread takes one block size
 * at a time.
 */
#include <stdlib.h>

#include "sim/run/mix.h"
#include "sim/run/running.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"

/* Batches that the crew is given at once: enough work to be worth waking it,
   little enough to be held twice. */
#define GROUP_BATCHES 8

struct group {
    struct margay_batch_copy copies[GROUP_BATCHES];
    size_t count;
};

/* The state of feeding one pass, separate as others are fed at the same
   time. */
struct pass_feed {
    bool warming; /* nothing has been counted yet */
    struct margay_span_store store;
};

struct order {
    struct margay_running *running;
    struct margay_batch batch; /* of which `done` entries have been fed */
    size_t done;
    uint64_t looked_refs; /* at the last look, */
    double looked_seconds;
    uint64_t saved_words; /* of the last state that has all that was fed */
    margay_crew *crew;    /* NULL: all is fed at once, and not copied */
    struct group groups[2];
    struct group *filling, *fed;
    size_t count; /* passes that are fed: with plan.all_blocks, one */
    struct margay_error failures[MARGAY_MOST_BLOCK_SIZES]; /* [pass] */
    struct pass_feed feeds[];
};

/* ------------------------------------------------ a part to one pass -- */

/* Begin to count, which a state that has all that was fed has to know. */
static enum margay_status end_warmup(struct order *order, size_t i,
                                     struct margay_error *error)
{
    const struct margay_span end = {.count = 0};
    if (!order->feeds[i].warming)
        return MARGAY_OK;
    order->feeds[i].warming = false;
    enum margay_status status =
        margay_fed_add(&order->running->fed[i], &end, error);
    return status == MARGAY_OK
               ? margay_analysis_reset(order->running->analyses[i], error)
               : status;
}

/* Make spans of a batch, and feed them to the analysis itself. */
static enum margay_status feed_pass(struct order *order, size_t i,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_abilities *can = &running->question->can;
    margay_analysis *analysis = running->analyses[i];
    struct margay_pass *pass = &running->passes[i];
    struct margay_span_walk walk = {
        .batch = batch,
        .shift = running->plan.all_blocks ? 0 : pass->shift,
        .splits = pass->splits && !can->references,
        .columns = can->needs | can->uses,
        .store = &order->feeds[i].store,
    };
    struct margay_span span;
    if (!batch->warmup)
        walk.status = end_warmup(order, i, error);
    while (margay_span_next(&walk, &span, error)) {
        span.first_index = pass->fed_refs;
        pass->fed_refs += span.count;
        /* Passes that are fed as one have come as far as it has. */
        for (size_t k = order->count; k < running->pass_count; k++)
            running->passes[k].fed_refs = pass->fed_refs;
        walk.status = margay_fed_add(&running->fed[i], &span, error);
        if (walk.status == MARGAY_OK)
            walk.status = margay_analysis_feed(analysis, &span, error);
    }
    return walk.status;
}

/* ------------------------------------------------------------- the crew -- */

/* A task: the batches of a group, to pass i. */
static void feed_group(void *context, size_t i)
{
    struct order *order = context;
    struct margay_error *failure = &order->failures[i];
    const struct group *group = order->fed;
    for (size_t k = 0; k < group->count && failure->status == MARGAY_OK; k++)
        failure->status = feed_pass(order, i, &group->copies[k].batch, failure);
}

/* Wait for the crew; the first pass that failed counts. */
static enum margay_status await_crew(struct order *order,
                                     struct margay_error *error)
{
    margay_crew_finish(order->crew);
    return margay_first_failure(order->failures, order->count, error);
}

/* Hand over what has been gathered, and gather more. */
static enum margay_status hand_over(struct order *order,
                                    struct margay_error *error)
{
    enum margay_status status = await_crew(order, error);
    if (status != MARGAY_OK)
        return status;
    struct group *filled = order->filling;
    order->filling = order->fed;
    order->filling->count = 0;
    order->fed = filled;
    margay_crew_start(order->crew, feed_group, order, order->count);
    return MARGAY_OK;
}

/* Copy a part that the crew is to feed.  A failure may be that of an earlier
   one. */
static enum margay_status keep_part(struct order *order,
                                    const struct margay_batch *part,
                                    struct margay_error *error)
{
    struct group *group = order->filling;
    enum margay_status status =
        margay_batch_copy(&group->copies[group->count], part, error);
    if (status == MARGAY_OK && ++group->count == GROUP_BATCHES)
        status = hand_over(order, error);
    return status;
}

/* ---------------------------------------------------- begin and end -- */

static void free_order(struct order *order)
{
    if (order == NULL)
        return;
    if (order->crew != NULL)
        margay_crew_finish(order->crew);
    margay_crew_free(order->crew);
    for (size_t i = 0; i < order->count; i++)
        margay_span_store_clear(&order->feeds[i].store);
    for (size_t k = 0; k < GROUP_BATCHES; k++) {
        margay_batch_copy_clear(&order->groups[0].copies[k]);
        margay_batch_copy_clear(&order->groups[1].copies[k]);
    }
    free(order);
}

static enum margay_status begin(struct margay_running *running,
                                struct order **order,
                                struct margay_error *error)
{
    size_t count = margay_running_analyses(running);
    unsigned threads = running->plan.passes;
    struct order *made =
        calloc(1, sizeof *made + count * sizeof made->feeds[0]);
    *order = made;
    if (made == NULL)
        return margay_fail_memory(error, "the analysis");
    made->running = running;
    made->count = count;
    made->filling = &made->groups[0];
    made->fed = &made->groups[1];
    for (size_t i = 0; i < count; i++)
        made->feeds[i].warming = running->warmup_refs > 0;
    enum margay_status status = margay_running_resume(running, error);
    return status == MARGAY_OK && threads > 1 && count > 1
               ? margay_crew_create(threads, &made->crew, error)
               : status;
}

/* Wait until everything has been fed: the passes are then the caller's. */
static enum margay_status flush(struct order *order, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (order->crew != NULL && order->filling->count > 0)
        status = hand_over(order, error);
    if (order->crew != NULL && status == MARGAY_OK)
        status = await_crew(order, error);
    return status;
}

/* Wait likewise, and end the warm-up if the trace has not gone beyond it. */
static enum margay_status end_feeding(struct order *order,
                                      struct margay_error *error)
{
    enum margay_status status = flush(order, error);
    for (size_t i = 0; i < order->count && status == MARGAY_OK; i++)
        status = end_warmup(order, i, error);
    return status;
}

/* ------------------------------------------------- looks before the end -- */

static enum margay_status look_at_passes(struct order *order,
                                         struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = flush(order, error);
    running->looking = true;
    for (size_t i = 0; i < running->pass_count && status == MARGAY_OK; i++) {
        running->passes[i].seconds = margay_running_seconds(running);
        if (i < margay_running_analyses(running))
            status = margay_analysis_look(running->analyses[i], error);
    }
    running->looking = false;
    return status;
}

/* A window is a look, after which counts begin anew; the cached blocks stay. */
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
    for (size_t i = 0; i < order->count; i++)
        order->feeds[i].warming = true;
    running->window++;
    return status;
}

static enum margay_status save(struct margay_running *running,
                               struct margay_error *error)
{
    const struct margay_host *host = running->host;
    return running->request->saves && host->save != NULL
               ? host->save(host->context, &running->job, error)
               : MARGAY_OK;
}

/* The state goes first: if the run ends in between, a run that goes on from it
   never repeats the results of a look.  A state of the whole input is written
   where it has doubled, so that all looks write less than twice the last one.
   In the warm-up there is a state, but nothing to be seen yet. */
static enum margay_status look(struct order *order, struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_host *host = running->host;
    uint64_t words = margay_history_count(&running->fed->history);
    order->looked_refs = running->read_refs;
    order->looked_seconds = margay_running_seconds(running);
    /* What a warm-up counted is forgotten at its end: a state that has none of
       it left must hold nothing of it. */
    enum margay_status status = margay_running_warmup_left(running) == 0
                                    ? end_feeding(order, error)
                                    : flush(order, error);
    if (status == MARGAY_OK &&
        (!running->fed->keeps || words / 2 >= order->saved_words)) {
        order->saved_words = words;
        status = save(running, error);
    }
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
    return request->every_seconds > 0 &&
           margay_running_seconds(running) - order->looked_seconds >=
               request->every_seconds;
}

/* ------------------------------------------------------------- reading -- */

/* Is the run to end here?  Within a batch it may not where kinds are left out
   and a state has to say how many references of the trace it stands for, which
   only a whole batch does. */
static bool is_over(const struct order *order)
{
    const struct margay_running *running = order->running;
    bool may_end = order->done == order->batch.references ||
                   !running->request->saves ||
                   !margay_running_leaves_out(running);
    return may_end && margay_running_is_over(running);
}

/* Make room for the next batch, which ends where a look is due: returns how
   many references of the trace it may stand for. */
static uint64_t begin_batch(struct order *order)
{
    const struct margay_running *running = order->running;
    uint64_t every = running->request->every_refs;
    uint64_t most =
        every == 0 ? UINT64_MAX : every - running->read_refs % every;
    order->batch = (struct margay_batch){.references = 0};
    order->done = 0;
    margay_trace_set_most(running->trace,
                          running->mix == NULL ? most : UINT64_MAX);
    return most;
}

/* A part of the batch that ends where the window does. */
static enum margay_status cut(const struct order *order,
                              struct margay_batch *part,
                              struct margay_error *error)
{
    const struct margay_running *running = order->running;
    uint64_t window = running->request->window_refs;
    return margay_running_take(running, &order->batch, order->done,
                               window == 0 || order->batch.warmup
                                   ? UINT64_MAX
                                   : window - running->counted_refs % window,
                               part, error);
}

/* Count a part that has been fed, end a window with it, and look after a whole
   batch. */
static enum margay_status pass_part(struct order *order,
                                    const struct margay_batch *part,
                                    struct margay_error *error)
{
    struct margay_running *running = order->running;
    uint64_t counted = part->warmup ? 0 : part->references;
    uint64_t window = running->request->window_refs;
    enum margay_status status = MARGAY_OK;
    order->done += part->references;
    running->read_refs += part->references;
    running->counted_refs += counted;
    if (window != 0 && counted > 0 && running->counted_refs % window == 0)
        status = end_window(order, error);
    if (order->done < order->batch.references)
        return status;
    /* Where kinds are left out, a batch does not know its number of references
       in the trace, which a later run has to skip. */
    if (margay_running_leaves_out(running))
        running->read_refs =
            running->state.head.references +
            (running->mix == NULL ? margay_trace_given(running->trace)
                                  : margay_mix_given(running->mix));
    return status == MARGAY_OK && margay_running_refs(running) > 0 &&
                   look_is_due(order)
               ? look(order, error)
               : status;
}

static enum margay_status finish_passes(struct margay_running *running,
                                        struct margay_error *error)
{
    enum margay_status status = save(running, error);
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
    struct order *order;
    enum margay_status status = begin(running, &order, error);
    while (status == MARGAY_OK && !is_over(order)) {
        struct margay_batch *batch = &order->batch, part;
        if (order->done == batch->references) {
            uint64_t most = begin_batch(order);
            status = running->mix == NULL
                         ? margay_trace_next(running->trace, MARGAY_WAIT_MS,
                                             batch, error)
                         : margay_mix_next(running->mix, most, MARGAY_WAIT_MS,
                                           batch, error);
        }
        if (status == MARGAY_AGAIN)
            status = MARGAY_OK; /* a pipe is silent: the batch is empty */
        part = *batch;
        if (status == MARGAY_OK && part.references > 0 &&
            (part.extents != NULL || running->request->window_refs != 0))
            status = cut(order, &part, error);
        bool now = order->crew == NULL && part.references > 0;
        for (size_t i = 0; now && i < order->count && status == MARGAY_OK; i++)
            status = feed_pass(order, i, &part, error);
        if (status == MARGAY_OK && !now && part.references > 0)
            status = keep_part(order, &part, error);
        if (status == MARGAY_OK)
            status = pass_part(order, &part, error);
        margay_running_show(running, running->read_refs);
    }
    running->interrupted = status == MARGAY_OK;
    if (status == MARGAY_OK || status == MARGAY_END)
        status = end_feeding(order, error);
    if (status == MARGAY_OK)
        status = finish_passes(running, error);
    free_order(order);
    return status;
}
