/* cluster.c - the same command on many ranks */
#include "sim/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "sim/batch_part.h"
#include "sim/commands.h"
#include "sim/trace_run.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

/* Of what rank 0 reads for all, the references for each in a phase. */
#define USUAL_PART_REFS ((uint64_t)1 << 20)

/* Fewer references are not worth another thread. */
#define LEAST_THREAD_REFS ((uint64_t)1 << 16)

/* Block references made at a time. */
#define CHUNK_REFS 8192

static const struct margay_transport *ranks; /* NULL: no cluster */

/* What rank 0 tells all ranks to do. */
struct order {
    bool leave;
    int exit_status;
    /* A trace: which one, in which format, and if everyone can read it, the
       references of the file to analyse. */
    size_t trace;
    bool from_file, to_end;
    bool counts; /* of repeats are added up */
    char format[16];
    uint64_t first, count, warmup;
    size_t pass_count;
    struct {
        uint64_t bound_blocks;
        unsigned shift;
        bool split;
    } passes[MAX_PASSES];
};

/* A thread's part of a rank's part of a phase. */
struct lane {
    uint64_t begin, count; /* references: of the file, or of what is here */
    enum margay_status status;
    struct margay_error error;
    uint64_t blocks[CHUNK_REFS];
};

/* A trace, on one rank. */
struct work {
    const struct options *options;
    const struct order *order;
    margay_trace *trace; /* what rank 0 reads for all; NULL on others */
    margay_trace *file;  /* what each rank reads itself */
    margay_cluster *passes[MAX_PASSES];
    margay_crew *crew;
    struct lane *lanes;  /* one for each thread */
    unsigned lane_count; /* in this phase */

    /* What has been read for all, or received. */
    uint64_t *numbers;
    uint32_t *extents;
    uint64_t capacity, buffered;
    uint64_t repeats; /* of what is buffered, on rank 0 */
    bool has_extents, warmup;
    struct margay_batch batch; /* of the trace, of which `given` are buffered */
    size_t given;
    bool ended;
};

void cluster_join(const struct margay_transport *transport)
{
    ranks = transport;
}

bool cluster_is_helper(void)
{
    return ranks != NULL && ranks->rank != 0;
}

int cluster_dismiss(int exit_status)
{
    struct order order = {.leave = true, .exit_status = exit_status};
    if (ranks != NULL)
        ranks->broadcast(ranks->context, &order, sizeof order);
    return exit_status;
}

/* --------------------------------------------------------- ranks and parts --
 */

/* Has anybody failed?  All learn of the first who did. */
static enum margay_status agree(enum margay_status status,
                                struct margay_error *error)
{
    struct margay_error theirs;
    memset(&theirs, 0, sizeof theirs);
    if (status != MARGAY_OK)
        theirs = *error;
    theirs.status = status;
    if (ranks->rank != 0)
        ranks->send(ranks->context, 0, &theirs, sizeof theirs);
    for (unsigned i = 1; ranks->rank == 0 && i < ranks->ranks; i++) {
        struct margay_error other;
        ranks->receive(ranks->context, i, &other, sizeof other);
        if (theirs.status == MARGAY_OK)
            theirs = other;
    }
    ranks->broadcast(ranks->context, &theirs, sizeof theirs);
    if (theirs.status != MARGAY_OK)
        *error = theirs;
    return theirs.status;
}

/* Where part `place` of `count` things begins. */
static uint64_t part_begin(uint64_t count, unsigned place)
{
    return count / ranks->ranks * place +
           count % ranks->ranks * place / ranks->ranks;
}

static unsigned own_place(const struct work *work)
{
    return margay_cluster_place(work->passes[0]);
}

/* Every reference but the first of each count is an immediate repeat, and all
   the same to whoever counts it. */
static void add_repeats(struct work *work, unsigned lane, uint64_t repeats)
{
    for (size_t i = 0; i < work->order->pass_count; i++)
        margay_cluster_add_repeats(work->passes[i], lane, repeats);
}

static uint64_t repeats_of(const struct margay_batch *batch)
{
    return margay_batch_references(batch) - batch->references;
}

static enum margay_status feed_pass(struct work *work, unsigned lane, size_t i,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    unsigned shift = work->order->passes[i].shift;
    bool split = work->order->passes[i].split && batch->extents != NULL;
    uint64_t *blocks = work->lanes[lane].blocks;
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    if (shift == 0 && !split)
        return margay_cluster_feed(work->passes[i], lane, batch->numbers,
                                   batch->references, error);
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(batch, shift, split, &cursor, blocks,
                                        NULL, CHUNK_REFS)) > 0)
        status =
            margay_cluster_feed(work->passes[i], lane, blocks, count, error);
    return status;
}

static enum margay_status feed_batch(struct work *work, unsigned lane,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = feed_pass(work, lane, i, batch, error);
    return status;
}

/* Begin with this rank's part, divided among its threads. */
static enum margay_status begin_phase(struct work *work, uint64_t begin,
                                      uint64_t count,
                                      struct margay_error *error)
{
    const struct options *options = work->options;
    uint64_t least =
        options->chunk_refs != 0 ? options->chunk_refs : LEAST_THREAD_REFS;
    uint64_t lanes = count / least;
    if (lanes > options->threads)
        lanes = options->threads;
    if (lanes > MARGAY_ROW_MAX_PARTS)
        lanes = MARGAY_ROW_MAX_PARTS;
    work->lane_count = lanes < 1 ? 1 : (unsigned)lanes;
    for (unsigned i = 0; i < work->lane_count; i++) {
        uint64_t each = count / work->lane_count;
        work->lanes[i].begin = begin + each * i;
        work->lanes[i].count =
            i + 1 < work->lane_count ? each : count - each * i;
    }
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = margay_cluster_begin_phase(work->passes[i], work->lane_count,
                                            count, error);
    return status;
}

/* Let each thread feed its part; the first failure counts. */
static enum margay_status run_lanes(struct work *work,
                                    void (*feed)(void *work, size_t lane),
                                    struct margay_error *error)
{
    margay_crew_start(work->crew, feed, work, work->lane_count);
    margay_crew_finish(work->crew);
    for (unsigned i = 0; i < work->lane_count; i++) {
        if (work->lanes[i].status == MARGAY_OK)
            continue;
        *error = work->lanes[i].error;
        return work->lanes[i].status;
    }
    return MARGAY_OK;
}

/* If nobody has failed. */
static enum margay_status end_phase(struct work *work,
                                    enum margay_status status, bool more,
                                    bool reset, struct margay_error *error)
{
    status = agree(status, error);
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK;
         i++) {
        margay_cluster_end_phase(work->passes[i], more);
        if (reset)
            margay_cluster_reset_counts(work->passes[i]);
    }
    return status;
}

/* ------------------------------------------ a file that all can read -- */

static enum margay_status open_file(struct work *work,
                                    struct margay_error *error)
{
    const struct options *options = work->options;
    struct margay_trace_options trace_options = options_of_trace(options);
    /* Rank 0 has found the format, and says which references are to be read. */
    trace_options.format = work->order->format;
    trace_options.skip_refs = 0;
    trace_options.limit_refs = UINT64_MAX;
    trace_options.warmup_refs = 0;
    trace_options.counts = work->order->counts;
    enum margay_status status =
        margay_trace_open(options->operands[work->order->trace], &trace_options,
                          &work->file, error);
    return status == MARGAY_OK ? margay_trace_ready(work->file, -1, error)
                               : status;
}

/* A task: the range of a thread. */
static void feed_range(void *context, size_t i)
{
    struct work *work = context;
    struct lane *lane = &work->lanes[i];
    struct margay_batch batch;
    margay_range *range;
    enum margay_status status = margay_trace_range(
        work->file, lane->begin, lane->count, &range, &lane->error);
    while (status == MARGAY_OK) {
        status = margay_range_next(range, &batch, &lane->error);
        if (status != MARGAY_OK)
            break;
        add_repeats(work, (unsigned)i, repeats_of(&batch));
        status = feed_batch(work, (unsigned)i, &batch, &lane->error);
    }
    margay_range_free(range);
    lane->status = status == MARGAY_END ? MARGAY_OK : status;
}

/* The references from `from` to `to`; whoever has the last ones of the file
   looks at its end, too. */
static enum margay_status file_phase(struct work *work, uint64_t from,
                                     uint64_t to, struct margay_error *error)
{
    const struct order *order = work->order;
    unsigned place = own_place(work);
    uint64_t begin = from + part_begin(to - from, place);
    uint64_t end = from + part_begin(to - from, place + 1);
    bool is_last =
        place + 1 == ranks->ranks && to == order->count && order->to_end;
    enum margay_status status =
        begin_phase(work, order->first + begin, end - begin, error);
    if (is_last)
        work->lanes[work->lane_count - 1].count = UINT64_MAX;
    if (status == MARGAY_OK && (is_last || end > begin))
        status = run_lanes(work, feed_range, error);
    return end_phase(work, status,
                     to<order->count, order->warmup> 0 && to == order->warmup,
                     error);
}

static enum margay_status analyse_file(struct work *work,
                                       struct margay_error *error)
{
    const struct order *order = work->order;
    uint64_t phase = work->options->phase_refs, at = 0;
    enum margay_status status = agree(open_file(work, error), error);
    while (status == MARGAY_OK) {
        uint64_t end = at < order->warmup ? order->warmup : order->count;
        if (phase != 0 && end - at > phase)
            end = at + phase;
        status = file_phase(work, at, end, error);
        at = end;
        if (at >= order->count)
            break;
    }
    return status;
}

/* ----------------------------------------- what rank 0 must read for all -- */

struct stream_phase {
    uint64_t count;
    bool has_extents, more, reset, failed;
};

static uint64_t stream_phase_refs(const struct options *options)
{
    uint64_t refs = USUAL_PART_REFS;
    if (options->phase_refs != 0)
        return options->phase_refs;
    if (options->chunk_refs != 0)
        refs = options->chunk_refs;
    return margay_multiply_u64(refs, ranks->ranks, &refs) ? refs : UINT64_MAX;
}

static enum margay_status reserve(struct work *work, uint64_t count,
                                  struct margay_error *error)
{
    uint64_t capacity = work->capacity;
    size_t bytes;
    if (count <= capacity)
        return MARGAY_OK;
    capacity = 2 * capacity + count;
    uint64_t *numbers = NULL;
    uint32_t *extents = NULL;
    if (margay_multiply_size(capacity, sizeof *numbers, &bytes)) {
        numbers = realloc(work->numbers, bytes);
        work->numbers = numbers == NULL ? work->numbers : numbers;
        extents = realloc(work->extents, bytes / 2);
        work->extents = extents == NULL ? work->extents : extents;
    }
    if (numbers == NULL || extents == NULL)
        return margay_fail_memory(error, "the references of a phase");
    work->capacity = capacity;
    return MARGAY_OK;
}

static enum margay_status keep_some(struct work *work, size_t count,
                                    struct margay_error *error)
{
    const struct margay_batch *batch = &work->batch;
    const struct margay_batch part = batch_part(batch, work->given, count);
    enum margay_status status = reserve(work, work->buffered + count, error);
    if (status != MARGAY_OK)
        return status;
    work->has_extents = batch->extents != NULL;
    work->warmup = batch->warmup;
    memcpy(work->numbers + work->buffered, batch->numbers + work->given,
           count * sizeof *work->numbers);
    if (work->has_extents)
        memcpy(work->extents + work->buffered, batch->extents + work->given,
               count * sizeof *work->extents);
    work->buffered += count;
    work->repeats += repeats_of(&part);
    work->given += count;
    return MARGAY_OK;
}

/* Read until the phase is full, the warm-up over, or the trace at its end; and
   see whether there is more. */
static enum margay_status fill_phase(struct work *work,
                                     struct margay_error *error)
{
    uint64_t most = stream_phase_refs(work->options);
    enum margay_status status = MARGAY_OK;
    work->buffered = 0;
    work->repeats = 0;
    while (status == MARGAY_OK) {
        size_t left = work->batch.references - work->given;
        if (left == 0) {
            status = margay_trace_next(work->trace, -1, &work->batch, error);
            work->given = 0;
            continue;
        }
        if (work->buffered == most ||
            (work->buffered > 0 && work->batch.warmup != work->warmup))
            return MARGAY_OK;
        uint64_t room = most - work->buffered;
        status = keep_some(work, left < room ? left : (size_t)room, error);
    }
    work->ended = status == MARGAY_END;
    return work->ended ? MARGAY_OK : status;
}

/* Ranks stand in the row as this one sees it, or the other way round. */
static unsigned place_of(const struct work *work, unsigned rank)
{
    bool turned = own_place(work) != ranks->rank;
    return turned ? ranks->ranks - 1 - rank : rank;
}

static void send_parts(const struct work *work,
                       const struct stream_phase *phase)
{
    for (unsigned i = 1; i < ranks->ranks; i++) {
        unsigned place = place_of(work, i);
        uint64_t begin = part_begin(phase->count, place);
        uint64_t count = part_begin(phase->count, place + 1) - begin;
        ranks->send(ranks->context, i, work->numbers + begin,
                    count * sizeof *work->numbers);
        if (phase->has_extents)
            ranks->send(ranks->context, i, work->extents + begin,
                        count * sizeof *work->extents);
    }
}

static void receive_part(struct work *work, const struct stream_phase *phase)
{
    unsigned place = own_place(work);
    uint64_t count =
        part_begin(phase->count, place + 1) - part_begin(phase->count, place);
    struct margay_error error;
    if (reserve(work, count, &error) != MARGAY_OK)
        ranks->give_up(ranks->context);
    ranks->receive(ranks->context, 0, work->numbers,
                   count * sizeof *work->numbers);
    if (phase->has_extents)
        ranks->receive(ranks->context, 0, work->extents,
                       count * sizeof *work->extents);
}

/* A task: what is here for a thread. */
static void feed_buffered(void *context, size_t i)
{
    struct work *work = context;
    struct lane *lane = &work->lanes[i];
    const struct margay_batch batch = {
        .references = (size_t)lane->count,
        .numbers = work->numbers + lane->begin,
        .extents = work->has_extents ? work->extents + lane->begin : NULL,
    };
    lane->status = feed_batch(work, (unsigned)i, &batch, &lane->error);
}

static enum margay_status feed_part(struct work *work,
                                    const struct stream_phase *phase,
                                    struct margay_error *error)
{
    unsigned place = own_place(work);
    uint64_t begin = part_begin(phase->count, place);
    uint64_t count = part_begin(phase->count, place + 1) - begin;
    /* A helper has its own part only. */
    uint64_t offset = ranks->rank == 0 ? begin : 0;
    work->has_extents = phase->has_extents;
    enum margay_status status = begin_phase(work, offset, count, error);
    if (status == MARGAY_OK)
        add_repeats(work, 0, work->repeats);
    return status == MARGAY_OK && count > 0
               ? run_lanes(work, feed_buffered, error)
               : status;
}

/* Rank 0 begins each phase by telling how much of what there is. */
static enum margay_status tell_phase(struct work *work,
                                     struct stream_phase *phase,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    memset(phase, 0, sizeof *phase);
    if (ranks->rank == 0) {
        status = fill_phase(work, error);
        phase->count = work->buffered;
        phase->has_extents = work->has_extents;
        phase->more = !work->ended;
        phase->reset = work->warmup && (work->ended || !work->batch.warmup);
        phase->failed = status != MARGAY_OK;
    }
    ranks->broadcast(ranks->context, phase, sizeof *phase);
    if (phase->failed && ranks->rank != 0)
        status = margay_fail(error, MARGAY_IO, "rank 0 cannot read on");
    return status;
}

static enum margay_status analyse_stream(struct work *work,
                                         struct margay_error *error)
{
    struct stream_phase phase;
    enum margay_status status;
    do {
        status = tell_phase(work, &phase, error);
        if (status != MARGAY_OK)
            return status;
        if (ranks->rank == 0)
            send_parts(work, &phase);
        else
            receive_part(work, &phase);
        status = feed_part(work, &phase, error);
        status = end_phase(work, status, phase.more, phase.reset, error);
    } while (status == MARGAY_OK && phase.more);
    return status;
}

/* --------------------------------------------------------- a whole trace -- */

static enum margay_status create_passes(struct work *work,
                                        struct margay_error *error)
{
    const struct options *options = work->options;
    enum margay_status status =
        margay_crew_create(options->threads, &work->crew, error);
    work->lanes = calloc(options->threads, sizeof *work->lanes);
    if (status == MARGAY_OK && work->lanes == NULL)
        status = margay_fail_memory(error, "the threads of a rank");
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK;
         i++) {
        const struct margay_engine_options engine_options = {
            .bound_blocks = work->order->passes[i].bound_blocks,
            .seed = options->seed,
            .threads = options->threads,
            .chunk_refs = options->chunk_refs,
            .phase_refs = options->phase_refs,
        };
        status = margay_cluster_create(ranks, options->engine, &engine_options,
                                       work->crew, &work->passes[i], error);
    }
    return agree(status, error);
}

/* On all ranks.  Rank 0 gives an open trace and gets results. */
static enum margay_status do_work(const struct options *options,
                                  const struct order *order,
                                  margay_trace *trace,
                                  struct margay_result *results,
                                  struct margay_error *error)
{
    struct work *work = calloc(1, sizeof *work);
    if (work == NULL)
        ranks->give_up(ranks->context);
    work->options = options;
    work->order = order;
    work->trace = trace;
    enum margay_status status = create_passes(work, error);
    if (status == MARGAY_OK && order->from_file)
        status = analyse_file(work, error);
    else if (status == MARGAY_OK)
        status = analyse_stream(work, error);
    for (size_t i = 0; i < order->pass_count; i++) {
        if (status == MARGAY_OK)
            margay_cluster_finish(work->passes[i], &results[i]);
        margay_cluster_free(work->passes[i]);
    }
    margay_trace_free(work->file);
    margay_crew_free(work->crew);
    free(work->lanes);
    free(work->numbers);
    free(work->extents);
    free(work);
    return status;
}

int cluster_serve(const struct options *options)
{
    static struct order order;
    for (;;) {
        struct margay_result results[MAX_PASSES]; /* empty ones */
        struct margay_error error;
        ranks->broadcast(ranks->context, &order, sizeof order);
        if (order.leave)
            return order.exit_status;
        do_work(options, &order, NULL, results, &error);
    }
}

/* ------------------------------------------------------------------ rank 0 --
 */

bool cluster_shares(const struct options *options,
                    const struct analysis_hooks *hooks)
{
    struct margay_engine_options engine_options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    if (ranks == NULL || ranks->ranks == 1 || hooks->no_engine ||
        hooks->batch != NULL || hooks->chunk != NULL ||
        options->measure != MARGAY_REUSE_DISTANCES)
        return false;
    engine_options.bound_blocks = options->bound.given ? 1 : 0;
    if (margay_engine_create(options->engine, &engine_options, &engine, NULL) !=
        MARGAY_OK)
        return false;
    bool takes = margay_cluster_takes(engine);
    margay_engine_free(engine);
    return takes;
}

static void fill_order(const struct trace_run *run, size_t trace,
                       struct order *order)
{
    const struct options *options = run->options;
    uint64_t refs;
    memset(order, 0, sizeof *order);
    order->trace = trace;
    order->from_file = margay_trace_known_references(run->trace, &refs) &&
                       trace_run_has_ranges(run) && strcmp(run->name, "-") != 0;
    order->counts = trace_run_takes_counts(run);
    strncpy(order->format, margay_trace_format(run->trace)->name,
            sizeof order->format - 1);
    order->first = options->skip_refs < refs ? options->skip_refs : refs;
    order->count = refs - order->first;
    order->to_end = options->limit_refs > order->count;
    if (options->limit_refs < order->count)
        order->count = options->limit_refs;
    order->warmup = options->warmup_refs < order->count ? options->warmup_refs
                                                        : order->count;
    order->pass_count = run->pass_count;
    for (size_t i = 0; i < run->pass_count; i++) {
        order->passes[i].bound_blocks = run->passes[i].bound_blocks;
        order->passes[i].shift = run->passes[i].shift;
        order->passes[i].split = run->passes[i].split;
    }
}

static enum margay_status share_trace(struct trace_run *run, size_t trace,
                                      struct margay_error *error)
{
    static struct order order;
    struct margay_result results[MAX_PASSES];
    enum margay_status status = trace_run_begin(run, error);
    if (status != MARGAY_OK)
        return status;
    /* They were for what can be known to fail beforehand. */
    for (size_t i = 0; i < run->pass_count; i++) {
        margay_engine_free(run->passes[i].engine);
        run->passes[i].engine = NULL;
    }
    fill_order(run, trace, &order);
    ranks->broadcast(ranks->context, &order, sizeof order);
    status = do_work(run->options, &order, run->trace, results, error);
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        run->passes[i].result = results[i];
        run->passes[i].fed_refs = results[i].references;
        run->passes[i].seconds = progress_seconds(&run->progress);
    }
    return status == MARGAY_OK ? trace_run_end(run, error) : status;
}

enum margay_status cluster_run(const struct options *options,
                               const struct analysis_hooks *hooks,
                               void *context, struct margay_error *error)
{
    size_t count = options->operand_count == 0 ? 1 : options->operand_count;
    const atomic_bool never = false;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        struct trace_run *run = calloc(1, sizeof *run);
        if (run == NULL)
            return margay_fail_memory(error, "the analysis");
        run->options = options;
        run->hooks = hooks;
        run->context = context;
        run->name = options->operand_count == 0 ? "-" : options->operands[i];
        run->threads = options->threads;
        run->stop = &never;
        status = share_trace(run, i, error);
        trace_run_release(run);
        free(run);
    }
    return status;
}
