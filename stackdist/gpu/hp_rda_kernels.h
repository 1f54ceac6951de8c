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

/*
 * A chunk for each item, as published: live[i] is 0 once reference i is
 * followed by another one to its block, else 1 + the number of the first one
 * to it in the chunk.  A search for a previous reference from the newest on
 * counts the live ones that it passes.  Of the first references, which
 * are marked, `before` is the number of distinct blocks before it in the
 * chunk, and `after` that of the others after the last one to its block.
 */
KERNEL chunk_distances(GROUP_ARGUMENT GLOBAL const ulong *blocks, uint count,
                       uint chunk_refs, GLOBAL uint *live,
                       GLOBAL uint *is_first, GLOBAL uint *before,
                       GLOBAL uint *after, GLOBAL uint *local_counts,
                       GLOBAL uint *chunk_counts)
{
    EACH_ITEM(t)
    {
        const uint chunk = GROUP_NUMBER * GROUP_ITEMS + t;
        const ulong from = (ulong)chunk * chunk_refs, to = from + chunk_refs;
        const uint begin = (uint)(from < count ? from : count);
        const uint end = (uint)(to < count ? to : count);
        uint distinct = 0;
        for (uint i = begin; i < end; i++) {
            uint seen = 0, j = i;
            while (j > begin &&
                   (live[j - 1] == 0 || blocks[j - 1] != blocks[i]))
                seen += live[--j] != 0;
            if (j > begin) {
                live[i] = live[j - 1];
                live[j - 1] = 0;
                ADD_GLOBAL(&local_counts[seen], 1);
            } else {
                live[i] = i + 1;
                before[i] = seen;
            }
            is_first[i] = j == begin;
        }
        for (uint i = end; i > begin; i--) {
            if (live[i - 1] != 0)
                after[live[i - 1] - 1] = distinct++;
        }
        if (begin < end)
            chunk_counts[chunk] = distinct;
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
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                uint to = firsts_before[at];
                uint next = at + 1 < count ? firsts_before[at + 1] : firsts;
                if (next != to) {
                    keys[to] = blocks[at];
                    owners[to] = at;
                }
            }
        }
    }
}

/* Next they are to be sorted by thread blocks. */
KERNEL key_by_block(GROUP_ARGUMENT GLOBAL const uint *owners, uint count,
                    uint block_refs, GLOBAL ulong *keys)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count)
                keys[at] = owners[at] / block_refs;
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
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count)
                heads[at] = is_head(blocks, owners, block_refs, at);
        }
    }
}

/*
 * The thread merge: neighbours of the same block id in a thread block are that
 * many distinct blocks apart as lie after the one and before the other.  What
 * remains of them is a place for each id and thread block: of its first
 * reference and, less the others after it, of its last.  heads_before[] are
 * the prefix sums of the marks.
 */
KERNEL merge_chunks(GROUP_ARGUMENT GLOBAL const ulong *blocks,
                    GLOBAL const uint *owners, uint count, uint chunk_refs,
                    uint block_refs, GLOBAL const uint *heads_before,
                    GLOBAL const uint *starts, GLOBAL const uint *before,
                    GLOBAL const uint *ends, GLOBAL uint *across,
                    GLOBAL ulong *place_ids, GLOBAL uint *place_firsts,
                    GLOBAL uint *place_keys, GLOBAL uint *place_counts)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                uint owner = owners[at], block = owner / block_refs;
                uint head = is_head(blocks, owners, block_refs, at);
                uint place = heads_before[at] + head - 1;
                uint first = starts[owner / chunk_refs] + before[owner];
                if (head) {
                    place_ids[place] = blocks[owner];
                    place_firsts[place] = first;
                    ADD_GLOBAL(&place_counts[block], 1);
                } else {
                    uint apart = first - ends[owners[at - 1]];
                    ADD_GLOBAL(&across[block * (block_refs + 1) + apart], 1);
                }
                if (at + 1 == count ||
                    is_head(blocks, owners, block_refs, at + 1))
                    place_keys[place] = ends[owner];
            }
        }
    }
}

/* ends[i] of first references: distinct blocks through the chunk, less those
   after the last reference to the same; in place of `after`. */
KERNEL chunk_ends(GROUP_ARGUMENT GLOBAL const uint *starts,
                  GLOBAL const uint *chunk_counts, uint count, uint chunk_refs,
                  GLOBAL uint *after)
{
    EACH_ITEM(t)
    {
        for (uint i = t; i < TILE_REFS; i += GROUP_ITEMS) {
            uint at = GROUP_NUMBER * TILE_REFS + i;
            if (at < count) {
                uint chunk = at / chunk_refs;
                after[at] = starts[chunk] + chunk_counts[chunk] - after[at];
            }
        }
    }
}

#endif
