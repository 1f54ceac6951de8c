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

struct optimal {
    struct margay_caches caches;
    const struct margay_caches_part *part;
    struct margay_share share;
    /* The references: */
    uint64_t *blocks, *next_uses;
    uint8_t *kinds;
    size_t refs, room;
    size_t uncounted; /* warm-up */
    /* One of: */
    margay_opt **stacks;         /* [set] */
    margay_cache **caches_alone; /* [set][way] */
    size_t made, count;          /* of these */
    bool *replayed;              /* which of them have seen all */
};

static struct optimal *self(const void *caches)
{
    return (struct optimal *)caches;
}

static void clear_history(struct optimal *optimal)
{
    free(optimal->blocks);
    free(optimal->next_uses);
    free(optimal->kinds);
    optimal->blocks = optimal->next_uses = NULL;
    optimal->kinds = NULL;
    optimal->room = 0;
}

static void optimal_free(margay_analysis *analysis)
{
    struct optimal *optimal = self(analysis);
    clear_history(optimal);
    for (size_t i = 0; i < optimal->made; i++) {
        if (optimal->stacks != NULL)
            margay_opt_free(optimal->stacks[i]);
        else
            margay_cache_free(optimal->caches_alone[i]);
    }
    free(optimal->stacks);
    free(optimal->caches_alone);
    free(optimal->replayed);
    free(optimal);
}

/* ------------------------------------------------------ keeping the past -- */

static enum margay_status fail_history(const struct optimal *optimal,
                                       struct margay_error *error)
{
    uint64_t refs = optimal->refs;
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "--policy opt has to keep the whole trace, and memory "
                       "ends after %llu block reference%s (expected less: "
                       "see --limit)",
                       (unsigned long long)refs, margay_plural(refs, "s"));
}

static bool resize(struct optimal *optimal, size_t room)
{
    uint64_t *blocks = reallocarray(optimal->blocks, room, sizeof *blocks);
    if (blocks != NULL)
        optimal->blocks = blocks;
    uint8_t *kinds = realloc(optimal->kinds, room);
    if (kinds != NULL)
        optimal->kinds = kinds;
    if (blocks == NULL || kinds == NULL)
        return false;
    optimal->room = room;
    return true;
}

static enum margay_status make_room(struct optimal *optimal, size_t count,
                                    struct margay_error *error)
{
    size_t room = optimal->room == 0 ? FIRST_REFS : optimal->room;
    if (optimal->refs + count <= optimal->room)
        return MARGAY_OK;
    while (room < optimal->refs + count)
        room += room / 2;
    if (room * BYTES_PER_REF >
            margay_room_bytes() / optimal->share.pass_count ||
        !resize(optimal, room))
        return fail_history(optimal, error);
    return MARGAY_OK;
}

static enum margay_status optimal_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct optimal *optimal = self(analysis);
    enum margay_status status = make_room(optimal, span->count, error);
    if (status != MARGAY_OK)
        return status;
    memcpy(optimal->blocks + optimal->refs, span->blocks,
           span->count * sizeof *span->blocks);
    if (span->kinds != NULL)
        memcpy(optimal->kinds + optimal->refs, span->kinds, span->count);
    else
        memset(optimal->kinds + optimal->refs, MARGAY_READ, span->count);
    optimal->refs += span->count;
    return MARGAY_OK;
}

static enum margay_status optimal_reset(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct optimal *optimal = self(analysis);
    (void)error;
    optimal->uncounted = optimal->refs;
    return MARGAY_OK;
}

/* ------------------------------------------------------------ the replay -- */

struct replay {
    const struct optimal *optimal;
    struct margay_watching watching;
};

/* Feed stack or cache `at` with the references from `from` on that are before
   `to`, unless the watch ends it. */
static void feed_between(struct replay *replay, size_t at, size_t from,
                         size_t to)
{
    const struct optimal *own = replay->optimal;
    while (from < to && !margay_watching_is_over(&replay->watching)) {
        size_t count = to - from < PIECE_REFS ? to - from : PIECE_REFS;
        if (own->stacks != NULL)
            margay_opt_feed(own->stacks[at], own->blocks + from,
                            own->next_uses + from, own->kinds + from, count);
        else
            margay_cache_feed(own->caches_alone[at], own->blocks + from,
                              own->next_uses + from, own->kinds + from, count);
        margay_watching_add(&replay->watching, count);
        from += count;
    }
}

/* A task: all references, to stack or cache i. */
static void replay_one(void *context, size_t i)
{
    struct replay *replay = context;
    const struct optimal *optimal = replay->optimal;
    feed_between(replay, i, 0, optimal->uncounted);
    if (optimal->stacks != NULL)
        margay_opt_reset_counts(optimal->stacks[i]);
    else
        margay_cache_reset_counts(optimal->caches_alone[i]);
    feed_between(replay, i, optimal->uncounted, optimal->refs);
    optimal->replayed[i] = !margay_watching_is_over(&replay->watching);
}

/* Each stack stands for the caches of all ways. */
static void tell_lacking(const struct replay *replay)
{
    const struct optimal *optimal = replay->optimal;
    size_t lacking = 0, caches = margay_caches_count(optimal->part);
    for (size_t i = 0; i < optimal->count; i++)
        lacking += !optimal->replayed[i];
    margay_watching_end(&replay->watching, lacking * (caches / optimal->count),
                        caches);
}

static enum margay_status look_ahead(struct optimal *optimal,
                                     struct margay_error *error)
{
    if (optimal->refs == 0)
        return MARGAY_OK;
    optimal->next_uses = calloc(optimal->refs, sizeof *optimal->next_uses);
    if (optimal->next_uses == NULL)
        return fail_history(optimal, error);
    return margay_next_uses(optimal->blocks, optimal->refs, optimal->next_uses,
                            error);
}

static enum margay_status optimal_finish(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct optimal *optimal = self(analysis);
    struct replay replay = {
        .optimal = optimal,
        .watching = MARGAY_WATCHING(optimal->share.watch,
                                    optimal->refs * optimal->count),
    };
    margay_crew *crew;
    enum margay_status status = look_ahead(optimal, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(optimal->share.threads, &crew, error);
    if (status != MARGAY_OK)
        return status;
    margay_crew_start(crew, replay_one, &replay, optimal->count);
    margay_crew_finish(crew);
    margay_crew_free(crew);
    tell_lacking(&replay);
    clear_history(optimal);
    return MARGAY_OK;
}

static void optimal_get(const struct margay_caches *caches,
                        const struct margay_pass *pass, size_t set, size_t way,
                        struct margay_cache_row *row)
{
    const struct optimal *optimal = self(caches);
    const struct margay_caches_part *part = optimal->part;
    bool at_once = optimal->stacks != NULL;
    size_t at = at_once ? set : set * part->request.way_count + way;
    (void)pass;
    if (!optimal->replayed[at])
        return;
    row->references = optimal->refs - optimal->uncounted;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            at_once
                ? margay_opt_misses(optimal->stacks[at], part->ways[way],
                                    MARGAY_KIND_BIT(kind))
                : margay_cache_counts(optimal->caches_alone[at])->misses[kind];
}

/* --------------------------------------------------------------- begin -- */

static enum margay_status check_room(const struct optimal *optimal,
                                     struct margay_error *error)
{
    const struct margay_caches_part *part = optimal->part;
    uint64_t bytes = 0;
    if (!margay_caches_in_one_pass(&part->request))
        return margay_caches_check_room(part, &optimal->share, error);
    for (size_t i = 0; i < part->request.set_count; i++)
        bytes +=
            margay_opt_bytes(margay_log2_floor(part->sets[i]), part->most_ways);
    return margay_room_check("the caches", bytes * optimal->share.pass_count,
                             error);
}

/* Make the stack of a number of sets, or one cache. */
static enum margay_status make_one(struct optimal *optimal, size_t i,
                                   struct margay_error *error)
{
    const struct margay_caches_part *part = optimal->part;
    if (optimal->stacks == NULL) {
        const struct margay_cache_options options =
            margay_caches_options(part, i);
        return margay_cache_create(&options, &optimal->caches_alone[i], error);
    }
    const struct margay_opt_options options = {
        .set_shift = margay_log2_floor(part->sets[i]),
        .most_ways = part->most_ways,
        .bypass = strcmp(part->spec, "opt:bypass=on") == 0,
    };
    return margay_opt_create(&options, &optimal->stacks[i], error);
}

static enum margay_status make_all(struct optimal *optimal,
                                   struct margay_error *error)
{
    const struct margay_caches_part *part = optimal->part;
    bool at_once = margay_caches_in_one_pass(&part->request);
    enum margay_status status = check_room(optimal, error);
    if (status != MARGAY_OK)
        return status;
    optimal->count =
        at_once ? part->request.set_count : margay_caches_count(part);
    if (at_once)
        optimal->stacks = calloc(optimal->count, sizeof *optimal->stacks);
    else
        optimal->caches_alone =
            calloc(optimal->count, sizeof *optimal->caches_alone);
    optimal->replayed = calloc(optimal->count, sizeof *optimal->replayed);
    if (optimal->replayed == NULL ||
        (optimal->stacks == NULL && optimal->caches_alone == NULL))
        return margay_fail_memory(error, "the caches");
    while (optimal->made < optimal->count && status == MARGAY_OK)
        status = make_one(optimal, optimal->made++, error);
    return status;
}

enum margay_status margay_caches_begin_optimal(
    const struct margay_caches_part *part, const struct margay_pass *passes,
    size_t count, const struct margay_share *share,
    struct margay_caches **caches, struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = optimal_feed,
        .reset = optimal_reset,
        .finish = optimal_finish,
        .free = optimal_free,
    };
    struct optimal *optimal = calloc(1, sizeof *optimal);
    (void)passes, (void)count;
    if (optimal == NULL)
        return margay_fail_memory(error, "the caches");
    optimal->caches.analysis.functions = &functions;
    optimal->caches.get = optimal_get;
    optimal->part = part;
    optimal->share = *share;
    enum margay_status status = make_all(optimal, error);
    if (status == MARGAY_OK)
        *caches = &optimal->caches;
    else
        optimal_free(&optimal->caches.analysis);
    return status;
}
