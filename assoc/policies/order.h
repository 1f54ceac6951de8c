/*
 * order.h - the slots of each set in lines
 *
 * A set has a number of lines, each a doubly linked ring, so that every change
 * of a line takes constant time for any number of slots.  A slot stands in one
 * line at most.
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

/* The last slot of a line that has one. */
static inline uint32_t margay_order_last(const struct margay_order *order,
                                         uint64_t set, unsigned line)
{
    uint32_t first = margay_order_first(order, set, line);
    return margay_order_link(order, set, first)->previous;
}

/* Does the slot stand in a line? */
static inline bool margay_order_has(const struct margay_order *order,
                                    uint64_t set, uint32_t slot)
{
    return margay_order_link(order, set, slot)->next != 0;
}

/* The slot behind another one; the first behind the last. */
static inline uint32_t margay_order_next(const struct margay_order *order,
                                         uint64_t set, uint32_t slot)
{
    return margay_order_link(order, set, slot)->next - 1;
}

/* Put a slot that is in no line behind one that is in a line. */
static inline void margay_order_put_behind(struct margay_order *order,
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
        margay_order_put_behind(
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

#endif
