/* pieces.c - a batch in pieces of some blocks each */
#include "sim/run/pieces.h"

#include "sim/run/batch_part.h"
#include "traces/traces_internal.h"

/* As many whole references as are within the limit. */
static size_t count_whole(struct margay_pieces *pieces)
{
    const struct margay_batch *batch = pieces->batch;
    uint64_t blocks = 0;
    size_t i = pieces->done;
    for (; i < batch->references; i++) {
        uint64_t more = margay_extent_blocks(
            batch->numbers[i], batch->extents[i], pieces->least_shift);
        if (more > MARGAY_PIECE_BLOCKS - blocks)
            break;
        blocks += more;
    }
    pieces->blocks += blocks;
    return i - pieces->done;
}

/* The first number of the next of the largest blocks after a piece that begins
   with `number`; 0 = there is none. */
static uint64_t find_cut(const struct margay_pieces *pieces, uint64_t number)
{
    uint64_t last = number >> pieces->most_shift;
    uint64_t numbers = MARGAY_PIECE_BLOCKS << pieces->least_shift;
    if (numbers >> pieces->least_shift != MARGAY_PIECE_BLOCKS ||
        number + numbers < number)
        return 0;
    if (numbers >> pieces->most_shift > 1)
        last = ((number + numbers) >> pieces->most_shift) - 1;
    return (last + 1) << pieces->most_shift;
}

/* The next piece of a reference that is too long. */
static void cut(struct margay_pieces *pieces, struct margay_batch *piece)
{
    const struct margay_batch *batch = pieces->batch;
    size_t i = pieces->done;
    uint64_t number = batch->numbers[i] + pieces->done_numbers;
    uint32_t extent = (uint32_t)(batch->extents[i] - pieces->done_numbers);
    uint64_t next = find_cut(pieces, number);
    bool ends = next == 0 || next > margay_extent_last(number, extent);
    *piece = margay_batch_part(batch, i, 1);
    pieces->number = number;
    pieces->extent = ends ? extent : (uint32_t)(next - number);
    piece->numbers = &pieces->number;
    piece->extents = &pieces->extent;
    if (batch->counts != NULL) {
        /* Its repeats come behind all of it. */
        pieces->count = ends ? batch->counts[i] : 1;
        piece->counts = &pieces->count;
    }
    pieces->blocks +=
        margay_extent_blocks(number, pieces->extent, pieces->least_shift);
    pieces->done += ends;
    pieces->done_numbers = ends ? 0 : pieces->done_numbers + pieces->extent;
}

bool margay_pieces_next(struct margay_pieces *pieces,
                        struct margay_batch *piece)
{
    const struct margay_batch *batch = pieces->batch;
    if (pieces->done == batch->references)
        return false;
    if (!pieces->splits || batch->extents == NULL) {
        *piece = *batch;
        pieces->done = batch->references;
        pieces->blocks += margay_batch_references(batch);
        return true;
    }
    size_t count = pieces->done_numbers > 0 ? 0 : count_whole(pieces);
    if (count == 0) {
        cut(pieces, piece);
        return true;
    }
    *piece = margay_batch_part(batch, pieces->done, count);
    pieces->done += count;
    return true;
}
