/* sample.c - picking what is in a spatial sample */
#include "stackdist/engines/sample.h"

size_t margay_sample_pick(const struct margay_sample *sample,
                          const uint64_t *blocks, size_t count,
                          uint64_t *sampled)
{
    uint64_t key = sample->key, limit = sample->limit;
    size_t picked = 0;
    /* Written always and kept sometimes: a branch would be mispredicted. */
    for (size_t i = 0; i < count; i++) {
        sampled[picked] = blocks[i];
        picked += margay_sample_hash(blocks[i], key) <= limit;
    }
    return picked;
}
