/*
 * order.h - the slots of each set in lines
 *
 * A set has a number of lines, each a doubly linked ring, so that every change
 * of a line takes constant time for any number of slots.  A slot stands in one
 * line at most.
 */
#ifndef MARGAY_ASSOC_ORDER_H
#define MARGAY_ASSOC_ORDER_H

#include <float.h>

#include "assoc/policies/policy.h"

/* The neighbours of a slot; the first follows the last. */
struct margay_link {
    uint32_t next; /* plus 1; 0: the slot is in no line */
    uint32_t previous;
};

struct margay_order {
    uint64_t slots, lines;     /* of a set */
    uint32_t *firsts;          /* [set][line]: the first slot plus 1; 0: none */
    struct margay_link *links; /* [set][slot] */
};

/* Make lines that are empty. */
static inline void margay_order_set_up(struct margay_order *order,
                                       uint64_t sets, uint64_t slots,
                                       unsigned lines,
                                       struct margay_layout *layout)
{
    order->slots = slots;
    order->lines = lines;
    order->firsts = margay_lay_out(layout, sets * lines * sizeof(uint32_t));
    order->links =
        margay_lay_out(layout, sets * slots * sizeof(struct margay_link));
}

static inline uint32_t *margay_order_head(const struct margay_order *order,
                                          uint64_t set, unsigned line)
{
    return order->firsts + set * order->lines + line;
}

static inline struct margay_link *margay_order_link(
    const struct margay_order *order, uint64_t set, uint32_t slot)
{
    return order->links + set * order->slots + slot;
}

/* The first slot of a line; MARGAY_NO_SLOT if it is empty. */
static inline uint32_t margay_order_first(const struct margay_order *order,
                                          uint64_t set, unsigned line)
{
    return *margay_order_head(order, set, line) - 1;
}

/* The call victim() of objects where the first of the one line goes, with which
   the state begins. */
static inline uint32_t margay_order_victim(const void *order)
{
    return margay_order_first(order, 0, 0);
}

/* Does the slot stand in a line? */
static inline bool margay_order_has(const struct margay_order *order,
                                    uint64_t set, uint32_t slot)
{
    return margay_order_link(order, set, slot)->next != 0;
}

/* The slot after another one; the first after the last. */
static inline uint32_t margay_order_next(const struct margay_order *order,
                                         uint64_t set, uint32_t slot)
{
    return margay_order_link(order, set, slot)->next - 1;
}

/* Put a slot that is in no line after one that is in a line. */
static inline void margay_order_put_after(struct margay_order *order,
                                          uint64_t set, uint32_t before,
                                          uint32_t slot)
{
    struct margay_link *at = margay_order_link(order, set, before);
    uint32_t next = at->next - 1;
    *margay_order_link(order, set, slot) =
        (struct margay_link){next + 1, before};
    at->next = slot + 1;
    margay_order_link(order, set, next)->previous = slot;
}

/* Put a slot that is in no line at the end of a line. */
static inline void margay_order_append(struct margay_order *order, uint64_t set,
                                       unsigned line, uint32_t slot)
{
    uint32_t *head = margay_order_head(order, set, line);
    if (*head != 0) {
        margay_order_put_after(
            order, set, margay_order_link(order, set, *head - 1)->previous,
            slot);
        return;
    }
    *margay_order_link(order, set, slot) = (struct margay_link){slot + 1, slot};
    *head = slot + 1;
}

/* Take a slot out of its line. */
static inline void margay_order_remove(struct margay_order *order, uint64_t set,
                                       unsigned line, uint32_t slot)
{
    uint32_t *head = margay_order_head(order, set, line);
    struct margay_link *link = margay_order_link(order, set, slot);
    struct margay_link at = *link;
    if (*head == slot + 1)
        *head = at.next == slot + 1 ? 0 : at.next;
    margay_order_link(order, set, at.previous)->next = at.next;
    margay_order_link(order, set, at.next - 1)->previous = at.previous;
    link->next = 0;
}

/* Move a slot to the end of its line. */
static inline void margay_order_renew(struct margay_order *order, uint64_t set,
                                      unsigned line, uint32_t slot)
{
    uint32_t *head = margay_order_head(order, set, line);
    if (*head == slot + 1) {
        *head = margay_order_link(order, set, slot)->next;
    } else if (margay_order_link(order, set, *head - 1)->previous != slot) {
        margay_order_remove(order, set, line, slot);
        margay_order_append(order, set, line, slot);
    }
}

/* ----------------------------------------------- lines that know lengths -- */

#define MARGAY_MOST_QUEUES 6

/* Lines, for policies that move slots from one to another: a slot knows the
   queue that it stands in, or stood in last.  Queues of objects count bytes;
   `sized` says which, and is a constant in each loop. */
struct margay_queues {
    struct margay_order order;
    uint8_t *where;    /* [set][slot]: the queue */
    uint32_t *lengths; /* [set][queue] */
    /* Of objects, which have one set: */
    const struct margay_amounts *sizes; /* [slot] */
    uint64_t bytes[MARGAY_MOST_QUEUES];
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
    queues->sizes = setup->sizes;
}

static inline unsigned margay_queues_where(const struct margay_queues *queues,
                                           uint64_t set, uint32_t slot)
{
    return queues->where[set * queues->order.slots + slot];
}

/* The room of a queue in its set. */
static MARGAY_ALWAYS_INLINE uint64_t
margay_queues_room(const struct margay_queues *queues, uint64_t set,
                   unsigned queue, bool sized)
{
    return sized ? queues->bytes[queue]
                 : queues->lengths[set * queues->order.lines + queue];
}

/* The slot that has been in a queue for the longest time; MARGAY_NO_SLOT if the
   queue is empty. */
static inline uint32_t margay_queues_first(const struct margay_queues *queues,
                                           uint64_t set, unsigned queue)
{
    return margay_order_first(&queues->order, set, queue);
}

/* The same, but for the object that has grown. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_queues_victim(const struct margay_queues *queues, uint64_t set,
                     unsigned queue, const struct margay_use *use)
{
    uint32_t slot = margay_queues_first(queues, set, queue), next;
    if (!use->sized || slot != use->memory || slot == MARGAY_NO_SLOT)
        return slot;
    next = margay_order_next(&queues->order, set, slot);
    return next == slot ? MARGAY_NO_SLOT : next;
}

/* Take a slot out of its queue. */
static MARGAY_ALWAYS_INLINE void margay_queues_leave(
    struct margay_queues *queues, uint64_t set, uint32_t slot, bool sized)
{
    unsigned queue = margay_queues_where(queues, set, slot);
    margay_order_remove(&queues->order, set, queue, slot);
    queues->lengths[set * queues->order.lines + queue]--;
    if (sized)
        queues->bytes[queue] -= margay_amount(queues->sizes, slot);
}

/* Put a slot, which may stand in any queue or in none, at the end of one. */
static MARGAY_ALWAYS_INLINE void margay_queues_enter(
    struct margay_queues *queues, uint64_t set, unsigned queue, uint32_t slot,
    bool sized)
{
    if (margay_order_has(&queues->order, set, slot))
        margay_queues_leave(queues, set, slot, sized);
    margay_order_append(&queues->order, set, queue, slot);
    queues->where[set * queues->order.slots + slot] = (uint8_t)queue;
    queues->lengths[set * queues->order.lines + queue]++;
    if (sized)
        queues->bytes[queue] += margay_amount(queues->sizes, slot);
}

/* While a queue has more than `most`, its first slots go to the end of
   another. */
static MARGAY_ALWAYS_INLINE void margay_queues_limit(
    struct margay_queues *queues, uint64_t set, unsigned queue, uint64_t most,
    unsigned to, bool sized)
{
    while (margay_queues_room(queues, set, queue, sized) > most)
        margay_queues_enter(queues, set, to,
                            margay_queues_first(queues, set, queue), sized);
}

/* Move a slot to the end of the queue in which it stands. */
static inline void margay_queues_renew(struct margay_queues *queues,
                                       uint64_t set, uint32_t slot)
{
    margay_order_renew(&queues->order, set,
                       margay_queues_where(queues, set, slot), slot);
}

/* The calls of policies whose state begins with queues: the blocks of the first
   two are in the cache, and those of the last are forgotten. */
static inline bool margay_queues_hold(const void *state, uint64_t set,
                                      uint32_t slot)
{
    return margay_queues_where(state, set, slot) <= 1;
}

/* The block that misses leaves the queue that remembers it. */
static MARGAY_ALWAYS_INLINE void margay_queues_recall(
    struct margay_queues *queues, uint64_t set, const struct margay_use *use)
{
    uint32_t slot = use->memory;
    if (use->sized ? !margay_queues_hold(queues, set, slot) &&
                         margay_order_has(&queues->order, set, slot)
                   : slot != MARGAY_NO_SLOT)
        margay_queues_leave(queues, set, slot, use->sized);
}

static inline uint32_t margay_queues_reuse(void *state, uint64_t set)
{
    struct margay_queues *queues = state;
    uint32_t slot =
        margay_queues_first(queues, set, (unsigned)queues->order.lines - 1);
    if (slot != MARGAY_NO_SLOT)
        margay_queues_leave(queues, set, slot, false);
    return slot;
}

static inline void margay_queues_remove(void *state, uint64_t set,
                                        uint32_t slot)
{
    struct margay_queues *queues = state;
    margay_queues_leave(queues, set, slot, queues->sizes != NULL);
}

static inline void margay_queues_resize(void *state, uint32_t slot,
                                        uint64_t bytes)
{
    struct margay_queues *queues = state;
    if (margay_order_has(&queues->order, 0, slot))
        queues->bytes[margay_queues_where(queues, 0, slot)] +=
            bytes - margay_amount(queues->sizes, slot);
}

/* Of policies that remember blocks, and of all. */
#define MARGAY_QUEUES_MEMORY \
    .holds = margay_queues_hold, .reuse = margay_queues_reuse
#define MARGAY_QUEUES_MEMBERS \
    .remove = margay_queues_remove, .resize = margay_queues_resize

/* The segmented LRU of slru and tinylfu: a hit moves a block on probation to
   the protected line, whose surplus returns, and renews others.  An object that
   has grown may be too large for its line. */
static MARGAY_ALWAYS_INLINE void margay_queues_protect(
    struct margay_queues *queues, uint64_t set, uint32_t slot,
    unsigned probation, unsigned protected, uint64_t most, bool sized)
{
    if (margay_queues_where(queues, set, slot) == probation)
        margay_queues_enter(queues, set, protected, slot, sized);
    else
        margay_queues_renew(queues, set, slot);
    margay_queues_limit(queues, set, protected, most, probation, sized);
}

/* `fraction` of a number of ways or bytes, rounded down.  The double 0.29 is
   slightly less than 0.29, but 100 times it is 29 all the same. */
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
