/*
 * distinct.h - the number of distinct blocks of a trace
 *
 * One reference may touch billions of blocks.  References that touch many
 * blocks are kept as intervals, so that time and memory depend on the number of
 * references, and not on their extents.
 */
#ifndef MARGAY_SIM_COMMAND_DISTINCT_H
#define MARGAY_SIM_COMMAND_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>
#include <margay/traces.h>

struct block_interval {
    uint64_t first, last; /* blocks, both included */
};

/* Zero it to begin, and clear it in any case. */
struct distinct {
    margay_engine *engine; /* counts the blocks of short references */
    struct block_interval *intervals;
    size_t count, capacity;
};

enum margay_status distinct_begin(struct distinct *distinct, unsigned threads,
                                  struct margay_error *error);

/* Add the references of a batch, in blocks of 1 << shift numbers; with `splits`
   each touches every block that it covers. */
enum margay_status distinct_add(struct distinct *distinct,
                                const struct margay_batch *batch,
                                unsigned shift, bool splits,
                                struct margay_error *error);

/* The number of distinct blocks so far. */
enum margay_status distinct_count(struct distinct *distinct, uint64_t *blocks,
                                  struct margay_error *error);

void distinct_clear(struct distinct *distinct);

#endif
