/* regions.c - 64-bit numbers to 32-bit numbers with the same low bits */
#include "assoc/one_pass/regions.h"

#include <string.h>

void margay_regions_init(struct margay_regions *regions, unsigned low_bits)
{
    const uint32_t most = MARGAY_REGION_SLOTS / 2;
    memset(regions, 0, sizeof *regions);
    regions->low_bits = low_bits;
    regions->limit =
        low_bits < 20 ? most : (uint32_t)(UINT64_C(1) << (32 - low_bits));
}

static uint64_t home_of(uint64_t high)
{
    return (high * UINT64_C(0x9e3779b97f4a7c15)) >> 51;
}

/* The slot of a region that is new or not in its first slot; NULL if it is one
   region too many. */
static const struct margay_region_slot *find_slot(struct margay_regions *r,
                                                  uint64_t high)
{
    uint64_t i = home_of(high);
    while (r->slots[i].high != 0 && r->slots[i].high != high + 1)
        i = (i + 1) % MARGAY_REGION_SLOTS;
    struct margay_region_slot *slot = &r->slots[i];
    if (slot->high == 0) {
        if (r->count == r->limit)
            return NULL;
        slot->high = high + 1;
        slot->name = (uint32_t)((uint64_t)r->count << r->low_bits);
        r->high[r->count++] = high;
    }
    return slot;
}

size_t margay_regions_narrow(struct margay_regions *regions,
                             const uint64_t *numbers, unsigned shift,
                             size_t count, uint32_t *narrow)
{
    const unsigned low_bits = regions->low_bits;
    const uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = numbers[i] >> shift, high = number >> low_bits;
        const struct margay_region_slot *slot = &regions->slots[home_of(high)];
        if (__builtin_expect(slot->high != high + 1, 0)) {
            slot = find_slot(regions, high);
            if (slot == NULL)
                return i;
        }
        narrow[i] = slot->name | (uint32_t)(number & low_mask);
    }
    return count;
}
