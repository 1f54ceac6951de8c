/* past.c - what a part of a trace left behind: its LRU stack */
#include "stackdist/parts/past.h"

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* Blocks asked about together, so that their cache misses overlap. */
#define BATCH 64

enum margay_status margay_past_create(struct margay_past *past,
                                      const uint64_t *blocks, uint64_t count,
                                      struct margay_error *error)
{
    *past = (struct margay_past){.asked = 0};
    enum margay_status status = margay_hash_create(&past->bits, count, error);
    if (status == MARGAY_OK)
        status = margay_rank_create(&past->stack, margay_rank_nth(count) + 1024,
                                    0, error);
    if (status != MARGAY_OK) {
        margay_past_destroy(past);
        return status;
    }
    margay_rank_fill(&past->stack, count);
    for (uint64_t i = 0; i < count; i++)
        margay_hash_put_new(&past->bits, blocks[i], margay_rank_nth(i));
    return MARGAY_OK;
}

void margay_past_destroy(struct margay_past *past)
{
    margay_hash_destroy(&past->bits);
    margay_rank_destroy(&past->stack);
}

/* The bits of the blocks of a batch; 0 for blocks that are not here. */
static void look_up(const struct margay_past *past, const uint64_t *blocks,
                    size_t count, uint64_t *bits)
{
    for (size_t i = 0; i < count; i++)
        margay_hash_prefetch(&past->bits, blocks[i]);
    for (size_t i = 0; i < count; i++) {
        unsigned slot;
        const struct margay_bucket *bucket =
            margay_hash_slot(&past->bits, blocks[i], &slot);
        bits[i] = margay_bucket_value(bucket, slot);
        margay_rank_prefetch(&past->stack, bits[i]);
    }
}

static uint64_t take_out(struct margay_past *past, uint64_t bit)
{
    struct margay_rank *stack = &past->stack;
    uint64_t before = margay_rank_before(stack, bit, stack->tall);
    uint64_t newer = stack->live - before - 1;
    margay_rank_clear(stack, bit, margay_rank_top_vectors(stack), stack->tall);
    stack->live--;
    return newer + past->asked;
}

void margay_past_ask(struct margay_past *past, const uint64_t *blocks,
                     size_t count, uint64_t *distances)
{
    uint64_t bits[BATCH];
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < BATCH ? count - done : BATCH;
        look_up(past, blocks + done, some, bits);
        for (size_t i = 0; i < some; i++) {
            bool here = bits[i] != 0 && margay_rank_has(&past->stack, bits[i]);
            distances[done + i] =
                here ? take_out(past, bits[i]) : MARGAY_INFINITE;
            past->asked++;
        }
    }
}

void margay_past_list(const struct margay_past *past, uint64_t *blocks)
{
    const struct margay_rank *stack = &past->stack;
    for (uint64_t i = 0; i < past->bits.bucket_count; i++) {
        const struct margay_bucket *bucket = &past->bits.buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t bit = margay_bucket_value(bucket, slot);
            if (bit != 0 && margay_rank_has(stack, bit))
                blocks[margay_rank_before(stack, bit, stack->tall)] =
                    bucket->keys[slot];
        }
    }
}
