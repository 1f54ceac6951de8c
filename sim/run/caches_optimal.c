/*
 * caches_optimal.c - optimal replacement, which has to know the whole trace
 *
 * The block references of every pass are kept; when it ends they are looked
 * through backwards for the next uses, and replayed once per number of sets.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "assoc/assoc_internal.h"
#include "sim/run/caches.h"
#include "sim/run/watching.h"
#include "traces/traces_internal.h"

/* Beyond the block and its kind: the next use, and what finding them takes. */
#define BYTES_PER_REF (2 * sizeof(uint64_t) + sizeof(uint8_t))
#define FIRST_REFS    ((size_t)1 << 16)

/* References that are replayed at a time. */
#define PIECE_REFS ((size_t)1 << 16)

struct history {
    uint64_t *blocks, *next_uses;
    uint8_t *kinds;
    size_t count, room;
    size_t uncounted; /* warm-up */
};

struct optimal {
    struct margay_caches caches;
    struct history *histories; /* one per pass */
    /* One of: */
    margay_opt **stacks;         /* [pass][set] */
    margay_cache **caches_alone; /* [pass][set][way] */
    size_t made, per_pass;       /* of these */
    bool *replayed;              /* which of them have seen their pass */
};

static struct optimal *self(const void *consumer)
{
    return (struct optimal *)consumer;
}

static void clear_history(struct history *history)
{
    free(history->blocks);
    free(history->next_uses);
    free(history->kinds);
    history->blocks = history->next_uses = NULL;
    history->kinds = NULL;
    history->room = 0;
}

static void optimal_free(margay_consumer *consumer)
{
    struct optimal *optimal = self(consumer);
    for (size_t i = 0;
         optimal->histories != NULL && i < optimal->caches.pass_count; i++)
        clear_history(&optimal->histories[i]);
    for (size_t i = 0; i < optimal->made; i++) {
        if (optimal->stacks != NULL)
            margay_opt_free(optimal->stacks[i]);
        else
            margay_cache_free(optimal->caches_alone[i]);
    }
    free(optimal->histories);
    free(optimal->stacks);
    free(optimal->caches_alone);
    free(optimal->replayed);
    free(optimal);
}

/* --------------------------------------------------------------- begin -- */

static enum margay_status check_room(const struct margay_caches *caches,
                                     struct margay_error *error)
{
    uint64_t bytes = 0;
    if (!margay_caches_in_one_pass(&caches->request))
        return margay_caches_check_room(caches, error);
    for (size_t i = 0; i < caches->request.set_count; i++)
        bytes += margay_opt_bytes(margay_log2_floor(caches->sets[i]),
                                  caches->most_ways);
    return margay_room_check("the caches", bytes * caches->pass_count, error);
}

/* Make the stack of a number of sets, or one cache. */
static enum margay_status make_one(struct optimal *optimal, size_t i,
                                   struct margay_error *error)
{
    const struct margay_caches *caches = &optimal->caches;
    if (optimal->stacks == NULL) {
        const struct margay_cache_options options =
            margay_caches_options(caches, i % optimal->per_pass);
        return margay_cache_create(&options, &optimal->caches_alone[i], error);
    }
    const struct margay_opt_options options = {
        .set_shift = margay_log2_floor(caches->sets[i % optimal->per_pass]),
        .most_ways = caches->most_ways,
        .bypass = strcmp(caches->policy, "opt:bypass=on") == 0,
    };
    return margay_opt_create(&options, &optimal->stacks[i], error);
}

static enum margay_status optimal_begin(margay_consumer *consumer,
                                        const struct margay_pass *passes,
                                        size_t count,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct optimal *optimal = self(consumer);
    const struct margay_caches *caches = &optimal->caches;
    bool at_once = margay_caches_in_one_pass(&caches->request);
    margay_caches_begin(&optimal->caches, passes, count, share);
    enum margay_status status = check_room(caches, error);
    if (status != MARGAY_OK)
        return status;
    optimal->per_pass =
        at_once ? caches->request.set_count : margay_caches_per_pass(caches);
    size_t all = count * optimal->per_pass;
    optimal->histories = calloc(count, sizeof *optimal->histories);
    if (at_once)
        optimal->stacks = calloc(all, sizeof *optimal->stacks);
    else
        optimal->caches_alone = calloc(all, sizeof *optimal->caches_alone);
    optimal->replayed = calloc(all, sizeof *optimal->replayed);
    if (optimal->histories == NULL || optimal->replayed == NULL ||
        (optimal->stacks == NULL && optimal->caches_alone == NULL))
        return margay_fail_memory(error, "the caches");
    while (optimal->made < all && status == MARGAY_OK)
        status = make_one(optimal, optimal->made++, error);
    return status;
}

/* ------------------------------------------------------ keeping the past -- */

static enum margay_status fail_history(const struct optimal *optimal,
                                       struct margay_error *error)
{
    uint64_t refs = 0;
    for (size_t i = 0; i < optimal->caches.pass_count; i++)
        refs += optimal->histories[i].count;
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

static enum margay_status make_room(const struct optimal *optimal,
                                    struct history *history, size_t count,
                                    struct margay_error *error)
{
    size_t room = history->room == 0 ? FIRST_REFS : history->room;
    uint64_t bytes = 0;
    while (room < history->count + count)
        room += room / 2;
    for (size_t i = 0; i < optimal->caches.pass_count; i++)
        bytes += optimal->histories[i].room * BYTES_PER_REF;
    bytes += (room - history->room) * BYTES_PER_REF;
    if (bytes > margay_room_bytes() || !resize(history, room))
        return fail_history(optimal, error);
    return MARGAY_OK;
}

static enum margay_status optimal_feed(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct optimal *optimal = self(consumer);
    struct history *history = &optimal->histories[pass->index];
    if (history->count + span->count > history->room) {
        enum margay_status status =
            make_room(optimal, history, span->count, error);
        if (status != MARGAY_OK)
            return status;
    }
    memcpy(history->blocks + history->count, span->blocks,
           span->count * sizeof *span->blocks);
    if (span->kinds != NULL)
        memcpy(history->kinds + history->count, span->kinds, span->count);
    else
        memset(history->kinds + history->count, MARGAY_READ, span->count);
    history->count += span->count;
    return MARGAY_OK;
}

static enum margay_status optimal_reset(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    struct history *history = &self(consumer)->histories[pass->index];
    (void)error;
    history->uncounted = history->count;
    return MARGAY_OK;
}

/* ------------------------------------------------------------ the replay -- */

struct replay {
    const struct optimal *optimal;
    const struct history *history;
    size_t first; /* stack or cache of the pass */
    struct margay_watching watching;
};

/* Feed stack or cache `at` with `count` references from `from` on. */
static void feed_piece(const struct replay *replay, size_t at, size_t from,
                       size_t count)
{
    const struct optimal *optimal = replay->optimal;
    const struct history *h = replay->history;
    if (optimal->stacks != NULL)
        margay_opt_feed(optimal->stacks[at], h->blocks + from,
                        h->next_uses + from, h->kinds + from, count);
    else
        margay_cache_feed(optimal->caches_alone[at], h->blocks + from,
                          h->next_uses + from, h->kinds + from, count);
}

static void reset_counts(const struct optimal *optimal, size_t at)
{
    if (optimal->stacks != NULL)
        margay_opt_reset_counts(optimal->stacks[at]);
    else
        margay_cache_reset_counts(optimal->caches_alone[at]);
}

/* The references from `from` on that are before `to`, unless the watch ends
   it. */
static void feed_between(struct replay *replay, size_t at, size_t from,
                         size_t to)
{
    while (from < to && !margay_watching_is_over(&replay->watching)) {
        size_t count = to - from < PIECE_REFS ? to - from : PIECE_REFS;
        feed_piece(replay, at, from, count);
        margay_watching_add(&replay->watching, count);
        from += count;
    }
}

/* A task: the pass, to stack or cache i of it. */
static void replay_one(void *context, size_t i)
{
    struct replay *replay = context;
    const struct history *history = replay->history;
    size_t at = replay->first + i;
    feed_between(replay, at, 0, history->uncounted);
    reset_counts(replay->optimal, at);
    feed_between(replay, at, history->uncounted, history->count);
    replay->optimal->replayed[at] = !margay_watching_is_over(&replay->watching);
}

/* Each stack stands for the caches of all ways. */
static void tell_lacking(const struct replay *replay)
{
    const struct optimal *optimal = replay->optimal;
    size_t lacking = 0, caches = margay_caches_per_pass(&optimal->caches);
    for (size_t i = 0; i < optimal->per_pass; i++)
        lacking += !optimal->replayed[replay->first + i];
    margay_watching_end(&replay->watching,
                        lacking * (caches / optimal->per_pass), caches);
}

static enum margay_status look_ahead(const struct optimal *optimal,
                                     struct history *history,
                                     struct margay_error *error)
{
    if (history->count == 0)
        return MARGAY_OK;
    history->next_uses = calloc(history->count, sizeof *history->next_uses);
    if (history->next_uses == NULL)
        return fail_history(optimal, error);
    return margay_next_uses(history->blocks, history->count, history->next_uses,
                            error);
}

static enum margay_status optimal_finish(margay_consumer *consumer,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct optimal *optimal = self(consumer);
    struct history *history = &optimal->histories[pass->index];
    struct replay replay = {
        .optimal = optimal,
        .history = history,
        .first = pass->index * optimal->per_pass,
        .watching = MARGAY_WATCHING(optimal->caches.watch,
                                    history->count * optimal->per_pass),
    };
    margay_crew *crew;
    enum margay_status status = look_ahead(optimal, history, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(optimal->caches.threads, &crew, error);
    if (status != MARGAY_OK)
        return status;
    margay_crew_start(crew, replay_one, &replay, optimal->per_pass);
    margay_crew_finish(crew);
    margay_crew_free(crew);
    tell_lacking(&replay);
    clear_history(history);
    return MARGAY_OK;
}

static void optimal_get(const struct margay_caches *caches, size_t pass,
                        size_t set, size_t way, struct margay_cache_row *row)
{
    const struct optimal *optimal = self(caches);
    const struct history *history = &optimal->histories[pass];
    bool at_once = optimal->stacks != NULL;
    size_t at = pass * optimal->per_pass +
                (at_once ? set : set * caches->request.way_count + way);
    if (!optimal->replayed[at])
        return;
    row->references = history->count - history->uncounted;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            at_once
                ? margay_opt_misses(optimal->stacks[at], caches->ways[way],
                                    MARGAY_KIND_BIT(kind))
                : margay_cache_counts(optimal->caches_alone[at])->misses[kind];
}

struct margay_caches *margay_caches_optimal(void)
{
    static const struct margay_consumer_class functions = {
        .begin = optimal_begin,
        .feed = optimal_feed,
        .reset = optimal_reset,
        .finish = optimal_finish,
        .free = optimal_free,
    };
    struct optimal *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->caches.consumer.functions = &functions;
    made->caches.get = optimal_get;
    return &made->caches;
}
