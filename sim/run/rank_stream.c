/*
 * rank_stream.c - a trace that rank 0 reads for all ranks
 *
 * Rank 0 fills a phase, sends each rank its share, and all analyse it.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/batches.h"
#include "sim/run/rank_work.h"

/* Of what rank 0 reads for all, the references for each in a phase. */
#define USUAL_PART_REFS ((uint64_t)1 << 20)

struct stream_phase {
    uint64_t count;
    bool has_extents, more, reset, failed;
};

static uint64_t stream_phase_refs(const struct margay_rank_work *work)
{
    const struct margay_request *request = work->request;
    uint64_t refs = USUAL_PART_REFS;
    if (request->phase_refs != 0)
        return request->phase_refs;
    if (request->chunk_refs != 0)
        refs = request->chunk_refs;
    return margay_multiply_u64(refs, work->ranks->ranks, &refs) ? refs
                                                                : UINT64_MAX;
}

static enum margay_status reserve(struct margay_rank_work *work, uint64_t count,
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

static enum margay_status keep_some(struct margay_rank_work *work, size_t count,
                                    struct margay_error *error)
{
    const struct margay_batch *batch = &work->batch;
    const struct margay_batch part =
        margay_batch_part(batch, work->given, count);
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
    work->repeats += margay_batch_references(&part) - part.references;
    work->given += count;
    return MARGAY_OK;
}

/* Read until the phase is full, the warm-up over, or the trace at its end; and
   see whether there is more. */
static enum margay_status fill_phase(struct margay_rank_work *work,
                                     struct margay_error *error)
{
    uint64_t most = stream_phase_refs(work);
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
static unsigned place_of(const struct margay_rank_work *work, unsigned rank)
{
    bool turned = margay_rank_own_place(work) != work->ranks->rank;
    return turned ? work->ranks->ranks - 1 - rank : rank;
}

static void send_parts(const struct margay_rank_work *work,
                       const struct stream_phase *phase)
{
    for (unsigned i = 1; i < work->ranks->ranks; i++) {
        unsigned place = place_of(work, i);
        uint64_t begin = margay_rank_share(work, phase->count, place);
        uint64_t count =
            margay_rank_share(work, phase->count, place + 1) - begin;
        work->ranks->send(work->ranks->context, i, work->numbers + begin,
                          count * sizeof *work->numbers);
        if (phase->has_extents)
            work->ranks->send(work->ranks->context, i, work->extents + begin,
                              count * sizeof *work->extents);
    }
}

static void receive_part(struct margay_rank_work *work,
                         const struct stream_phase *phase)
{
    unsigned place = margay_rank_own_place(work);
    uint64_t count = margay_rank_share(work, phase->count, place + 1) -
                     margay_rank_share(work, phase->count, place);
    struct margay_error error;
    if (reserve(work, count, &error) != MARGAY_OK)
        work->ranks->give_up(work->ranks->context);
    work->ranks->receive(work->ranks->context, 0, work->numbers,
                         count * sizeof *work->numbers);
    if (phase->has_extents)
        work->ranks->receive(work->ranks->context, 0, work->extents,
                             count * sizeof *work->extents);
}

/* A task: what is here for a thread. */
static void feed_buffered(void *context, size_t i)
{
    struct margay_rank_work *work = context;
    struct margay_rank_part *part = &work->parts[i];
    const struct margay_batch batch = {
        .references = (size_t)part->count,
        .numbers = work->numbers + part->begin,
        .extents = work->has_extents ? work->extents + part->begin : NULL,
    };
    /* It makes no difference which thread counts the repeats. */
    for (size_t k = 0; i == 0 && k < work->order->pass_count; k++)
        margay_cluster_add_repeats(work->passes[k], 0, work->repeats);
    part->status =
        margay_rank_feed_batch(work, (unsigned)i, &batch, &part->error);
}

static enum margay_status feed_part(struct margay_rank_work *work,
                                    const struct stream_phase *phase,
                                    struct margay_error *error)
{
    unsigned place = margay_rank_own_place(work);
    uint64_t begin = margay_rank_share(work, phase->count, place);
    uint64_t count = margay_rank_share(work, phase->count, place + 1) - begin;
    /* A helper has its own part only. */
    uint64_t offset = work->ranks->rank == 0 ? begin : 0;
    work->has_extents = phase->has_extents;
    enum margay_status status =
        margay_rank_begin_phase(work, offset, count, error);
    return status == MARGAY_OK && (count > 0 || work->repeats > 0)
               ? margay_rank_run_parts(work, feed_buffered, error)
               : status;
}

/* Rank 0 begins each phase by telling its length and its columns. */
static enum margay_status tell_phase(struct margay_rank_work *work,
                                     struct stream_phase *phase,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    memset(phase, 0, sizeof *phase);
    if (work->ranks->rank == 0) {
        status = fill_phase(work, error);
        phase->count = work->buffered;
        phase->has_extents = work->has_extents;
        phase->more = !work->ended;
        phase->reset = work->warmup && (work->ended || !work->batch.warmup);
        phase->failed = status != MARGAY_OK;
    }
    work->ranks->broadcast(work->ranks->context, phase, sizeof *phase);
    if (phase->failed && work->ranks->rank != 0)
        status = margay_fail(error, MARGAY_IO, "rank 0 cannot read on");
    return status;
}

enum margay_status margay_rank_analyse_stream(struct margay_rank_work *work,
                                              struct margay_error *error)
{
    struct stream_phase phase;
    enum margay_status status;
    do {
        status = tell_phase(work, &phase, error);
        if (status != MARGAY_OK)
            return status;
        if (work->ranks->rank == 0)
            send_parts(work, &phase);
        else
            receive_part(work, &phase);
        status = feed_part(work, &phase, error);
        status =
            margay_rank_end_phase(work, status, phase.more, phase.reset, error);
    } while (status == MARGAY_OK && phase.more);
    return status;
}
