/* order.c - the slots of each set in a line: creation and release */
#include "assoc/policies/order.h"

#include <stdlib.h>

uint64_t margay_order_bytes(uint64_t sets, uint32_t slots)
{
    return sets * (sizeof(uint32_t) + slots * sizeof(struct margay_link));
}

enum margay_status margay_order_create(const struct margay_policy_setup *setup,
                                       void **result,
                                       struct margay_error *error)
{
    struct margay_order *order = calloc(1, sizeof *order);
    if (order == NULL)
        return margay_fail_memory(error, "a cache");
    order->sets = setup->sets;
    order->slots = setup->ways;
    order->firsts = margay_map(order->sets * sizeof *order->firsts);
    order->links =
        margay_map(order->sets * order->slots * sizeof *order->links);
    if (order->firsts == NULL || order->links == NULL) {
        margay_order_free(order);
        return margay_fail_memory(error, "a cache");
    }
    *result = order;
    return MARGAY_OK;
}

void margay_order_free(void *state)
{
    struct margay_order *order = state;
    margay_unmap(order->firsts, order->sets * sizeof *order->firsts);
    margay_unmap(order->links,
                 order->sets * order->slots * sizeof *order->links);
    free(order);
}
