/*
 * exact_kernels.h - exact reuse distances: sort, link, count
 *
 * Part of the kernels: see portable.h for their language and exact.c for the
 * algorithm.  A sequence is the LRU stack so far, `stack_refs` blocks, oldest
 * first, and behind it `transfer_refs` references, `count` together.
 */
#ifndef MARGAY_STACKDIST_GPU_EXACT_KERNELS_H
#define MARGAY_STACKDIST_GPU_EXACT_KERNELS_H

#include "stackdist/gpu/tile_kernels.h"

/* A distance that is none. */
#define NO_DISTANCE 0xffffffffu

/* Distances below this are counted in LOCAL memory first. */
#define SHORT_DISTANCES 256

INLINE ulong sequence_block(GLOBAL const ulong *stack, uint stack_refs,
                            GLOBAL const ulong *transfer, uint i)
{
    return i < stack_refs ? stack[i] : transfer[i - stack_refs];
}

/* values[0 .. count - 1] = value. */
KERNEL fill(GROUP_ARGUMENT GLOBAL uint *values, uint count, uint value)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count)
                values[at] = value;
        }
    }
}

/* The sequence in one piece, to be sorted; each reference is its own
   owner at first.  The transfer begins at transfer[first]. */
KERNEL begin_sort(GROUP_ARGUMENT GLOBAL const ulong *stack, uint stack_refs,
                  GLOBAL const ulong *transfer, uint first, uint count,
                  GLOBAL ulong *keys, GLOBAL uint *owners)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                keys[at] =
                    sequence_block(stack, stack_refs, transfer + first, at);
                owners[at] = at;
            }
        }
    }
}

/*
 * From the sequence sorted by block, stable: for each reference, 1 + the
 * number of the previous one to its block or 0, whether there is that, and
 * whether there is a next one.
 */
KERNEL link_refs(GROUP_ARGUMENT GLOBAL const ulong *keys,
                 GLOBAL const uint *owners, uint count, GLOBAL uint *previous,
                 GLOBAL uint *is_reuse, GLOBAL uint *has_next)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                uint owner = owners[at];
                bool reuse = at > 0 && keys[at - 1] == keys[at];
                previous[owner] = reuse ? owners[at - 1] + 1 : 0;
                is_reuse[owner] = reuse;
                has_next[owner] = at + 1 < count && keys[at + 1] == keys[at];
            }
        }
    }
}

/*
 * The reuses in the order of time: whose previous reference is the value-th
 * of those that have a next one.  `counts` begins with the cold references
 * before this one, less all references through the previous.
 * reuses_before[] and nexts_before[] are the prefix sums of what link_refs()
 * found.
 */
KERNEL gather_reuses(GROUP_ARGUMENT GLOBAL const uint *previous,
                     GLOBAL const uint *reuses_before,
                     GLOBAL const uint *nexts_before, uint stack_refs,
                     uint count, GLOBAL uint *values, GLOBAL uint *counts,
                     GLOBAL uint *owners)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count && previous[at] != 0) {
                uint to = reuses_before[at];
                values[to] = nexts_before[previous[at] - 1];
                counts[to] = at - to - previous[at];
                owners[to] = at - stack_refs;
            }
        }
    }
}

/*
 * The new stack: blocks without a next reference, in the order of time, but
 * for the first `drop` ones.  `nexts` = all that have one.
 */
KERNEL make_stack(GROUP_ARGUMENT GLOBAL const ulong *stack, uint stack_refs,
                  GLOBAL const ulong *transfer, uint first, uint count,
                  GLOBAL const uint *nexts_before, uint nexts, uint drop,
                  GLOBAL ulong *new_stack)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                uint before = nexts_before[at];
                uint through = at + 1 < count ? nexts_before[at + 1] : nexts;
                uint to = at - before;
                if (through == before && to >= drop)
                    new_stack[to - drop] =
                        sequence_block(stack, stack_refs, transfer + first, at);
            }
        }
    }
}

/* ------------------------------------------------- smaller ones before -- */

/*
 * The values are all of 0 .. count - 1, so those with the same bits from
 * `shift` + 4 up, a node, occupy the places that have these bits, in the order
 * of time; a tile has part of one node.  The two kernels below divide each
 * node into 16 by the next four bits.
 */
INLINE void load_value_digits(GLOBAL const uint *values, uint count, uint begin,
                              uint shift, LOCAL uchar *digits)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS)
            digits[i] = (uchar)(begin + i < count
                                    ? values[begin + i] >> shift & (DIGITS - 1)
                                    : NO_DIGIT);
    }
    SYNC();
}

KERNEL node_count(GROUP_ARGUMENT GLOBAL const uint *values, uint count,
                  uint shift, GLOBAL uint *totals, uint tiles)
{
    LOCAL_ARRAY uchar digits[TILE_REFS];
    LOCAL_ARRAY ushort counters[COUNTERS];
    LOCAL_ARRAY uint sums[GROUP_ITEMS];
    const uint tile = GROUP_NUMBER;
    load_value_digits(values, count, tile * TILE_REFS, shift, digits);
    count_digits(digits, counters);
    put_totals(counters, sums, totals, tile, tiles);
}

/*
 * Move values with their counts and owners, and add to each count the
 * references that come before in the node and have a smaller digit.
 */
KERNEL node_move(GROUP_ARGUMENT GLOBAL const uint *values,
                 GLOBAL const uint *counts, GLOBAL const uint *owners,
                 GLOBAL uint *moved_values, GLOBAL uint *moved_counts,
                 GLOBAL uint *moved_owners, uint count, uint shift,
                 GLOBAL const uint *bases, uint tiles)
{
    LOCAL_ARRAY uint smaller[TILE_REFS];
    LOCAL_ARRAY uchar digits[TILE_REFS];
    LOCAL_ARRAY ushort order[TILE_REFS];
    LOCAL_ARRAY ushort counters[COUNTERS];
    LOCAL_ARRAY uint starts[DIGITS];
    LOCAL_ARRAY uint earlier[DIGITS]; /* in the node's tiles before this */
    LOCAL_ARRAY uint sums[GROUP_ITEMS];
    LOCAL_ARRAY uint spare[GROUP_ITEMS];
    const uint tile = GROUP_NUMBER, begin = tile * TILE_REFS;
    const uint first_tile = (begin >> (shift + 4) << (shift + 4)) / TILE_REFS;
    load_value_digits(values, count, begin, shift, digits);
    EACH_ITEM(t)
    {
        if (t < DIGITS)
            earlier[t] =
                bases[t * tiles + tile] - bases[t * tiles + first_tile];
    }
    count_digits(digits, counters);
    scan_digits(counters, starts, sums, spare);
    EACH_ITEM(t)
    {
        for (uint i = t * ITEM_REFS; i < (t + 1) * ITEM_REFS; i++) {
            uint digit = digits[i], sum = 0;
            if (digit != NO_DIGIT) {
                for (uint less = 0; less < digit; less++)
                    sum += earlier[less] - starts[less] +
                           counters[less * GROUP_ITEMS + t];
                smaller[i] = sum;
                order[counters[digit * GROUP_ITEMS + t]++] = (ushort)i;
            }
        }
    }
    SYNC();
    EACH_ITEM(t)
    {
        for (uint at = t; at < TILE_REFS && begin + at < count;
             at += GROUP_ITEMS) {
            uint i = order[at], digit = digits[i], value = values[begin + i];
            uint to =
                (value >> shift << shift) + earlier[digit] + at - starts[digit];
            moved_values[to] = value;
            moved_counts[to] = counts[begin + i] + smaller[i];
            moved_owners[to] = owners[begin + i];
        }
    }
}

/* 64-bit counters in two halves, as not every device adds 64 bits at once. */
INLINE void add_count(GLOBAL uint *low, GLOBAL uint *high, uint at, uint more)
{
    uint before = ADD_GLOBAL(&low[at], more);
    if (before + more < before)
        ADD_GLOBAL(&high[at], 1);
}

INLINE void add_distance(LOCAL uint *short_counts, GLOBAL uint *low,
                         GLOBAL uint *high, uint distance, uint more)
{
    if (more == 0)
        return;
    if (distance < SHORT_DISTANCES)
        ADD_LOCAL(&short_counts[distance], more);
    else
        add_count(low, high, distance, more);
}

/*
 * Nodes of 2^shift values, no more than a tile: add the smaller ones before in
 * the node, which makes the count a distance; count the distances, those of
 * `limit` and more at `limit`; and if `want` is not 0, note them down.
 */
KERNEL node_finish(GROUP_ARGUMENT GLOBAL const uint *values,
                   GLOBAL const uint *counts, GLOBAL const uint *owners,
                   uint count, uint shift, uint limit, GLOBAL uint *low,
                   GLOBAL uint *high, GLOBAL uint *distances, uint want)
{
    LOCAL_ARRAY uint tile[TILE_REFS];
    LOCAL_ARRAY uint short_counts[SHORT_DISTANCES];
    const uint begin = GROUP_NUMBER * TILE_REFS;
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS)
            tile[i] = begin + i < count ? values[begin + i] : 0;
        for (uint i = t; i < SHORT_DISTANCES; i += GROUP_ITEMS)
            short_counts[i] = 0;
    }
    SYNC();
    EACH_ITEM(t)
    {
        uint run = 0, run_distance = 0; /* equal distances, one addition */
        for (uint i = t; i < TILE_REFS && begin + i < count; i += GROUP_ITEMS) {
            uint smaller = 0, value = tile[i];
            for (uint j = i >> shift << shift; j < i; j++)
                smaller += tile[j] < value;
            uint distance = counts[begin + i] + smaller;
            if (want)
                distances[owners[begin + i]] =
                    distance < limit ? distance : NO_DISTANCE;
            distance = distance < limit ? distance : limit;
            if (distance != run_distance) {
                add_distance(short_counts, low, high, run_distance, run);
                run_distance = distance;
                run = 0;
            }
            run++;
        }
        add_distance(short_counts, low, high, run_distance, run);
    }
    SYNC();
    EACH_ITEM(t)
    {
        for (uint i = t; i < SHORT_DISTANCES; i += GROUP_ITEMS) {
            if (short_counts[i] != 0)
                add_count(low, high, i, short_counts[i]);
        }
    }
}

/* to[0 .. count - 1] = from[]. */
KERNEL copy_blocks(GROUP_ARGUMENT GLOBAL const ulong *from, GLOBAL ulong *to,
                   uint count)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count)
                to[at] = from[at];
        }
    }
}

#endif
