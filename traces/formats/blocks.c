/* blocks.c - references to block references */
#include <string.h>

#include <margay/traces.h>

/* Every reference touches one block, so blocks and kinds go over in bulk. */
static size_t first_blocks(const struct margay_batch *batch, unsigned shift,
                           struct margay_block_cursor *cursor, uint64_t *blocks,
                           uint8_t *kinds, size_t capacity)
{
    size_t from = cursor->reference;
    size_t left = batch->references - from;
    size_t count = left < capacity ? left : capacity;
    const uint64_t *numbers = batch->numbers + from;
    if (shift == 0) {
        memcpy(blocks, numbers, count * sizeof *blocks);
    } else {
        for (size_t i = 0; i < count; i++)
            blocks[i] = numbers[i] >> shift;
    }
    if (kinds != NULL && batch->kinds != NULL)
        memcpy(kinds, batch->kinds + from, count);
    else if (kinds != NULL)
        memset(kinds, MARGAY_READ, count);
    cursor->reference += count;
    return count;
}

/* Blocks that a reference touches; an extent that would run over the top of
   the address space ends there. */
static uint64_t blocks_covered(uint64_t number, uint32_t extent, unsigned shift)
{
    if (extent == 0)
        return 0;
    uint64_t last = number + (extent - 1);
    if (last < number)
        last = UINT64_MAX;
    return (last >> shift) - (number >> shift) + 1;
}

static size_t all_blocks(const struct margay_batch *batch, unsigned shift,
                         struct margay_block_cursor *cursor, uint64_t *blocks,
                         uint8_t *kinds, size_t capacity)
{
    size_t written = 0, i = cursor->reference;
    uint64_t done = cursor->block_in_reference;
    while (i < batch->references && written < capacity) {
        uint64_t number = batch->numbers[i];
        uint64_t covered = blocks_covered(number, batch->extents[i], shift);
        uint8_t kind = batch->kinds == NULL ? MARGAY_READ : batch->kinds[i];
        for (; done < covered && written < capacity; done++, written++) {
            blocks[written] = (number >> shift) + done;
            if (kinds != NULL)
                kinds[written] = kind;
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

size_t margay_batch_blocks(const struct margay_batch *batch, unsigned shift,
                           bool split, struct margay_block_cursor *cursor,
                           uint64_t *blocks, uint8_t *kinds, size_t capacity)
{
    if (cursor->reference >= batch->references)
        return 0;
    if (split && batch->extents != NULL)
        return all_blocks(batch, shift, cursor, blocks, kinds, capacity);
    return first_blocks(batch, shift, cursor, blocks, kinds, capacity);
}
