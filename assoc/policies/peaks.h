/*
 * peaks.h - the slot of each set with the highest key
 *
 * Levels stand above the keys of a set's slots.  Each group of 64 members of
 * one level has a byte in the next level, which says which member has the
 * highest key; the last level has 64 groups or fewer, which are compared one by
 * one. Sets of up to 64 slots have no level, and there a change of a key is a
 * store. Of equal keys the one in the lowest slot is the highest; keys are 0 at
 * first.
 */
#ifndef MARGAY_ASSOC_PEAKS_H
#define MARGAY_ASSOC_PEAKS_H

#include "assoc/policies/policy.h"

/* 64^6 slots are over 32 bits. */
#define MARGAY_PEAK_LEVELS 5

struct margay_peaks {
    uint64_t slots; /* of a set */
    uint64_t *keys; /* [set][slot] */
    unsigned levels;
    uint8_t *peaks[MARGAY_PEAK_LEVELS];  /* [level][set][group] */
    uint64_t groups[MARGAY_PEAK_LEVELS]; /* of a set */
};

/* Make keys that are all 0. */
void margay_peaks_set_up(struct margay_peaks *peaks, uint64_t sets,
                         uint64_t slots, struct margay_layout *layout);

/* Change a key of a set that has levels, and bring these up to date. */
void margay_peaks_mend(struct margay_peaks *peaks, uint64_t set, uint32_t slot,
                       uint64_t key);

/* The slot with the highest key of a set that has levels. */
uint32_t margay_peaks_descend(const struct margay_peaks *peaks, uint64_t set);

static inline uint64_t margay_peaks_key(const struct margay_peaks *peaks,
                                        uint64_t set, uint32_t slot)
{
    return peaks->keys[set * peaks->slots + slot];
}

static inline void margay_peaks_set(struct margay_peaks *peaks, uint64_t set,
                                    uint32_t slot, uint64_t key)
{
    if (peaks->levels == 0)
        peaks->keys[set * peaks->slots + slot] = key;
    else
        margay_peaks_mend(peaks, set, slot, key);
}

static inline uint32_t margay_peaks_highest(const struct margay_peaks *peaks,
                                            uint64_t set)
{
    const uint64_t *keys = peaks->keys + set * peaks->slots;
    uint32_t highest = 0;
    if (peaks->levels != 0)
        return margay_peaks_descend(peaks, set);
    for (uint32_t i = 1; i < peaks->slots; i++) {
        if (keys[i] > keys[highest])
            highest = i;
    }
    return highest;
}

#endif
