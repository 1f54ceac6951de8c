/*
 * tile_kernels.h - what a group does with the TILE_REFS references of a tile
 *
 * Part of the kernels: see portable.h for their language.
 */
#ifndef MARGAY_STACKDIST_GPU_TILE_KERNELS_H
#define MARGAY_STACKDIST_GPU_TILE_KERNELS_H

#include "stackdist/gpu/portable.h"

/* What stands beyond the end. */
#define NO_DIGIT DIGITS
#define COUNTERS ((DIGITS + 1) * GROUP_ITEMS)

/*
 * Exclusive prefix sums of sums[0 .. GROUP_ITEMS - 1], in place.  Both arrays
 * have that many entries.
 */
INLINE void scan_group(LOCAL uint *sums, LOCAL uint *spare)
{
    LOCAL uint *from = sums, *to = spare, *other;
    for (uint step = 1; step < GROUP_ITEMS; step *= 2) {
        EACH_ITEM(t)
        {
            to[t] = from[t] + (t >= step ? from[t - step] : 0);
        }
        SYNC();
        other = from;
        from = to;
        to = other;
    }
    /* After an odd number of steps, 128 being 2^7, `to` is `sums`. */
    EACH_ITEM(t)
    {
        to[t] = t == 0 ? 0 : from[t - 1];
    }
    SYNC();
}

/*
 * counters[digit GROUP_ITEMS + item] = how often `digit` occurs among the
 * ITEM_REFS neighbouring references of `item`.
 */
INLINE void count_digits(LOCAL const uchar *digits, LOCAL ushort *counters)
{
    EACH_ITEM(t)
    {
        for (uint digit = 0; digit <= DIGITS; digit++)
            counters[digit * GROUP_ITEMS + t] = 0;
        for (uint i = 0; i < ITEM_REFS; i++)
            counters[digits[t * ITEM_REFS + i] * GROUP_ITEMS + t]++;
    }
    SYNC();
}

/*
 * From these counters to prefix sums over all digits and, within a digit, all
 * items: where in the tile, sorted by digits, the item's first reference with
 * that digit belongs.  starts[digit] is where the digit begins.
 */
INLINE void scan_digits(LOCAL ushort *counters, LOCAL uint *starts,
                        LOCAL uint *sums, LOCAL uint *spare)
{
    EACH_ITEM(t)
    {
        uint sum = 0;
        for (uint i = 0; i < DIGITS; i++)
            sum += counters[t * DIGITS + i];
        sums[t] = sum;
    }
    SYNC();
    scan_group(sums, spare);
    EACH_ITEM(t)
    {
        uint sum = sums[t];
        for (uint i = 0; i < DIGITS; i++) {
            uint count = counters[t * DIGITS + i];
            counters[t * DIGITS + i] = (ushort)sum;
            sum += count;
        }
    }
    SYNC();
    EACH_ITEM(t)
    {
        if (t < DIGITS)
            starts[t] = counters[t * GROUP_ITEMS];
    }
    SYNC();
}

/* totals[digit tiles + tile] = how often the digit occurs in the tile. */
INLINE void put_totals(LOCAL const ushort *counters, LOCAL uint *sums,
                       GLOBAL uint *totals, uint tile, uint tiles)
{
    /* Eight items to a digit, sixteen counters to an item. */
    EACH_ITEM(t)
    {
        uint sum = 0;
        for (uint i = 0; i < GROUP_ITEMS / 8; i++)
            sum += counters[t * (GROUP_ITEMS / 8) + i];
        sums[t] = sum;
    }
    SYNC();
    EACH_ITEM(t)
    {
        if (t < DIGITS) {
            uint sum = 0;
            for (uint i = 0; i < 8; i++)
                sum += sums[t * 8 + i];
            totals[t * tiles + tile] = sum;
        }
    }
    SYNC();
}

/* values[0 .. count - 1] = value. */
KERNEL fill(GROUP_ARGUMENT GLOBAL uint *values, uint count, uint value)
{
    EACH_OF_TILE(at, count)
    {
        values[at] = value;
    }
}

/* ---------------------------------------- prefix sums of a long array -- */

/* sums[group] = sum of the group's tile of values[0 .. count - 1]. */
KERNEL scan_sums(GROUP_ARGUMENT GLOBAL const uint *values, GLOBAL uint *sums,
                 uint count)
{
    LOCAL_ARRAY uint partial[GROUP_ITEMS];
    const uint begin = GROUP_NUMBER * TILE_REFS;
    EACH_ITEM(t)
    {
        uint sum = 0;
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS)
            sum += begin + i < count ? values[begin + i] : 0;
        partial[t] = sum;
    }
    SYNC();
    EACH_ITEM(t)
    {
        if (t == 0) {
            uint sum = 0;
            for (uint i = 0; i < GROUP_ITEMS; i++)
                sum += partial[i];
            sums[GROUP_NUMBER] = sum;
        }
    }
}

/* One group: exclusive prefix sums of these sums, and result[at] = all. */
KERNEL scan_top(GROUP_ARGUMENT GLOBAL uint *sums, uint count,
                GLOBAL uint *result, uint at)
{
    LOCAL_ARRAY uint partial[GROUP_ITEMS];
    LOCAL_ARRAY uint spare[GROUP_ITEMS];
    const uint each = (count + GROUP_ITEMS - 1) / GROUP_ITEMS;
    (void)GROUP_NUMBER;
    EACH_ITEM(t)
    {
        uint sum = 0;
        for (uint i = t * each; i < (t + 1) * each && i < count; i++)
            sum += sums[i];
        partial[t] = sum;
    }
    SYNC();
    scan_group(partial, spare);
    EACH_ITEM(t)
    {
        uint sum = partial[t];
        for (uint i = t * each; i < (t + 1) * each && i < count; i++) {
            uint value = sums[i];
            sums[i] = sum;
            sum += value;
        }
        if (t == GROUP_ITEMS - 1)
            result[at] = sum;
    }
}

/* values[] to its exclusive prefix sums. */
KERNEL scan_apply(GROUP_ARGUMENT GLOBAL uint *values, GLOBAL const uint *sums,
                  uint count)
{
    LOCAL_ARRAY uint tile[TILE_REFS];
    LOCAL_ARRAY uint partial[GROUP_ITEMS];
    LOCAL_ARRAY uint spare[GROUP_ITEMS];
    const uint begin = GROUP_NUMBER * TILE_REFS;
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS)
            tile[i] = begin + i < count ? values[begin + i] : 0;
    }
    SYNC();
    EACH_ITEM(t)
    {
        uint sum = 0;
        for (uint i = 0; i < ITEM_REFS; i++)
            sum += tile[t * ITEM_REFS + i];
        partial[t] = sum;
    }
    SYNC();
    scan_group(partial, spare);
    EACH_ITEM(t)
    {
        uint sum = partial[t] + sums[GROUP_NUMBER];
        for (uint i = 0; i < ITEM_REFS; i++) {
            uint value = tile[t * ITEM_REFS + i];
            tile[t * ITEM_REFS + i] = sum;
            sum += value;
        }
    }
    SYNC();
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS && begin + i < count; i += GROUP_ITEMS)
            values[begin + i] = tile[i];
    }
}

/* --------------------------------------------------------- a radix sort -- */

/*
 * A digit of a key: the four bits whose numbers are the bytes of `bits`, the
 * lowest first.  A byte of 64 or more stands for a bit that is 0.
 */
INLINE uint digit_of(ulong key, uint bits)
{
    uint digit = 0;
    for (uint i = 0; i < 4; i++) {
        uint bit = bits >> (8 * i) & 255;
        if (bit < 64)
            digit |= (uint)(key >> bit & 1) << i;
    }
    return digit;
}

/* How often each digit occurs in each tile. */
KERNEL sort_count(GROUP_ARGUMENT GLOBAL const ulong *keys, uint count,
                  uint bits, GLOBAL uint *totals, uint tiles)
{
    LOCAL_ARRAY uchar digits[TILE_REFS];
    LOCAL_ARRAY ushort counters[COUNTERS];
    LOCAL_ARRAY uint sums[GROUP_ITEMS];
    const uint tile = GROUP_NUMBER, begin = tile * TILE_REFS;
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS)
            digits[i] =
                (uchar)(begin + i < count ? digit_of(keys[begin + i], bits)
                                          : NO_DIGIT);
    }
    SYNC();
    count_digits(digits, counters);
    put_totals(counters, sums, totals, tile, tiles);
}

/*
 * Keys and what belongs to them in the order of the digit, otherwise as they
 * were.  `bases` are the prefix sums of the totals above.
 */
KERNEL sort_move(GROUP_ARGUMENT GLOBAL const ulong *keys,
                 GLOBAL const uint *owners, GLOBAL ulong *sorted_keys,
                 GLOBAL uint *sorted_owners, uint count, uint bits,
                 GLOBAL const uint *bases, uint tiles)
{
    LOCAL_ARRAY ulong tile_keys[TILE_REFS];
    LOCAL_ARRAY uchar digits[TILE_REFS];
    LOCAL_ARRAY ushort order[TILE_REFS];
    LOCAL_ARRAY ushort counters[COUNTERS];
    LOCAL_ARRAY uint starts[DIGITS];
    LOCAL_ARRAY uint sums[GROUP_ITEMS];
    LOCAL_ARRAY uint spare[GROUP_ITEMS];
    const uint tile = GROUP_NUMBER, begin = tile * TILE_REFS;
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            bool inside = begin + i < count;
            tile_keys[i] = inside ? keys[begin + i] : 0;
            digits[i] =
                (uchar)(inside ? digit_of(tile_keys[i], bits) : NO_DIGIT);
        }
    }
    SYNC();
    count_digits(digits, counters);
    scan_digits(counters, starts, sums, spare);
    EACH_ITEM(t)
    {
        for (uint i = t * ITEM_REFS; i < (t + 1) * ITEM_REFS; i++) {
            uint digit = digits[i];
            if (digit != NO_DIGIT)
                order[counters[digit * GROUP_ITEMS + t]++] = (ushort)i;
        }
    }
    SYNC();
    EACH_ITEM(t)
    {
        for (uint at = t; at < TILE_REFS && begin + at < count;
             at += GROUP_ITEMS) {
            uint i = order[at], digit = digits[i];
            uint to = bases[digit * tiles + tile] + at - starts[digit];
            sorted_keys[to] = tile_keys[i];
            sorted_owners[to] = owners[begin + i];
        }
    }
}

#endif
