/*
 * greedy.c - lfuda and gdsf: evict what has the least value, which ages
 *
 * The value of a block is its number of uses since it came in, of gdsf times
 * what a miss of it costs for each of its bytes, and the age of the cache at
 * its last use.  The block of the least value goes, and its value becomes the
 * age; so a block that is no longer used leaves in the end, however often it
 * was used. Blocks of the same size are alike to both.
 *
 * Source: Arlitt, Cherkasova, Dilley, Friedrich and Jin, "Evaluating content
 *   management techniques for web proxy caches", Performance Evaluation Review
 *   27(4), 2000 (lfuda); Cherkasova, "Improving WWW proxies performance with
 *   Greedy-Dual-Size-Frequency caching policy", HP Labs HPL-98-69R1, 1998
 *   (gdsf).  What is chosen here:
 *   - A miss has the cost that its request gives, or else 1.
 *   - Of equal values, the least recently used block goes.  Uses have 32 bits,
 *     so the last ones of two blocks must not be 2^31 uses apart.
 *   - An object of no bytes counts as one of 1 byte.
 *   - An object that has grown has its new value at once, and is passed over.
 *
 * Cost: logarithmic, by a heap of the blocks of a set; 24 bytes for each way.
 */
#include "assoc/policies/cache.h"

struct entry {
    double value;
    uint32_t used, uses; /* when last, and how often */
};

struct state {
    uint64_t slots;
    uint32_t now;                       /* uses, modulo 2^32 */
    const struct margay_amounts *sizes; /* NULL = all have the same */
    struct entry *entries;              /* [set][slot] */
    uint32_t *heap, *positions;         /* [set][position], [set][slot] */
    uint32_t *counts;                   /* [set]: of the blocks in the heap */
    double *ages;                       /* [set] */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    uint64_t all = setup->sets * setup->slots;
    state->slots = setup->slots;
    state->entries = margay_lay_out(layout, all * sizeof(struct entry));
    state->heap = margay_lay_out(layout, all * sizeof(uint32_t));
    state->positions = margay_lay_out(layout, all * sizeof(uint32_t));
    state->counts = margay_lay_out(layout, setup->sets * sizeof(uint32_t));
    state->ages = margay_lay_out(layout, setup->sets * sizeof(double));
}

static void set_up_gdsf(void *context, const struct margay_policy_setup *setup,
                        struct margay_layout *layout)
{
    struct state *state = context;
    state->sizes = setup->sizes;
    set_up(state, setup, layout);
}

/* Does a block go before another one? */
static inline bool goes_before(const struct entry *a, const struct entry *b)
{
    return a->value != b->value ? a->value < b->value
                                : a->used - b->used > UINT32_MAX / 2;
}

/* Put a slot into the heap at a position that is free, or further up or down
   where the order wants it. */
static inline void settle(struct state *state, uint64_t set, uint32_t slot,
                          uint32_t at)
{
    uint32_t *heap = state->heap + set * state->slots;
    uint32_t *positions = state->positions + set * state->slots;
    const struct entry *entries = state->entries + set * state->slots;
    uint32_t count = state->counts[set], child;
    while (at > 0 &&
           goes_before(&entries[slot], &entries[heap[(at - 1) / 2]])) {
        heap[at] = heap[(at - 1) / 2];
        positions[heap[at]] = at;
        at = (at - 1) / 2;
    }
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count &&
                 goes_before(&entries[heap[child + 1]], &entries[heap[child]]);
        if (!goes_before(&entries[heap[child]], &entries[slot]))
            break;
        heap[at] = heap[child];
        positions[heap[at]] = at;
        at = child;
    }
    heap[at] = slot;
    positions[slot] = at;
}

/* Count a use of a block of the heap. */
static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    uint64_t place = set * state->slots + slot;
    struct entry *entry = &state->entries[place];
    entry->uses += entry->uses < UINT32_MAX;
    double worth = entry->uses;
    if (state->sizes != NULL) {
        uint64_t bytes = margay_amount(state->sizes, slot);
        worth = worth * (double)use->cost / (double)(bytes + (bytes == 0));
    }
    entry->value = worth + state->ages[set];
    entry->used = state->now++;
    settle(state, set, slot, state->positions[place]);
}

static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    uint32_t *heap = state->heap + set * state->slots;
    uint32_t at = state->positions[set * state->slots + slot];
    uint32_t last = heap[--state->counts[set]];
    if (last != slot)
        settle(state, set, last, at);
}

/* The second of the heap is one of the two below the first. */
static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    const uint32_t *heap = state->heap + set * state->slots;
    const struct entry *entries = state->entries + set * state->slots;
    uint32_t slot = heap[0];
    if (slot == margay_use_grown(use)) {
        slot = heap[1];
        if (state->counts[set] > 2 &&
            goes_before(&entries[heap[2]], &entries[slot]))
            slot = heap[2];
    }
    state->ages[set] = entries[slot].value;
    remove_slot(state, set, slot);
    return slot;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    uint64_t first = set * state->slots;
    state->entries[first + slot] = (struct entry){0, 0, 0};
    state->positions[first + slot] = state->counts[set]++;
    hit(state, set, slot, use);
}

static uint32_t victim(const void *context)
{
    const struct state *state = context;
    return state->heap[0];
}

MARGAY_OBJECT_POLICY_LOOPS(greedy, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_lfuda = {
    .info = {.name = "lfuda",
             .parameters = "",
             .help = "the block goes that was used least often, and long ago",
             .source = "Arlitt et al. 2000",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(greedy),
    .remove = remove_slot,
    .victim = victim,
};

const struct margay_policy margay_policy_gdsf = {
    .info = {.name = "gdsf",
             .parameters = "",
             .help = "the same, of large objects before small ones",
             .source = "Cherkasova 1998",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS_OF(greedy, set_up_gdsf, struct state),
    .remove = remove_slot,
    .victim = victim,
};
