/* blocks.c - from references to block references */
#include <inttypes.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/formats/reading.h"

/* Blocks that are divided at once, unless one reference touches more. */
#define TAKEN_BLOCKS ((uint64_t)1 << 16)

/* Where block references go; kinds or references that are NULL are not
   wanted. */
struct out {
    uint64_t *blocks;
    uint8_t *kinds;
    uint32_t *references;
    size_t capacity;
};

/* Numbers shifted together: compilers turn short loops of fixed length into
   vector instructions. */
#define TOGETHER 4

void margay_numbers_shift(const uint64_t *restrict numbers, size_t count,
                          unsigned shift, uint64_t *restrict blocks)
{
    size_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        for (size_t k = 0; k < TOGETHER; k++)
            blocks[i + k] = numbers[i + k] >> shift;
    }
    for (; i < count; i++)
        blocks[i] = numbers[i] >> shift;
}

/* Each reference touches one block, so whole arrays are copied. */
static size_t first_blocks(const struct margay_batch *batch, unsigned shift,
                           struct margay_block_cursor *cursor,
                           const struct out *out)
{
    size_t from = cursor->reference;
    size_t left = batch->references - from;
    size_t count = left < out->capacity ? left : out->capacity;
    const uint64_t *numbers = batch->numbers + from;
    if (shift == 0)
        memcpy(out->blocks, numbers, count * sizeof *numbers);
    else
        margay_numbers_shift(numbers, count, shift, out->blocks);
    if (out->kinds != NULL && batch->kinds != NULL)
        memcpy(out->kinds, batch->kinds + from, count);
    else if (out->kinds != NULL)
        memset(out->kinds, MARGAY_READ, count);
    for (size_t i = 0; out->references != NULL && i < count; i++)
        out->references[i] = (uint32_t)(from + i);
    cursor->reference += count;
    return count;
}

static size_t all_blocks(const struct margay_batch *batch, unsigned shift,
                         struct margay_block_cursor *cursor,
                         const struct out *out)
{
    size_t written = 0, i = cursor->reference;
    uint64_t done = cursor->block_in_reference;
    while (i < batch->references && written < out->capacity) {
        uint64_t number = batch->numbers[i];
        uint64_t covered =
            margay_extent_blocks(number, batch->extents[i], shift);
        uint8_t kind = batch->kinds == NULL ? MARGAY_READ : batch->kinds[i];
        for (; done < covered && written < out->capacity; done++, written++) {
            out->blocks[written] = (number >> shift) + done;
            if (out->kinds != NULL)
                out->kinds[written] = kind;
            if (out->references != NULL)
                out->references[written] = (uint32_t)i;
        }
        if (done == covered) {
            done = 0;
            i++;
        }
    }
    cursor->reference = i;
    cursor->block_in_reference = done;
    return written;
}

static enum margay_status refuse_extent(const struct margay_batch *batch,
                                        size_t i, unsigned shift,
                                        const char *name,
                                        struct margay_error *error)
{
    uint64_t number = batch->numbers[i], extent = batch->extents[i];
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: the reference to number %" PRIu64 " (0x%" PRIx64
                       ", extent %" PRIu64 ") touches %" PRIu64
                       " blocks (expected at most 2^24 = %" PRIu64
                       ": larger blocks, or --straddle first)",
                       name, number, number, extent,
                       margay_extent_blocks(number, extent, shift),
                       MARGAY_MOST_TOUCHED);
}

enum margay_status margay_batch_take(const struct margay_batch *batch,
                                     size_t from, unsigned shift, bool split,
                                     const char *name, size_t *count,
                                     struct margay_error *error)
{
    uint64_t blocks = 0;
    size_t i = from;
    *count = batch->references - from;
    if (!split || batch->extents == NULL)
        return MARGAY_OK;
    for (; i < batch->references && blocks < TAKEN_BLOCKS; i++) {
        uint64_t more =
            margay_extent_blocks(batch->numbers[i], batch->extents[i], shift);
        if (more > MARGAY_MOST_TOUCHED)
            return refuse_extent(batch, i, shift, name, error);
        if (i > from && more > TAKEN_BLOCKS - blocks)
            break;
        blocks += more;
    }
    *count = i - from;
    return MARGAY_OK;
}

size_t margay_batch_blocks(const struct margay_batch *batch, unsigned shift,
                           bool split, struct margay_block_cursor *cursor,
                           uint64_t *blocks, uint8_t *kinds,
                           uint32_t *references, size_t capacity)
{
    const struct out out = {blocks, kinds, references, capacity};
    if (cursor->reference >= batch->references)
        return 0;
    return split && batch->extents != NULL
               ? all_blocks(batch, shift, cursor, &out)
               : first_blocks(batch, shift, cursor, &out);
}
