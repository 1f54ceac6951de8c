/*
 * exact.c - the production engine
 *
 * Algorithm: a hash table gives each block the timestamp of its latest
 *   reference; a bit vector over time has the bits of those timestamps set
 *   and knows its prefix sums, so the distance of a reference is the number
 *   of bits set since the block's timestamp.  When time runs out, blocks are
 *   renumbered by rank.  On traces that keep returning to the same blocks, the
 *   top 1024 entries of the LRU stack are kept in front of all that (near.h): a
 *   block demoted from there enters the deep part of the stack with its
 *   demotion as timestamp, for that is the order of the deep part.
 * Source: Bennett and Kruskal, "LRU stack processing", IBM J. R&D 19(4),
 *   1975, for the bit vector over time and its compaction; Jacobson,
 *   "Space-efficient static trees and graphs", FOCS 1989, for constant-time
 *   rank, made updatable here; the filter is ours.
 * Guarantee: exact; with a bound B, exact below B and infinite from there.
 * Cost: O(1) expected per reference and O(M) memory, 20 to 45 bytes per
 *   distinct block; O(B) with a bound.  Beyond 2^25 blocks the top level of the
 *   bit vector is linear in M, a few vector additions for any M that fits
 *   today.
 */
#include "stackdist/engines/exact.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/histogram.h"
#include "stackdist/parallel/team.h"
#include "traces/traces_internal.h"

static enum margay_status exact_feed(void *state, const uint64_t *blocks,
                                     size_t count, uint64_t *distances,
                                     struct margay_error *error)
{
    return margay_exact_feed(state, blocks, count, distances, error);
}

static void exact_reset_counts(void *state)
{
    struct margay_exact *e = state;
    margay_exact_clear_counts(e);
    if (e->team != NULL)
        margay_team_clear_counts(e->team);
}

/* What there is to know about the blocks of one engine, or of a team. */
struct blocks_seen {
    uint64_t distinct;
    bool forgot;
};

static void fill_result(const struct margay_exact *e,
                        const struct blocks_seen *seen,
                        margay_histogram *histogram,
                        struct margay_result *result)
{
    bool exceeded = seen->forgot || seen->distinct > e->bound;
    if (exceeded)
        margay_histogram_set_exceeded_bound(histogram, e->bound);
    result->histogram = histogram;
    result->distinct_blocks = exceeded ? e->bound + 1 : seen->distinct;
}

static enum margay_status exact_finish(void *state,
                                       struct margay_result *result,
                                       struct margay_error *error)
{
    struct margay_exact *e = state;
    struct blocks_seen seen = {e->hash.entries, e->forgot};
    /* The histogram takes the place of these. */
    margay_exact_destroy_stack(e);
    enum margay_status status = margay_exact_collect(e, e->histogram, error);
    if (status == MARGAY_OK && e->team != NULL)
        status = margay_team_finish(e->team, e->histogram, &seen.distinct,
                                    &seen.forgot, error);
    if (status != MARGAY_OK)
        return status;
    fill_result(e, &seen, e->histogram, result);
    e->histogram = NULL;
    return MARGAY_OK;
}

static enum margay_status exact_peek(void *state, struct margay_result *result,
                                     struct margay_error *error)
{
    struct margay_exact *e = state;
    struct blocks_seen seen = {e->hash.entries, e->forgot};
    margay_histogram *histogram;
    enum margay_status status = margay_histogram_create(&histogram, error);
    if (status == MARGAY_OK)
        status = margay_exact_collect(e, histogram, error);
    if (status == MARGAY_OK && e->team != NULL)
        status = margay_team_peek(e->team, histogram, &seen.distinct,
                                  &seen.forgot, error);
    if (status == MARGAY_OK)
        fill_result(e, &seen, histogram, result);
    else
        margay_histogram_free(histogram);
    return status;
}

enum margay_status margay_exact_list_stack(void *state, uint64_t **blocks,
                                           uint64_t *count,
                                           struct margay_error *error)
{
    struct margay_exact *e = state;
    uint64_t deep = e->team == NULL ? e->rank.live : margay_team_live(e->team);
    uint64_t all = deep + e->front->blocks;
    size_t bytes;
    uint64_t *list = NULL;
    if (margay_multiply_size(all + 1, sizeof *list, &bytes))
        list = malloc(bytes);
    if (list == NULL)
        return margay_fail_memory(error, "the state of the exact engine");
    if (e->team == NULL)
        margay_exact_list(e, list);
    else
        margay_team_list(e->team, list);
    margay_near_list(e->front, list + deep);
    *count = all < e->bound ? all : e->bound;
    memmove(list, list + (all - *count), *count * sizeof *list);
    *blocks = list;
    return MARGAY_OK;
}

static enum margay_status exact_adopt(void *state,
                                      const margay_histogram *counts,
                                      struct margay_error *error)
{
    struct margay_exact *e = state;
    e->forgot = margay_histogram_exceeded_bound(counts) != 0;
    return margay_histogram_add_all(e->histogram, counts, error);
}

static void exact_free(void *state)
{
    struct margay_exact *e = state;
    if (e == NULL)
        return;
    margay_team_free(e->team);
    margay_near_free(e->front);
    margay_exact_destroy_store(e);
    margay_unmap(e, sizeof *e);
}

/* The order of `values` in the class below. */
enum target_choice { TARGET_AUTO, TARGET_V4, TARGET_V3, TARGET_PORTABLE };

static const struct margay_exact_kernel *kernel_for(enum margay_target target)
{
#if defined(__x86_64__)
    if (target == MARGAY_TARGET_V4)
        return &margay_exact_kernel_v4;
    if (target == MARGAY_TARGET_V3)
        return &margay_exact_kernel_v3;
#endif
    (void)target;
    return &margay_exact_kernel_portable;
}

static enum margay_status choose_kernels(struct margay_exact *e,
                                         unsigned choice,
                                         struct margay_error *error)
{
    enum margay_target target = MARGAY_TARGET_PORTABLE;
    if (choice == TARGET_AUTO)
        target = margay_target_best();
    else if (choice == TARGET_V4)
        target = MARGAY_TARGET_V4;
    else if (choice == TARGET_V3)
        target = MARGAY_TARGET_V3;
    if (!margay_target_available(target))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "exact: target=%s does not run on this processor "
                           "(the best that does is %s)",
                           margay_target_name(target),
                           margay_target_name(margay_target_best()));
    e->kernel = kernel_for(target);
    return margay_near_create(MARGAY_NEAR_FRONT, target, &e->front, error);
}

/* The team keeps back a batch, of a chunk for each thread at most. */
static size_t team_batch_refs(const struct margay_engine_options *options)
{
    uint64_t refs = 0;
    if (options->chunk_refs != 0 &&
        !margay_multiply_u64(options->chunk_refs, options->threads, &refs))
        refs = UINT64_MAX;
    if (options->phase_refs != 0 && (refs == 0 || refs > options->phase_refs))
        refs = options->phase_refs;
    return refs < SIZE_MAX ? (size_t)refs : SIZE_MAX;
}

enum margay_status margay_exact_create_at(
    const struct margay_engine_setup *setup, uint64_t first, void **state,
    struct margay_error *error)
{
    struct margay_exact *e = margay_map(sizeof *e);
    if (e == NULL)
        return margay_fail_memory(error, "the exact engine");
    e->filter = (enum margay_exact_filter)setup->choices[0];
    e->bound = setup->options.bound_blocks == 0 ? UINT64_MAX
                                                : setup->options.bound_blocks;
    e->threads = setup->options.threads;
    e->team_after_refs = MARGAY_TEAM_AFTER_REFS;
    e->team_batch_refs = team_batch_refs(&setup->options);
    /* Who asks for chunks wants to see them. */
    if (e->threads < MARGAY_TEAM_LEAST_THREADS && e->team_batch_refs == 0)
        e->team_after_refs = UINT64_MAX;
    e->look_interval = 1;
    enum margay_status status = choose_kernels(e, setup->choices[1], error);
    if (status == MARGAY_OK)
        status = margay_exact_create_store(e, first, error);
    if (status != MARGAY_OK)
        exact_free(e);
    else
        *state = e;
    return status;
}

static enum margay_status exact_create(const struct margay_engine_setup *setup,
                                       void **state, struct margay_error *error)
{
    return margay_exact_create_at(setup, 0, state, error);
}

const struct margay_engine_class margay_engine_exact = {
    .info =
        {
            .name = "exact",
            .exact = true,
            .guarantee = "exact",
            .parameters = "filter=auto|on|off,target=auto|v4|v3|portable",
            .time = "O(N)",
            .space = "O(M)",
            .source = "Bennett and Kruskal 1975, with constant-time rank",
        },
    .takes_repeats = true,
    .parameters = {{"filter", "auto|on|off", MARGAY_CHOICE},
                   {"target", "auto|v4|v3|portable", MARGAY_CHOICE}},
    .create = exact_create,
    .feed = exact_feed,
    .reset_counts = exact_reset_counts,
    .finish = exact_finish,
    .free_state = exact_free,
    .peek = exact_peek,
    .list_stack = margay_exact_list_stack,
    .adopt = exact_adopt,
    .part = &margay_exact_part,
};
