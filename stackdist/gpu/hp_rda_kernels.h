/*
 * hp_rda_kernels.h - distances in chunks, and from chunk to chunk
 *
 * Part of the kernels: see portable.h for their language, engines/hp_rda.c for
 * the algorithm and blocks.c for the order in which they run.  A thread block
 * has `block_refs` references, its chunks `chunk_refs` each; the last ones may
 * be shorter.
 */
#ifndef MARGAY_STACKDIST_GPU_HP_RDA_KERNELS_H
#define MARGAY_STACKDIST_GPU_HP_RDA_KERNELS_H

#include "stackdist/gpu/tile_kernels.h"

/* What follows a chunk's last reference to a block. */
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

/*
 * A chunk for each group.  Its items search backwards for the previous
 * reference to the same block, each from a reference of its own, so that
 * neighbours read neighbouring memory.  Then a distance is a number of live
 * references.  Of the first references, which are marked, `before` is the
 * number of distinct blocks before it in the chunk, and `after` that of the
 * others after the last one to its block.  Until it is that, `before` is the
 * previous reference.
 */
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

/*
 * starts[chunk] = the distinct blocks of the chunks before in the thread block,
 * added up; block_sums[block] of all its chunks.
 */
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

/* The first references, in order, to be sorted by what they refer to.
   firsts_before[] are the prefix sums of the marks, `firsts` is their sum. */
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

/*
 * The thread merge: neighbours of the same block id in a thread block are that
 * many distinct blocks apart as lie after the one and before the other.  What
 * remains of them is a place for each id and thread block, in that order: of
 * its first reference and, less the others after it, of its last, both as
 * numbers from block * block_refs on.  heads_before[] are the prefix sums of
 * the marks.
 */
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

/*
 * Places of the same block id, neighbours now, are reuses.  Let i be the number
 * of a reuse among all places in the order of their first references, and v
 * that of the place before it in the order of last ones.  Between the two are
 * i - 1 - v distinct blocks, less the reuses before it whose v is larger: of
 * their blocks, both the last and the first reference were counted.
 */
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

/*
 * To sort the reuses by v from its highest bit on, and to count on the way: of
 * those that agree so far, which are neighbours in their old order, the ones
 * with a 1 are larger than those with a 0.
 */
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
