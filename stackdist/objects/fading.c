/*
 * fading.c - fading counts of objects
 *
 * Algorithm: that of half_life.h.  At the end of a piece all its counts join
 *   masses, one for each counter, and begin again at 0.
 * Source: see half_life.h; engines/fading.c does the same with the histogram
 *   of blocks.
 * Guarantee: a request k pieces ago counts as 2^(-k/16).
 * Cost: at the end of a piece a step for each counter; 16 bytes for each.
 */
#include "stackdist/objects/objects.h"

#include <math.h>
#include <stdlib.h>

#include "stackdist/half_life.h"
#include "traces/traces_internal.h"

/* Counts of references come in pairs with those of their bytes. */
enum { OF_BYTES = 1, PAIR };
_Static_assert(sizeof(struct margay_step) == PAIR * sizeof(uint64_t),
               "a step is a pair of counts");
_Static_assert(MARGAY_OBJECTS_COUNTS == 11, "the head has 11 counts alone");

void margay_fading_begin(struct margay_fading *fading, uint64_t half_life_refs)
{
    *fading = (struct margay_fading){0};
    fading->piece_refs =
        margay_half_life_piece(half_life_refs, &fading->factor);
    fading->refs_left = fading->piece_refs;
}

void margay_fading_clear(struct margay_fading *fading)
{
    free(fading->curve.list);
    free(fading->distances.list);
    *fading = (struct margay_fading){.piece_refs = fading->piece_refs,
                                     .refs_left = fading->piece_refs,
                                     .factor = fading->factor};
}

/* -------------------------------------------------------- end of a piece -- */

static enum margay_status fade_steps(struct margay_masses *masses,
                                     struct margay_steps *steps, double factor,
                                     struct margay_error *error)
{
    size_t count = PAIR * steps->count;
    if (!MARGAY_MAKE_ROOM(masses->list, 0, count, masses->capacity))
        return margay_fail_memory(error, "counts that fade");
    for (; masses->count < count; masses->count++)
        masses->list[masses->count] = 0;
    margay_masses_fade(masses->list, (const uint64_t *)steps->steps, count,
                       factor);
    margay_steps_clear(steps);
    return MARGAY_OK;
}

enum margay_status margay_fading_pass(struct margay_fading *fading, size_t refs,
                                      struct margay_objects_counts *counts,
                                      struct margay_steps *curve,
                                      struct margay_steps *distances,
                                      struct margay_error *error)
{
    fading->refs_left -= refs;
    if ((double)counts->reference_bytes + fading->counts[1] >= 0x1p63 ||
        (double)counts->cold_bytes + fading->counts[3] >= 0x1p63)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "all references together have 2^63 bytes or more, "
                           "as they fade");
    if (fading->refs_left > 0)
        return MARGAY_OK;
    enum margay_status status =
        fade_steps(&fading->curve, curve, fading->factor, error);
    if (status == MARGAY_OK)
        status =
            fade_steps(&fading->distances, distances, fading->factor, error);
    margay_masses_fade(fading->counts, (const uint64_t *)counts,
                       MARGAY_OBJECTS_COUNTS, fading->factor);
    *counts = (struct margay_objects_counts){.merged = counts->merged};
    fading->refs_left = fading->piece_refs;
    return status;
}

/* --------------------------------------------------------------- results -- */

#define PAIRED \
    (offsetof(struct margay_objects_counts, resized) / sizeof(uint64_t))

static bool is_of_bytes(size_t i)
{
    return i < PAIRED && i % PAIR == OF_BYTES;
}

static unsigned bits_of(const struct margay_objects_counts *counts,
                        bool of_bytes)
{
    return of_bytes ? counts->byte_fraction_bits : counts->fraction_bits;
}

void margay_fading_add(const struct margay_fading *fading,
                       struct margay_objects_counts *counts)
{
    uint64_t *counted = (uint64_t *)counts;
    double totals[2] = {0, 0};
    if (fading->piece_refs == 0)
        return;
    for (size_t i = 0; i < MARGAY_OBJECTS_COUNTS; i++)
        totals[is_of_bytes(i)] += (double)counted[i] + fading->counts[i];
    counts->fraction_bits = margay_fraction_bits(totals[0]);
    counts->byte_fraction_bits = margay_fraction_bits(totals[1]);
    for (size_t i = 0; i < MARGAY_OBJECTS_COUNTS; i++)
        counted[i] = margay_mass_of(counted[i], fading->counts[i],
                                    bits_of(counts, is_of_bytes(i)));
}

void margay_objects_round(struct margay_objects_counts *counts)
{
    uint64_t *counted = (uint64_t *)counts;
    for (size_t i = 0; i < MARGAY_OBJECTS_COUNTS; i++)
        counted[i] =
            margay_round_count(counted[i], bits_of(counts, is_of_bytes(i)));
    counts->fraction_bits = counts->byte_fraction_bits = 0;
}

enum margay_status margay_masses_settle(
    const struct margay_masses *masses, const struct margay_steps *steps,
    const struct margay_objects_counts *counts, struct margay_steps *settled,
    struct margay_error *error)
{
    *settled = *steps;
    settled->steps = calloc(steps->count + 1, sizeof *settled->steps);
    if (settled->steps == NULL)
        return margay_fail_memory(error, "counts that fade");
    const uint64_t *counted = (const uint64_t *)steps->steps;
    uint64_t *made = (uint64_t *)settled->steps;
    for (size_t i = 0; i < PAIR * steps->count; i++)
        made[i] =
            margay_mass_of(counted[i], i < masses->count ? masses->list[i] : 0,
                           bits_of(counts, i % PAIR == OF_BYTES));
    return MARGAY_OK;
}
