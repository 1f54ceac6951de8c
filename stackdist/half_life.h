/*
 * half_life.h - fading counts, of engines and of simulations
 *
 * Algorithm: counts of a piece of the trace, a sixteenth of the half-life,
 *   become masses, which are multiplied by a factor at the end of each piece.
 *   A result has these masses as integers: multiples of 2^-b references.
 * Source: exponential decay, as in load averages.
 * Guarantee: 2^-b is so small that all masses together take 60 to 62 bits, or b
 *   is 52.  So ratios of masses are exact to twelve digits, and masses add up
 *   in any order; margay_round_count() makes counts of them in the end.
 */
#ifndef MARGAY_STACKDIST_HALF_LIFE_H
#define MARGAY_STACKDIST_HALF_LIFE_H

#include <stddef.h>
#include <stdint.h>

/* The references of a piece, and the factor of masses at its end. */
uint64_t margay_half_life_piece(uint64_t half_life_refs, double *factor);

/* How many of `refs` references come before a piece ends, where `counted` have
   come; all where counts do not fade, and pieces have 0 references. */
static inline uint64_t margay_half_life_left(uint64_t piece_refs,
                                             uint64_t counted, uint64_t refs)
{
    uint64_t left = piece_refs == 0 ? refs : piece_refs - counted % piece_refs;
    return left < refs ? left : refs;
}

/* End a piece: add its counts to their masses, and multiply these.  Counts from
   which others were taken may be below 0, modulo 2^64. */
void margay_masses_fade(double *masses, const uint64_t *counts, size_t count,
                        double factor);

/* The b of masses whose sum is `total`. */
unsigned margay_fraction_bits(double total);

/* The sum of a mass and a later count, in units of 2^-bits; modulo 2^64, like
   counts from which others were taken. */
uint64_t margay_mass_of(uint64_t counted, double mass, unsigned bits);

#endif
