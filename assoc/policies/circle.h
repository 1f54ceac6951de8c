/*
 * circle.h - the slots of each set in a circle, in the order of their blocks
 *
 * A hand points at the oldest block.  As long as every block that leaves makes
 * way for one that comes, the slots themselves are the circle: a new block
 * takes the slot that the hand has just passed, and is the newest.  Objects of
 * different sizes leave by the number, so that a cache of them keeps a line.
 */
#ifndef MARGAY_ASSOC_CIRCLE_H
#define MARGAY_ASSOC_CIRCLE_H

#include "assoc/policies/finder.h"
#include "assoc/policies/order.h"

struct margay_circle {
    uint64_t slots;
    uint32_t *hands;          /* [set]: the oldest */
    struct margay_order line; /* of objects; the oldest first */
};

/* Make circles that are empty. */
static inline void margay_circle_set_up(struct margay_circle *circle,
                                        const struct margay_policy_setup *setup,
                                        struct margay_layout *layout)
{
    circle->slots = setup->slots;
    if (setup->sizes == NULL)
        circle->hands = margay_lay_out(layout, setup->sets * sizeof(uint32_t));
    else
        margay_order_set_up(&circle->line, setup->sets, setup->slots, 1,
                            layout);
}

static MARGAY_ALWAYS_INLINE uint32_t margay_circle_oldest(
    const struct margay_circle *circle, uint64_t set, bool sized)
{
    return sized ? margay_order_first(&circle->line, set, 0)
                 : circle->hands[set];
}

/* The hand goes on: what was the oldest is the newest. */
static MARGAY_ALWAYS_INLINE void margay_circle_pass(
    struct margay_circle *circle, uint64_t set, bool sized)
{
    uint32_t oldest = margay_circle_oldest(circle, set, sized);
    if (sized)
        margay_order_renew(&circle->line, set, 0, oldest);
    else
        circle->hands[set] = oldest + 1 == circle->slots ? 0 : oldest + 1;
}

/* Take the oldest out. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_circle_take(struct margay_circle *circle, uint64_t set, bool sized)
{
    uint32_t oldest = margay_circle_oldest(circle, set, sized);
    if (sized)
        margay_order_remove(&circle->line, set, 0, oldest);
    else
        margay_circle_pass(circle, set, sized);
    return oldest;
}

/* Take an object out of the line; what is in the slots of blocks stays. */
static inline void margay_circle_remove(struct margay_circle *circle,
                                        uint64_t set, uint32_t slot)
{
    if (circle->hands == NULL)
        margay_order_remove(&circle->line, set, 0, slot);
}

/* Put in a slot as the newest: the one taken last, or the lowest that is free
   where the set has never been full. */
static MARGAY_ALWAYS_INLINE void margay_circle_add(struct margay_circle *circle,
                                                   uint64_t set, uint32_t slot,
                                                   bool sized)
{
    if (sized)
        margay_order_append(&circle->line, set, 0, slot);
}

#endif
