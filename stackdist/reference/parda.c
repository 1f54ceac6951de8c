/*
 * parda.c - parts of the trace at the same time
 *
 * Algorithm: the trace is cut into as many consecutive parts as there are
 *   threads.  Each is analysed by itself, with a splay tree, and the parts
 *   before it answer for the first touches of its blocks (part.h, row.h).  With
 *   phases=on this is done for every phase of the trace, and the stack at the
 *   end of a phase is that at the beginning of the first part of the next.
 *   With phases=off the whole trace is kept in memory and is one phase.
 * Source: Niu, Dinan, Lu, Sadayappan, "PARDA: a fast parallel reuse distance
 *   analysis algorithm", IPDPS 2012, Algorithms 3 to 7 (see part.h and
 *   docs/inside/engines.md, also for corrections).
 * Guarantee: exact; with a bound exact up to it.
 * Cost: O(N log M / p + p M) time on p threads; O(M + phase) space with
 *   merge=space and phases=on, O(p M) with merge=plain.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/parts/row.h"
#include "stackdist/reference/tally.h"

/* References of a part, unless the stack has more blocks. */
#define USUAL_PART_REFS ((uint64_t)1 << 18)

struct parda {
    struct margay_tally tally;
    struct margay_engine_options options; /* of a part's engine */
    bool plain, phases;
    unsigned part_count;
    uint64_t fixed_phase_refs; /* 0 = chosen by the size of the stack */
    margay_crew *crew;

    uint64_t *refs; /* the references of the phase so far */
    size_t ref_count, ref_capacity;

    uint64_t *stack; /* at the end of the last phase, the oldest block first */
    bool failed;     /* in reset_counts(), which cannot say so itself */

    struct margay_row row; /* in a phase */
};

static void destroy(void *state)
{
    struct parda *parda = state;
    margay_crew_free(parda->crew);
    margay_tally_destroy(&parda->tally);
    free(parda->refs);
    free(parda->stack);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct parda *parda = state;
    parda->plain = setup->settings.choices[0] == 1;
    parda->phases = setup->settings.choices[1] == 0;
    parda->options = setup->options;
    parda->options.threads = 1;
    parda->part_count =
        (unsigned)margay_minimum(setup->options.threads, MARGAY_ROW_MAX_PARTS);
    uint64_t refs = setup->options.phase_refs;
    if (refs == 0 && setup->options.chunk_refs != 0 &&
        !margay_multiply_u64(setup->options.chunk_refs, parda->part_count,
                             &refs))
        refs = UINT64_MAX;
    parda->fixed_phase_refs = refs;
    enum margay_status status =
        margay_tally_create(&parda->tally, setup->options.bound_blocks, error);
    parda->tally.has_nodes = true;
    if (status == MARGAY_OK)
        status = margay_crew_create(parda->part_count, &parda->crew, error);
    return status;
}

/* --------------------------------------------------------------- a phase -- */

/* A task of the crew: part i, by itself. */
static void feed_part(void *context, size_t i)
{
    struct parda *parda = context;
    size_t from = parda->ref_count * i / parda->part_count;
    size_t to = parda->ref_count * (i + 1) / parda->part_count;
    parda->row.statuses[i] = margay_part_feed(
        &parda->row.parts[i], parda->refs + from, to - from, NULL);
}

/* Keep the newest place of each block, where parts share blocks, and with a
   bound only the newest blocks; the oldest comes first. */
static enum margay_status keep_newest(struct parda *parda, uint64_t *blocks,
                                      uint64_t *count)
{
    struct margay_hash known = {.entries = 0};
    uint64_t at = *count;
    enum margay_status status = MARGAY_OK;
    if (parda->plain)
        status = margay_hash_create(&known, *count, NULL);
    for (uint64_t i = *count; status == MARGAY_OK && i-- > 0;) {
        if (parda->plain) {
            uint32_t *value = margay_hash_insert(&known, blocks[i]);
            if (*value != 0)
                continue;
            *value = 1;
        }
        if (*count - at == parda->tally.bound)
            parda->tally.exceeded = true;
        else
            blocks[--at] = blocks[i];
    }
    margay_hash_destroy(&known);
    *count -= at;
    memmove(blocks, blocks + at, *count * sizeof *blocks);
    return status;
}

static enum margay_status analyse(struct parda *parda)
{
    struct margay_row *row = &parda->row;
    const struct margay_part_setup setup = {
        .spec = "olken",
        .options = &parda->options,
        .first = true,
        .plain = parda->plain,
        .blocks = parda->stack,
        .block_count = parda->tally.blocks,
    };
    enum margay_status status =
        margay_row_begin(row, &setup, parda->part_count, parda->crew, NULL);
    if (status == MARGAY_OK) {
        margay_crew_run(parda->crew, feed_part, parda, row->count);
    }
    for (unsigned i = 0; i < row->count && status == MARGAY_OK; i++)
        status = row->statuses[i];
    if (status == MARGAY_OK)
        status = margay_row_close(row, row->count, NULL);
    uint64_t *blocks = NULL, count;
    if (status == MARGAY_OK)
        status = margay_row_list(row, &blocks, &count, NULL);
    if (status == MARGAY_OK)
        status = keep_newest(parda, blocks, &count);
    if (status == MARGAY_OK) {
        free(parda->stack);
        parda->stack = blocks;
        parda->tally.blocks = count;
    } else {
        free(blocks);
    }
    if (status == MARGAY_OK)
        status = margay_row_end(row, parda->tally.histogram, NULL);
    parda->tally.exceeded = parda->tally.exceeded || row->exceeded;
    margay_row_free(row);
    return status;
}

/* Analyse the references that have been kept so far. */
static enum margay_status run_phase(struct parda *parda,
                                    struct margay_error *error)
{
    if (parda->ref_count == 0)
        return MARGAY_OK;
    enum margay_status status = analyse(parda);
    parda->ref_count = 0;
    return status == MARGAY_OK
               ? MARGAY_OK
               : margay_fail_memory(error, "the parts of a trace");
}

/* ------------------------------------------------------- the engine -- */

/* Passing on the stack costs as much as a reference to each of its blocks. */
static uint64_t phase_refs(const struct parda *parda)
{
    uint64_t refs = USUAL_PART_REFS * parda->part_count;
    if (!parda->phases)
        return SIZE_MAX / sizeof *parda->refs;
    if (parda->fixed_phase_refs != 0)
        return parda->fixed_phase_refs;
    return refs > parda->tally.blocks ? refs : parda->tally.blocks;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct parda *parda = state;
    enum margay_status status = MARGAY_OK;
    (void)distances;
    while (count > 0 && status == MARGAY_OK) {
        uint64_t room = phase_refs(parda) - parda->ref_count;
        size_t some = count < room ? count : (size_t)room;
        if (!MARGAY_MAKE_ROOM(parda->refs, parda->ref_count, some,
                              parda->ref_capacity))
            return margay_fail_memory(error, "the references of a phase");
        memcpy(parda->refs + parda->ref_count, blocks, some * sizeof *blocks);
        parda->ref_count += some;
        blocks += some;
        count -= some;
        if (some == room)
            status = run_phase(parda, error);
    }
    return status;
}

static void reset_counts(void *state)
{
    struct parda *parda = state;
    if (run_phase(parda, NULL) != MARGAY_OK)
        parda->failed = true;
    margay_histogram_clear(parda->tally.histogram);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct parda *parda = state;
    enum margay_status status = run_phase(parda, error);
    if (status == MARGAY_OK && parda->failed)
        status = margay_fail_memory(error, "the parts of a trace");
    return status == MARGAY_OK ? margay_tally_peek(parda, result, error)
                               : status;
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct parda *parda = state;
    enum margay_status status = run_phase(parda, error);
    if (status != MARGAY_OK)
        return status;
    *count = parda->tally.blocks;
    *blocks = malloc((parda->tally.blocks + 1) * sizeof **blocks);
    if (*blocks == NULL)
        return margay_fail_memory(error, "the state of the parda engine");
    if (*count > 0)
        memcpy(*blocks, parda->stack, parda->tally.blocks * sizeof **blocks);
    return MARGAY_OK;
}

const struct margay_engine_class margay_engine_parda = {
    .info = {.name = "parda",
             .exact = true,
             .guarantee = "exact",
             .parameters = "merge=space|plain,phases=on|off",
             .time = "O(N log M)",
             .space = "O(M)",
             .source = "Niu et al. 2012"},
    .can = MARGAY_GIVES_COUNTS | MARGAY_CAN_TAKE_BOUND | MARGAY_CAN_USE_THREADS,
    MARGAY_ENGINE_FUNCTIONS(struct parda),
    .peek = finish,
    .list_stack = list_stack,
    .adopt = margay_tally_adopt,
};
