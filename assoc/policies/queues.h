/*
 * queues.h - the slots of each set in queues, and how long these are
 *
 * The lines of order.h, for policies that move slots from one to another.  A
 * slot knows the queue that it stands in, or stood in last.
 */
#ifndef MARGAY_ASSOC_QUEUES_H
#define MARGAY_ASSOC_QUEUES_H

#include <float.h>

#include "assoc/policies/order.h"

struct margay_queues {
    struct margay_order order;
    uint8_t *where;    /* [set][slot]: the queue */
    uint32_t *lengths; /* [set][queue] */
};

/* Make queues that are empty. */
static inline void margay_queues_set_up(struct margay_queues *queues,
                                        const struct margay_policy_setup *setup,
                                        unsigned count,
                                        struct margay_layout *layout)
{
    margay_order_set_up(&queues->order, setup->sets, setup->slots, count,
                        layout);
    queues->where = margay_lay_out(layout, setup->sets * setup->slots);
    queues->lengths =
        margay_lay_out(layout, setup->sets * count * sizeof(uint32_t));
}

static inline unsigned margay_queues_where(const struct margay_queues *queues,
                                           uint64_t set, uint32_t slot)
{
    return queues->where[set * queues->order.slots + slot];
}

static inline uint32_t margay_queues_length(const struct margay_queues *queues,
                                            uint64_t set, unsigned queue)
{
    return queues->lengths[set * queues->order.lines + queue];
}

/* The slot that has been in a queue for the longest time; MARGAY_NO_SLOT if the
   queue is empty. */
static inline uint32_t margay_queues_first(const struct margay_queues *queues,
                                           uint64_t set, unsigned queue)
{
    return margay_order_first(&queues->order, set, queue);
}

/* Take a slot out of its queue. */
static inline void margay_queues_leave(struct margay_queues *queues,
                                       uint64_t set, uint32_t slot)
{
    unsigned queue = margay_queues_where(queues, set, slot);
    margay_order_remove(&queues->order, set, queue, slot);
    queues->lengths[set * queues->order.lines + queue]--;
}

/* Put a slot, which may stand in any queue or in none, at the end of one. */
static inline void margay_queues_enter(struct margay_queues *queues,
                                       uint64_t set, unsigned queue,
                                       uint32_t slot)
{
    if (margay_order_has(&queues->order, set, slot))
        margay_queues_leave(queues, set, slot);
    margay_order_append(&queues->order, set, queue, slot);
    queues->where[set * queues->order.slots + slot] = (uint8_t)queue;
    queues->lengths[set * queues->order.lines + queue]++;
}

/* Move a slot to the end of the queue in which it stands. */
static inline void margay_queues_renew(struct margay_queues *queues,
                                       uint64_t set, uint32_t slot)
{
    margay_order_renew(&queues->order, set,
                       margay_queues_where(queues, set, slot), slot);
}

/* Take the first slot out of a queue; MARGAY_NO_SLOT if it is empty. */
static inline uint32_t margay_queues_take(struct margay_queues *queues,
                                          uint64_t set, unsigned queue)
{
    uint32_t slot = margay_queues_first(queues, set, queue);
    if (slot != MARGAY_NO_SLOT)
        margay_queues_leave(queues, set, slot);
    return slot;
}

/* `fraction` of a number of ways or bytes, rounded down.  A fraction such as
   0.29 is less than it says, by half of the last digit in double precision, and
   100 of it are 29 all the same. */
static inline uint64_t margay_fraction_of(uint64_t room, double fraction)
{
    return (uint64_t)((double)room * fraction * (1 + 2 * DBL_EPSILON));
}

/* The same, but at least 1. */
static inline uint64_t margay_share_of(uint64_t room, double fraction)
{
    uint64_t share = margay_fraction_of(room, fraction);
    return share == 0 ? 1 : share;
}

#endif
