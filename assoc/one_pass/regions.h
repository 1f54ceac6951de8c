/*
 * regions.h - 64-bit numbers to 32-bit numbers with the same low bits
 *
 * Real traces touch few regions of the 64-bit space.  The high bits of a
 * number name its region, and the regions are numbered as they appear: the
 * region's number and the low bits fit into 32 bits together.
 */
#ifndef MARGAY_ASSOC_REGIONS_H
#define MARGAY_ASSOC_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARGAY_REGION_SLOTS 8192 /* of the hash table */

struct margay_regions {
    unsigned low_bits; /* that a narrow number keeps: 20 .. 32 */
    uint32_t count, limit;
    uint64_t high[MARGAY_REGION_SLOTS / 2]; /* by the region's number */
    struct margay_region_slot {
        uint64_t high; /* the high bits, plus 1; 0 = free */
        uint32_t name; /* the region's number, shifted above the low bits */
    } slots[MARGAY_REGION_SLOTS];
};

/* No regions yet, of 2^low_bits numbers. */
void margay_regions_init(struct margay_regions *regions, unsigned low_bits);

/*
 * Narrow the numbers, each shifted right first.  Returns how many; fewer than
 * `count` if the next number lies in one region more than the limit.
 */
size_t margay_regions_narrow(struct margay_regions *regions,
                             const uint64_t *numbers, unsigned shift,
                             size_t count, uint32_t *narrow);

/* The number behind a narrow number that was then shifted right by `shift`. */
static inline uint64_t margay_regions_widen(
    const struct margay_regions *regions, uint32_t narrow, unsigned shift)
{
    unsigned low_bits = regions->low_bits - shift;
    uint64_t region = (uint64_t)narrow >> low_bits;
    uint64_t low = narrow & ((UINT64_C(1) << low_bits) - 1);
    return regions->high[region] << low_bits | low;
}

#endif
