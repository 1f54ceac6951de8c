/*
 * prefetch.c - which blocks a prefetcher asks for
 *
 * Algorithm: hierarchy.h says what each prefetcher does.
 * Source: next line: Smith 1978, prefetch on a miss; stride by site: Baer and
 *   Chen 1991; streams: Jouppi 1990, Palacharla and Kessler 1994, into the
 *   cache rather than into buffers.
 * Guarantee: the blocks depend on nothing but the references seen.
 * Cost: constant for each reference.
 */
#include "assoc/hierarchy/prefetch.h"

/* Is the block `step` (modulo 2^64) from `from` one that there is? */
static bool is_there(const struct margay_prefetcher *prefetcher, uint64_t from,
                     uint64_t step)
{
    bool down = step >> 63 != 0;
    uint64_t to = from + step;
    return down ? to < from : to > from && to <= prefetcher->most_block;
}

static size_t see_next_line(const struct margay_prefetcher *prefetcher,
                            const struct margay_sight *sight, uint64_t *blocks)
{
    if (!sight->missed || !is_there(prefetcher, sight->block, 1))
        return 0;
    blocks[0] = sight->block + 1;
    return 1;
}

static size_t see_stride(struct margay_prefetcher *prefetcher,
                         const struct margay_sight *sight, uint64_t *blocks)
{
    struct margay_stride *stride =
        &prefetcher->strides[sight->site % MARGAY_STRIDE_SITES];
    uint64_t step = sight->block - stride->block;
    if (!stride->known || stride->site != sight->site) {
        *stride = (struct margay_stride){true, sight->site, sight->block, 0};
        return 0;
    }
    if (step == 0)
        return 0;
    bool again = step == stride->stride;
    stride->block = sight->block;
    stride->stride = step;
    if (!again || !is_there(prefetcher, sight->block, step))
        return 0;
    blocks[0] = sight->block + step;
    return 1;
}

/* The stream that the block continues, or the one used the longest ago. */
static struct margay_stream *stream_of(struct margay_prefetcher *prefetcher,
                                       uint64_t block, uint64_t *direction)
{
    struct margay_stream *streams = prefetcher->streams, *oldest = streams;
    for (size_t i = 0; i < MARGAY_STREAMS; i++) {
        *direction = block - streams[i].block;
        bool beside = *direction == 1 || *direction == UINT64_MAX;
        if (streams[i].used != 0 && beside &&
            (streams[i].direction == 0 || streams[i].direction == *direction))
            return &streams[i];
        if (streams[i].used < oldest->used)
            oldest = &streams[i];
    }
    *direction = 0;
    return oldest;
}

static size_t see_stream(struct margay_prefetcher *prefetcher,
                         const struct margay_sight *sight, uint64_t *blocks)
{
    uint64_t direction, block = sight->block;
    size_t count = 0;
    if (!sight->missed && !sight->first_use)
        return 0;
    struct margay_stream *stream = stream_of(prefetcher, block, &direction);
    *stream = (struct margay_stream){block, direction, ++prefetcher->now};
    if (direction == 0)
        return 0;
    for (;
         count < MARGAY_STREAM_DEPTH && is_there(prefetcher, block, direction);
         count++)
        blocks[count] = block += direction;
    return count;
}

size_t margay_prefetcher_see(struct margay_prefetcher *prefetcher,
                             const struct margay_sight *sight,
                             uint64_t blocks[MARGAY_STREAM_DEPTH])
{
    switch (prefetcher->kind) {
    case MARGAY_PREFETCH_NEXT_LINE:
        return see_next_line(prefetcher, sight, blocks);
    case MARGAY_PREFETCH_STRIDE:
        return see_stride(prefetcher, sight, blocks);
    default:
        return see_stream(prefetcher, sight, blocks);
    }
}
