/* feeding.c - batches of references to all passes over a trace */
#include "sim/feeding.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* Block references per call of an engine: their ids, kinds and distances
   stay in the second-level cache together with what the engine keeps there. */
#define CHUNK_REFS 8192

/* Batches that the crew is given at once: enough work to be worth waking it,
   little enough to be held twice. */
#define GROUP_BATCHES 8

/* A batch of our own. */
struct copy {
    struct margay_batch batch;
    size_t capacity; /* in references, of each array that there is */
    uint64_t *numbers;
    uint8_t *kinds;
    uint32_t *extents;
    uint32_t *counts;
};

struct group {
    struct copy copies[GROUP_BATCHES];
    size_t count;
};

/* What the feeding of one pass needs; its own, as others are fed meanwhile. */
struct lane {
    bool warming; /* nothing has been counted yet */
    enum margay_status status;
    struct margay_error error;
    uint64_t blocks[CHUNK_REFS], distances[CHUNK_REFS];
    uint32_t origins[CHUNK_REFS];
    uint8_t kinds[CHUNK_REFS];
};

struct feeding {
    const struct analysis_hooks *hooks;
    void *context;
    struct analysis_pass *passes;
    struct lane *lanes; /* one per pass */
    size_t count;
    margay_crew *crew; /* NULL: all is fed at once, and not copied */
    struct group groups[2];
    struct group *filling, *fed;
};

/* ------------------------------------------------- one batch to one pass -- */

static enum margay_status feed(struct feeding *feeding,
                               struct analysis_pass *pass,
                               struct analysis_chunk *chunk,
                               struct margay_error *error)
{
    const struct analysis_hooks *hooks = feeding->hooks;
    uint64_t *distances =
        hooks->wants_distances ? feeding->lanes[pass->index].distances : NULL;
    enum margay_status status = MARGAY_OK;
    if (pass->engine != NULL)
        status = margay_engine_feed(pass->engine, chunk->blocks, chunk->count,
                                    distances, error);
    if (status == MARGAY_OK && hooks->chunk != NULL) {
        chunk->first_index = pass->fed_refs;
        chunk->distances = distances;
        status = hooks->chunk(feeding->context, pass, chunk, error);
    }
    pass->fed_refs += chunk->count;
    return status;
}

/* A cursor that goes along with that of the blocks. */
static void find_origins(struct feeding *feeding,
                         const struct analysis_pass *pass,
                         const struct margay_batch *batch,
                         struct margay_block_cursor *cursor,
                         struct analysis_chunk *chunk)
{
    uint32_t *origins = feeding->lanes[pass->index].origins;
    chunk->batch = batch;
    if (!feeding->hooks->wants_origins)
        return;
    margay_batch_origins(batch, pass->shift, pass->split, cursor, origins,
                         chunk->count);
    chunk->origins = origins;
}

/* Numbers that already are blocks need not be copied. */
static enum margay_status feed_numbers(struct feeding *feeding,
                                       struct analysis_pass *pass,
                                       const struct margay_batch *batch,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct margay_block_cursor origin = {0, 0};
    for (size_t done = 0; done < batch->references && status == MARGAY_OK;) {
        size_t left = batch->references - done;
        struct analysis_chunk chunk = {
            .count = left < CHUNK_REFS ? left : CHUNK_REFS,
            .blocks = batch->numbers + done,
            .kinds = batch->kinds == NULL ? NULL : batch->kinds + done,
            .warmup = batch->warmup,
        };
        find_origins(feeding, pass, batch, &origin, &chunk);
        status = feed(feeding, pass, &chunk, error);
        done += chunk.count;
    }
    return status;
}

static enum margay_status feed_blocks(struct feeding *feeding,
                                      struct analysis_pass *pass,
                                      const struct margay_batch *batch,
                                      struct margay_error *error)
{
    struct lane *lane = &feeding->lanes[pass->index];
    struct margay_block_cursor cursor = {0, 0}, origin = {0, 0};
    uint8_t *kinds = batch->kinds == NULL ? NULL : lane->kinds;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK) {
        struct analysis_chunk chunk = {
            .blocks = lane->blocks,
            .kinds = kinds,
            .warmup = batch->warmup,
        };
        chunk.count =
            margay_batch_blocks(batch, pass->shift, pass->split, &cursor,
                                lane->blocks, kinds, CHUNK_REFS);
        if (chunk.count == 0)
            break;
        find_origins(feeding, pass, batch, &origin, &chunk);
        status = feed(feeding, pass, &chunk, error);
    }
    return status;
}

static enum margay_status end_warmup(struct feeding *feeding,
                                     struct analysis_pass *pass,
                                     struct margay_error *error)
{
    const struct analysis_hooks *hooks = feeding->hooks;
    struct lane *lane = &feeding->lanes[pass->index];
    if (!lane->warming)
        return MARGAY_OK;
    lane->warming = false;
    if (pass->engine != NULL)
        margay_engine_reset_counts(pass->engine);
    /* Once for all passes, before the first of them goes on. */
    return pass->index > 0 || hooks->end_warmup == NULL
               ? MARGAY_OK
               : hooks->end_warmup(feeding->context, error);
}

/* Every reference but the first of each count is an immediate repeat. */
static void add_repeats(struct analysis_pass *pass,
                        const struct margay_batch *batch)
{
    uint64_t repeats = margay_batch_references(batch) - batch->references;
    margay_engine_add_repeats(pass->engine, repeats);
    pass->fed_refs += repeats;
}

static enum margay_status feed_batch(struct feeding *feeding,
                                     struct analysis_pass *pass,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    const struct analysis_hooks *hooks = feeding->hooks;
    bool one_each = !pass->split || batch->extents == NULL;
    enum margay_status status = MARGAY_OK;
    if (!batch->warmup)
        status = end_warmup(feeding, pass, error);
    if (status == MARGAY_OK && hooks->batch != NULL)
        status = hooks->batch(feeding->context, pass, batch, error);
    if (status != MARGAY_OK ||
        (hooks->takes_numbers && !pass->split && pass->engine == NULL))
        return status;
    if (pass->engine != NULL && !batch->warmup)
        add_repeats(pass, batch);
    return pass->shift == 0 && one_each
               ? feed_numbers(feeding, pass, batch, error)
               : feed_blocks(feeding, pass, batch, error);
}

/* ------------------------------------------------------------- the crew -- */

/* A task: the batches of a group, to pass i. */
static void feed_group(void *context, size_t i)
{
    struct feeding *feeding = context;
    struct lane *lane = &feeding->lanes[i];
    const struct group *group = feeding->fed;
    for (size_t k = 0; k < group->count && lane->status == MARGAY_OK; k++)
        lane->status = feed_batch(feeding, &feeding->passes[i],
                                  &group->copies[k].batch, &lane->error);
}

/* Wait for the crew, and see how it fared. */
static enum margay_status await_crew(struct feeding *feeding,
                                     struct margay_error *error)
{
    margay_crew_finish(feeding->crew);
    for (size_t i = 0; i < feeding->count; i++) {
        if (feeding->lanes[i].status == MARGAY_OK)
            continue;
        *error = feeding->lanes[i].error;
        return feeding->lanes[i].status;
    }
    return MARGAY_OK;
}

/* Hand over what has been gathered, and gather more. */
static enum margay_status hand_over(struct feeding *feeding,
                                    struct margay_error *error)
{
    enum margay_status status = await_crew(feeding, error);
    if (status != MARGAY_OK)
        return status;
    struct group *filled = feeding->filling;
    feeding->filling = feeding->fed;
    feeding->filling->count = 0;
    feeding->fed = filled;
    margay_crew_start(feeding->crew, feed_group, feeding, feeding->count);
    return MARGAY_OK;
}

/* Room for the arrays that the batch has. */
static bool reserve(struct copy *copy, const struct margay_batch *batch)
{
    size_t capacity = batch->references;
    if (copy->capacity < capacity) {
        free(copy->numbers);
        free(copy->kinds);
        free(copy->extents);
        free(copy->counts);
        *copy = (struct copy){.capacity = capacity};
    }
    capacity = copy->capacity;
    if (copy->numbers == NULL)
        copy->numbers = malloc(capacity * sizeof *copy->numbers);
    if (copy->kinds == NULL && batch->kinds != NULL)
        copy->kinds = malloc(capacity * sizeof *copy->kinds);
    if (copy->extents == NULL && batch->extents != NULL)
        copy->extents = malloc(capacity * sizeof *copy->extents);
    if (copy->counts == NULL && batch->counts != NULL)
        copy->counts = malloc(capacity * sizeof *copy->counts);
    return copy->numbers != NULL &&
           (copy->counts != NULL || batch->counts == NULL) &&
           (copy->kinds != NULL || batch->kinds == NULL) &&
           (copy->extents != NULL || batch->extents == NULL);
}

static enum margay_status copy_batch(struct copy *copy,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    size_t count = batch->references;
    if (!reserve(copy, batch))
        return margay_fail_memory(error, "batches of references");
    memcpy(copy->numbers, batch->numbers, count * sizeof *copy->numbers);
    if (batch->kinds != NULL)
        memcpy(copy->kinds, batch->kinds, count * sizeof *copy->kinds);
    if (batch->extents != NULL)
        memcpy(copy->extents, batch->extents, count * sizeof *copy->extents);
    if (batch->counts != NULL)
        memcpy(copy->counts, batch->counts, count * sizeof *copy->counts);
    copy->batch = (struct margay_batch){
        .references = count,
        .numbers = copy->numbers,
        .kinds = batch->kinds == NULL ? NULL : copy->kinds,
        .extents = batch->extents == NULL ? NULL : copy->extents,
        .counts = batch->counts == NULL ? NULL : copy->counts,
        .repeats = batch->repeats,
        .warmup = batch->warmup,
    };
    return MARGAY_OK;
}

/* ------------------------------------------------------------ the whole -- */

/* Only if nobody notices. */
bool feeding_is_shared(const struct analysis_hooks *hooks)
{
    return hooks->passes_apart ||
           (hooks->batch == NULL && hooks->chunk == NULL);
}

enum margay_status feeding_create(const struct analysis_hooks *hooks,
                                  void *context, struct analysis_pass *passes,
                                  size_t count, unsigned threads, bool warming,
                                  struct feeding **feeding,
                                  struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct feeding *made = calloc(1, sizeof *made);
    *feeding = made;
    if (made == NULL)
        return margay_fail_memory(error, "the analysis");
    *made = (struct feeding){.hooks = hooks,
                             .context = context,
                             .passes = passes,
                             .count = count,
                             .filling = &made->groups[0],
                             .fed = &made->groups[1]};
    made->lanes = calloc(count, sizeof *made->lanes);
    if (made->lanes == NULL)
        status = margay_fail_memory(error, "the analysis");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        made->lanes[i].warming = warming;
    if (threads > 1 && count > 1 && feeding_is_shared(hooks) &&
        status == MARGAY_OK)
        status = margay_crew_create(threads < count ? threads : (unsigned)count,
                                    &made->crew, error);
    if (status != MARGAY_OK) {
        feeding_free(made);
        *feeding = NULL;
    }
    return status;
}

enum margay_status feeding_put(struct feeding *feeding,
                               const struct margay_batch *batch,
                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (feeding->crew == NULL) {
        for (size_t i = 0; i < feeding->count && status == MARGAY_OK; i++)
            status = feed_batch(feeding, &feeding->passes[i], batch, error);
        return status;
    }
    struct group *group = feeding->filling;
    status = copy_batch(&group->copies[group->count], batch, error);
    if (status == MARGAY_OK && ++group->count == GROUP_BATCHES)
        status = hand_over(feeding, error);
    return status;
}

enum margay_status feeding_flush(struct feeding *feeding,
                                 struct margay_error *error)
{
    if (feeding->crew == NULL)
        return MARGAY_OK;
    enum margay_status status = hand_over(feeding, error);
    return status == MARGAY_OK ? await_crew(feeding, error) : status;
}

enum margay_status feeding_end_warmup(struct feeding *feeding,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < feeding->count && status == MARGAY_OK; i++)
        status = end_warmup(feeding, &feeding->passes[i], error);
    return status;
}

void feeding_free(struct feeding *feeding)
{
    if (feeding == NULL)
        return;
    if (feeding->crew != NULL)
        margay_crew_finish(feeding->crew);
    margay_crew_free(feeding->crew);
    for (size_t i = 0; i < 2 * GROUP_BATCHES; i++) {
        struct copy *copy =
            &feeding->groups[i / GROUP_BATCHES].copies[i % GROUP_BATCHES];
        free(copy->numbers);
        free(copy->kinds);
        free(copy->extents);
        free(copy->counts);
    }
    free(feeding->lanes);
    free(feeding);
}
