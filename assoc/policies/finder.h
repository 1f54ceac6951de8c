/*
 * finder.h - finding the slot of a block in its set
 *
 * A set of up to 64 slots is scanned.  Each slot has a mark, 16 bits of its
 * block's hashed number; the marks of eight slots are compared at once, and
 * then the blocks whose marks are equal.  Larger sets have an index, one hash
 * table for all sets, whose buckets are chains through the slots.  Where blocks
 * are dense numbers, 0, 1, 2 and so on, a table says at once which slot a block
 * was put into last.  A slot that was emptied is filled before one that never
 * was, and of these the lowest.
 *
 * Everything here is inline, and `form` is a constant in every call, because
 * the functions are compiled into the loop of each policy.
 */
#ifndef MARGAY_ASSOC_FINDER_H
#define MARGAY_ASSOC_FINDER_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "assoc/policies/policy.h"
#include "assoc/sets.h"

/* The most slots of a set that is scanned: the bits of a word. */
#define MARGAY_SCANNED_SLOTS 64

/* A set of this many slots or fewer is compared without marks. */
#define MARGAY_UNMARKED_SLOTS 2

/* Marks that are compared at once. */
#define MARGAY_MARKS 8

/* The state of a set that is scanned; marks of free slots mean nothing. */
struct margay_scanned_set {
    uint64_t filled;  /* bit i: slot i */
    uint16_t marks[]; /* a multiple of MARGAY_MARKS */
};

/* Only the memory that the pointers lead to changes while references are made,
   so that a loop may work on a copy of the struct. */
struct margay_finder {
    enum margay_finder_form form;
    struct margay_sets sets;
    uint64_t ways, slots; /* of a set */
    uint64_t *blocks;     /* [set][slot] */
    /* Scanned: */
    char *scanned; /* struct margay_scanned_set, every `set_bytes` */
    size_t set_bytes;
    uint64_t full; /* `filled` where as many slots are as there are ways */
    /* Not scanned; a slot's number counts through all sets: */
    uint32_t *filled; /* [set]: the slots ever filled, the lowest */
    /* Indexed: */
    uint32_t *emptied; /* [set]: the slot emptied last, plus 1; 0 = none */
    uint32_t *heads;   /* [bucket]: the first slot's number plus 1; 0 = none */
    uint32_t *next;    /* [slot]: the next one of its chain, or the one emptied
                          before it, likewise */
    unsigned shift;    /* 64 - log2(buckets) */
    /* Dense; there is one set: */
    uint32_t *places;     /* [block]: the slot it was put into last, plus 1 */
    uint64_t place_count; /* the table has room for the blocks below it */
    bool far;             /* it does not stay in the processor's own caches */
};

static inline uint64_t margay_finder_hash(uint64_t block)
{
    return block * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---------------------------------------------------------- sets scanned -- */

static MARGAY_ALWAYS_INLINE struct margay_scanned_set *margay_scanned_set(
    const struct margay_finder *finder, uint64_t set)
{
    void *found = finder->scanned + set * finder->set_bytes;
    return found;
}

static MARGAY_ALWAYS_INLINE uint16_t margay_mark(uint64_t block)
{
    return (uint16_t)(margay_finder_hash(block) >> 48);
}

/* Find a block in a set that has no marks. */
static MARGAY_ALWAYS_INLINE uint32_t margay_scan_blocks(
    const struct margay_finder *finder, uint64_t set, uint64_t block)
{
    uint64_t filled = margay_scanned_set(finder, set)->filled;
    const uint64_t *blocks = finder->blocks + set * finder->slots;
    for (uint32_t slot = 0; filled != 0; slot++, filled >>= 1) {
        if ((filled & 1) != 0 && blocks[slot] == block)
            return slot;
    }
    return MARGAY_NO_SLOT;
}

/* The mask of those of the next MARGAY_MARKS marks that equal `mark`. */
static MARGAY_ALWAYS_INLINE uint64_t margay_same_marks(const uint16_t *marks,
                                                       uint16_t mark)
{
#if defined(__SSE2__)
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)marks);
    __m128i same = _mm_cmpeq_epi16(all, _mm_set1_epi16((short)mark));
    return (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(same, same)) & 0xff;
#else
    uint64_t same = 0;
    for (unsigned i = 0; i < MARGAY_MARKS; i++)
        same |= (uint64_t)(marks[i] == mark) << i;
    return same;
#endif
}

static MARGAY_ALWAYS_INLINE uint32_t
margay_scan(const struct margay_finder *finder, uint64_t set, uint64_t block)
{
    const struct margay_scanned_set *scanned = margay_scanned_set(finder, set);
    const uint64_t *blocks = finder->blocks + set * finder->slots;
    if (finder->slots <= MARGAY_UNMARKED_SLOTS)
        return margay_scan_blocks(finder, set, block);
    uint16_t mark = margay_mark(block);
    for (uint64_t i = 0; i < finder->slots; i += MARGAY_MARKS) {
        uint64_t same =
            margay_same_marks(scanned->marks + i, mark) & scanned->filled >> i;
        for (; same != 0; same &= same - 1) {
            uint64_t slot = i + (unsigned)__builtin_ctzll(same);
            if (blocks[slot] == block)
                return (uint32_t)slot;
        }
    }
    return MARGAY_NO_SLOT;
}

static MARGAY_ALWAYS_INLINE void margay_scanned_put(
    const struct margay_finder *finder, uint64_t set, uint32_t slot,
    uint64_t block)
{
    if (finder->slots > MARGAY_UNMARKED_SLOTS)
        margay_scanned_set(finder, set)->marks[slot] = margay_mark(block);
    finder->blocks[set * finder->slots + slot] = block;
}

/* --------------------------------------------------------- sets indexed -- */

static MARGAY_ALWAYS_INLINE uint32_t *margay_index_head(
    const struct margay_finder *finder, uint64_t block)
{
    return finder->heads + (margay_finder_hash(block) >> finder->shift);
}

/* Put a block into a slot that is in no chain. */
static MARGAY_ALWAYS_INLINE void margay_index_put(
    const struct margay_finder *finder, uint64_t set, uint32_t slot,
    uint64_t block)
{
    uint32_t *head = margay_index_head(finder, block);
    uint32_t at = (uint32_t)(set * finder->slots + slot);
    finder->blocks[at] = block;
    finder->next[at] = *head;
    *head = at + 1;
}

/* Take a slot out of its chain. */
static MARGAY_ALWAYS_INLINE void margay_index_drop(
    const struct margay_finder *finder, uint64_t set, uint32_t slot)
{
    uint32_t at = (uint32_t)(set * finder->slots + slot);
    uint32_t *link = margay_index_head(finder, finder->blocks[at]);
    while (*link != at + 1)
        link = &finder->next[*link - 1];
    *link = finder->next[at];
}

/* Empty a slot; not in a dense finder. */
static inline void margay_finder_empty(const struct margay_finder *finder,
                                       uint64_t set, uint32_t slot)
{
    if (finder->form == MARGAY_FORM_SCANNED) {
        margay_scanned_set(finder, set)->filled &= ~(UINT64_C(1) << slot);
        return;
    }
    margay_index_drop(finder, set, slot);
    finder->next[set * finder->slots + slot] = finder->emptied[set];
    finder->emptied[set] = slot + 1;
}

/* ---------------------------------------------------------- dense blocks -- */

/* An entry of the table stays when the block leaves its slot: the slot then
   holds another block, so that nothing has to be written. */
static MARGAY_ALWAYS_INLINE void margay_dense_put(
    const struct margay_finder *finder, uint32_t slot, uint64_t block)
{
    finder->blocks[slot] = block;
    finder->places[block] = slot + 1;
}

/* -------------------------------------------------------------- any form -- */

static MARGAY_ALWAYS_INLINE uint64_t
margay_finder_set(const struct margay_finder *finder,
                  enum margay_finder_form form, uint64_t block)
{
    return form == MARGAY_FORM_DENSE ? 0 : margay_set_of(&finder->sets, block);
}

/* The slot that the block was put into last, if it is still there, or
 * MARGAY_NO_SLOT. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_finder_find(const struct margay_finder *finder,
                   enum margay_finder_form form, uint64_t set, uint64_t block)
{
    uint32_t at;
    if (form == MARGAY_FORM_SCANNED)
        return margay_scan(finder, set, block);
    if (form == MARGAY_FORM_DENSE) {
        at = finder->places[block];
        return at != 0 && finder->blocks[at - 1] == block ? at - 1
                                                          : MARGAY_NO_SLOT;
    }
    at = *margay_index_head(finder, block);
    while (at != 0 && finder->blocks[at - 1] != block)
        at = finder->next[at - 1];
    return at == 0 ? MARGAY_NO_SLOT : (uint32_t)(at - 1 - set * finder->slots);
}

/* Are as many slots filled as the set has ways? */
static MARGAY_ALWAYS_INLINE bool margay_finder_full(
    const struct margay_finder *finder, enum margay_finder_form form,
    uint64_t set)
{
    if (form == MARGAY_FORM_SCANNED)
        return margay_scanned_set(finder, set)->filled >= finder->full;
    return finder->filled[set] >= finder->ways &&
           (form == MARGAY_FORM_DENSE || finder->emptied[set] == 0);
}

/* Put a block that its set does not know into a free slot: the lowest, or of a
   set with an index the one that was emptied last, if there is one. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_finder_add(const struct margay_finder *finder,
                  enum margay_finder_form form, uint64_t set, uint64_t block)
{
    uint32_t slot;
    if (form == MARGAY_FORM_SCANNED) {
        uint64_t *filled = &margay_scanned_set(finder, set)->filled;
        slot = (uint32_t)__builtin_ctzll(~*filled);
        *filled |= UINT64_C(1) << slot;
        margay_scanned_put(finder, set, slot, block);
    } else if (form == MARGAY_FORM_DENSE) {
        slot = finder->filled[set]++;
        margay_dense_put(finder, slot, block);
    } else {
        slot = finder->emptied[set] - 1;
        if (slot == MARGAY_NO_SLOT)
            slot = finder->filled[set]++;
        else
            finder->emptied[set] = finder->next[set * finder->slots + slot];
        margay_index_put(finder, set, slot, block);
    }
    return slot;
}

/* Put a block that its set does not know into a slot that is filled. */
static MARGAY_ALWAYS_INLINE void margay_finder_replace(
    const struct margay_finder *finder, enum margay_finder_form form,
    uint64_t set, uint32_t slot, uint64_t block)
{
    switch (form) {
    case MARGAY_FORM_SCANNED:
        margay_scanned_put(finder, set, slot, block);
        break;
    case MARGAY_FORM_INDEXED:
        margay_index_drop(finder, set, slot);
        margay_index_put(finder, set, slot, block);
        break;
    default:
        margay_dense_put(finder, slot, block);
    }
}

/* References ahead of a reference: at the first distance the head of its chain,
   its set or its entry of the table is prefetched, and at the second the block
   that the chain or the entry leads to. */
#define MARGAY_FIND_AHEAD  16
#define MARGAY_BLOCK_AHEAD 8

/* Prefetch the memory of blocks that come soon, if the finder is large. */
static MARGAY_ALWAYS_INLINE void margay_finder_prefetch(
    const struct margay_finder *finder, enum margay_finder_form form,
    const uint64_t *blocks, size_t left)
{
    if (!finder->far || left <= MARGAY_FIND_AHEAD)
        return;
    uint64_t block = blocks[MARGAY_FIND_AHEAD];
    if (form == MARGAY_FORM_SCANNED) {
        __builtin_prefetch(
            margay_scanned_set(finder, margay_finder_set(finder, form, block)),
            1);
        return;
    }
    uint32_t at = form == MARGAY_FORM_DENSE
                      ? finder->places[blocks[MARGAY_BLOCK_AHEAD]]
                      : *margay_index_head(finder, blocks[MARGAY_BLOCK_AHEAD]);
    __builtin_prefetch(form == MARGAY_FORM_DENSE
                           ? finder->places + block
                           : margay_index_head(finder, block),
                       1);
    if (at != 0)
        __builtin_prefetch(finder->blocks + at - 1, 1);
}

#endif
