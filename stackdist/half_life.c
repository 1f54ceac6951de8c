/* half_life.c - see half_life.h */
#include "stackdist/half_life.h"

#include <math.h>

#include <margay/stackdist.h>

#define PIECES    16 /* of a half-life */
#define MOST_BITS 52
#define SUM_BITS  62

uint64_t margay_half_life_piece(uint64_t half_life_refs, double *factor)
{
    uint64_t refs = half_life_refs < PIECES ? 1 : half_life_refs / PIECES;
    *factor = exp2(-(double)refs / (double)half_life_refs);
    return refs;
}

void margay_masses_fade(double *masses, const uint64_t *counts, size_t count,
                        double factor)
{
    for (size_t i = 0; i < count; i++)
        masses[i] = (masses[i] + (double)(int64_t)counts[i]) * factor;
}

unsigned margay_fraction_bits(double total)
{
    int bits = SUM_BITS - 1 - ilogb(total + 1);
    return bits < 0 ? 0 : bits > MOST_BITS ? MOST_BITS : (unsigned)bits;
}

uint64_t margay_mass_of(uint64_t counted, double mass, unsigned bits)
{
    return (counted << bits) + (uint64_t)llrint(ldexp(mass, (int)bits));
}

/* Sums of doubles that should come to a half may be a little less. */
uint64_t margay_round_count(uint64_t mass, unsigned fraction_bits)
{
    uint64_t one = UINT64_C(1) << fraction_bits;
    return (mass + one / 2 + (one >> 45)) >> fraction_bits;
}
