/* test_order.c - order statistics against an array */
#include "stackdist/reference/order.h"
#include "tests/chance.h"

#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

static const struct margay_order_class *const classes[] = {
    &margay_order_splay,      &margay_order_counts_2,
    &margay_order_counts_16,  &margay_order_counts_256,
    &margay_order_holes_tree, &margay_order_holes_vector,
};

#define MOST_NODES 2000

/* The truth: nodes, the newest first. */
static uint32_t stack[MOST_NODES];
static size_t depth;

static size_t stack_renew(uint32_t node)
{
    size_t newer = 0;
    while (stack[newer] != node)
        newer++;
    memmove(stack + 1, stack, newer * sizeof *stack);
    stack[0] = node;
    return newer;
}

static bool insert_is_right(const struct margay_order_class *class, void *order)
{
    uint32_t node = 0;
    if (class->insert(order, &node, NULL) != MARGAY_OK || node != depth + 1)
        return false;
    memmove(stack + 1, stack, depth * sizeof *stack);
    stack[0] = node;
    depth++;
    return true;
}

/* Mostly near the top, sometimes anywhere, as stacks are used. */
static size_t random_depth(void)
{
    uint64_t within = below(2) ? depth : depth / 16 + 1;
    return (size_t)below(within);
}

static bool sequence_is_right(const struct margay_order_class *class,
                              uint64_t most)
{
    void *order;
    bool same = margay_order_make(class, &order, NULL) == MARGAY_OK;
    depth = 0;
    for (unsigned i = 0; same && i < 4000; i++) {
        uint64_t what = below(16);
        if (depth == 0 || (what < 8 && depth < most)) {
            same = insert_is_right(class, order);
        } else if (what == 15) {
            same = class->oldest(order) == stack[depth - 1];
        } else if (what == 14) {
            uint32_t node = class->oldest(order);
            same = class->renew(order, node) == stack_renew(node);
        } else {
            uint32_t node = stack[random_depth()];
            same = class->renew(order, node) == stack_renew(node);
        }
    }
    margay_order_destroy(class, order);
    return same;
}

/* Sweeps are where an unbalanced tree is at its worst. */
static bool sweeps_are_right(const struct margay_order_class *class)
{
    void *order;
    uint32_t node;
    bool same = margay_order_make(class, &order, NULL) == MARGAY_OK;
    for (uint32_t i = 0; same && i < 100000; i++)
        same = class->insert(order, &node, NULL) == MARGAY_OK;
    for (uint32_t i = 1; same && i <= 100000; i++)
        same = class->renew(order, i) == 99999;
    for (uint32_t i = 100000; same && i >= 1; i--)
        same = class->renew(order, i) == 100000 - i;
    margay_order_destroy(class, order);
    return same;
}

int main(void)
{
    seed_chance(1985);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        uint64_t number = rounds(200);
        bool same = true;
        for (uint64_t round = 0; round < number; round++)
            same &= sequence_is_right(classes[i], 1 + below(MOST_NODES));
        CHECK(same, "%s: %" PRIu64 " random sequences", classes[i]->name,
              number);
        CHECK(sweeps_are_right(classes[i]), "%s: sweeps", classes[i]->name);
    }
    return tap_done();
}
