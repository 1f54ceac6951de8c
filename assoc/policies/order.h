/*
 * order.h - the slots of each set in a line
 *
 * Each set has a doubly linked ring, so that every change of the line takes
 * constant time for any number of slots.  Turning the ring by one moves the
 * first slot to the end.
 */
#ifndef MARGAY_ASSOC_ORDER_H
#define MARGAY_ASSOC_ORDER_H

#include "assoc/policies/policy.h"

/* The neighbours of a slot; the first follows the last. */
struct margay_link {
    uint32_t next; /* plus 1; 0: the slot is in no line */
    uint32_t previous;
};

struct margay_order {
    uint64_t sets, slots;      /* slots of a set */
    uint32_t *firsts;          /* [set]: the first slot plus 1; 0 = none */
    struct margay_link *links; /* [set][slot] */
};

uint64_t margay_order_bytes(uint64_t sets, uint32_t slots);

/* Empty lines, in an object of their own.  Policies without further state use
   these three functions as they are.  MARGAY_NO_MEMORY. */
enum margay_status margay_order_create(const struct margay_policy_setup *setup,
                                       void **order,
                                       struct margay_error *error);
void margay_order_free(void *order);

/* The first slot of a line that has one. */
static inline uint32_t margay_order_first(const struct margay_order *order,
                                          uint64_t set)
{
    return order->firsts[set] - 1;
}

/* Put a slot that is in no line at the end of its set's line. */
static inline void margay_order_append(struct margay_order *order, uint64_t set,
                                       uint32_t slot)
{
    struct margay_link *links = order->links + set * order->slots;
    uint32_t first = order->firsts[set] - 1;
    if (order->firsts[set] == 0) {
        links[slot] = (struct margay_link){slot + 1, slot};
        order->firsts[set] = slot + 1;
        return;
    }
    uint32_t last = links[first].previous;
    links[slot] = (struct margay_link){first + 1, last};
    links[last].next = slot + 1;
    links[first].previous = slot;
}

/* Move a slot to the end of its line. */
static inline void margay_order_renew(struct margay_order *order, uint64_t set,
                                      uint32_t slot)
{
    struct margay_link *links = order->links + set * order->slots;
    uint32_t first = order->firsts[set] - 1, last = links[first].previous;
    struct margay_link at = links[slot];
    if (last == slot)
        return;
    if (first == slot) {
        order->firsts[set] = at.next;
        return;
    }
    links[at.previous].next = at.next;
    links[at.next - 1].previous = at.previous;
    links[slot] = (struct margay_link){first + 1, last};
    links[last].next = slot + 1;
    links[first].previous = slot;
}

/* Put a slot at the end of the line, in which it may already stand. */
static inline void margay_order_put_last(struct margay_order *order,
                                         uint64_t set, uint32_t slot)
{
    if (order->links[set * order->slots + slot].next == 0)
        margay_order_append(order, set, slot);
    else
        margay_order_renew(order, set, slot);
}

#endif
