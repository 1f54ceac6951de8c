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

void margay_block_sample_take(const struct margay_sampled *sampled,
                              uint64_t seed, struct margay_block_sample *sample)
{
    struct margay_random random;
    uint64_t stratum = sampled->count / sampled->places;
    margay_random_seed(&random, seed);
    sample->count = 0;
    sample->run_refs = MARGAY_SAMPLE_REFS / sampled->places;
    for (size_t i = 0; i < sampled->places; i++) {
        uint64_t at = sampled->first + stratum * i +
                      margay_random_below(&random, stratum - sampled->run);
        struct margay_batch batch;
        margay_range *range;
        if (sampled->open(sampled->trace, at, sampled->run, &range, NULL) !=
            MARGAY_OK)
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
    return margay_expect_blocks(blocks, sample->count, sample->run_refs, refs);
}
