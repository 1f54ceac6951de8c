/* near.c - the top of the LRU stack: everything outside of the hot loops */
#include "stackdist/exact/near.h"

#include <string.h>

#define FIRST_TIME 64

enum margay_status margay_near_create(enum margay_target target,
                                      struct margay_near **near,
                                      struct margay_error *error)
{
    struct margay_near *made = margay_map(sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the top of a stack");
    made->kernel = MARGAY_FOR_TARGET(&margay_near_kernel, target);
    margay_near_empty(made);
    *near = made;
    return MARGAY_OK;
}

void margay_near_free(struct margay_near *near)
{
    margay_unmap(near, sizeof *near);
}

/* Empty all chains: their heads are time 0, or 1 for the chain of time 0, whose
   blocks belong to other chains. */
static void empty_chains(struct margay_near *near)
{
    memset(near->heads, 0, sizeof near->heads);
    near->heads[margay_near_chain(MARGAY_NEAR_OTHER_CHAIN)] = 1;
    near->block_at[0] = MARGAY_NEAR_OTHER_CHAIN;
    near->block_at[1] = 0;
}

void margay_near_empty(struct margay_near *near)
{
    memset(near->bits, 0, sizeof near->bits);
    memset(near->newer, 0, sizeof near->newer);
    empty_chains(near);
    near->blocks = 0;
    near->now = near->horizon = FIRST_TIME;
}

void margay_near_list(const struct margay_near *near, uint64_t *blocks)
{
    for (uint32_t word = near->horizon / 64; word < MARGAY_NEAR_WORDS; word++) {
        for (uint64_t left = near->bits[word]; left != 0; left &= left - 1)
            *blocks++ =
                near->block_at[64 * word + (uint32_t)__builtin_ctzll(left)];
    }
}

void margay_near_top(const struct margay_near *near, uint64_t top[2])
{
    uint32_t found = 0;
    for (uint32_t word = (near->now - 1) / 64; found < 2; word--) {
        uint64_t left = near->bits[word];
        for (; left != 0 && found < 2; found++) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);
            top[found] = near->block_at[64 * word + bit];
            left ^= UINT64_C(1) << bit;
        }
    }
}

void margay_near_renumber(struct margay_near *near)
{
    uint32_t next = FIRST_TIME;
    empty_chains(near);
    for (uint32_t word = near->horizon / 64; word < MARGAY_NEAR_WORDS; word++) {
        for (uint64_t left = near->bits[word]; left != 0; left &= left - 1) {
            uint64_t block =
                near->block_at[64 * word + (uint32_t)__builtin_ctzll(left)];
            uint16_t *head = &near->heads[margay_near_chain(block)];
            near->block_at[next] = block;
            near->older[next] = *head;
            *head = (uint16_t)next++;
        }
    }
    /* The bits of `live` times from the first one on. */
    uint32_t live = next - FIRST_TIME;
    for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++) {
        uint32_t here = word == 0 ? 0 : live < 64 ? live : 64;
        live -= here;
        near->bits[word] = here < 64 ? (UINT64_C(1) << here) - 1 : ~UINT64_C(0);
        near->newer[word] = (uint16_t)live;
    }
    near->now = next;
    near->horizon = FIRST_TIME;
}
