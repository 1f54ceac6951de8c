/* policies_fading.c - counts of simulations that fade (half_life.h) */
#include "sim/run/policies_replay.h"

#include <math.h>
#include <string.h>

/* The counts of a point as a list, after its size. */
#define PLACE(count) \
    (offsetof(struct margay_series_point, count) / sizeof(uint64_t))
#define PLACES (sizeof(struct margay_series_point) / sizeof(uint64_t))

void margay_replay_fade(const struct margay_replay *replay, uint64_t piece,
                        struct margay_point_masses *masses,
                        struct margay_series_point *counts)
{
    uint64_t counted[PLACES];
    memcpy(counted, counts, sizeof counted);
    margay_masses_fade(masses->list + 1, counted + 1, PLACES - 1,
                       pow(replay->factor, (double)(piece - masses->pieces)));
    masses->pieces = piece;
    *counts = (struct margay_series_point){.size = counts->size};
}

void margay_replay_settle(const struct margay_replay *replay,
                          const struct margay_point_masses *masses,
                          struct margay_series_point *counts)
{
    const struct margay_series *all = replay->all;
    uint64_t counted[PLACES];
    if (replay->piece_refs == 0)
        return;
    memcpy(counted, counts, sizeof counted);
    for (size_t i = 1; i < PLACES; i++) {
        bool whole = i == PLACE(missed_cost) || i == PLACE(written_bytes);
        unsigned bits = whole                      ? 0
                        : i == PLACE(missed_bytes) ? all->byte_fraction_bits
                                                   : all->fraction_bits;
        counted[i] = margay_mass_of(counted[i], masses->list[i], bits);
    }
    memcpy(counts, counted, sizeof counted);
    /* Rounding may make a count larger than that of all references. */
    counts->misses = margay_minimum(counts->misses, all->references);
    counts->missed_bytes =
        margay_minimum(counts->missed_bytes, all->reference_bytes);
}
