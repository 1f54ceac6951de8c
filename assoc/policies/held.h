/*
 * held.h - the objects that a cache holds, for policies that choose among a
 * sample
 *
 * A set of blocks that is full has one in each slot.  Of objects, a list says
 * which are in the cache; the last of them fills the gap of one that leaves,
 * unless a new one comes into the gap.
 */
#ifndef MARGAY_ASSOC_HELD_H
#define MARGAY_ASSOC_HELD_H

#include "assoc/policies/policy.h"

struct margay_held {
    struct margay_random random;
    uint32_t ways;
    /* Of objects: */
    const struct margay_amounts *sizes; /* NULL = they are blocks */
    uint32_t *slots;                    /* of those that are held */
    uint32_t *places;                   /* [slot]: where it is among them */
    uint32_t count;                     /* of these */
    uint32_t gap; /* where one has left; `count` if none has */
};

/* The call set_up(), and the beginning of others. */
static inline void margay_held_set_up(void *context,
                                      const struct margay_policy_setup *setup,
                                      struct margay_layout *layout)
{
    struct margay_held *held = context;
    margay_random_seed(&held->random, setup->seed);
    held->ways = setup->ways;
    held->sizes = setup->sizes;
    if (setup->sizes == NULL)
        return;
    held->slots = margay_lay_out(layout, setup->slots * sizeof(uint32_t));
    held->places = margay_lay_out(layout, setup->slots * sizeof(uint32_t));
}

/* The divisor of a value: an object of no bytes counts as one of 1. */
static inline uint64_t margay_held_bytes(const struct margay_held *held,
                                         uint64_t slot)
{
    uint64_t bytes = held->sizes == NULL ? 1 : margay_amount(held->sizes, slot);
    return bytes + (bytes == 0);
}

/* An object comes into the cache, or leaves it.  Blocks need neither. */
static inline void margay_held_add(struct margay_held *held, uint32_t slot)
{
    uint32_t moved = held->slots[held->gap];
    if (held->gap < held->count) {
        held->slots[held->count] = moved;
        held->places[moved] = held->count;
    }
    held->slots[held->gap] = slot;
    held->places[slot] = held->gap;
    held->gap = ++held->count;
}

static inline void margay_held_take(struct margay_held *held, uint32_t slot)
{
    uint32_t gap = held->places[slot], last = held->slots[--held->count];
    held->slots[gap] = last;
    held->places[last] = gap;
    held->gap = gap;
}

/* The call remove() of policies whose state begins with this.  Of blocks the
   next one comes into the slot. */
static inline void margay_held_remove(void *state, uint64_t set, uint32_t slot)
{
    struct margay_held *held = state;
    (void)set;
    if (held->sizes != NULL)
        margay_held_take(held, slot);
}

/* Any slot of a set that is full. */
static MARGAY_ALWAYS_INLINE uint32_t margay_held_any(struct margay_held *held,
                                                     bool sized)
{
    uint32_t any = (uint32_t)margay_random_below(
        &held->random, sized ? held->count : held->ways);
    return sized ? held->slots[any] : any;
}

typedef double margay_value_of(const void *state, uint64_t set, uint32_t slot,
                               const struct margay_use *use);

/* Of `sample` slots drawn at random, or of all if there are no more, the one
   of the lowest value, of the same the first; an object that has grown does not
   go. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_held_least(struct margay_held *held, uint64_t set, uint32_t sample,
                  const struct margay_use *use, margay_value_of *value_of)
{
    uint32_t all = use->sized ? held->count : held->ways;
    uint32_t grown = margay_use_grown(use), least = MARGAY_NO_SLOT;
    double lowest = 0;
    for (uint32_t i = 0;
         i < (all <= sample ? all : sample) || least == MARGAY_NO_SLOT; i++) {
        uint32_t slot = all > sample ? margay_held_any(held, use->sized)
                        : use->sized ? held->slots[i]
                                     : i;
        double value = slot == grown ? 0 : value_of(held, set, slot, use);
        if (slot != grown && (least == MARGAY_NO_SLOT || value < lowest)) {
            least = slot;
            lowest = value;
        }
    }
    return least;
}

/* The call evict() of policies for which the least value alone decides. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_held_evict(struct margay_held *held, uint64_t set, uint32_t sample,
                  const struct margay_use *use, margay_value_of *value_of)
{
    uint32_t slot = margay_held_least(held, set, sample, use, value_of);
    if (use->sized)
        margay_held_take(held, slot);
    return slot;
}

#endif
