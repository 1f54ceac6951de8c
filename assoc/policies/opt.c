/*
 * opt.c - evicts the block whose next use is the furthest away
 *
 * With bypass=on the block that misses takes part in the choice: if its next
 * use is the furthest away, the cache does not keep it.
 *
 * Algorithm: the keys of a set's slots are the next uses of their blocks, and
 *   the highest one is looked for.  Levels stand above the keys.  Each group of
 *   64 members of one level has a byte in the next level, which says which
 *   member has the highest key; the last level has 64 groups or fewer, which
 *   are compared one by one.  Sets of up to 64 slots have no level, and there a
 *   change of a key is a store.  Of equal keys the one in the lowest slot is
 *   the highest; keys are 0 at first.
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems J. 5(2), 1966.
 *
 * Guarantee: no policy misses less.  Of blocks that are never used again the
 *   one in the lowest slot is evicted.
 *
 * Cost: up to 64 ways, one step for each way per eviction; beyond, about 64
 *   steps for each level of 64; 8 bytes for each way.
 */
#include "assoc/policies/cache.h"

#define GROUP 64

/* 64^6 slots are over 32 bits. */
#define MOST_LEVELS 5

struct state {
    bool bypass;
    uint64_t slots; /* of a set */
    uint64_t *keys; /* [set][slot] */
    unsigned levels;
    uint8_t *peaks[MOST_LEVELS];  /* [level][set][group] */
    uint64_t groups[MOST_LEVELS]; /* of a set */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    *state = (struct state){.bypass = setup->settings.choices[0] == 1,
                            .slots = setup->ways};
    state->keys = margay_lay_out(layout, setup->sets * state->slots *
                                             sizeof *state->keys);
    for (uint64_t members = state->slots; members > GROUP;) {
        members = (members + GROUP - 1) / GROUP;
        state->groups[state->levels] = members;
        state->peaks[state->levels++] =
            margay_lay_out(layout, setup->sets * members);
    }
}

/* The slot with the highest key below group `group` of a level; level 0 is
   the lowest one with groups. */
static uint64_t peak_of(const struct state *state, uint64_t set, unsigned level,
                        uint64_t group)
{
    for (;; level--) {
        group = group * GROUP +
                state->peaks[level][set * state->groups[level] + group];
        if (level == 0)
            return group;
    }
}

/* The slot with the highest key below member `member` of a level: the slot
   itself at level 0, and otherwise a group of the level below. */
static uint64_t peak_below(const struct state *state, uint64_t set,
                           unsigned level, uint64_t member)
{
    return level == 0 ? member : peak_of(state, set, level - 1, member);
}

/* Does slot a rank before slot b? */
static bool is_higher(const uint64_t *keys, uint64_t a, uint64_t b)
{
    return keys[a] > keys[b] || (a < b && keys[a] == keys[b]);
}

/* The member with the highest key among [from, to) below a level. */
static uint64_t search(const struct state *state, uint64_t set, unsigned level,
                       uint64_t from, uint64_t to)
{
    const uint64_t *keys = state->keys + set * state->slots;
    uint64_t best = from, highest = peak_below(state, set, level, from);
    for (uint64_t member = from + 1; member < to; member++) {
        uint64_t slot = peak_below(state, set, level, member);
        if (keys[slot] > keys[highest]) {
            best = member;
            highest = slot;
        }
    }
    return best;
}

/* Change a key of a set that has levels, and bring these up to date. */
static void mend(struct state *state, uint64_t set, uint32_t slot, uint64_t key)
{
    uint64_t *keys = state->keys + set * state->slots;
    bool lower = key < keys[slot];
    uint64_t member = slot, members = state->slots;
    keys[slot] = key;
    for (unsigned level = 0; level < state->levels; level++) {
        uint64_t group = member / GROUP;
        uint8_t *peak =
            &state->peaks[level][set * state->groups[level] + group];
        uint64_t from = group * GROUP, to = from + GROUP;
        if (from + *peak == member) {
            /* The member was the highest: it still is, unless it fell. */
            if (lower)
                *peak = (uint8_t)(search(state, set, level, from,
                                         to < members ? to : members) -
                                  from);
        } else if (is_higher(keys, slot, peak_of(state, set, level, group))) {
            *peak = (uint8_t)(member - from);
        } else {
            return;
        }
        member = group;
        members = state->groups[level];
    }
}

static inline void note(void *context, uint64_t set, uint32_t slot,
                        const struct margay_use *use)
{
    struct state *state = context;
    if (state->levels == 0)
        state->keys[set * state->slots + slot] = use->next_use;
    else
        mend(state, set, slot, use->next_use);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    const struct state *state = context;
    const uint64_t *keys = state->keys + set * state->slots;
    uint32_t last = 0;
    if (state->levels == 0) {
        for (uint32_t i = 1; i < state->slots; i++) {
            if (keys[i] > keys[last])
                last = i;
        }
    } else {
        unsigned top = state->levels - 1;
        uint64_t group = search(state, set, top + 1, 0, state->groups[top]);
        last = (uint32_t)peak_of(state, set, top, group);
    }
    return state->bypass && use->next_use >= keys[last] ? MARGAY_NO_SLOT : last;
}

MARGAY_POLICY_LOOPS(opt, .hit = note, .evict = evict, .insert = note)

const struct margay_policy margay_policy_opt = {
    .info = {.name = "opt",
             .parameters = "bypass=off|on",
             .help = "the block goes that is used again last",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_NEEDS_FUTURE},
    .parameters = {{"bypass", "off|on", MARGAY_CHOICE}},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF(opt),
};
