/*
 * team_create.c - making a team of threads, and ending it
 */
#include <stdlib.h>

#include "stackdist/exact/team.h"
#include "stackdist/exact/team_state.h"
#include "traces/traces_internal.h"

static enum margay_status create_batch(struct margay_team *team,
                                       struct margay_slice_batch *batch)
{
    const size_t refs = MARGAY_SLICE_MAX_REFS;
    batch->wanted = margay_map(refs * sizeof *batch->wanted);
    batch->demoted = margay_map(refs * sizeof *batch->demoted);
    batch->indices = margay_map(refs * sizeof *batch->indices);
    batch->wanted_owners = margay_map(refs);
    batch->demoted_owners = margay_map(refs);
    batch->past = calloc(team->threads, sizeof *batch->past);
    if (batch->wanted == NULL || batch->demoted == NULL ||
        batch->indices == NULL || batch->wanted_owners == NULL ||
        batch->demoted_owners == NULL || batch->past == NULL)
        return MARGAY_NO_MEMORY;
    for (unsigned i = 0; i < team->threads; i++) {
        batch->past[i].timestamps = margay_map(MARGAY_SLICE_PAST_BYTES);
        if (batch->past[i].timestamps == NULL)
            return MARGAY_NO_MEMORY;
    }
    return MARGAY_OK;
}

static void destroy_batch(struct margay_team *team,
                          struct margay_slice_batch *batch)
{
    const size_t refs = MARGAY_SLICE_MAX_REFS;
    margay_unmap(batch->wanted, refs * sizeof *batch->wanted);
    margay_unmap(batch->demoted, refs * sizeof *batch->demoted);
    margay_unmap(batch->indices, refs * sizeof *batch->indices);
    margay_unmap(batch->wanted_owners, refs);
    margay_unmap(batch->demoted_owners, refs);
    for (unsigned i = 0; i < team->threads && batch->past != NULL; i++)
        margay_unmap(batch->past[i].timestamps, MARGAY_SLICE_PAST_BYTES);
    free(batch->past);
}

/* Which slots of a bucket hold blocks of this thread's. */
static unsigned own_slots(const struct margay_team *team, unsigned index,
                          const struct margay_bucket *bucket)
{
    uint8_t owners[MARGAY_BUCKET_SLOTS];
    unsigned own = 0;
    team->kernel->assign(bucket->keys, MARGAY_BUCKET_SLOTS, team->threads,
                         owners);
    for (unsigned i = 0; i < MARGAY_BUCKET_SLOTS; i++)
        own |= (unsigned)(bucket->values[i] != 0 && owners[i] == index) << i;
    return own;
}

/*
 * Enter a thread's share of the blocks.  They are counted first, as they come
 * in the order of the old table: in a table that grew meanwhile all would be at
 * one end, in long runs.
 */
static enum margay_status share_blocks(const struct margay_team *team,
                                       struct margay_slice *slice,
                                       const struct margay_hash *from)
{
    struct margay_hash *hash = &slice->e.hash;
    uint64_t share = 0;
    for (uint64_t i = 0; i < from->bucket_count; i++)
        share += (unsigned)__builtin_popcount(
            own_slots(team, slice->index, &from->buckets[i]));
    enum margay_status status = margay_hash_reserve(hash, share, NULL);
    if (status != MARGAY_OK)
        return status;
    for (uint64_t i = 0; i < from->bucket_count; i++) {
        const struct margay_bucket *bucket = &from->buckets[i];
        unsigned own = own_slots(team, slice->index, bucket);
        for (; own != 0; own &= own - 1) {
            unsigned slot = (unsigned)__builtin_ctz(own);
            margay_hash_put_new(hash, bucket->keys[slot],
                                margay_bucket_value(bucket, slot));
        }
    }
    return MARGAY_OK;
}

static enum margay_status create_worker(struct margay_team *team,
                                        unsigned index,
                                        const struct margay_exact *from)
{
    struct margay_worker *worker = &team->workers[index];
    struct margay_slice *slice = &worker->slice;
    worker->team = team;
    slice->index = index;
    slice->threads = team->threads;
    slice->e.kernel = from->kernel;
    slice->e.bound = from->bound;
    slice->blocks = margay_map(MARGAY_SLICE_LIST_BYTES);
    slice->values = margay_map(MARGAY_SLICE_LIST_BYTES);
    if (slice->blocks == NULL || slice->values == NULL)
        return MARGAY_NO_MEMORY;
    enum margay_status status = margay_exact_create_store(&slice->e, 0, NULL);
    if (status == MARGAY_OK)
        status = margay_exact_share_time(&slice->e, from, NULL);
    if (status == MARGAY_OK)
        status = share_blocks(team, slice, &from->hash);
    margay_slice_begin_time(slice);
    return status;
}

static void destroy_worker(struct margay_worker *worker)
{
    struct margay_slice *slice = &worker->slice;
    margay_unmap(slice->blocks, MARGAY_SLICE_LIST_BYTES);
    margay_unmap(slice->values, MARGAY_SLICE_LIST_BYTES);
    margay_exact_destroy_store(&slice->e);
}

static enum margay_status start_threads(struct margay_team *team)
{
    int reason = 0;
    for (unsigned i = 0; i < team->threads && reason == 0; i++) {
        struct margay_worker *worker = &team->workers[i];
        reason = margay_thread_start(&worker->thread, margay_team_work, worker);
        worker->started = reason == 0;
    }
    return reason == 0 ? MARGAY_OK : MARGAY_NO_MEMORY;
}

static const struct margay_slice_kernel *kernel_beside(
    const struct margay_exact_kernel *kernel)
{
#if defined(__x86_64__)
    if (kernel == &margay_exact_kernel_v4)
        return &margay_slice_kernel_v4;
    if (kernel == &margay_exact_kernel_v3)
        return &margay_slice_kernel_v3;
#endif
    (void)kernel;
    return &margay_slice_kernel_portable;
}

static enum margay_status fill_team(struct margay_team *team,
                                    struct margay_exact *e)
{
    enum margay_status status =
        margay_exact_compact(e, 0, MARGAY_SLICE_MAX_REFS, NULL);
    team->live = e->rank.live;
    team->batch_refs = margay_team_batch_refs(team);
    for (size_t i = 0; i < MARGAY_TEAM_RING && status == MARGAY_OK; i++)
        status = create_batch(team, &team->ring[i]);
    for (unsigned i = 0; i < team->threads && status == MARGAY_OK; i++)
        status = create_worker(team, i, e);
    if (status != MARGAY_OK)
        return status;
    margay_exact_destroy_stack(e);
    return start_threads(team);
}

enum margay_status margay_team_create(struct margay_exact *e,
                                      struct margay_team **team,
                                      struct margay_error *error)
{
    unsigned threads = e->threads < MARGAY_SLICE_MAX_THREADS
                           ? e->threads
                           : MARGAY_SLICE_MAX_THREADS;
    struct margay_team *made = calloc(1, sizeof *made);
    struct margay_worker *workers = margay_map(threads * sizeof *workers);
    if (made == NULL || workers == NULL) {
        free(made);
        margay_unmap(workers, threads * sizeof *workers);
        return margay_fail_memory(error, "the exact engine's threads");
    }
    made->threads = threads;
    made->workers = workers;
    made->kernel = kernel_beside(e->kernel);
    made->fixed_batch_refs = e->team_batch_refs;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    if (fill_team(made, e) != MARGAY_OK) {
        margay_team_free(made);
        return margay_fail_memory(error, "the exact engine's threads");
    }
    *team = made;
    return MARGAY_OK;
}

void margay_team_free(struct margay_team *team)
{
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->mutex);
    team->stopping = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
    for (unsigned i = 0; i < team->threads; i++) {
        if (team->workers[i].started)
            pthread_join(team->workers[i].thread, NULL);
    }
    for (unsigned i = 0; i < team->threads; i++)
        destroy_worker(&team->workers[i]);
    for (size_t i = 0; i < MARGAY_TEAM_RING; i++)
        destroy_batch(team, &team->ring[i]);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->mutex);
    margay_unmap(team->workers, team->threads * sizeof *team->workers);
    free(team);
}
