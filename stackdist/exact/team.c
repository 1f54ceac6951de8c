/*
 * team.c - the deep stack of the exact engine, on several threads
 *
 * Algorithm: references are collected into batches.  Every thread of the team
 *   looks up the references to its own blocks in its own hash table, and ranks
 *   those of its own slice of the batch's time in its own bit vector (slice.h).
 *   The look-ups of a batch precede the ranks of the batch before, so that no
 *   thread waits for the slowest look-up.  All threads see the same references
 *   and so decide alike, each for itself, when to compact: no thread works for
 *   the others.
 * Source: ours.  Niu et al., "PARDA", IPDPS 2012, cut the trace into chunks and
 *   pass first touches from chunk to chunk, one after the other.
 * Guarantee: exactly the result of the sequential engine, for any number of
 *   threads.
 * Cost: per thread, all of the bit vector and its share of the blocks: about 3
 *   bytes per distinct block more than the sequential engine.
 */
#include "stackdist/exact/team.h"

#include <string.h>

#include "stackdist/exact/team_state.h"
#include "traces/traces_internal.h"

static enum margay_status status_of(struct margay_team *team,
                                    struct margay_error *error)
{
    pthread_mutex_lock(&team->mutex);
    enum margay_status status = team->status;
    pthread_mutex_unlock(&team->mutex);
    return status == MARGAY_OK
               ? MARGAY_OK
               : margay_fail_memory(error, "the exact engine's threads");
}

/* Wait until all threads have ranked the batches before `number`. */
static void await_ranks(struct margay_team *team, uint64_t number)
{
    pthread_mutex_lock(&team->mutex);
    for (unsigned i = 0; i < team->threads; i++) {
        while (team->workers[i].ranked < number)
            pthread_cond_wait(&team->changed, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
}

static struct margay_slice_batch *open_batch(struct margay_team *team)
{
    return &team->ring[team->submitted % MARGAY_TEAM_RING];
}

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Batches are longer on longer axes, where other slices cost more to apply. */
size_t margay_team_batch_refs(const struct margay_team *team)
{
    uint64_t refs = team->live / 2 / 64 * 64;
    if (team->fixed_batch_refs != 0)
        return minimum(team->fixed_batch_refs, MARGAY_SLICE_MAX_REFS);
    if (refs < MARGAY_SLICE_MIN_REFS)
        return MARGAY_SLICE_MIN_REFS;
    return refs < MARGAY_SLICE_MAX_REFS ? refs : MARGAY_SLICE_MAX_REFS;
}

/* Hand the open batch over; the next one is open and empty afterwards. */
static void submit(struct margay_team *team)
{
    struct margay_slice_batch *batch = open_batch(team);
    if (batch->count == 0)
        return;
    if (batch->pulls)
        team->kernel->assign(batch->wanted, batch->count, team->threads,
                             batch->wanted_owners);
    if (batch->pushes && !batch->same)
        team->kernel->assign(batch->demoted, batch->count, team->threads,
                             batch->demoted_owners);
    pthread_mutex_lock(&team->mutex);
    uint64_t submitted = ++team->submitted;
    team->batch_refs = margay_team_batch_refs(team);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
    if (submitted >= MARGAY_TEAM_RING)
        await_ranks(team, submitted - MARGAY_TEAM_RING + 1);
    open_batch(team)->count = 0;
}

static void drain(struct margay_team *team)
{
    submit(team);
    await_ranks(team, team->submitted);
}

/* An open batch of that kind, with room. */
static struct margay_slice_batch *batch_for(struct margay_team *team,
                                            const struct margay_slice_batch *as)
{
    struct margay_slice_batch *batch = open_batch(team);
    if (batch->count >= team->batch_refs ||
        (batch->count > 0 &&
         (batch->base != as->base || batch->pulls != as->pulls ||
          batch->pushes != as->pushes || batch->same != as->same))) {
        submit(team);
        batch = open_batch(team);
    }
    batch->base = as->base;
    batch->pulls = as->pulls;
    batch->pushes = as->pushes;
    batch->same = as->same;
    batch->wants_indices = as->wants_indices;
    return batch;
}

/* Copy references of one kind into batches.  A block that leaves without
   another entering is above the deep stack from then on. */
static void append(struct margay_team *team, struct margay_slice_batch *as,
                   size_t count, uint64_t *indices)
{
    unsigned base = as->base;
    for (size_t done = 0; done < count;) {
        as->base = as->pushes ? base : base + (unsigned)done;
        struct margay_slice_batch *batch = batch_for(team, as);
        size_t some = minimum(count - done, team->batch_refs - batch->count);
        if (as->pulls)
            memcpy(batch->wanted + batch->count, as->wanted + done,
                   some * sizeof *as->wanted);
        if (as->pushes && !as->same)
            memcpy(batch->demoted + batch->count, as->demoted + done,
                   some * sizeof *as->demoted);
        batch->count += some;
        if (as->wants_indices) {
            drain(team);
            memcpy(indices + done, batch->indices, some * sizeof *indices);
        }
        done += some;
    }
}

enum margay_status margay_team_deep(struct margay_team *team,
                                    const uint64_t *wanted,
                                    const uint64_t *demoted, size_t count,
                                    unsigned base, uint64_t *indices,
                                    struct margay_error *error)
{
    struct margay_slice_batch as = {
        .base = base,
        .pulls = wanted != NULL,
        .pushes = demoted != NULL,
        .same = wanted == demoted,
        .wants_indices = indices != NULL,
        /* Only read. */
        .wanted = (uint64_t *)wanted,
        .demoted = (uint64_t *)demoted,
    };
    if (indices != NULL)
        submit(team);
    append(team, &as, count, indices);
    return status_of(team, error);
}

void margay_team_clear_counts(struct margay_team *team)
{
    drain(team);
    for (unsigned i = 0; i < team->threads; i++)
        margay_exact_clear_counts(&team->workers[i].slice.e);
}

enum margay_status margay_team_collect(struct margay_team *team,
                                       margay_histogram *histogram, bool last,
                                       uint64_t *distinct, bool *forgot,
                                       struct margay_error *error)
{
    drain(team);
    enum margay_status status = status_of(team, error);
    *distinct = 0;
    for (unsigned i = 0; i < team->threads && status == MARGAY_OK; i++) {
        struct margay_exact *e = &team->workers[i].slice.e;
        *distinct += e->hash.entries;
        *forgot = *forgot || e->forgot;
        if (last)
            margay_exact_destroy_stack(e);
        status = margay_exact_collect(e, histogram, error);
    }
    return status;
}

uint64_t margay_team_live(struct margay_team *team)
{
    drain(team);
    return team->workers[0].slice.e.rank.live;
}

void margay_team_list(struct margay_team *team, uint64_t *blocks)
{
    for (unsigned i = 0; i < team->threads; i++) {
        struct margay_slice *slice = &team->workers[i].slice;
        team->kernel->refresh(slice);
        margay_exact_list(&slice->e, blocks);
    }
}
