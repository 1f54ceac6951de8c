/* fifo_kernel.c - the loop over references of FIFO caches of many sizes */
#include "assoc/one_pass/fifo.h"

/* References ahead of a reference whose object is prefetched. */
#define FETCH_AHEAD 16

void MARGAY_TARGET_NAME(margay_fifo_kernel)(margay_fifo_lanes *insertions,
                                            const margay_fifo_lanes *capacity,
                                            margay_fifo_lanes *inserted,
                                            const uint32_t *objects,
                                            size_t count)
{
    margay_fifo_lanes sizes = *capacity, latest = *inserted;
    for (size_t i = 0; i < count; i++) {
        margay_fifo_lanes *own = insertions + objects[i];
        if (i + FETCH_AHEAD < count)
            __builtin_prefetch(insertions + objects[i + FETCH_AHEAD], 1);
        /* All bits of a lane are set where the object is absent. */
        margay_fifo_lanes absent = (margay_fifo_lanes)(latest - *own >= sizes);
        latest -= absent;
        *own = (latest & absent) | (*own & ~absent);
    }
    *inserted = latest;
}
