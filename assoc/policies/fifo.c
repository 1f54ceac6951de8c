/*
 * fifo.c - evicts the block that came in first
 *
 * The slots of a set stand in a circle, in the order in which their blocks
 * came, and a hand goes round with the evictions.
 *
 * Source: Belady 1966.
 *
 * Cost: constant; 4 bytes for each set, and 8 for each object.
 */
#include "assoc/policies/circle.h"
#include "assoc/policies/objects.h"

static void set_up(void *circle, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    margay_circle_set_up(circle, setup, layout);
}

static inline void hit(void *circle, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)circle, (void)set, (void)slot, (void)use;
}

/* An object that has grown keeps its place, and the next one goes. */
static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct margay_circle *circle = context;
    uint32_t slot = margay_circle_oldest(circle, set, use->sized);
    if (!use->sized || slot != use->memory)
        return margay_circle_take(circle, set, use->sized);
    slot = margay_order_next(&circle->line, set, slot);
    margay_order_remove(&circle->line, set, 0, slot);
    return slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *circle, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    margay_circle_add(circle, set, slot, use->sized);
}

static void remove_slot(void *circle, uint64_t set, uint32_t slot)
{
    margay_circle_remove(circle, set, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(.hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_fifo = {
    .info = {.name = "fifo",
             .parameters = "",
             .help = "the block that came first goes",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    .state_bytes = sizeof(struct margay_circle),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
    .remove = remove_slot,
    .feed_objects = feed_objects,
};
