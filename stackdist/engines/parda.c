/*
 * parda.c - parts of the trace at the same time
 *
 * Algorithm: the trace is cut into as many consecutive parts as there are
 *   threads.  Each is analysed by itself, with a splay tree; what a part does
 *   not know about, the first touches of its blocks, the parts before it are
 *   asked about (part.h).  With phases=on this happens again and again, with
 *   as much of the trace as has come; the stack is then handed to the part
 *   that goes on in the next phase.  With phases=off the whole trace is kept
 *   and cut once.
 * Source: Niu, Dinan, Lu, Sadayappan, "PARDA: a fast parallel reuse distance
 *   analysis algorithm", IPDPS 2012, Algorithms 3 to 7 (see part.h and
 *   docs/algorithms.md, also for what had to be put right).
 * Guarantee: exact; with a bound exact up to it.
 * Cost: O(N log M / p + p M) time on p threads; O(M + phase) space with
 *   merge=space and phases=on, O(p M) with merge=plain.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/hash/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/parallel/part.h"
#include "stackdist/tally.h"
#include "traces/traces_internal.h"

/* References of a part, unless there is more to remember than that. */
#define USUAL_PART_REFS ((uint64_t)1 << 18)
#define MOST_PARTS      64

struct parda {
    struct margay_engine_options options; /* of a part's engine */
    bool plain, phases;
    size_t part_count;
    uint64_t fixed_phase_refs; /* 0 = as seems best */
    margay_crew *crew;

    uint64_t *refs; /* the phase so far */
    size_t ref_count, ref_capacity;

    uint64_t *stack; /* at the end of the last phase, the oldest block first */
    uint64_t stack_count;
    struct margay_tally tally;
    bool failed; /* where nobody could be told */

    struct margay_part parts[MOST_PARTS];
    enum margay_status statuses[MOST_PARTS];
};

static void free_state(void *state)
{
    struct parda *parda = state;
    margay_crew_free(parda->crew);
    for (size_t i = 0; i < MOST_PARTS; i++)
        margay_part_free(&parda->parts[i]);
    margay_tally_destroy(&parda->tally);
    free(parda->refs);
    free(parda->stack);
    free(parda);
}

static uint64_t choose_phase(const struct margay_engine_options *options,
                             size_t parts)
{
    uint64_t refs = options->phase_refs;
    if (refs == 0 && options->chunk_refs != 0 &&
        !margay_multiply_u64(options->chunk_refs, parts, &refs))
        refs = UINT64_MAX;
    return refs;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void **state, struct margay_error *error)
{
    struct parda *parda = calloc(1, sizeof *parda);
    if (parda == NULL)
        return margay_fail_memory(error, "the parda engine");
    parda->plain = setup->choices[0] == 1;
    parda->phases = setup->choices[1] == 0;
    parda->options = setup->options;
    parda->options.threads = 1;
    parda->part_count = setup->options.threads;
    if (parda->part_count > MOST_PARTS)
        parda->part_count = MOST_PARTS;
    parda->fixed_phase_refs = choose_phase(&setup->options, parda->part_count);
    enum margay_status status =
        margay_tally_create(&parda->tally, setup->options.bound_blocks, error);
    if (status == MARGAY_OK)
        status = margay_crew_create((unsigned)parda->part_count, &parda->crew,
                                    error);
    if (status == MARGAY_OK)
        *state = parda;
    else
        free_state(parda);
    return status;
}

/* --------------------------------------------------------------- a phase -- */

/* A task of the crew: part i, by itself. */
static void analyse_part(void *context, size_t i)
{
    struct parda *parda = context;
    struct margay_part *part = &parda->parts[i];
    size_t from = parda->ref_count * i / parda->part_count;
    size_t to = parda->ref_count * (i + 1) / parda->part_count;
    const struct margay_part_setup setup = {
        .spec = "olken",
        .options = &parda->options,
        .first = i == 0,
        .plain = parda->plain,
        .blocks = i == 0 ? parda->stack : NULL,
        .block_count = i == 0 ? parda->stack_count : 0,
    };
    enum margay_status status = margay_part_begin(part, &setup, NULL);
    if (status == MARGAY_OK)
        status = margay_part_feed(part, parda->refs + from, to - from, NULL);
    if (status == MARGAY_OK)
        status = margay_part_close(part, NULL);
    parda->statuses[i] = status;
}

/* The first touches of part `i` go from part to part until they are settled. */
static enum margay_status settle(struct parda *parda, size_t i)
{
    static const struct margay_part_help nobody;
    size_t left;
    uint64_t *touches = margay_part_touches(&parda->parts[i], &left);
    enum margay_status status = MARGAY_OK;
    for (size_t k = i; k-- > 0 && status == MARGAY_OK;)
        status =
            margay_part_answer(&parda->parts[k], touches, &left, &nobody, NULL);
    return status;
}

/* The blocks that a stack is put together from, the newest first. */
struct joint {
    uint64_t *blocks; /* a new array */
    uint64_t count, capacity, bound;
    struct margay_hash known; /* merge=plain: parts share blocks */
    bool exceeded;
};

static enum margay_status join_part(struct joint *joint,
                                    struct margay_part *part)
{
    uint64_t *blocks, count, room;
    enum margay_status status = margay_part_list(part, &blocks, &count, NULL);
    if (status != MARGAY_OK)
        return status;
    uint64_t *grown = realloc(joint->blocks, (joint->count + count + 1) *
                                                 sizeof *joint->blocks);
    status = grown == NULL ? MARGAY_NO_MEMORY
                           : margay_hash_reserve(&joint->known, count, NULL);
    if (grown != NULL)
        joint->blocks = grown;
    while (status == MARGAY_OK && count-- > 0) {
        uint32_t *value = margay_hash_insert(&joint->known, blocks[count]);
        room = joint->bound - joint->count;
        if (*value == 0 && room > 0)
            joint->blocks[joint->count++] = blocks[count];
        joint->exceeded = joint->exceeded || (*value == 0 && room == 0);
        *value = 1;
    }
    free(blocks);
    return status;
}

static void reverse(uint64_t *blocks, uint64_t count)
{
    for (uint64_t i = 0; i < count / 2; i++) {
        uint64_t block = blocks[i];
        blocks[i] = blocks[count - 1 - i];
        blocks[count - 1 - i] = block;
    }
}

/* The newest place of each block, and with a bound the newest blocks only. */
static enum margay_status join_stacks(struct parda *parda)
{
    struct joint joint = {.bound = parda->tally.bound};
    enum margay_status status = margay_hash_create(&joint.known, 0, NULL);
    for (size_t i = parda->part_count; i-- > 0 && status == MARGAY_OK;) {
        status = join_part(&joint, &parda->parts[i]);
        parda->tally.exceeded =
            parda->tally.exceeded || parda->parts[i].exceeded;
    }
    margay_hash_destroy(&joint.known);
    if (status != MARGAY_OK) {
        free(joint.blocks);
        return status;
    }
    parda->tally.exceeded = parda->tally.exceeded || joint.exceeded;
    reverse(joint.blocks, joint.count);
    free(parda->stack);
    parda->stack = joint.blocks;
    parda->stack_count = joint.count;
    return MARGAY_OK;
}

/* Analyse what there is. */
static enum margay_status run_phase(struct parda *parda,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (parda->ref_count == 0)
        return MARGAY_OK;
    margay_crew_start(parda->crew, analyse_part, parda, parda->part_count);
    margay_crew_finish(parda->crew);
    for (size_t i = 0; i < parda->part_count && status == MARGAY_OK; i++)
        status = parda->statuses[i];
    /* In order: a part is asked by nearer parts before farther ones. */
    for (size_t i = 1; i < parda->part_count && status == MARGAY_OK; i++)
        status = settle(parda, i);
    if (status == MARGAY_OK)
        status = join_stacks(parda);
    for (size_t i = 0; i < parda->part_count; i++) {
        if (status == MARGAY_OK)
            status =
                margay_part_end(&parda->parts[i], parda->tally.histogram, NULL);
        margay_part_free(&parda->parts[i]);
    }
    parda->ref_count = 0;
    return status == MARGAY_OK
               ? MARGAY_OK
               : margay_fail_memory(error, "the parts of a trace");
}

/* ------------------------------------------------------- from the outside --
 */

/* Handing the stack over costs as much as references to all of it. */
static uint64_t phase_refs(const struct parda *parda)
{
    uint64_t refs = USUAL_PART_REFS * parda->part_count;
    if (!parda->phases)
        return SIZE_MAX / sizeof *parda->refs;
    if (parda->fixed_phase_refs != 0)
        return parda->fixed_phase_refs;
    return refs > parda->stack_count ? refs : parda->stack_count;
}

static enum margay_status reserve_refs(struct parda *parda, size_t count,
                                       struct margay_error *error)
{
    size_t capacity = parda->ref_capacity, bytes;
    uint64_t *refs = NULL;
    if (capacity - parda->ref_count >= count)
        return MARGAY_OK;
    capacity = 2 * capacity + count;
    if (margay_multiply_size(capacity, sizeof *refs, &bytes))
        refs = realloc(parda->refs, bytes);
    if (refs == NULL)
        return margay_fail_memory(error, "the references of a phase");
    parda->refs = refs;
    parda->ref_capacity = capacity;
    return MARGAY_OK;
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
        status = reserve_refs(parda, some, error);
        if (status != MARGAY_OK)
            return status;
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
    if (status != MARGAY_OK)
        return status;
    margay_tally_finish(&parda->tally, parda->stack_count, result);
    result->nodes = parda->stack_count;
    return MARGAY_OK;
}

static enum margay_status peek(void *state, struct margay_result *result,
                               struct margay_error *error)
{
    struct parda *parda = state;
    enum margay_status status = run_phase(parda, error);
    result->nodes = parda->stack_count;
    if (status == MARGAY_OK)
        status =
            margay_tally_peek(&parda->tally, parda->stack_count, result, error);
    return status;
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct parda *parda = state;
    enum margay_status status = run_phase(parda, error);
    if (status != MARGAY_OK)
        return status;
    *count = parda->stack_count;
    *blocks = malloc((parda->stack_count + 1) * sizeof **blocks);
    if (*blocks == NULL)
        return margay_fail_memory(error, "the state of the parda engine");
    if (*count > 0)
        memcpy(*blocks, parda->stack, parda->stack_count * sizeof **blocks);
    return MARGAY_OK;
}

static enum margay_status adopt(void *state, const margay_histogram *counts,
                                struct margay_error *error)
{
    struct parda *parda = state;
    return margay_tally_adopt(&parda->tally, counts, error);
}

const struct margay_engine_class margay_engine_parda = {
    .info =
        {
            .name = "parda",
            .exact = true,
            .guarantee = "exact",
            .parameters = "merge=space|plain,phases=on|off",
            .time = "O(N log M)",
            .space = "O(M)",
            .source = "Niu et al. 2012",
            .lacks = MARGAY_LACKS_DISTANCES,
        },
    .parameters = {{"merge", "space|plain", MARGAY_CHOICE},
                   {"phases", "on|off", MARGAY_CHOICE}},
    .create = create,
    .feed = feed,
    .reset_counts = reset_counts,
    .finish = finish,
    .free_state = free_state,
    .peek = peek,
    .list_stack = list_stack,
    .adopt = adopt,
};
