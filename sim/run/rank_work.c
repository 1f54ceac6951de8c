/* rank_work.c - what a rank of a cluster does for a trace */
#include "sim/run/rank_work.h"

#include <string.h>

/* Fewer references are not worth another thread. */
#define LEAST_THREAD_REFS ((uint64_t)1 << 16)

enum margay_status margay_rank_agree(struct margay_rank_work *work,
                                     enum margay_status status,
                                     struct margay_error *error)
{
    struct margay_error theirs;
    memset(&theirs, 0, sizeof theirs);
    if (status != MARGAY_OK)
        theirs = *error;
    theirs.status = status;
    if (work->ranks->rank != 0)
        work->ranks->send(work->ranks->context, 0, &theirs, sizeof theirs);
    for (unsigned i = 1; work->ranks->rank == 0 && i < work->ranks->ranks;
         i++) {
        struct margay_error other;
        work->ranks->receive(work->ranks->context, i, &other, sizeof other);
        if (theirs.status == MARGAY_OK)
            theirs = other;
    }
    work->ranks->broadcast(work->ranks->context, &theirs, sizeof theirs);
    if (theirs.status != MARGAY_OK)
        *error = theirs;
    return theirs.status;
}

uint64_t margay_rank_share(const struct margay_rank_work *work, uint64_t count,
                           unsigned place)
{
    return count / work->ranks->ranks * place +
           count % work->ranks->ranks * place / work->ranks->ranks;
}

unsigned margay_rank_own_place(const struct margay_rank_work *work)
{
    return margay_cluster_position(work->passes[0]);
}

static enum margay_status feed_pass(struct margay_rank_work *work,
                                    unsigned part, size_t i,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    struct margay_span_walk walk = {
        .batch = batch,
        .shift = work->order->passes[i].shift,
        .splits = work->order->passes[i].splits,
        .store = &work->parts[part].store,
    };
    struct margay_span span;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK) {
        status = margay_span_next(&walk, &span, error);
        if (status != MARGAY_OK)
            break;
        margay_cluster_add_repeats(work->passes[i], part, span.repeats);
        status = margay_cluster_feed(work->passes[i], part, span.blocks,
                                     span.count, error);
    }
    return status == MARGAY_END ? MARGAY_OK : status;
}

enum margay_status margay_rank_feed_batch(struct margay_rank_work *work,
                                          unsigned part,
                                          const struct margay_batch *batch,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, some; done < batch->references && status == MARGAY_OK;
         done += some)
        status = margay_batch_take(batch, done, work->order->passes[0].shift,
                                   work->order->passes[0].splits,
                                   work->request->traces[work->order->trace],
                                   &some, error);
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = feed_pass(work, part, i, batch, error);
    return status;
}

enum margay_status margay_rank_begin_phase(struct margay_rank_work *work,
                                           uint64_t begin, uint64_t count,
                                           struct margay_error *error)
{
    uint64_t least = work->request->chunk_refs;
    uint64_t parts = count / (least != 0 ? least : LEAST_THREAD_REFS);
    if (parts > work->threads)
        parts = work->threads;
    if (parts > MARGAY_ROW_MAX_PARTS)
        parts = MARGAY_ROW_MAX_PARTS;
    work->part_count = parts < 1 ? 1 : (unsigned)parts;
    for (unsigned i = 0; i < work->part_count; i++) {
        uint64_t each = count / work->part_count;
        work->parts[i].begin = begin + each * i;
        work->parts[i].count =
            i + 1 < work->part_count ? each : count - each * i;
    }
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = margay_cluster_begin_phase(work->passes[i], work->part_count,
                                            count, error);
    return status;
}

enum margay_status margay_rank_run_parts(struct margay_rank_work *work,
                                         void (*feed)(void *work, size_t part),
                                         struct margay_error *error)
{
    margay_crew_start(work->crew, feed, work, work->part_count);
    margay_crew_finish(work->crew);
    for (unsigned i = 0; i < work->part_count; i++) {
        if (work->parts[i].status == MARGAY_OK)
            continue;
        *error = work->parts[i].error;
        return work->parts[i].status;
    }
    return MARGAY_OK;
}

enum margay_status margay_rank_end_phase(struct margay_rank_work *work,
                                         enum margay_status status, bool more,
                                         bool reset, struct margay_error *error)
{
    status = margay_rank_agree(work, status, error);
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK;
         i++) {
        margay_cluster_end_phase(work->passes[i], more);
        if (reset)
            margay_cluster_reset_counts(work->passes[i]);
    }
    return status;
}
