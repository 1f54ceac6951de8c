/*
 * hp_rda.c - distances in two levels, for graphics processors
 *
 * Algorithm: immediate repeats are counted and left out.  The rest is cut
 *   into chunks of st references and blocks of nb chunks.  Within a chunk the
 *   distance is exact: the live references, those not yet followed by another
 *   to their block, between the previous one and this.  Across chunks i < j it
 *   is the distinct others after the last reference in i, those of all chunks
 *   in between, and those before the first one in j: too many where chunks
 *   overlap, which is corrected.  With a backend= other than cpu a device does
 *   everything before that, and merges thread blocks where that is exact; the
 *   host, whole transfers.
 *     adjust=times: the distinct references of all chunks are a trace
 *   themselves, in which such a sum is a reuse time less 1.  The expected
 *   number of distinct blocks in that time follows from the times of the thread
 *   block: it is the sum, over all shorter times, of the share of references
 *   that are not reused until then (as in statstack).  From thread block to
 *   thread block distances are exact: the exact engine is fed the blocks in the
 *   order of their first references, which gives the distances, and then in the
 *   order of their last ones, which gives its stack the right order.
 *     adjust=on: the paper's rule.  A distance above the M distinct blocks of
 *   the thread block is multiplied by M / the sum of the chunks' distinct
 *   blocks; and so again from thread block to thread block.  adjust=off:
 *   without that factor.
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
#include "stackdist/engines/clock.h"
#include "stackdist/gpu/blocks.h"
#include "stackdist/histogram.h"

/* In the order of the class's parameters. */
enum parameter { ST, NB, ADJUST, BACKEND, DEVICE };

/* In the order of the parameter's values. */
enum adjust { BY_TIMES, ON, OFF };

/* References for a device at a time, unless a thread block has more. */
#define DEVICE_REFS (UINT32_C(1) << 24)

/* Blocks that the exact engine is fed at a time. */
#define PIECE_PLACES 1024

/* A block within a thread block. */
struct place {
    uint64_t block;
    uint64_t first; /* distinct ones before its first reference here */
    uint64_t key;   /* distinct blocks of the chunks up to its last one, summed,
                       less those after its last reference there */
    uint32_t last;  /* position of its last reference; for the analysis alone */
};

/* A thread block that has been analysed. */
struct block {
    uint32_t place_count;
    uint64_t sum_counts; /* distinct blocks of the chunks, added up */
    uint32_t *across;    /* counts of distances across chunks, up to
                            sum_counts */
    uint64_t base;       /* for the paper's rule: set by begin_block() */
};

/* A thread that analyses one thread block at a time. */
struct worker {
    const uint64_t *refs;
    size_t count;
    size_t chunk_refs;
    struct margay_hash hash; /* block to place */
    struct place *places;    /* numbered from 1 */
    struct block block;
    uint64_t *live;     /* bits by position in the chunk */
    uint32_t *place_at; /* by position in the chunk */
    uint32_t *local;    /* counts of exact distances */
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
    struct margay_error failure; /* of a reset, to be reported later */

    enum adjust adjust;
    margay_histogram *settled; /* distances that are final */

    /* By times: */
    margay_engine *exact;
    uint32_t *place_at; /* by sum of counts, from 0 on; 0 = none */

    /* By the paper's rule: */
    struct margay_hash keys;  /* block to key */
    uint64_t sum_counts;      /* distinct blocks of the thread blocks so far */
    uint64_t first_sum;       /* where that begins */
    margay_histogram *across; /* from block to block, uncorrected */
};

/* --------------------------------------------------------------- memory -- */

static void destroy(void *state)
{
    struct hp_rda *hp = state;
    margay_crew_free(hp->crew);
    for (unsigned i = 0; hp->workers != NULL && i < hp->worker_count; i++) {
        struct worker *worker = &hp->workers[i];
        margay_hash_destroy(&worker->hash);
        free(worker->places);
        free(worker->live);
        free(worker->place_at);
        free(worker->local);
        free(worker->block.across);
    }
    free(hp->workers);
    if (hp->device == NULL)
        free(hp->pending);
    margay_gpu_blocks_free(hp->device);
    margay_histogram_free(hp->settled);
    margay_engine_free(hp->exact);
    free(hp->place_at);
    margay_hash_destroy(&hp->keys);
    margay_histogram_free(hp->across);
}

static enum margay_status create_workers(struct hp_rda *hp,
                                         struct margay_error *error)
{
    size_t chunk = hp->chunk_refs, block = hp->block_refs;
    hp->workers = calloc(hp->worker_count, sizeof *hp->workers);
    hp->pending = calloc(hp->pending_capacity, sizeof *hp->pending);
    if (hp->workers == NULL || hp->pending == NULL)
        return margay_fail_memory(error, "thread blocks");
    enum margay_status status =
        margay_crew_create(hp->worker_count, &hp->crew, error);
    for (unsigned i = 0; i < hp->worker_count && status == MARGAY_OK; i++) {
        struct worker *worker = &hp->workers[i];
        worker->chunk_refs = chunk;
        worker->places = calloc(block + 1, sizeof *worker->places);
        worker->live = calloc(chunk / 64 + 1, sizeof *worker->live);
        worker->place_at = calloc(chunk, sizeof *worker->place_at);
        worker->local = calloc(chunk, sizeof *worker->local);
        worker->block.across = calloc(block + 1, sizeof *worker->block.across);
        if (!worker->places || !worker->live || !worker->place_at ||
            !worker->local || !worker->block.across)
            status = margay_fail_memory(error, "a thread block");
        if (status == MARGAY_OK)
            status = margay_hash_create(&worker->hash, block, error);
    }
    return status;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct hp_rda *hp = state;
    hp->adjust = (enum adjust)setup->settings.choices[ADJUST];
    hp->chunk_refs = (size_t)setup->settings.counts[ST];
    hp->block_refs = hp->chunk_refs * (size_t)setup->settings.counts[NB];
    hp->worker_count = (unsigned)margay_minimum(
        margay_maximum(setup->options.threads, 1), MOST_WORKERS);
    hp->pending_capacity = hp->worker_count * hp->block_refs;
    /* The state that merges thread blocks. */
    enum margay_status status = margay_histogram_create(&hp->settled, error);
    if (status == MARGAY_OK && hp->adjust == BY_TIMES) {
        struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
        hp->place_at = calloc(hp->block_refs + 1, sizeof *hp->place_at);
        if (hp->place_at == NULL)
            return margay_fail_memory(error, "thread blocks");
        status = margay_engine_create("exact", &options, &hp->exact, error);
    } else if (status == MARGAY_OK) {
        /* Keys are differences: begin high enough that none is negative. */
        hp->first_sum = hp->sum_counts = hp->block_refs + 1;
        status = margay_hash_create(&hp->keys, 0, error);
        if (status == MARGAY_OK)
            status = margay_histogram_create(&hp->across, error);
    }
    if (status != MARGAY_OK)
        return status;
    if (setup->settings.choices[BACKEND] == 0)
        return create_workers(hp, error);
    uint32_t block_refs = (uint32_t)hp->block_refs;
    return margay_gpu_blocks_create(
        (enum margay_gpu_choice)(setup->settings.choices[BACKEND] - 1),
        (unsigned)setup->settings.counts[DEVICE], (uint32_t)hp->chunk_refs,
        block_refs, block_refs < DEVICE_REFS ? DEVICE_REFS / block_refs : 1,
        hp->adjust == BY_TIMES, &hp->device, error);
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

static void run_chunk(struct worker *worker, size_t begin, size_t count)
{
    struct block *block = &worker->block;
    uint64_t distinct = 0, latest = 0;
    memset(worker->live, 0, (worker->chunk_refs / 64 + 1) * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        /* A new place if the block is new here. */
        uint64_t id = worker->refs[begin + i];
        uint32_t *number = margay_hash_insert(&worker->hash, id);
        if (*number == 0) {
            *number = ++block->place_count;
            worker->places[*number] = (struct place){.block = id};
        }
        struct place *place = &worker->places[*number];
        if (place->last > begin) { /* positions are from 1 up */
            size_t last = place->last - 1 - begin;
            worker->local[count_live(worker->live, last + 1, i)]++;
            worker->live[last / 64] &= ~(UINT64_C(1) << (last % 64));
        } else { /* the first reference in this chunk */
            uint64_t first = block->sum_counts + distinct++;
            if (place->key == 0)
                place->first = first;
            else
                block->across[first - place->key]++;
        }
        worker->live[i / 64] |= UINT64_C(1) << (i % 64);
        worker->place_at[i] = *number;
        place->last = (uint32_t)(begin + i + 1);
    }
    block->sum_counts += distinct;
    /* The keys of all blocks that are live in the end, the newest first. */
    for (size_t i = count; i-- > 0;) {
        if (worker->live[i / 64] >> (i % 64) & 1)
            worker->places[worker->place_at[i]].key =
                block->sum_counts - latest++;
    }
}

/* A task of the crew: thread block i. */
static void run_block(void *context, size_t i)
{
    struct hp_rda *hp = context;
    struct worker *worker = &hp->workers[i];
    memset(worker->hash.buckets, 0, margay_hash_bytes(&worker->hash));
    worker->hash.entries = 0;
    worker->block.place_count = 0;
    worker->block.sum_counts = 0;
    for (size_t begin = 0; begin < worker->count; begin += worker->chunk_refs) {
        run_chunk(worker, begin,
                  margay_minimum(worker->count - begin, worker->chunk_refs));
    }
}

/* ------------------------------------------------- from block to block -- */

static enum margay_status merge_counts(struct hp_rda *hp, uint32_t *counts,
                                       size_t count, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t d = 0; d < count && status == MARGAY_OK; d++) {
        if (counts[d] != 0)
            status = margay_histogram_add(hp->settled, d, counts[d], error);
        counts[d] = 0;
    }
    return status;
}

/* The paper's effective factor, for distances above all distinct blocks. */
static uint64_t correct(const struct hp_rda *hp, uint64_t distance,
                        uint64_t distinct, uint64_t sum_counts)
{
    if (hp->adjust != ON || distance <= distinct)
        return distance;
    return (uint64_t)((double)distance *
                      ((double)distinct / (double)sum_counts));
}

/* `sum` adds up, over the times so far, the references that are not reused
   until then; sum / sum_counts blocks are expected to be distinct.  The sum is
   below 2^53, as sum_counts is below 2^26. */
static enum margay_status begin_block(struct hp_rda *hp, struct block *block,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    block->base = hp->sum_counts;
    hp->sum_counts += block->place_count;
    if (hp->adjust != BY_TIMES && hp->sum_counts >= MARGAY_CLOCK_END)
        return margay_clock_fail_end(error);
    uint64_t distinct = block->place_count, sum_counts = block->sum_counts;
    uint64_t sum = 0, reused = 0;
    for (uint64_t d = 0; d <= sum_counts && status == MARGAY_OK; d++) {
        uint64_t count = block->across[d], distance = d;
        if (count != 0) {
            if (hp->adjust == BY_TIMES) {
                distance = (sum + sum_counts / 2) / sum_counts;
                distance = distance < distinct ? distance : distinct - 1;
            }
            status = margay_histogram_add(
                hp->settled, correct(hp, distance, distinct, sum_counts), count,
                error);
        }
        block->across[d] = 0;
        sum += sum_counts - reused;
        reused += count;
    }
    return status;
}

static enum margay_status merge_ids(struct hp_rda *hp, const uint64_t *ids,
                                    size_t count, bool counting,
                                    struct margay_error *error)
{
    uint64_t distances[PIECE_PLACES] = {0};
    enum margay_status status = MARGAY_OK;
    for (size_t at = 0; at < count && status == MARGAY_OK;) {
        size_t some = count - at < PIECE_PLACES ? count - at : PIECE_PLACES;
        status = margay_engine_feed(hp->exact, ids + at, some,
                                    counting ? distances : NULL, error);
        for (size_t i = 0; counting && i < some && status == MARGAY_OK; i++)
            status = margay_histogram_add(hp->settled, distances[i], 1, error);
        at += some;
    }
    return status;
}

/* The blocks in the order of place_at[], which is 0 afterwards. */
static enum margay_status merge_in_order(struct hp_rda *hp,
                                         const struct block *block,
                                         const struct place *places,
                                         bool counting,
                                         struct margay_error *error)
{
    uint64_t ids[PIECE_PLACES];
    enum margay_status status = MARGAY_OK;
    uint64_t at = 0;
    for (uint32_t left = block->place_count; left > 0 && status == MARGAY_OK;) {
        uint32_t some = left < PIECE_PLACES ? left : PIECE_PLACES;
        left -= some;
        for (uint32_t i = 0; i < some; at++) {
            ids[i] = places[hp->place_at[at]].block;
            i += hp->place_at[at] != 0;
            hp->place_at[at] = 0;
        }
        status = merge_ids(hp, ids, some, counting, error);
    }
    return status;
}

static enum margay_status merge_place(struct hp_rda *hp,
                                      const struct block *block,
                                      const struct place *place,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (hp->keys.entries >= hp->keys.entry_limit)
        status = margay_hash_reserve(&hp->keys, 1, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t distinct = block->place_count, sum = block->sum_counts;
    uint64_t first = correct(hp, place->first, distinct, sum);
    uint64_t latest = correct(hp, sum - place->key, distinct, sum);
    unsigned slot;
    struct margay_bucket *bucket =
        margay_hash_slot(&hp->keys, place->block, &slot);
    uint64_t value = margay_bucket_value(bucket, slot);
    if (value == 0) {
        hp->keys.entries++;
        status = margay_histogram_add(hp->settled, MARGAY_INFINITE, 1, error);
    } else {
        status = margay_histogram_add(
            hp->across, block->base + first - margay_clock_decode(value), 1,
            error);
    }
    bucket->keys[slot] = place->block;
    margay_bucket_set_value(
        bucket, slot, margay_clock_encode(block->base + distinct - latest));
    return status;
}

/* ------------------------------------------------------- with a device -- */

static enum margay_status merge_block(struct hp_rda *hp, struct worker *worker,
                                      struct margay_error *error)
{
    struct block *block = &worker->block;
    enum margay_status status =
        merge_counts(hp, worker->local, hp->chunk_refs, error);
    if (status == MARGAY_OK)
        status = begin_block(hp, block, error);
    if (hp->adjust == BY_TIMES && status == MARGAY_OK) {
        /* Both `first` and `key` are different for all blocks of a thread
         * block. */
        for (uint32_t i = 1; i <= block->place_count; i++)
            hp->place_at[worker->places[i].first] = i;
        status = merge_in_order(hp, block, worker->places, true, error);
        for (uint32_t i = 1; i <= block->place_count; i++)
            hp->place_at[worker->places[i].key] = i;
        if (status == MARGAY_OK)
            status = merge_in_order(hp, block, worker->places, false, error);
        return status;
    }
    for (uint32_t i = 1; i <= block->place_count && status == MARGAY_OK; i++)
        status = merge_place(hp, block, &worker->places[i], error);
    return status;
}

/* Merge the results of a device for all thread blocks of a run with those
   before. */
static enum margay_status merge_result(struct hp_rda *hp,
                                       const struct margay_gpu_result *result,
                                       struct margay_error *error)
{
    struct block *blocks = calloc(result->block_count, sizeof *blocks);
    if (blocks == NULL)
        return margay_fail_memory(error, "thread blocks");
    enum margay_status status =
        merge_counts(hp, result->local, hp->chunk_refs, error);
    for (uint32_t i = 0; i < result->block_count && status == MARGAY_OK; i++) {
        blocks[i] = (struct block){
            .place_count = result->place_counts[i],
            .sum_counts = result->sum_counts[i],
            .across = result->across + i * (hp->block_refs + 1),
        };
        status = begin_block(hp, &blocks[i], error);
    }
    if (status == MARGAY_OK)
        status = merge_counts(hp, result->distances, result->distinct, error);
    if (status == MARGAY_OK && result->ids == NULL)
        status =
            merge_ids(hp, result->ids_by_first, result->distinct, true, error);
    /* By the paper's rule: the places of all thread blocks, by id. */
    uint32_t block_refs = (uint32_t)hp->block_refs;
    for (uint32_t i = 0;
         i < result->places && result->ids != NULL && status == MARGAY_OK;
         i++) {
        const struct place place = {
            .block = result->ids[i],
            .first = result->firsts[i] % block_refs,
            .key = result->keys[i] % block_refs + 1,
        };
        uint32_t number = result->firsts[i] / block_refs;
        if (number < result->block_count)
            status = merge_place(hp, &blocks[number], &place, error);
    }
    free(blocks);
    return status;
}

/* Analyse the pending references: on a device, or a thread block on each
   thread. */
static enum margay_status run_pending(struct hp_rda *hp,
                                      struct margay_error *error)
{
    const struct margay_gpu_result *last = hp->result;
    uint32_t count = (uint32_t)hp->pending_count;
    enum margay_status status = MARGAY_OK;
    unsigned used = 0;
    if (hp->device != NULL) {
        hp->pending_count = 0;
        if (count == 0)
            return MARGAY_OK;
        /* Before another run, and only then, the references of the last one
           have to be put into the order of last references. */
        if (last != NULL)
            status =
                merge_ids(hp, last->ids_by_last, last->distinct, false, error);
        hp->result = NULL;
        if (status == MARGAY_OK)
            status =
                margay_gpu_blocks_run(hp->device, count, &hp->result, error);
        return status == MARGAY_OK ? merge_result(hp, hp->result, error)
                                   : status;
    }
    for (size_t begin = 0; begin < hp->pending_count; begin += hp->block_refs) {
        struct worker *worker = &hp->workers[used++];
        size_t left = hp->pending_count - begin;
        worker->refs = hp->pending + begin;
        worker->count = left < hp->block_refs ? left : hp->block_refs;
    }
    hp->pending_count = 0;
    margay_crew_run(hp->crew, run_block, hp, used);
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
    enum margay_status status = margay_fail_again(error, &hp->failure);
    if (status == MARGAY_OK && hp->pending == NULL) {
        uint32_t room = 0;
        status = margay_gpu_blocks_open(hp->device, &hp->pending, &room, error);
        hp->pending_capacity = room;
    }
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (hp->has_previous && blocks[i] == hp->previous) {
            hp->repeats++;
            continue;
        }
        hp->previous = blocks[i];
        hp->has_previous = true;
        hp->pending[hp->pending_count++] = blocks[i];
        if (hp->pending_count == hp->pending_capacity)
            status = run_pending(hp, error);
    }
    return status;
}

static void reset_counts(void *state)
{
    struct hp_rda *hp = state;
    hp->failure.status = MARGAY_OK;
    run_pending(hp, &hp->failure);
    hp->repeats = 0;
    margay_histogram_clear(hp->settled);
    if (hp->across != NULL)
        margay_histogram_clear(hp->across);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct hp_rda *hp = state;
    struct margay_result exact = {0};
    enum margay_status status = feed(hp, NULL, 0, NULL, error);
    if (status == MARGAY_OK)
        status = run_pending(hp, error);
    result->distinct_blocks = hp->keys.entries;
    /* The exact engine's own counts are of no use. */
    if (status == MARGAY_OK && hp->exact != NULL) {
        status = margay_engine_finish(hp->exact, &exact, error);
        result->distinct_blocks = exact.distinct_blocks;
        margay_result_clear(&exact);
    }
    if (status == MARGAY_OK)
        status = margay_histogram_add(hp->settled, 0, hp->repeats, error);
    if (status == MARGAY_OK && hp->across != NULL) {
        uint64_t sum_counts = hp->sum_counts - hp->first_sum;
        MARGAY_EACH_COUNT (hp->across, distance, count) {
            if (status == MARGAY_OK)
                status = margay_histogram_add(
                    hp->settled,
                    correct(hp, distance, hp->keys.entries, sum_counts), count,
                    error);
        }
    }
    if (status != MARGAY_OK)
        return status;
    result->histogram = hp->settled;
    hp->settled = NULL;
    return MARGAY_OK;
}

const struct margay_engine_class margay_engine_hp_rda = {
    .info = {.name = "hp-rda",
             .guarantee = "exact within chunks; no bound on the error beyond",
             .parameters =
                 "st=2048|64..65536,nb=16|1..1024,adjust=times|on|off,"
                 "backend=cpu|" MARGAY_GPU_BACKENDS
                 ",device=" MARGAY_GPU_DEVICES,
             .time = "O(N st / threads)",
             .space = "O(M + threads nb st)",
             .source = "Cui et al. 2012"},
    .can = MARGAY_GIVES_COUNTS | MARGAY_CAN_USE_THREADS,
    MARGAY_ENGINE_FUNCTIONS(struct hp_rda),
};
