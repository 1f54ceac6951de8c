/* trace_run.c - the analysis of one trace */
#include "sim/trace_run.h"

#include <inttypes.h>

#include "sim/batch_part.h"
#include "sim/cluster.h"
#include "sim/feeding.h"
#include "sim/message.h"
#include "sim/parts.h"
#include "sim/signals.h"
#include "sim/state.h"
#include "traces/traces_internal.h"

/* How long a signal may go unnoticed while a pipe is silent. */
#define WAIT_MS 100

/* Of addresses, where nothing is said. */
#define DEFAULT_BLOCK_BYTES 64

bool trace_run_is_over(const struct trace_run *run)
{
    return signals_interrupted() || atomic_load(run->stop);
}

void trace_run_show_progress(struct trace_run *run, uint64_t read_refs)
{
    uint64_t done, total;
    if (!atomic_load(&run->leads))
        return;
    margay_trace_progress(run->trace, &done, &total);
    progress_update(&run->progress, read_refs, done, total);
}

/* -------------------------------------------------------------- set-up -- */

/* Where something else looks at the references, or their number decides when
   to stop, every single one has to be gone through; and where they are split,
   as one that touches two blocks repeats neither. */
bool trace_run_takes_counts(const struct trace_run *run)
{
    const struct options *options = run->options;
    const struct analysis_hooks *hooks = run->hooks;
    struct margay_engine_options engine_options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    if (hooks->no_engine || hooks->batch != NULL || hooks->chunk != NULL ||
        options->window_refs != 0 || options->every.refs != 0 || options->split)
        return false;
    engine_options.bound_blocks = options->bound.given ? 1 : 0;
    engine_options.measure = options->measure;
    if (margay_engine_create(options->engine, &engine_options, &engine, NULL) !=
        MARGAY_OK)
        return false;
    bool takes = margay_engine_takes_repeats(engine);
    margay_engine_free(engine);
    return takes;
}

/* The smallest block size, of a trace of addresses. */
static uint64_t least_block_bytes(const struct trace_run *run)
{
    const struct block_list *blocks = &run->options->blocks;
    return blocks->count == 0 ? DEFAULT_BLOCK_BYTES : blocks->bytes[0];
}

/* Does nobody look at what else a trace may know of its references? */
static bool only_numbers_matter(const struct trace_run *run)
{
    const struct analysis_hooks *hooks = run->hooks;
    return hooks->batch == NULL && hooks->chunk == NULL &&
           !run->options->split && !cluster_shares(run->options, hooks);
}

static enum margay_status open_trace(struct trace_run *run,
                                     struct margay_error *error)
{
    struct margay_trace_options trace_options = options_of_trace(run->options);
    trace_options.counts = trace_run_takes_counts(run);
    trace_options.numbers_only = only_numbers_matter(run);
    trace_options.block_bytes = least_block_bytes(run);
    return margay_trace_open(run->name, &trace_options, &run->trace, error);
}

/* Wait until the format is known.  MARGAY_AGAIN: a signal came first. */
static enum margay_status await_format(struct trace_run *run,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_AGAIN;
    while (status == MARGAY_AGAIN && !trace_run_is_over(run)) {
        status = margay_trace_ready(run->trace, WAIT_MS, error);
        trace_run_show_progress(run, run->shown_refs);
    }
    return status;
}

/* The block sizes that this trace is analysed with; 0 = unknown. */
static enum margay_status choose_blocks(const struct trace_run *run,
                                        struct block_list *blocks,
                                        struct margay_error *error)
{
    uint64_t unit = margay_trace_unit_bytes(run->trace);
    bool ids = margay_trace_numbers(run->trace) == MARGAY_IDS;
    uint64_t collapsed = margay_trace_collapsed_bytes(run->trace);
    *blocks = run->options->blocks;
    if (blocks->count == 0) {
        blocks->bytes[0] = ids ? unit : DEFAULT_BLOCK_BYTES;
        blocks->count = 1;
    } else if (unit == 0) {
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --block with block ids of no known size (say "
                           "what an id stands for with --unit BYTES)",
                           run->name);
    } else if (blocks->bytes[0] < unit) {
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --block %" PRIu64 " is smaller than what an "
                           "id stands for, %" PRIu64 " bytes",
                           run->name, blocks->bytes[0], unit);
    }
    if (collapsed > (ids ? unit : blocks->bytes[0]))
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: repeats within %" PRIu64 " byte%s were collapsed "
            "when it was recorded, so --block is to be %" PRIu64 " or more",
            run->name, collapsed, margay_plural(collapsed, "s"), collapsed);
    return MARGAY_OK;
}

static enum margay_status create_engine(const struct trace_run *run,
                                        struct analysis_pass *pass,
                                        unsigned threads,
                                        struct margay_error *error)
{
    const struct options *options = run->options;
    struct margay_engine_options engine_options = {
        .seed = options->seed,
        .threads = threads,
        .measure = options->measure,
        .chunk_refs = options->chunk_refs,
        .phase_refs = options->phase_refs,
    };
    enum margay_status status = MARGAY_OK;
    if (options->bound.given)
        status =
            cache_size_blocks(&options->bound, "--bound", pass->block_bytes,
                              &pass->bound_blocks, error);
    engine_options.bound_blocks = pass->bound_blocks;
    if (status != MARGAY_OK || run->hooks->no_engine)
        return status;
    return margay_engine_create(options->engine, &engine_options, &pass->engine,
                                error);
}

static enum margay_status begin_pass(struct trace_run *run,
                                     uint64_t block_bytes, unsigned threads,
                                     struct margay_error *error)
{
    struct analysis_pass *pass = &run->passes[run->pass_count];
    uint64_t unit = margay_trace_unit_bytes(run->trace);
    *pass = (struct analysis_pass){
        .trace = run->name,
        .format = margay_trace_format(run->trace),
        .numbers = margay_trace_numbers(run->trace),
        .split = run->options->split || margay_trace_always_splits(run->trace),
        .index = run->pass_count,
        .block_bytes = block_bytes,
    };
    if (unit != 0)
        pass->shift = margay_log2_floor(block_bytes / unit) -
                      margay_trace_shift(run->trace);
    enum margay_status status = create_engine(run, pass, threads, error);
    if (status != MARGAY_OK)
        return status;
    run->pass_count++;
    if (run->hooks->begin == NULL)
        return MARGAY_OK;
    return run->hooks->begin(run->context, pass, error);
}

static void explain(const struct trace_run *run)
{
    message_print("%s: format %s, from %s", run->name,
                  margay_trace_format(run->trace)->name,
                  margay_trace_evidence(run->trace));
    if (!run->hooks->no_engine)
        message_print("%s: engine %s; the fastest code for this processor is "
                      "%s",
                      run->name, run->options->engine,
                      margay_target_name(margay_target_best()));
}

static enum margay_status resume(struct trace_run *run,
                                 struct margay_error *error)
{
    if (run->options->resume == NULL)
        return MARGAY_OK;
    enum margay_status status =
        state_load(run->options->resume, run->options, run->trace, run->passes,
                   run->pass_count, &run->read_refs, error);
    run->shown_refs = run->read_refs;
    if (status == MARGAY_OK && !run->options->quiet)
        message_print("%s: goes on after %" PRIu64 " reference%s",
                      run->options->resume, run->read_refs,
                      margay_plural(run->read_refs, "s"));
    return status;
}

/* Block sizes share the threads; what is left over splits each one's work. */
static enum margay_status begin_passes(struct trace_run *run,
                                       struct margay_error *error)
{
    struct block_list blocks = {.count = 0};
    if (run->options->verbose)
        explain(run);
    enum margay_status status = choose_blocks(run, &blocks, error);
    unsigned at_once = 1; /* block sizes */
    if (feeding_is_shared(run->hooks))
        at_once =
            blocks.count < run->threads ? (unsigned)blocks.count : run->threads;
    for (size_t i = 0; i < blocks.count && status == MARGAY_OK; i++)
        status =
            begin_pass(run, blocks.bytes[i], run->threads / at_once, error);
    return status;
}

enum margay_status trace_run_begin(struct trace_run *run,
                                   struct margay_error *error)
{
    progress_begin(&run->progress, run->name, run->options->quiet);
    enum margay_status status = open_trace(run, error);
    if (status == MARGAY_OK)
        status = await_format(run, error);
    if (status == MARGAY_OK)
        status = begin_passes(run, error);
    return status;
}

/* ------------------------------------------------- looks before the end -- */

static enum margay_status peek_passes(struct trace_run *run,
                                      struct margay_error *error)
{
    enum margay_status status = feeding_flush(run->feeding, error);
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        struct analysis_pass *pass = &run->passes[i];
        status = margay_engine_peek(pass->engine, &pass->result, error);
        pass->seconds = progress_seconds(&run->progress);
    }
    return status;
}

static void clear_results(struct trace_run *run)
{
    for (size_t i = 0; i < run->pass_count; i++)
        margay_result_clear(&run->passes[i].result);
}

/* A window is like an end, but the stack stays as it is. */
static enum margay_status end_window(struct trace_run *run,
                                     struct margay_error *error)
{
    enum margay_status status = peek_passes(run, error);
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        struct analysis_pass *pass = &run->passes[i];
        pass->window = run->window;
        status = run->hooks->end(run->context, pass, error);
        margay_engine_reset_counts(pass->engine);
    }
    clear_results(run);
    run->window++;
    return status;
}

static enum margay_status save(struct trace_run *run,
                               struct margay_error *error)
{
    if (run->options->save == NULL)
        return MARGAY_OK;
    return state_save(run->options->save, run->options, run->trace, run->passes,
                      run->pass_count, run->read_refs, error);
}

static enum margay_status take_snapshot(struct trace_run *run,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    run->snapshot_refs = run->read_refs;
    run->snapshot_seconds = progress_seconds(&run->progress);
    if (run->options->output != NULL) {
        status = peek_passes(run, error);
        if (status == MARGAY_OK)
            status =
                run->hooks->snapshot(run->context, run->passes, run->pass_count,
                                     run->read_refs, error);
        clear_results(run);
    } else {
        status = feeding_flush(run->feeding, error);
    }
    return status == MARGAY_OK ? save(run, error) : status;
}

/* References until the next place to stop at. */
static uint64_t refs_to_stop(const struct trace_run *run, bool warmup)
{
    uint64_t window = run->options->window_refs;
    uint64_t every = run->options->every.refs;
    uint64_t left = UINT64_MAX;
    if (window != 0 && !warmup)
        left = window - run->counted_refs % window;
    if (every != 0 && every - run->read_refs % every < left)
        left = every - run->read_refs % every;
    return left;
}

static bool snapshot_is_due(const struct trace_run *run)
{
    const struct interval *every = &run->options->every;
    if (run->read_refs == run->snapshot_refs)
        return false;
    if (every->refs != 0)
        return run->read_refs % every->refs == 0;
    return every->seconds != 0 &&
           progress_seconds(&run->progress) - run->snapshot_seconds >=
               (double)every->seconds;
}

/* ------------------------------------------------------------- reading -- */

static enum margay_status stop_if_due(struct trace_run *run, bool warmup,
                                      struct margay_error *error)
{
    uint64_t window = run->options->window_refs;
    enum margay_status status = MARGAY_OK;
    if (window != 0 && !warmup && run->counted_refs % window == 0)
        status = end_window(run, error);
    /* In the warm-up there is nothing to see yet. */
    if (status == MARGAY_OK && !warmup && snapshot_is_due(run))
        status = take_snapshot(run, error);
    return status;
}

/* A state holds whole references: whoever goes on begins with the next. */
static bool ends_within(const struct trace_run *run)
{
    return run->options->save == NULL && trace_run_is_over(run);
}

/* Feed what comes before the next place to stop at, or as much of it as comes
   before a signal; `fed` is how many references that is. */
static enum margay_status feed_part(struct trace_run *run,
                                    const struct margay_batch *part,
                                    size_t *fed, struct margay_error *error)
{
    struct batch_pieces pieces = trace_run_pieces(run, part);
    uint64_t shown = run->shown_refs;
    struct margay_batch piece;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && batch_pieces_next(&pieces, &piece)) {
        status = feeding_put(run->feeding, &piece, error);
        run->shown_refs = shown + pieces.blocks;
        trace_run_show_progress(run, run->shown_refs);
        if (ends_within(run))
            break;
    }
    const struct margay_batch whole = batch_part(part, 0, pieces.done);
    uint64_t refs = margay_batch_references(&whole);
    run->read_refs += refs;
    run->counted_refs += part->warmup ? 0 : refs;
    run->cut = pieces.done_numbers > 0;
    *fed = pieces.done;
    return status;
}

static enum margay_status analyse_batch(struct trace_run *run,
                                        const struct margay_batch *batch,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < batch->references && status == MARGAY_OK;) {
        uint64_t some = refs_to_stop(run, batch->warmup);
        if (some > batch->references - done)
            some = batch->references - done;
        struct margay_batch part = batch_part(batch, done, (size_t)some);
        size_t fed;
        status = feed_part(run, &part, &fed, error);
        if (fed < part.references)
            break;
        done += fed;
        if (status == MARGAY_OK)
            status = stop_if_due(run, batch->warmup, error);
    }
    return status;
}

static enum margay_status read_batches(struct trace_run *run,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    while ((status == MARGAY_OK || status == MARGAY_AGAIN) &&
           !trace_run_is_over(run)) {
        struct margay_batch batch;
        status = margay_trace_next(run->trace, WAIT_MS, &batch, error);
        if (status == MARGAY_OK)
            status = analyse_batch(run, &batch, error);
        else if (status == MARGAY_AGAIN && run->counted_refs > 0 &&
                 snapshot_is_due(run))
            status = take_snapshot(run, error);
        trace_run_show_progress(run, run->shown_refs);
    }
    if (status != MARGAY_OK && status != MARGAY_AGAIN && status != MARGAY_END)
        return status;
    run->interrupted = status != MARGAY_END;
    return feeding_flush(run->feeding, error);
}

static enum margay_status finish_passes(struct trace_run *run,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (run->feeding != NULL)
        status = feeding_end_warmup(run->feeding, error);
    if (status == MARGAY_OK && run->pass_count > 0)
        status = save(run, error);
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        struct analysis_pass *pass = &run->passes[i];
        if (pass->engine != NULL)
            status = margay_engine_finish(pass->engine, &pass->result, error);
        margay_engine_free(pass->engine);
        pass->engine = NULL;
        pass->window = run->window;
        pass->seconds = progress_seconds(&run->progress);
    }
    return status;
}

/* One batch after the other. */
static enum margay_status read_in_order(struct trace_run *run,
                                        struct margay_error *error)
{
    enum margay_status status = resume(run, error);
    if (status == MARGAY_OK)
        status = feeding_create(
            run->hooks, run->context, run->passes, run->pass_count,
            run->threads, run->options->warmup_refs > 0, &run->feeding, error);
    if (status == MARGAY_OK)
        status = read_batches(run, error);
    if (status == MARGAY_OK)
        status = finish_passes(run, error);
    feeding_free(run->feeding);
    run->feeding = NULL;
    return status;
}

void trace_run_read(struct trace_run *run)
{
    struct margay_error *error = &run->error;
    enum margay_status status = trace_run_begin(run, error);
    run->interrupted = status == MARGAY_AGAIN;
    if (status == MARGAY_OK)
        status = parts_wanted(run) ? parts_read(run, error)
                                   : read_in_order(run, error);
    run->status = status == MARGAY_AGAIN ? MARGAY_OK : status;
}

/* ------------------------------------------------------------- the end -- */

/* The last window has ended already if nothing came after it. */
static bool has_ended(const struct trace_run *run)
{
    return run->options->window_refs != 0 && run->window > 0 && !run->cut &&
           run->counted_refs % run->options->window_refs == 0;
}

enum margay_status trace_run_end(struct trace_run *run,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (run->hooks->end == NULL || has_ended(run))
        return MARGAY_OK;
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++)
        status = run->hooks->end(run->context, &run->passes[i], error);
    return status;
}

/* Block sizes ascend. */
struct batch_pieces trace_run_pieces(const struct trace_run *run,
                                     const struct margay_batch *batch)
{
    return (struct batch_pieces){
        .batch = batch,
        .split = run->passes[0].split,
        .least_shift = run->passes[0].shift,
        .most_shift = run->passes[run->pass_count - 1].shift,
    };
}

bool trace_run_has_ranges(const struct trace_run *run)
{
    margay_range *range;
    bool has = margay_trace_range(run->trace, 0, 0, &range, NULL) == MARGAY_OK;
    margay_range_free(range);
    return has;
}

void trace_run_release(struct trace_run *run)
{
    for (size_t i = 0; i < run->pass_count; i++) {
        margay_engine_free(run->passes[i].engine);
        margay_result_clear(&run->passes[i].result);
    }
    margay_trace_free(run->trace);
    run->pass_count = 0;
    run->trace = NULL;
}
