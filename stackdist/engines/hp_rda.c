/*
 * hp_rda.c - distances in two levels, as graphics processors like them
 *
 * Algorithm: immediate repeats are counted and left out.  The rest is cut
 *   into chunks of st references and blocks of nb chunks.  Within a chunk the
 *   distance is exact: the live references, those not yet followed by another
 *   to their block, between the previous one and this.  Across chunks i < j it
 *   is the distinct others after the last reference in i, those of all chunks
 *   in between, and those before the first one in j: too many where chunks
 *   overlap, which is corrected, and thread blocks are merged, as hp_merge.h
 *   says.  With a backend= other than cpu a device does everything before that,
 *   and merges thread blocks where that is exact; the host, whole transfers.
 * Source: Cui, Yi, Xue, Wang, Yang, Feng, "A highly parallel reuse distance
 *   analysis algorithm on GPUs", IPDPS 2012; the correction by times is ours.
 * Guarantee: exact within chunks, and by default from thread block to thread
 *   block; no bound on the error from chunk to chunk.  Results do not depend on
 *   the number of threads.
 * Cost: O(N st / 64) work, divided by the threads but for O(distinct) per
 *   thread block; O(M) space and 36 bytes nb st per thread.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/engines/hp_merge.h"
#include "stackdist/exact/hash.h"
#include "stackdist/gpu/blocks.h"
#include "traces/traces_internal.h"

/* In the order of the class's parameters. */
enum parameter { ST, NB, ADJUST, BACKEND, DEVICE };

/* References for a device at a time, unless a thread block has more. */
#define DEVICE_REFS (UINT32_C(1) << 24)

/* A thread that analyses one thread block at a time. */
struct worker {
    const uint64_t *refs;
    size_t count;
    size_t chunk_refs;
    struct margay_hash hash;        /* block to place */
    struct margay_hp_place *places; /* numbered from 1 */
    uint32_t place_count;
    uint64_t *live;      /* bits by position in the chunk */
    uint32_t *place_at;  /* by position in the chunk */
    uint32_t *local;     /* counts of exact distances */
    uint32_t *across;    /* counts of distances across chunks, uncorrected */
    uint64_t sum_counts; /* distinct blocks of the chunks so far */
};

/* Each has tables of its own. */
#define MOST_WORKERS 256

struct hp_rda {
    size_t chunk_refs, block_refs;
    margay_gpu_blocks *device; /* NULL: the crew analyses thread blocks */
    const struct margay_gpu_result *result; /* to be finished; or NULL */
    margay_crew *crew;
    unsigned worker_count;
    struct worker *workers;
    uint64_t *pending; /* references, repeats left out; those of a device are
                          its own, and NULL as long as it is not open */
    size_t pending_count, pending_capacity;
    uint64_t previous; /* the reference before, if there is any */
    bool has_previous;
    uint64_t repeats;
    struct margay_hp_merge *merge;
    struct margay_error failure; /* of a reset, to be reported later */
};

/* --------------------------------------------------------------- memory -- */

static void destroy_worker(struct worker *worker)
{
    margay_hash_destroy(&worker->hash);
    free(worker->places);
    free(worker->live);
    free(worker->place_at);
    free(worker->local);
    free(worker->across);
}

static enum margay_status create_worker(const struct hp_rda *hp,
                                        struct worker *worker,
                                        struct margay_error *error)
{
    size_t chunk = hp->chunk_refs, block = hp->block_refs;
    worker->chunk_refs = chunk;
    worker->places = calloc(block + 1, sizeof *worker->places);
    worker->live = calloc(chunk / 64 + 1, sizeof *worker->live);
    worker->place_at = calloc(chunk, sizeof *worker->place_at);
    worker->local = calloc(chunk, sizeof *worker->local);
    worker->across = calloc(block + 1, sizeof *worker->across);
    if (!worker->places || !worker->live || !worker->place_at ||
        !worker->local || !worker->across)
        return margay_fail_memory(error, "a thread block");
    return margay_hash_create(&worker->hash, block, error);
}

static void destroy(void *state)
{
    struct hp_rda *hp = state;
    margay_crew_free(hp->crew);
    for (unsigned i = 0; hp->workers != NULL && i < hp->worker_count; i++)
        destroy_worker(&hp->workers[i]);
    free(hp->workers);
    if (hp->device == NULL)
        free(hp->pending);
    margay_gpu_blocks_free(hp->device);
    margay_hp_merge_free(hp->merge);
}

static enum margay_status allocate(struct hp_rda *hp,
                                   struct margay_error *error)
{
    hp->workers = calloc(hp->worker_count, sizeof *hp->workers);
    hp->pending = calloc(hp->pending_capacity, sizeof *hp->pending);
    if (hp->workers == NULL || hp->pending == NULL)
        return margay_fail_memory(error, "thread blocks");
    enum margay_status status =
        margay_crew_create(hp->worker_count, &hp->crew, error);
    for (unsigned i = 0; i < hp->worker_count && status == MARGAY_OK; i++)
        status = create_worker(hp, &hp->workers[i], error);
    return status;
}

static enum margay_status create_device(struct hp_rda *hp,
                                        const struct margay_engine_setup *setup,
                                        struct margay_error *error)
{
    uint32_t block_refs = (uint32_t)hp->block_refs;
    uint32_t blocks = block_refs < DEVICE_REFS ? DEVICE_REFS / block_refs : 1;
    return margay_gpu_blocks_create(
        (enum margay_gpu_choice)(setup->settings.choices[BACKEND] - 1),
        (unsigned)setup->settings.counts[DEVICE], (uint32_t)hp->chunk_refs,
        block_refs, blocks, setup->settings.choices[ADJUST] == MARGAY_HP_TIMES,
        &hp->device, error);
}

static enum margay_status open_device(struct hp_rda *hp,
                                      struct margay_error *error)
{
    uint32_t room = 0;
    enum margay_status status =
        margay_gpu_blocks_open(hp->device, &hp->pending, &room, error);
    hp->pending_capacity = room;
    return status;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct hp_rda *hp = state;
    hp->chunk_refs = (size_t)setup->settings.counts[ST];
    hp->block_refs = hp->chunk_refs * (size_t)setup->settings.counts[NB];
    hp->worker_count = setup->options.threads < 1 ? 1 : setup->options.threads;
    if (hp->worker_count > MOST_WORKERS)
        hp->worker_count = MOST_WORKERS;
    hp->pending_capacity = hp->worker_count * hp->block_refs;
    enum margay_status status = margay_hp_merge_create(
        (enum margay_hp_adjust)setup->settings.choices[ADJUST], hp->chunk_refs,
        hp->block_refs, &hp->merge, error);
    if (status == MARGAY_OK)
        status = setup->settings.choices[BACKEND] != 0
                     ? create_device(hp, setup, error)
                     : allocate(hp, error);
    return status;
}

/* -------------------------------------------------------------- a chunk -- */

/* Live references in a chunk from position `from` up to `to`. */
static uint64_t count_live(const uint64_t *live, size_t from, size_t to)
{
    if (from == to)
        return 0;
    size_t first = from / 64, last = (to - 1) / 64;
    uint64_t head = ~UINT64_C(0) << (from % 64);
    uint64_t tail = ~UINT64_C(0) >> (63 - (to - 1) % 64);
    if (first == last)
        return (uint64_t)__builtin_popcountll(live[first] & head & tail);
    uint64_t sum = (uint64_t)__builtin_popcountll(live[first] & head) +
                   (uint64_t)__builtin_popcountll(live[last] & tail);
    for (size_t word = first + 1; word < last; word++)
        sum += (uint64_t)__builtin_popcountll(live[word]);
    return sum;
}

/* The place of a block, which is a new one if it has not been met here. */
static struct margay_hp_place *find_place(struct worker *worker, uint64_t block)
{
    uint32_t *number = margay_hash_insert(&worker->hash, block);
    if (*number == 0) {
        *number = ++worker->place_count;
        worker->places[*number] = (struct margay_hp_place){.block = block};
    }
    return &worker->places[*number];
}

/* The first reference to a block in a chunk that has met `before` others. */
static void enter_chunk(struct worker *worker, struct margay_hp_place *place,
                        uint64_t before)
{
    uint64_t first = worker->sum_counts + before;
    if (place->key == 0)
        place->first = first;
    else
        worker->across[first - place->key]++;
}

/* Set the keys of all blocks that are live at the end of a chunk, the newest
   first; `latest` counts them. */
static void leave_chunk(struct worker *worker, size_t count, uint64_t distinct)
{
    uint64_t latest = 0;
    for (size_t i = count; i-- > 0;) {
        if (worker->live[i / 64] >> (i % 64) & 1)
            worker->places[worker->place_at[i]].key =
                worker->sum_counts + distinct - latest++;
    }
    worker->sum_counts += distinct;
}

static void run_chunk(struct worker *worker, size_t begin, size_t count)
{
    uint64_t distinct = 0;
    memset(worker->live, 0, (worker->chunk_refs / 64 + 1) * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        struct margay_hp_place *place =
            find_place(worker, worker->refs[begin + i]);
        bool here = place->last > begin; /* positions are from 1 up */
        if (here) {
            size_t last = place->last - 1 - begin;
            worker->local[count_live(worker->live, last + 1, i)]++;
            worker->live[last / 64] &= ~(UINT64_C(1) << (last % 64));
        } else {
            enter_chunk(worker, place, distinct++);
        }
        worker->live[i / 64] |= UINT64_C(1) << (i % 64);
        worker->place_at[i] = (uint32_t)(place - worker->places);
        place->last = (uint32_t)(begin + i + 1);
    }
    leave_chunk(worker, count, distinct);
}

/* A task of the crew: thread block i. */
static void run_block(void *context, size_t i)
{
    struct hp_rda *hp = context;
    struct worker *worker = &hp->workers[i];
    memset(worker->hash.buckets, 0, margay_hash_bytes(&worker->hash));
    worker->hash.entries = 0;
    worker->place_count = 0;
    worker->sum_counts = 0;
    for (size_t begin = 0; begin < worker->count; begin += worker->chunk_refs) {
        size_t left = worker->count - begin;
        run_chunk(worker, begin,
                  left < worker->chunk_refs ? left : worker->chunk_refs);
    }
}

/* ------------------------------------------------- from block to block -- */

static enum margay_status merge_block(struct hp_rda *hp,
                                      const struct worker *worker,
                                      struct margay_error *error)
{
    struct margay_hp_block block = {
        .place_count = worker->place_count,
        .sum_counts = worker->sum_counts,
        .across = worker->across,
    };
    enum margay_status status =
        margay_hp_merge_counts(hp->merge, worker->local, hp->chunk_refs, error);
    if (status == MARGAY_OK)
        status = margay_hp_merge_begin(hp->merge, &block, error);
    if (status == MARGAY_OK)
        status =
            margay_hp_merge_places(hp->merge, &block, worker->places, error);
    return status;
}

/* By the paper's rule: the places of all thread blocks, by id. */
static enum margay_status merge_by_id(struct hp_rda *hp,
                                      const struct margay_gpu_result *result,
                                      const struct margay_hp_block *blocks,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint32_t block_refs = (uint32_t)hp->block_refs;
    for (uint32_t i = 0; i < result->places && status == MARGAY_OK; i++) {
        const struct margay_hp_place place = {
            .block = result->ids[i],
            .first = result->firsts[i] % block_refs,
            .key = result->keys[i] % block_refs + 1,
        };
        uint32_t number = result->firsts[i] / block_refs;
        if (number < result->block_count)
            status = margay_hp_merge_place(hp->merge, &blocks[number], &place,
                                           error);
    }
    return status;
}

/* Merge what a device found in all thread blocks of a run with those before. */
static enum margay_status merge_result(struct hp_rda *hp,
                                       const struct margay_gpu_result *result,
                                       struct margay_error *error)
{
    struct margay_hp_block *blocks =
        calloc(result->block_count, sizeof *blocks);
    if (blocks == NULL)
        return margay_fail_memory(error, "thread blocks");
    enum margay_status status =
        margay_hp_merge_counts(hp->merge, result->local, hp->chunk_refs, error);
    for (uint32_t i = 0; i < result->block_count && status == MARGAY_OK; i++) {
        blocks[i] = (struct margay_hp_block){
            .place_count = result->place_counts[i],
            .sum_counts = result->sum_counts[i],
            .across = result->across + i * (hp->block_refs + 1),
        };
        status = margay_hp_merge_begin(hp->merge, &blocks[i], error);
    }
    if (status == MARGAY_OK)
        status = margay_hp_merge_counts(hp->merge, result->distances,
                                        result->distinct, error);
    if (status == MARGAY_OK)
        status = result->ids != NULL
                     ? merge_by_id(hp, result, blocks, error)
                     : margay_hp_merge_ids(hp->merge, result->ids_by_first,
                                           result->distinct, true, error);
    free(blocks);
    return status;
}

/* Analyse the pending references on a device.  Before another run, and only
   then, those of the last one have to be put into the order of last references.
 */
static enum margay_status run_on_device(struct hp_rda *hp,
                                        struct margay_error *error)
{
    const struct margay_gpu_result *last = hp->result;
    uint32_t count = (uint32_t)hp->pending_count;
    enum margay_status status = MARGAY_OK;
    hp->pending_count = 0;
    if (count == 0)
        return MARGAY_OK;
    if (last != NULL)
        status = margay_hp_merge_ids(hp->merge, last->ids_by_last,
                                     last->distinct, false, error);
    hp->result = NULL;
    if (status == MARGAY_OK)
        status = margay_gpu_blocks_run(hp->device, count, &hp->result, error);
    if (status == MARGAY_OK)
        status = merge_result(hp, hp->result, error);
    return status;
}

/* Analyse the pending references, a thread block on each thread. */
static enum margay_status run_pending(struct hp_rda *hp,
                                      struct margay_error *error)
{
    unsigned used = 0;
    if (hp->device != NULL)
        return run_on_device(hp, error);
    for (size_t begin = 0; begin < hp->pending_count; begin += hp->block_refs) {
        struct worker *worker = &hp->workers[used++];
        size_t left = hp->pending_count - begin;
        worker->refs = hp->pending + begin;
        worker->count = left < hp->block_refs ? left : hp->block_refs;
    }
    hp->pending_count = 0;
    margay_crew_start(hp->crew, run_block, hp, used);
    margay_crew_finish(hp->crew);
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < used && status == MARGAY_OK; i++)
        status = merge_block(hp, &hp->workers[i], error);
    return status;
}

/* -------------------------------------------------------- the interface -- */

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct hp_rda *hp = state;
    if (hp->failure.status != MARGAY_OK)
        return margay_fail(error, hp->failure.status, "%s",
                           hp->failure.message);
    if (hp->pending == NULL) {
        enum margay_status status = open_device(hp, error);
        if (status != MARGAY_OK)
            return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (hp->has_previous && blocks[i] == hp->previous) {
            hp->repeats++;
            continue;
        }
        hp->previous = blocks[i];
        hp->has_previous = true;
        hp->pending[hp->pending_count++] = blocks[i];
        if (hp->pending_count == hp->pending_capacity) {
            enum margay_status status = run_pending(hp, error);
            if (status != MARGAY_OK)
                return status;
        }
    }
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct hp_rda *hp = state;
    hp->failure.status = MARGAY_OK;
    run_pending(hp, &hp->failure);
    hp->repeats = 0;
    margay_hp_merge_reset_counts(hp->merge);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct hp_rda *hp = state;
    enum margay_status status = feed(hp, NULL, 0, NULL, error);
    if (status == MARGAY_OK)
        status = run_pending(hp, error);
    if (status == MARGAY_OK)
        status = margay_hp_merge_finish(hp->merge, hp->repeats, result, error);
    return status;
}

const struct margay_engine_class margay_engine_hp_rda = {
    .info =
        {
            .name = "hp-rda",
            .guarantee = "exact within chunks; no bound on the error beyond",
            .parameters =
                "st=2048|64..65536,nb=16|1..1024,adjust=" MARGAY_HP_ADJUST ","
                "backend=cpu|" MARGAY_GPU_BACKENDS
                ",device=" MARGAY_GPU_DEVICES,
            .time = "O(N st / threads)",
            .space = "O(M + threads nb st)",
            .source = "Cui et al. 2012",
        },
    .can = MARGAY_GIVES_COUNTS | MARGAY_CAN_USE_THREADS,
    .parameters = {[ST] = {"st", "2048|64..65536", MARGAY_COUNT},
                   [NB] = {"nb", "16|1..1024", MARGAY_COUNT},
                   [ADJUST] = {"adjust", MARGAY_HP_ADJUST, MARGAY_CHOICE},
                   [BACKEND] = {"backend", "cpu|" MARGAY_GPU_BACKENDS,
                                MARGAY_CHOICE},
                   [DEVICE] = {"device", MARGAY_GPU_DEVICES, MARGAY_COUNT}},
    MARGAY_ENGINE_FUNCTIONS(struct hp_rda),
};
