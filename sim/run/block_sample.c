/* block_sample.c - how many blocks the references of a trace touch */
#include "sim/run/block_sample.h"

#include "stackdist/stackdist_internal.h"

/* Each reference by itself, as many as have room. */
static void keep_batch(struct margay_block_sample *sample,
                       const struct margay_batch *batch)
{
    for (size_t i = 0; i < batch->references; i++) {
        uint32_t count = batch->counts == NULL ? 1 : batch->counts[i];
        for (uint32_t k = 0; k < count && sample->count < MARGAY_SAMPLE_REFS;
             k++)
            sample->numbers[sample->count++] = batch->numbers[i];
    }
}

void margay_block_sample_take(margay_trace *trace, margay_range_function *open,
                              uint64_t first, uint64_t count, uint64_t run,
                              uint64_t seed, struct margay_block_sample *sample)
{
    struct margay_random random;
    margay_random_seed(&random, seed);
    sample->count = 0;
    for (size_t i = 0; i < MARGAY_SAMPLE_RUNS; i++) {
        uint64_t at = first + margay_random_below(&random, count - run);
        struct margay_batch batch;
        margay_range *range;
        if (open(trace, at, run, &range, NULL) != MARGAY_OK)
            return;
        if (margay_range_next(range, &batch, NULL) == MARGAY_OK)
            keep_batch(sample, &batch);
        margay_range_free(range);
    }
}

uint64_t margay_block_sample_expect(const struct margay_block_sample *sample,
                                    unsigned shift, uint64_t refs)
{
    uint64_t blocks[MARGAY_SAMPLE_REFS];
    for (size_t i = 0; i < sample->count; i++)
        blocks[i] = sample->numbers[i] >> shift;
    return margay_expect_blocks(blocks, sample->count, refs);
}
