/* transfer.c - the exact engine on a device: the kernels of a transfer */
#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/exact.h"
#include "stackdist/gpu/launch.h"
#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* Nodes are divided until they have 2^this values at most; in those, all are
   compared with all.  A tile must not be larger than the smallest node that is
   divided, of 2^(this + 1). */
#define SMALL_NODE_BITS 9

/* Counts that are downloaded at a time. */
#define PIECE_COUNTS 65536u

/* ---------------------------------------------------------- first half -- */

/* Everything up to the number of reuses. */
static void begin_piece(struct margay_gpu_exact *e)
{
    uint32_t count = e->stack_refs + e->piece.refs;
    uint32_t tiles = margay_gpu_tiles(count);
    LAUNCH(e->gpu, begin_sort, tiles, B(e->stack), N(e->stack_refs),
           B(e->transfers[e->piece.slot]), N(e->piece.first), N(count),
           B(e->pair[0].keys), B(e->pair[0].owners));
    unsigned sorted =
        margay_gpu_sort(e->gpu, e->pair, count, e->varying, &e->scratch);
    LAUNCH(e->gpu, link_refs, tiles, B(e->pair[sorted].keys),
           B(e->pair[sorted].owners), N(count), B(e->previous), B(e->reuses),
           B(e->nexts));
    margay_gpu_scan(e->gpu, &e->reuses, count, &e->scratch, &e->result, 0);
    margay_gpu_scan(e->gpu, &e->nexts, count, &e->scratch, &e->result, 1);
    if (e->piece.want_distances)
        margay_gpu_fill(e->gpu, &e->distances, e->piece.refs, UINT32_MAX);
    e->piece.is_there = true;
}

/* --------------------------------------------------------- second half -- */

/* Values of how many bits have 0 .. count - 1? */
static unsigned bits_of(uint32_t count)
{
    return count <= 1 ? 0 : margay_log2_floor(count - 1) + 1;
}

/* Count, for each reuse, the smaller values before it; the distances are the
   outcome. */
static void count_smaller(struct margay_gpu_exact *e, uint32_t reuses)
{
    uint32_t tiles = margay_gpu_tiles(reuses);
    unsigned bits = bits_of(reuses), from = 0;
    while (bits > SMALL_NODE_BITS) {
        const struct margay_gpu_reuses *in = &e->moving[from];
        const struct margay_gpu_reuses *out = &e->moving[!from];
        bits -= DIGIT_BITS;
        LAUNCH(e->gpu, node_count, tiles, B(in->values), N(reuses), N(bits),
               B(e->scratch.totals), N(tiles));
        margay_gpu_scan(e->gpu, &e->scratch.totals, tiles * DIGITS, &e->scratch,
                        &e->result, 0);
        LAUNCH(e->gpu, node_move, tiles, B(in->values), B(in->counts),
               B(in->owners), B(out->values), B(out->counts), B(out->owners),
               N(reuses), N(bits), B(e->scratch.totals), N(tiles));
        from = !from;
    }
    LAUNCH(e->gpu, node_finish, tiles, B(e->moving[from].values),
           B(e->moving[from].counts), B(e->moving[from].owners), N(reuses),
           N(bits), N(e->limit), B(e->low), B(e->high), B(e->distances),
           N(e->piece.want_distances));
}

static void finish_piece(struct margay_gpu_exact *e, uint32_t reuses)
{
    uint32_t count = e->stack_refs + e->piece.refs, live = count - reuses;
    uint32_t tiles = margay_gpu_tiles(count);
    uint32_t drop = live > e->tally.bound ? live - (uint32_t)e->tally.bound : 0;
    struct margay_gpu_buffer old = e->stack;
    LAUNCH(e->gpu, gather_reuses, tiles, B(e->previous), B(e->reuses),
           B(e->nexts), N(e->stack_refs), N(count), B(e->moving[0].values),
           B(e->moving[0].counts), B(e->moving[0].owners));
    LAUNCH(e->gpu, make_stack, tiles, B(e->stack), N(e->stack_refs),
           B(e->transfers[e->piece.slot]), N(e->piece.first), N(count),
           B(e->nexts), N(reuses), N(drop), B(e->new_stack));
    count_smaller(e, reuses);
    e->stack = e->new_stack;
    e->new_stack = old;
    e->stack_refs = live - drop;
    e->tally.exceeded |= drop != 0;
    e->deepest = e->deepest > live ? e->deepest : live;
    e->cold += e->piece.refs - reuses;
    e->settled += reuses;
    e->piece.is_there = false;
}

enum margay_status margay_gpu_exact_settle(struct margay_gpu_exact *e,
                                           struct margay_error *error)
{
    uint32_t result[2];
    if (!e->piece.is_there)
        return MARGAY_OK;
    enum margay_status status = margay_gpu_download(
        e->gpu, &e->result, 0, result, sizeof result, error);
    if (status != MARGAY_OK)
        return status;
    /* Every reference with a previous one is the next one of that. */
    if (result[0] != result[1] || result[0] > e->piece.refs)
        return margay_fail(
            error, MARGAY_IO,
            "gpu: %s computes wrongly: %u references have a previous "
            "one and %u a next one, of %u",
            margay_gpu_name(e->gpu), result[0], result[1], e->piece.refs);
    finish_piece(e, result[0]);
    return MARGAY_OK;
}

/* ------------------------------------------------------------ transfers -- */

static enum margay_status take_distances(struct margay_gpu_exact *e,
                                         uint64_t *distances, uint32_t refs,
                                         struct margay_error *error)
{
    /* The short ones into the upper half of the long ones. */
    uint32_t *from = (uint32_t *)distances + refs;
    enum margay_status status = margay_gpu_download(
        e->gpu, &e->distances, 0, from, (size_t)refs * sizeof *from, error);
    for (uint32_t i = 0; i < refs && status == MARGAY_OK; i++) {
        uint32_t distance;
        memcpy(&distance, from + i, sizeof distance);
        uint64_t wide = distance == UINT32_MAX ? MARGAY_INFINITE : distance;
        memcpy(distances + i, &wide, sizeof wide);
    }
    return status;
}

static enum margay_status grow_transfers(struct margay_gpu_exact *e,
                                         struct margay_error *error)
{
    uint32_t most = e->most_transfer_refs;
    if (!e->keep_transfer && e->stack_refs > most)
        most = e->stack_refs;
    if (e->is_tight || e->transfer_refs >= most)
        return MARGAY_OK;
    enum margay_status status = margay_gpu_exact_settle(e, error);
    if (status != MARGAY_OK)
        return status;
    e->transfer_refs =
        e->transfer_refs < most / 2 ? 2 * e->transfer_refs : most;
    /* Nothing queued may still read what is to be released. */
    status = margay_gpu_exact_collect(e, error);
    if (status == MARGAY_OK)
        status = margay_gpu_exact_make_transfers(e, error);
    return status;
}

enum margay_status margay_gpu_exact_submit(struct margay_gpu_exact *e,
                                           uint64_t *distances,
                                           struct margay_error *error)
{
    uint32_t filled = e->filled, refs;
    unsigned slot = e->slot;
    /* This waits for the first half of the transfer before, so the one that
       was in this slot is through. */
    enum margay_status status = margay_gpu_exact_settle(e, error);
    margay_gpu_upload(e->gpu, &e->transfers[slot], &e->staging[slot],
                      (size_t)filled * sizeof(uint64_t));
    margay_gpu_await_uploads(e->gpu);
    e->filled = 0;
    e->slot = !slot;
    for (uint32_t at = 0; at < filled && status == MARGAY_OK; at += refs) {
        refs = filled - at;
        status = margay_gpu_exact_settle(e, error);
        if (status == MARGAY_OK)
            status = margay_gpu_exact_reserve(e, &refs, error);
        if (status != MARGAY_OK)
            return status;
        e->piece.want_distances = distances != NULL;
        e->piece.slot = slot;
        e->piece.first = at;
        e->piece.refs = refs;
        begin_piece(e);
        if (distances != NULL)
            status = margay_gpu_exact_settle(e, error);
        if (distances != NULL && status == MARGAY_OK)
            status = take_distances(e, distances + at, refs, error);
    }
    if (status == MARGAY_OK && filled == e->transfer_refs)
        status = grow_transfers(e, error);
    return status;
}

/* --------------------------------------------------------------- counts -- */

/* Add counts of distances from `first` on to the histogram; *sum of them. */
static enum margay_status add_counts(struct margay_gpu_exact *e, uint32_t first,
                                     const uint32_t *low, const uint32_t *high,
                                     uint32_t count, uint64_t *sum,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (uint32_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t number = low[i] | (uint64_t)high[i] << 32;
        uint64_t distance = first + i;
        *sum += number;
        if (distance >= e->tally.bound)
            distance = MARGAY_INFINITE;
        if (number != 0)
            status = margay_histogram_add(e->tally.histogram, distance, number,
                                          error);
    }
    return status;
}

/* Counts of all distances through `last`, a piece at a time. */
static enum margay_status download_counts(struct margay_gpu_exact *e,
                                          uint32_t last, uint64_t *sum,
                                          struct margay_error *error)
{
    uint32_t *counts = malloc(2 * PIECE_COUNTS * sizeof *counts);
    enum margay_status status = MARGAY_OK;
    if (counts == NULL)
        return margay_fail_memory(error, "counts of distances");
    for (uint64_t at = 0; at <= last && status == MARGAY_OK;
         at += PIECE_COUNTS) {
        uint64_t some = last + UINT64_C(1) - at;
        some = some < PIECE_COUNTS ? some : PIECE_COUNTS;
        size_t bytes = (size_t)some * sizeof *counts;
        size_t offset = (size_t)at * sizeof *counts;
        status =
            margay_gpu_download(e->gpu, &e->low, offset, counts, bytes, error);
        if (status == MARGAY_OK)
            status = margay_gpu_download(e->gpu, &e->high, offset,
                                         counts + PIECE_COUNTS, bytes, error);
        if (status == MARGAY_OK)
            status = add_counts(e, (uint32_t)at, counts, counts + PIECE_COUNTS,
                                (uint32_t)some, sum, error);
    }
    free(counts);
    return status;
}

enum margay_status margay_gpu_exact_collect(struct margay_gpu_exact *e,
                                            struct margay_error *error)
{
    uint64_t sum = 0;
    if (e->low.bytes == 0)
        return MARGAY_OK;
    uint32_t last = e->deepest < e->limit ? e->deepest : e->limit;
    enum margay_status status = download_counts(e, last, &sum, error);
    if (status == MARGAY_OK && sum != e->settled)
        status = margay_fail(error, MARGAY_IO,
                             "gpu: %s computes wrongly: it has counted %llu "
                             "distances of %llu",
                             margay_gpu_name(e->gpu), (unsigned long long)sum,
                             (unsigned long long)e->settled);
    if (status != MARGAY_OK)
        return status;
    e->settled = 0;
    margay_gpu_fill(e->gpu, &e->low, last + 1, 0);
    margay_gpu_fill(e->gpu, &e->high, last + 1, 0);
    return MARGAY_OK;
}
