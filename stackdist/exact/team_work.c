/*
 * team_work.c - what the threads of a team do, batch after batch
 */
#include "stackdist/exact/team_state.h"
#include "traces/traces_internal.h"

static void fail(struct margay_team *team, enum margay_status status)
{
    pthread_mutex_lock(&team->mutex);
    if (team->status == MARGAY_OK)
        team->status = status;
    pthread_mutex_unlock(&team->mutex);
}

static bool has_failed(struct margay_team *team)
{
    pthread_mutex_lock(&team->mutex);
    bool failed = team->status != MARGAY_OK;
    pthread_mutex_unlock(&team->mutex);
    return failed;
}

static void publish(struct margay_team *team, uint64_t *counter)
{
    pthread_mutex_lock(&team->mutex);
    ++*counter;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static void look_up(struct margay_worker *worker, uint64_t number)
{
    struct margay_team *team = worker->team;
    if (!has_failed(team)) {
        enum margay_status status = team->kernel->look_up(
            &worker->slice, &team->ring[number % MARGAY_TEAM_RING]);
        if (status != MARGAY_OK)
            fail(team, status);
    }
    publish(team, &worker->looked_up);
}

/* False if the team is being stopped. */
static bool await_look_ups(struct margay_team *team, uint64_t number)
{
    pthread_mutex_lock(&team->mutex);
    for (unsigned i = 0; i < team->threads; i++) {
        while (team->workers[i].looked_up <= number && !team->stopping)
            pthread_cond_wait(&team->changed, &team->mutex);
    }
    bool go_on = !team->stopping;
    pthread_mutex_unlock(&team->mutex);
    return go_on;
}

static void rank(struct margay_worker *worker, uint64_t number)
{
    struct margay_team *team = worker->team;
    if (!await_look_ups(team, number))
        return;
    if (!has_failed(team)) {
        enum margay_status status = team->kernel->rank(
            &worker->slice, &team->ring[number % MARGAY_TEAM_RING]);
        if (status != MARGAY_OK)
            fail(team, status);
    }
    publish(team, &worker->ranked);
}

static bool axis_is_short(const struct margay_slice *slice, size_t refs)
{
    uint64_t end = margay_rank_nth(slice->now + refs + 64);
    return end >> MARGAY_LEAF_SHIFT >= slice->e.rank.leaf_count - 1;
}

/* All threads do this at the same batch, as time is the same for all. */
static void compact(struct margay_worker *worker)
{
    struct margay_team *team = worker->team;
    struct margay_slice *slice = &worker->slice;
    if (has_failed(team))
        return;
    team->kernel->refresh(slice);
    enum margay_status status =
        margay_exact_compact(&slice->e, margay_exact_surplus(&slice->e),
                             MARGAY_SLICE_MAX_REFS, NULL);
    if (status != MARGAY_OK)
        fail(team, status);
    margay_slice_begin_time(slice);
    if (slice->index == 0) {
        pthread_mutex_lock(&team->mutex);
        team->live = slice->e.rank.live;
        pthread_mutex_unlock(&team->mutex);
    }
}

/*
 * Is batch `number` there?  If `may_wait`, wait for it until the team is being
 * stopped.
 */
static bool await_batch(struct margay_team *team, uint64_t number,
                        bool may_wait)
{
    pthread_mutex_lock(&team->mutex);
    while (may_wait && team->submitted <= number && !team->stopping)
        pthread_cond_wait(&team->changed, &team->mutex);
    bool there = team->submitted > number && !team->stopping;
    pthread_mutex_unlock(&team->mutex);
    return there;
}

static bool is_stopping(struct margay_team *team)
{
    pthread_mutex_lock(&team->mutex);
    bool stopping = team->stopping;
    pthread_mutex_unlock(&team->mutex);
    return stopping;
}

void *margay_team_work(void *context)
{
    struct margay_worker *worker = context;
    struct margay_team *team = worker->team;
    uint64_t looked_up = 0, ranked = 0;
    while (!is_stopping(team)) {
        bool there = await_batch(team, looked_up, ranked == looked_up);
        if (there) {
            size_t refs = team->ring[looked_up % MARGAY_TEAM_RING].count;
            if (axis_is_short(&worker->slice, refs)) {
                if (ranked < looked_up)
                    rank(worker, ranked++);
                compact(worker);
            }
            look_up(worker, looked_up++);
        }
        /* Keep one batch looked up ahead, as long as there are more. */
        if (ranked + 1 < looked_up || (!there && ranked < looked_up))
            rank(worker, ranked++);
    }
    return NULL;
}
