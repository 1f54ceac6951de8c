/* in_order.c - a trace read from its beginning to its end */
#include "sim/run/executors.h"
#include "sim/run/feeder.h"
#include "sim/run/mix.h"
#include "traces/traces_internal.h"

struct order {
    struct margay_running *running;
    struct margay_feeder *feeder;
    uint64_t looked_refs; /* at the last look, */
    double looked_seconds;
};

/* ------------------------------------------------- looks before the end -- */

static enum margay_status look_at_passes(struct order *order,
                                         struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = margay_feeder_flush(order->feeder, error);
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

/* References of this run's trace, those of kinds that are left out too. */
static uint64_t refs_of_run(const struct margay_running *running)
{
    return running->read_refs - running->state.place.references;
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
        status = margay_feeder_end(order->feeder, error);
    return status == MARGAY_OK ? host->save(host->context, &running->job, error)
                               : status;
}

static enum margay_status show_results(struct order *order,
                                       struct margay_error *error)
{
    struct margay_running *running = order->running;
    const struct margay_host *host = running->host;
    enum margay_status status = look_at_passes(order, error);
    return status == MARGAY_OK ? host->look(host->context, &running->job,
                                            running->read_refs, error)
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
    order->looked_refs = running->read_refs;
    order->looked_seconds = margay_running_seconds(running);
    enum margay_status status = margay_feeder_flush(order->feeder, error);
    if (status == MARGAY_OK)
        status = save(order, error);
    if (status == MARGAY_OK && running->host->look != NULL &&
        refs_of_run(running) > running->warmup_refs)
        status = show_results(order, error);
    return status;
}

/* References until the window ends. */
static uint64_t refs_to_stop(const struct order *order, bool warmup)
{
    const struct margay_running *running = order->running;
    uint64_t window = running->request->window_refs;
    return window == 0 || warmup ? UINT64_MAX
                                 : window - running->counted_refs % window;
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

static enum margay_status end_window_if_due(struct order *order, bool warmup,
                                            struct margay_error *error)
{
    struct margay_running *running = order->running;
    uint64_t window = running->request->window_refs;
    if (window == 0 || warmup || running->counted_refs % window != 0)
        return MARGAY_OK;
    return end_window(order, error);
}

/* May, and is, the run to end within a batch?  Only a whole one says how many
   repeats were added up, and how many references of the trace it stands for
   where kinds are left out, which a state has to say. */
static bool ends_within(const struct margay_running *running)
{
    return margay_trace_repeats(running->trace) == 0 &&
           !(running->request->saves && margay_running_leaves_out(running)) &&
           margay_running_is_over(running);
}

static enum margay_status feed_part(struct order *order,
                                    const struct margay_batch *part,
                                    struct margay_error *error)
{
    struct margay_running *running = order->running;
    uint64_t refs = margay_batch_references(part);
    enum margay_status status = margay_feeder_put(order->feeder, part, error);
    running->read_refs += refs;
    running->counted_refs += part->warmup ? 0 : refs;
    margay_running_show(running, running->read_refs);
    return status == MARGAY_OK ? end_window_if_due(order, part->warmup, error)
                               : status;
}

/* In parts that end where a window does.  False in *whole: a request to stop
   came before the end of the batch. */
static enum margay_status analyse_batch(struct order *order,
                                        const struct margay_batch *batch,
                                        bool *whole, struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = MARGAY_OK;
    *whole = true;
    for (size_t done = 0;
         done < batch->references && *whole && status == MARGAY_OK;) {
        struct margay_batch part;
        status = margay_running_take(running, batch, done,
                                     refs_to_stop(order, batch->warmup), &part,
                                     error);
        if (status == MARGAY_OK)
            status = feed_part(order, &part, error);
        done += part.references;
        *whole = done == batch->references || !ends_within(running);
    }
    return status;
}

/* What the reader has added up instead of giving it one by one. */
static void take_repeats(struct order *order)
{
    struct margay_running *running = order->running;
    uint64_t repeats = margay_trace_repeats(running->trace);
    running->read_refs += repeats;
    running->counted_refs += repeats;
    margay_feeder_repeat(order->feeder, repeats);
}

/* A batch ends where a look is due. */
static enum margay_status next_batch(struct margay_running *running,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    uint64_t every = running->request->every_refs;
    if (running->mix != NULL)
        return margay_mix_next(running->mix, MARGAY_WAIT_MS, batch, error);
    if (every != 0)
        margay_trace_set_most(running->trace,
                              every - running->read_refs % every);
    return margay_trace_next(running->trace, MARGAY_WAIT_MS, batch, error);
}

/* Where kinds are left out, a batch does not tell how many references of the
   trace it stands for, by which a run that goes on is told to skip them. */
static void count_all_kinds(struct margay_running *running)
{
    if (margay_running_leaves_out(running) && running->mix == NULL)
        running->read_refs = running->state.place.references +
                             margay_trace_given(running->trace);
}

static enum margay_status read_batch(struct order *order,
                                     struct margay_error *error)
{
    struct margay_running *running = order->running;
    struct margay_batch batch;
    bool whole = true;
    enum margay_status status = next_batch(running, &batch, error);
    if (status != MARGAY_OK && status != MARGAY_AGAIN)
        return status;
    enum margay_status analysed = MARGAY_OK;
    if (status == MARGAY_OK)
        analysed = analyse_batch(order, &batch, &whole, error);
    if (status == MARGAY_OK)
        take_repeats(order);
    if (status == MARGAY_OK && whole)
        count_all_kinds(running);
    if (analysed == MARGAY_OK && whole && refs_of_run(running) > 0 &&
        look_is_due(order))
        analysed = look(order, error);
    return analysed == MARGAY_OK ? status : analysed;
}

static enum margay_status read_batches(struct order *order,
                                       struct margay_error *error)
{
    struct margay_running *running = order->running;
    enum margay_status status = MARGAY_OK;
    while ((status == MARGAY_OK || status == MARGAY_AGAIN) &&
           !margay_running_is_over(running)) {
        status = read_batch(order, error);
        margay_running_show(running, running->read_refs);
    }
    if (status != MARGAY_OK && status != MARGAY_AGAIN && status != MARGAY_END)
        return status;
    running->interrupted = status != MARGAY_END;
    return margay_feeder_end(order->feeder, error);
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
        status = margay_feeder_create(running, &order.feeder, error);
    if (status == MARGAY_OK)
        status = read_batches(&order, error);
    if (status == MARGAY_OK)
        status = finish_passes(&order, error);
    margay_feeder_free(order.feeder);
    return status;
}

enum margay_status margay_end_with_state(struct margay_running *running,
                                         struct margay_error *error)
{
    struct order order = {.running = running};
    enum margay_status status = margay_running_begin_with_state(running, error);
    return status == MARGAY_OK ? finish_passes(&order, error) : status;
}
