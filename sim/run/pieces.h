/*
 * pieces.h - a batch in pieces of some blocks each
 *
 * A reference that is split may touch billions of blocks, and a run is to ask
 * now and then whether to go on.  So a batch is cut between references, and a
 * reference between blocks, into pieces that follow each other and together
 * are the same.
 */
#ifndef MARGAY_SIM_RUN_PIECES_H
#define MARGAY_SIM_RUN_PIECES_H

#include <margay/traces.h>

struct margay_pieces {
    /* Set by the owner, the rest zeroed. */
    const struct margay_batch *batch;
    bool splits;          /* references touch all blocks that they cover */
    unsigned least_shift; /* from numbers to blocks: of the smallest blocks, */
    unsigned most_shift;  /* and of the largest, none of which is cut */

    size_t done;           /* references that are given as a whole, */
    uint64_t done_numbers; /* and how much of the next one is */
    uint64_t blocks;       /* the smallest, in all pieces so far */

    /* A piece of a reference. */
    uint64_t number;
    uint32_t extent, count;
};

/* The most blocks of the smallest size in a piece, unless one block of the
   largest size holds more of them. */
#define MARGAY_PIECE_BLOCKS ((uint64_t)1 << 16)

/* The next piece, which stays until the next call; false: that was all.  Where
   references are not split, the batch is one piece. */
bool margay_pieces_next(struct margay_pieces *pieces,
                        struct margay_batch *piece);

#endif
