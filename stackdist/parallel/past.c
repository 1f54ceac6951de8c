/* past.c - what a part of a trace left behind: its LRU stack */
#include "stackdist/parallel/past.h"

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* Blocks asked about together, so that their cache misses overlap. */
#define BATCH 64

enum margay_status margay_past_create(struct margay_past *past,
                                      const uint64_t *blocks, uint64_t count,
                                      struct margay_error *error)
{
    *past = (struct margay_past){.asked = 0};
    enum margay_status status = margay_hash_create(&past->places, count, error);
    if (status == MARGAY_OK)
        status = margay_rank_create(&past->stack, margay_rank_nth(count) + 1024,
                                    0, error);
    if (status != MARGAY_OK) {
        margay_past_destroy(past);
        return status;
    }
    margay_rank_fill(&past->stack, count);
    for (uint64_t i = 0; i < count; i++)
        margay_hash_put_new(&past->places, blocks[i], margay_rank_nth(i));
    return MARGAY_OK;
}

void margay_past_destroy(struct margay_past *past)
{
    margay_hash_destroy(&past->places);
    margay_rank_destroy(&past->stack);
}

/* Where the blocks of a batch stand; 0: not here. */
static void look_up(const struct margay_past *past, const uint64_t *blocks,
                    size_t count, uint64_t *places)
{
    for (size_t i = 0; i < count; i++)
        margay_hash_prefetch(&past->places, blocks[i]);
    for (size_t i = 0; i < count; i++) {
        unsigned slot;
        const struct margay_bucket *bucket =
            margay_hash_slot(&past->places, blocks[i], &slot);
        places[i] = margay_bucket_value(bucket, slot);
        margay_rank_prefetch(&past->stack, places[i]);
    }
}

static uint64_t take_out(struct margay_past *past, uint64_t place)
{
    struct margay_rank *stack = &past->stack;
    uint64_t before = margay_rank_before(stack, place, stack->tall);
    uint64_t newer = stack->live - before - 1;
    margay_rank_clear(stack, place, margay_rank_top_vectors(stack),
                      stack->tall);
    stack->live--;
    return newer + past->asked;
}

void margay_past_ask(struct margay_past *past, const uint64_t *blocks,
                     size_t count, uint64_t *distances)
{
    uint64_t places[BATCH];
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < BATCH ? count - done : BATCH;
        look_up(past, blocks + done, some, places);
        for (size_t i = 0; i < some; i++) {
            bool here =
                places[i] != 0 && margay_rank_has(&past->stack, places[i]);
            distances[done + i] =
                here ? take_out(past, places[i]) : MARGAY_INFINITE;
            past->asked++;
        }
    }
}

void margay_past_list(const struct margay_past *past, uint64_t *blocks)
{
    const struct margay_rank *stack = &past->stack;
    for (uint64_t i = 0; i < past->places.bucket_count; i++) {
        const struct margay_bucket *bucket = &past->places.buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t place = margay_bucket_value(bucket, slot);
            if (place != 0 && margay_rank_has(stack, place))
                blocks[margay_rank_before(stack, place, stack->tall)] =
                    bucket->keys[slot];
        }
    }
}
