/*
 * caches_opt.c - optimal replacement, which has to know the whole trace
 *
 * The block references of every pass are kept; in the end they are looked
 * through backwards for the next uses, and replayed once per number of sets.
 */
#define _GNU_SOURCE
#include "sim/caches.h"

#include <stdlib.h>
#include <string.h>

#include "assoc/assoc_internal.h"
#include "traces/traces_internal.h"

/* Beyond the block and its kind: the next use, and what finding them takes. */
#define BYTES_PER_REF (2 * sizeof(uint64_t) + sizeof(uint8_t))
#define FIRST_REFS    ((size_t)1 << 16)

struct history {
    uint64_t *blocks, *next_uses;
    uint8_t *kinds;
    size_t count, room;
    size_t uncounted; /* warm-up */
};

struct opt {
    const struct options *options;
    const struct cache_grid *grid;
    size_t pass_count;
    struct history *histories;
    margay_opt **stacks; /* [pass][set] */
};

static void opt_free(void *state)
{
    struct opt *opt = state;
    if (opt == NULL)
        return;
    for (size_t i = 0; opt->histories != NULL && i < opt->pass_count; i++) {
        free(opt->histories[i].blocks);
        free(opt->histories[i].next_uses);
        free(opt->histories[i].kinds);
    }
    for (size_t i = 0;
         opt->stacks != NULL && i < opt->pass_count * opt->grid->set_count; i++)
        margay_opt_free(opt->stacks[i]);
    free(opt->histories);
    free(opt->stacks);
    free(opt);
}

static enum margay_status check_room(const struct opt *opt,
                                     struct margay_error *error)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < opt->grid->set_count; i++)
        bytes +=
            margay_opt_bytes(opt->grid->set_shifts[i], opt->grid->most_ways);
    return margay_room_check("the caches", bytes * opt->pass_count, error);
}

static enum margay_status make_stacks(struct opt *opt,
                                      struct margay_error *error)
{
    size_t count = opt->pass_count * opt->grid->set_count;
    enum margay_status status = check_room(opt, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        struct margay_opt_options stack = {
            .set_shift = opt->grid->set_shifts[i % opt->grid->set_count],
            .most_ways = opt->grid->most_ways,
            .bypass = opt->options->policy.bypass,
        };
        status = margay_opt_create(&stack, &opt->stacks[i], error);
    }
    return status;
}

static enum margay_status opt_create(const struct caches_setup *setup,
                                     void **state, struct margay_error *error)
{
    struct opt *opt = calloc(1, sizeof *opt);
    if (opt == NULL)
        return margay_fail_memory(error, "the caches");
    opt->options = setup->options;
    opt->grid = setup->grid;
    opt->pass_count = setup->pass_count;
    opt->histories = calloc(setup->pass_count, sizeof *opt->histories);
    opt->stacks = calloc(setup->pass_count * setup->grid->set_count,
                         sizeof(margay_opt *));
    enum margay_status status = opt->histories == NULL || opt->stacks == NULL
                                    ? margay_fail_memory(error, "the caches")
                                    : make_stacks(opt, error);
    if (status == MARGAY_OK)
        *state = opt;
    else
        opt_free(opt);
    return status;
}

/* ------------------------------------------------------- keeping the past --
 */

static enum margay_status fail_history(const struct opt *opt,
                                       struct margay_error *error)
{
    uint64_t refs = 0;
    for (size_t i = 0; i < opt->pass_count; i++)
        refs += opt->histories[i].count;
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "--policy opt has to keep the whole trace, and memory "
                       "ends after %llu block reference%s (expected less: "
                       "see --limit)",
                       (unsigned long long)refs, margay_plural(refs, "s"));
}

static bool resize(struct history *history, size_t room)
{
    uint64_t *blocks = reallocarray(history->blocks, room, sizeof *blocks);
    if (blocks != NULL)
        history->blocks = blocks;
    uint8_t *kinds = realloc(history->kinds, room);
    if (kinds != NULL)
        history->kinds = kinds;
    if (blocks == NULL || kinds == NULL)
        return false;
    history->room = room;
    return true;
}

static enum margay_status make_room(struct opt *opt, struct history *history,
                                    size_t count, struct margay_error *error)
{
    size_t room = history->room == 0 ? FIRST_REFS : history->room;
    uint64_t bytes = 0;
    while (room < history->count + count)
        room += room / 2;
    for (size_t i = 0; i < opt->pass_count; i++)
        bytes += opt->histories[i].room * BYTES_PER_REF;
    bytes += (room - history->room) * BYTES_PER_REF;
    if (bytes > margay_room_bytes() || !resize(history, room))
        return fail_history(opt, error);
    return MARGAY_OK;
}

static enum margay_status opt_feed(void *state, size_t pass_index,
                                   const uint64_t *blocks, const uint8_t *kinds,
                                   size_t count, struct margay_error *error)
{
    struct opt *opt = state;
    struct history *history = &opt->histories[pass_index];
    if (history->count + count > history->room) {
        enum margay_status status = make_room(opt, history, count, error);
        if (status != MARGAY_OK)
            return status;
    }
    memcpy(history->blocks + history->count, blocks, count * sizeof *blocks);
    if (kinds != NULL)
        memcpy(history->kinds + history->count, kinds, count);
    else
        memset(history->kinds + history->count, MARGAY_READ, count);
    history->count += count;
    return MARGAY_OK;
}

static void opt_reset_counts(void *state)
{
    struct opt *opt = state;
    for (size_t i = 0; i < opt->pass_count; i++)
        opt->histories[i].uncounted = opt->histories[i].count;
}

/* ------------------------------------------------------------ the replay -- */

static void replay(void *context, size_t i)
{
    const struct opt *opt = context;
    const struct history *h = &opt->histories[i / opt->grid->set_count];
    margay_opt *stack = opt->stacks[i];
    size_t first = h->uncounted;
    margay_opt_feed(stack, h->blocks, h->next_uses, h->kinds, first);
    margay_opt_reset_counts(stack);
    if (h->count > first)
        margay_opt_feed(stack, h->blocks + first, h->next_uses + first,
                        h->kinds + first, h->count - first);
}

static enum margay_status look_ahead(const struct opt *opt,
                                     struct history *history,
                                     struct margay_error *error)
{
    if (history->count == 0)
        return MARGAY_OK;
    history->next_uses = calloc(history->count, sizeof *history->next_uses);
    if (history->next_uses == NULL)
        return fail_history(opt, error);
    return margay_next_uses(history->blocks, history->count, history->next_uses,
                            error);
}

static enum margay_status opt_finish(void *state, struct margay_error *error)
{
    struct opt *opt = state;
    margay_crew *crew;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < opt->pass_count && status == MARGAY_OK; i++)
        status = look_ahead(opt, &opt->histories[i], error);
    if (status == MARGAY_OK)
        status = margay_crew_create(opt->options->threads, &crew, error);
    if (status != MARGAY_OK)
        return status;
    margay_crew_start(crew, replay, opt,
                      opt->pass_count * opt->grid->set_count);
    margay_crew_finish(crew);
    margay_crew_free(crew);
    return MARGAY_OK;
}

static void opt_get(void *state, size_t pass_index, size_t set_index,
                    size_t way_index, struct cache_row *row)
{
    const struct opt *opt = state;
    const struct history *history = &opt->histories[pass_index];
    const margay_opt *stack =
        opt->stacks[pass_index * opt->grid->set_count + set_index];
    row->references = history->count - history->uncounted;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = margay_opt_misses(stack, opt->grid->ways[way_index],
                                              MARGAY_KIND_BIT(kind));
}

const struct caches_class caches_opt = {
    .create = opt_create,
    .feed = opt_feed,
    .reset_counts = opt_reset_counts,
    .finish = opt_finish,
    .get = opt_get,
    .free_state = opt_free,
};
