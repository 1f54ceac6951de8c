/*
 * axis.h - which node was renewed when
 *
 * Algorithm: a time axis of finite length, on which renewing a node moves it to
 *   the next time.  When the axis is used up, the nodes get the first times in
 *   their order, and time goes on behind them.  Counts over the axis have to be
 *   made anew then.
 * Cost: O(1) per renewal, amortised, as there are at least twice as many times
 *   as nodes.
 */
#ifndef MARGAY_STACKDIST_ORDER_AXIS_H
#define MARGAY_STACKDIST_ORDER_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/status.h>

struct margay_axis {
    uint32_t *time_of; /* node to time; nodes are numbered from 1 */
    uint32_t *node_at; /* time to the node that was renewed then */
    uint32_t capacity; /* the number of times, a power of two */
    uint32_t nodes;
    uint32_t next;   /* the time to be given next */
    uint32_t oldest; /* no node is older than this time */
};

enum margay_status margay_axis_create(struct margay_axis *axis,
                                      struct margay_error *error);
void margay_axis_destroy(struct margay_axis *axis);

/* True if there must be a longer axis before a node is added. */
static inline bool margay_axis_is_crowded(const struct margay_axis *axis)
{
    return axis->nodes >= axis->capacity / 2 - 1;
}

/* Double the axis.  MARGAY_NO_MEMORY leaves it as it was. */
enum margay_status margay_axis_grow(struct margay_axis *axis,
                                    struct margay_error *error);

static inline bool margay_axis_is_full(const struct margay_axis *axis)
{
    return axis->next == axis->capacity;
}

/* Number all nodes anew: they now have the times 0 .. nodes - 1. */
void margay_axis_compact(struct margay_axis *axis);

/* Give `node` the next time, of which there must be one. */
static inline void margay_axis_place(struct margay_axis *axis, uint32_t node)
{
    axis->time_of[node] = axis->next;
    axis->node_at[axis->next++] = node;
}

/* The oldest node, of which there must be one: oldest() of orders that begin
   with their axis. */
uint32_t margay_axis_oldest(void *order);

#endif
