/*
 * kernels.h - the kernels, in one language: OpenCL C 1.2 and plain C
 *
 * A kernel is run by groups of GROUP_ITEMS items each.  It is a sequence of
 * steps, which the items of a group run in parallel; a step is the body of a
 * loop
 *
 *     EACH_ITEM (t) {
 *         ...
 *     }
 *     SYNC();
 *
 * which a device runs once for each item, with t its number in the group, and
 * the emulation for one item after the other.  So only LOCAL memory lasts from
 * step to step, statements outside of the steps are the same for all items, and
 * no item may read LOCAL memory that another item writes in the same step.
 *
 * After SYNC_GLOBAL() the group's items see each other's writes to GLOBAL
 * memory, too.
 *
 * There are no variadic macros, no wide types but ulong, and nothing of the
 * standard library: OpenCL C has none of them.
 */
#ifndef MARGAY_STACKDIST_GPU_KERNELS_H
#define MARGAY_STACKDIST_GPU_KERNELS_H

#include "stackdist/gpu/sizes.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define KERNEL \
    __kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void
#define INLINE      static inline
#define GLOBAL      __global
#define LOCAL       __local
#define LOCAL_ARRAY __local
#define GROUP_ARGUMENT
#define GROUP_NUMBER ((uint)get_group_id(0))
#define EACH_ITEM(t) \
    for (uint t = (uint)get_local_id(0), t##_end = t + 1; t < t##_end; t++)
#define SYNC()               barrier(CLK_LOCAL_MEM_FENCE)
#define SYNC_GLOBAL()        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ADD_GLOBAL(at, more) atomic_add((at), (more))
#define ADD_LOCAL(at, more)  atomic_add((at), (more))

#else /* The emulation: one thread, group after group. */

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef uint64_t ulong;

/* An atomic addition, where only one thread runs. */
static inline uint margay_emulated_add(uint *at, uint more)
{
    uint before = *at;
    *at = before + more;
    return before;
}

#define KERNEL static void
#define INLINE static inline
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY
#define GROUP_ARGUMENT       const uint margay_group,
#define GROUP_NUMBER         margay_group
#define EACH_ITEM(t)         for (uint t = 0; t < GROUP_ITEMS; t++)
#define SYNC()               ((void)0)
#define SYNC_GLOBAL()        ((void)0)
#define ADD_GLOBAL(at, more) margay_emulated_add((at), (more))
#define ADD_LOCAL(at, more)  margay_emulated_add((at), (more))

#endif

/* A step for each reference of the group's tile that lies before `count`. */
#define EACH_OF_TILE(at, count)                  \
    EACH_ITEM(t)                                 \
    for (uint at = GROUP_NUMBER * TILE_REFS + t; \
         at < (count) && at / TILE_REFS == GROUP_NUMBER; at += GROUP_ITEMS)

/* ------------------------------- what a group does with a tile -- */

/* The value beyond the end. */
#define NO_DIGIT DIGITS
#define COUNTERS ((DIGITS + 1) * GROUP_ITEMS)

/* Exclusive prefix sums of sums[0 .. GROUP_ITEMS - 1], in place.  Both arrays
   have that many entries. */
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

/* counters[digit GROUP_ITEMS + item] = how often `digit` occurs among the
   ITEM_REFS neighbouring references of `item`. */
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

/* From these counters to prefix sums over all digits and, within a digit, all
   items: where in the tile, sorted by digits, the item's first reference with
   that digit belongs.  starts[digit] is where the digit begins. */
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

/* A digit of a key: the four bits whose numbers are the bytes of `bits`, the
   lowest first.  A byte of 64 or more stands for a bit that is 0. */
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

/* Sort keys and their values by the digit, stably.  `bases` are the prefix sums
   of the totals above. */
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

/* ------------------------------------------- distances in chunks -- */

/* See engines/hp_rda.c for the algorithm and blocks.c for the order in which
   kernels run.  A thread block has `block_refs` references, its chunks
   `chunk_refs` each; the last ones may be shorter. */

/* The next reference of a chunk's last reference to a block. */
#define NO_NEXT 0xffffffffu

/* The reference before i to the same block, from `begin` on; i if none is. */
INLINE uint previous_of(GLOBAL const ulong *blocks, uint begin, uint i)
{
    const ulong block = blocks[i];
    uint j = i;
    while (j > begin && blocks[j - 1] != block)
        j--;
    return j > begin ? j - 1 : i;
}

/* The first reference of the chunk to the block of i. */
INLINE uint first_of(GLOBAL const uint *previous, uint i)
{
    while (previous[i] != i)
        i = previous[i];
    return i;
}

/* References from `from` on and before `to` that are not followed before
   `until` by another one to their block. */
INLINE uint count_live(GLOBAL const uint *next, uint from, uint to, uint until)
{
    uint live = 0;
    for (uint j = to; j > from; j--)
        live += next[j - 1] >= until;
    return live;
}

/* A chunk for each group.  Its items search backwards for the previous
   reference to the same block, each from a reference of its own, so that
   neighbours read neighbouring memory.  Then a distance is a number of live
   references.  Of the first references, which are marked, `before` is the
   number of distinct blocks before it in the chunk, and `after` that of the
   others after the last one to its block.  Until it is that, `before` is the
   previous reference. */
KERNEL chunk_distances(GROUP_ARGUMENT GLOBAL const ulong *blocks, uint count,
                       uint chunk_refs, GLOBAL uint *next,
                       GLOBAL uint *is_first, GLOBAL uint *before,
                       GLOBAL uint *after, GLOBAL uint *local_counts,
                       GLOBAL uint *chunk_counts)
{
    LOCAL_ARRAY uint distinct[1];
    const uint begin = GROUP_NUMBER * chunk_refs;
    const uint end = count - begin < chunk_refs ? count : begin + chunk_refs;
    EACH_ITEM(t)
    {
        if (t == 0)
            distinct[0] = 0;
        for (uint i = begin + t; i < end; i += GROUP_ITEMS)
            next[i] = NO_NEXT;
    }
    SYNC_GLOBAL();
    EACH_ITEM(t)
    {
        for (uint i = begin + t; i < end; i += GROUP_ITEMS) {
            before[i] = previous_of(blocks, begin, i);
            if (before[i] != i)
                next[before[i]] = i;
        }
    }
    SYNC_GLOBAL();
    EACH_ITEM(t)
    {
        for (uint i = begin + t; i < end; i += GROUP_ITEMS) {
            if (next[i] == NO_NEXT) {
                after[first_of(before, i)] =
                    count_live(next, i + 1, end, NO_NEXT);
                ADD_LOCAL(&distinct[0], 1);
            }
        }
    }
    SYNC_GLOBAL();
    EACH_ITEM(t)
    {
        for (uint i = begin + t; i < end; i += GROUP_ITEMS) {
            is_first[i] = before[i] == i;
            if (is_first[i])
                before[i] = count_live(next, begin, i, i);
            else
                ADD_GLOBAL(&local_counts[count_live(next, before[i] + 1, i, i)],
                           1);
        }
        if (t == 0)
            chunk_counts[GROUP_NUMBER] = distinct[0];
    }
}

/* starts[chunk] = the distinct blocks of the chunks before in the thread block,
   added up; block_sums[block] of all its chunks. */
KERNEL chunk_starts(GROUP_ARGUMENT GLOBAL const uint *chunk_counts, uint chunks,
                    uint block_chunks, GLOBAL uint *starts,
                    GLOBAL uint *block_sums)
{
    EACH_ITEM(t)
    {
        const uint chunk = GROUP_NUMBER * GROUP_ITEMS + t;
        if (chunk < chunks) {
            const uint block = chunk / block_chunks;
            uint sum = 0;
            for (uint i = block * block_chunks; i < chunk; i++)
                sum += chunk_counts[i];
            starts[chunk] = sum;
            if (chunk + 1 == chunks || (chunk + 1) % block_chunks == 0)
                block_sums[block] = sum + chunk_counts[chunk];
        }
    }
}

/* The first references, in order, to be sorted by block.  firsts_before[] are
   the prefix sums of the marks, `firsts` is their sum. */
KERNEL gather_firsts(GROUP_ARGUMENT GLOBAL const ulong *blocks,
                     GLOBAL const uint *firsts_before, uint count, uint firsts,
                     GLOBAL ulong *keys, GLOBAL uint *owners)
{
    EACH_OF_TILE(at, count)
    {
        uint to = firsts_before[at];
        uint next = at + 1 < count ? firsts_before[at + 1] : firsts;
        if (next != to) {
            keys[to] = blocks[at];
            owners[to] = at;
        }
    }
}

/* Is record `at` the first of its block id in its thread block? */
INLINE uint is_head(GLOBAL const ulong *blocks, GLOBAL const uint *owners,
                    uint block_refs, uint at)
{
    return at == 0 || owners[at - 1] / block_refs != owners[at] / block_refs ||
           blocks[owners[at - 1]] != blocks[owners[at]];
}

KERNEL mark_heads(GROUP_ARGUMENT GLOBAL const ulong *blocks,
                  GLOBAL const uint *owners, uint count, uint block_refs,
                  GLOBAL uint *heads)
{
    EACH_OF_TILE(at, count)
    {
        heads[at] = is_head(blocks, owners, block_refs, at);
    }
}

/* The thread merge: neighbours of the same block id in a thread block are that
   many distinct blocks apart as lie after the one and before the other.  The
   rest is a place for each id and thread block, in that order: of its first
   reference and, less the others after it, of its last, both as numbers from
   block * block_refs on.  heads_before[] are the prefix sums of the marks. */
KERNEL merge_chunks(GROUP_ARGUMENT GLOBAL const ulong *blocks,
                    GLOBAL const uint *owners, uint count, uint chunk_refs,
                    uint block_refs, GLOBAL const uint *heads_before,
                    GLOBAL const uint *starts, GLOBAL const uint *before,
                    GLOBAL const uint *ends, GLOBAL uint *across,
                    GLOBAL ulong *place_ids, GLOBAL uint *place_firsts,
                    GLOBAL uint *place_keys, GLOBAL uint *place_counts)
{
    EACH_OF_TILE(at, count)
    {
        uint owner = owners[at], block = owner / block_refs;
        uint head = is_head(blocks, owners, block_refs, at);
        uint place = heads_before[at] + head - 1;
        uint first = starts[owner / chunk_refs] + before[owner];
        if (head) {
            place_ids[place] = blocks[owner];
            place_firsts[place] = block * block_refs + first;
            ADD_GLOBAL(&place_counts[block], 1);
        } else {
            uint apart = first - ends[owners[at - 1]];
            ADD_GLOBAL(&across[block * (block_refs + 1) + apart], 1);
        }
        if (at + 1 == count || is_head(blocks, owners, block_refs, at + 1))
            place_keys[place] = block * block_refs + ends[owner] - 1;
    }
}

/* ends[i] of first references: distinct blocks through the chunk, less those
   after the last reference to the same; in place of `after`. */
KERNEL chunk_ends(GROUP_ARGUMENT GLOBAL const uint *starts,
                  GLOBAL const uint *chunk_counts, uint count, uint chunk_refs,
                  GLOBAL uint *after)
{
    EACH_OF_TILE(at, count)
    {
        uint chunk = at / chunk_refs;
        after[at] = starts[chunk] + chunk_counts[chunk] - after[at];
    }
}

/* ---------------------------------- exactly, from thread block to block -- */

/* Places of the same block id, neighbours now, are reuses.  Let i be the number
   of a reuse among all places in the order of their first references, and v
   that of the place before it in the order of last ones.  Between the two are i
   - 1 - v distinct blocks, less the reuses before it whose v is larger: of
   their blocks, both the last and the first reference were counted. */
INLINE uint is_reuse(GLOBAL const ulong *place_ids, uint at)
{
    return at > 0 && place_ids[at - 1] == place_ids[at];
}

/* All prefix sums of these marks are numbers in one of the orders: of places
   or, `reuses` and `reused`, of those with a place before or after. */
KERNEL mark_places(GROUP_ARGUMENT GLOBAL const ulong *place_ids,
                   GLOBAL const uint *place_firsts,
                   GLOBAL const uint *place_keys, uint places,
                   GLOBAL uint *firsts, GLOBAL uint *lasts, GLOBAL uint *reuses,
                   GLOBAL uint *reused)
{
    EACH_OF_TILE(at, places)
    {
        firsts[place_firsts[at]] = 1;
        lasts[place_keys[at]] = 1;
        if (is_reuse(place_ids, at)) {
            reuses[place_firsts[at]] = 1;
            reused[place_keys[at - 1]] = 1;
        }
    }
}

/* Of reuses, in order, the number of v among all such above the number of
   blocks in between; of the others, the ids in both orders. */
KERNEL order_places(GROUP_ARGUMENT GLOBAL const ulong *place_ids,
                    GLOBAL const uint *place_firsts,
                    GLOBAL const uint *place_keys, uint places,
                    GLOBAL const uint *firsts, GLOBAL const uint *lasts,
                    GLOBAL const uint *reuses, GLOBAL const uint *reused,
                    GLOBAL ulong *keys, GLOBAL ulong *ids_by_first,
                    GLOBAL ulong *ids_by_last)
{
    EACH_OF_TILE(at, places)
    {
        uint first = place_firsts[at], last = place_keys[at];
        if (is_reuse(place_ids, at)) {
            uint before = place_keys[at - 1];
            keys[reuses[first]] = (ulong)reused[before] << 32 |
                                  (firsts[first] - 1 - lasts[before]);
        } else {
            ids_by_first[firsts[first] - reuses[first]] = place_ids[at];
        }
        if (at + 1 == places || !is_reuse(place_ids, at + 1))
            ids_by_last[lasts[last] - reused[last]] = place_ids[at];
    }
}

/* To sort the reuses by v from its highest bit on, and to count on the way: of
   those that agree so far, which are neighbours in their old order, the ones
   with a 1 are larger than those with a 0. */
KERNEL split_marks(GROUP_ARGUMENT GLOBAL const ulong *keys, uint count,
                   uint bit, GLOBAL uint *ones)
{
    EACH_OF_TILE(at, count)
    {
        ones[at] = (uint)(keys[at] >> 32) >> bit & 1;
    }
}

/* ones_before[] are the prefix sums of the marks.  Those that agree begin where
   the smallest number like them belongs, as there is one of each number. */
KERNEL split_move(GROUP_ARGUMENT GLOBAL const ulong *keys, uint count, uint bit,
                  GLOBAL const uint *ones_before, GLOBAL ulong *moved)
{
    EACH_OF_TILE(at, count)
    {
        uint number = (uint)(keys[at] >> 32), high = 1u << bit;
        uint begin = number & ~(2 * high - 1);
        uint ones = ones_before[at] - ones_before[begin];
        if (number & high)
            moved[begin + high + ones] = keys[at];
        else
            moved[at - ones] = keys[at] - ones;
    }
}

KERNEL count_distances(GROUP_ARGUMENT GLOBAL const ulong *keys, uint count,
                       GLOBAL uint *counts)
{
    EACH_OF_TILE(at, count)
    {
        ADD_GLOBAL(&counts[(uint)keys[at]], 1);
    }
}

#endif
