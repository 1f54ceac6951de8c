/* near.c - the top of the LRU stack: what is rare */
#include "stackdist/engines/near.h"

#include <string.h>

const struct margay_near_kernel *margay_near_kernel_of(
    enum margay_target target)
{
#if defined(__x86_64__)
    if (target == MARGAY_TARGET_V4)
        return &margay_near_kernel_v4;
    if (target == MARGAY_TARGET_V3)
        return &margay_near_kernel_v3;
#endif
    (void)target;
    return &margay_near_kernel_portable;
}

enum margay_status margay_near_create(uint32_t front, enum margay_target target,
                                      struct margay_near **near,
                                      struct margay_error *error)
{
    struct margay_near *made = margay_map(sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the top of a stack");
    made->front = front;
    made->kernel = margay_near_kernel_of(target);
    enum margay_status status =
        margay_hash_create(&made->slots, (uint64_t)front + 1, error);
    if (status == MARGAY_OK)
        *near = made;
    else
        margay_near_free(made);
    return status;
}

void margay_near_free(struct margay_near *near)
{
    if (near == NULL)
        return;
    margay_hash_destroy(&near->slots);
    margay_unmap(near, sizeof *near);
}

void margay_near_reset_counts(struct margay_near *near)
{
    memset(near->counts, 0, sizeof near->counts);
    near->beyond = 0;
}

/* The oldest block loses its slot. */
static uint32_t evict(struct margay_near *near)
{
    uint32_t word = 0;
    while (near->bits[word] == 0)
        word++;
    uint32_t time = 64 * word + (uint32_t)__builtin_ctzll(near->bits[word]);
    near->bits[word] &= near->bits[word] - 1;
    near->live[word]--;
    near->exceeded = true;
    uint32_t slot = near->slot_at[time];
    margay_hash_erase(&near->slots, near->block_of[slot]);
    return slot;
}

uint32_t margay_near_enter(struct margay_near *near, uint64_t block)
{
    uint32_t slot = near->blocks < near->front ? near->blocks++ : evict(near);
    *margay_hash_insert(&near->slots, block) = slot + 1;
    near->block_of[slot] = block;
    return slot;
}

void margay_near_renumber(struct margay_near *near)
{
    uint32_t next = 0;
    for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++) {
        for (uint64_t left = near->bits[word]; left != 0; left &= left - 1) {
            uint32_t time = 64 * word + (uint32_t)__builtin_ctzll(left);
            uint16_t slot = near->slot_at[time];
            near->slot_at[next] = slot;
            near->time_of[slot] = (uint16_t)next++;
        }
    }
    near->now = next;
    for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++) {
        uint32_t live = next > 64 * word ? next - 64 * word : 0;
        near->live[word] = (uint8_t)(live < 64 ? live : 64);
        near->bits[word] = live < 64 ? (UINT64_C(1) << live) - 1 : ~UINT64_C(0);
    }
}
