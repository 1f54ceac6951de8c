/*
 * batch_pieces.h - a batch in pieces of some blocks each
 *
 * A reference that is split may touch billions of blocks, and whoever feeds
 * these is to be asked now and then whether to go on.  So a batch is cut
 * between references, and a reference between blocks, into pieces that follow
 * each other and together are the same.
 */
#ifndef MARGAY_SIM_BATCH_PIECES_H
#define MARGAY_SIM_BATCH_PIECES_H

#include <margay/traces.h>

struct batch_pieces {
    /* Set by the owner, the rest zeroed. */
    const struct margay_batch *batch;
    bool split;           /* references touch all blocks that they cover */
    unsigned least_shift; /* from numbers to blocks: of the smallest blocks, */
    unsigned most_shift;  /* and of the largest, none of which is cut */

    size_t done;           /* references that are given as a whole, */
    uint64_t done_numbers; /* and how much of the next one is */
    uint64_t blocks;       /* the smallest, in all pieces so far */

    /* A piece of a reference. */
    uint64_t number;
    uint32_t extent, count;
};

/* A piece has at most so many blocks of the smallest size, if one of the
   largest is not more. */
#define BATCH_PIECE_BLOCKS ((uint64_t)1 << 16)

/* The next piece, which stays until the next call; false: that was all.  Where
   references are not split, the batch is one piece. */
bool batch_pieces_next(struct batch_pieces *pieces, struct margay_batch *piece);

#endif
