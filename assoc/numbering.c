/* numbering.c - blocks by numbers from 0 on, in the order of their first use */
#include "assoc/numbering.h"

#include <stdlib.h>

#include "stackdist/stackdist_internal.h"

/* References ahead of a reference whose buckets are prefetched. */
#define FETCH_AHEAD 24

/* Room in the table is made for that many references at a time. */
#define PIECE_REFS 1024

/* The values of the table are numbers plus 1. */
#define MOST_BLOCKS (UINT32_MAX - 1)

struct margay_numbering {
    struct margay_hash hash;
    uint32_t count; /* of numbers, those of forgotten blocks too */
};

enum margay_status margay_numbering_create(margay_numbering **numbering,
                                           struct margay_error *error)
{
    margay_numbering *made = calloc(1, sizeof *made);
    *numbering = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the numbers of blocks");
    enum margay_status status = margay_hash_create(&made->hash, 0, error);
    if (status == MARGAY_OK)
        *numbering = made;
    else
        free(made);
    return status;
}

void margay_numbering_free(margay_numbering *numbering)
{
    if (numbering == NULL)
        return;
    margay_hash_destroy(&numbering->hash);
    free(numbering);
}

uint32_t margay_numbering_count(const margay_numbering *numbering)
{
    return numbering->count;
}

/* A block that the table does not have gets the next number. */
static void number_piece(margay_numbering *numbering, const uint64_t *blocks,
                         size_t count, uint32_t *numbers)
{
    struct margay_hash *hash = &numbering->hash;
    uint32_t known = numbering->count;
    for (size_t i = 0; i < count; i++) {
        if (i + FETCH_AHEAD < count)
            margay_hash_prefetch(hash, blocks[i + FETCH_AHEAD]);
        uint32_t *value = margay_hash_insert(hash, blocks[i]);
        if (*value == 0)
            *value = ++known;
        numbers[i] = *value - 1;
    }
    numbering->count = known;
}

enum margay_status margay_numbering_feed(margay_numbering *numbering,
                                         const uint64_t *blocks, size_t count,
                                         uint32_t *numbers,
                                         struct margay_error *error)
{
    struct margay_hash *hash = &numbering->hash;
    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        if (numbering->count + piece > MOST_BLOCKS)
            return margay_fail(error, MARGAY_NO_MEMORY,
                               "2^32 distinct blocks are too many to number");
        enum margay_status status = margay_hash_reserve(hash, piece, error);
        if (status != MARGAY_OK)
            return status;
        number_piece(numbering, blocks + done, piece, numbers + done);
    }
    return MARGAY_OK;
}

uint32_t margay_numbering_forget(margay_numbering *numbering, uint64_t block)
{
    const uint32_t *value = margay_hash_find(&numbering->hash, block);
    if (value == NULL)
        return UINT32_MAX;
    uint32_t number = *value - 1;
    margay_hash_erase(&numbering->hash, block);
    return number;
}
