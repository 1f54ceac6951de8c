/* prefetch.h - what a prefetcher remembers, and what it asks for */
#ifndef MARGAY_ASSOC_PREFETCH_H
#define MARGAY_ASSOC_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assoc/hierarchy/hierarchy.h"

struct margay_node;

/* The sites of a stride prefetcher, and the streams and the depth of a stream
   prefetcher. */
#define MARGAY_STRIDE_SITES 256
#define MARGAY_STREAMS      16
#define MARGAY_STREAM_DEPTH 4

/* Where a site was last. */
struct margay_stride {
    bool known;
    uint64_t site, block;
    uint64_t stride; /* modulo 2^64; 0 = none yet */
};

struct margay_stream {
    uint64_t block;     /* the last one */
    uint64_t direction; /* 1 or -1 modulo 2^64; 0 = none yet */
    uint64_t used;      /* when, 0 = never */
};

struct margay_prefetcher {
    enum margay_prefetch kind;
    uint64_t most_block; /* the highest block */
    uint64_t now;
    union {
        struct margay_stride strides[MARGAY_STRIDE_SITES];
        struct margay_stream streams[MARGAY_STREAMS];
    };
};

/* Blocks that are to be brought in, the first first. */
struct margay_prefetch_queue {
    struct margay_asked {
        struct margay_node *node;
        uint64_t block;
        bool fetch; /* for a fetch; otherwise for a read or a write */
    } * asked;      /* owned */
    size_t count, room;
    bool failed; /* for lack of memory, one was not kept */
};

/* A reference, as a prefetcher sees it. */
struct margay_sight {
    uint64_t block, site;
    bool missed;
    bool first_use; /* of a block that was prefetched */
};

/* The blocks to bring in, at most MARGAY_STREAM_DEPTH; returns how many. */
size_t margay_prefetcher_see(struct margay_prefetcher *prefetcher,
                             const struct margay_sight *sight,
                             uint64_t blocks[MARGAY_STREAM_DEPTH]);

#endif
