/* bits.c - a bit for each slot of each set: creation and release */
#include "assoc/policies/bits.h"

#include <stdlib.h>

enum margay_status margay_bits_create(const struct margay_policy_setup *setup,
                                      size_t set_bytes, void **result,
                                      struct margay_error *error)
{
    struct margay_bits *bits = calloc(1, sizeof *bits);
    if (bits == NULL)
        return margay_fail_memory(error, "a cache");
    bits->sets = setup->sets;
    bits->words = ((uint64_t)setup->ways + 63) / 64;
    bits->slots = setup->ways;
    bits->set_bytes = set_bytes;
    bits->bits = margay_map(margay_bits_bytes(bits->sets, bits->slots));
    if (set_bytes > 0)
        bits->of_sets = margay_map(bits->sets * set_bytes);
    if (bits->bits == NULL || (set_bytes > 0 && bits->of_sets == NULL)) {
        margay_bits_free(bits);
        return margay_fail_memory(error, "a cache");
    }
    *result = bits;
    return MARGAY_OK;
}

void margay_bits_free(void *state)
{
    struct margay_bits *bits = state;
    margay_unmap(bits->bits, margay_bits_bytes(bits->sets, bits->slots));
    margay_unmap(bits->of_sets, bits->sets * bits->set_bytes);
    free(bits);
}
