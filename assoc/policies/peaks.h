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

#include <stdint.h>

#include <margay/status.h>

/* 64^6 slots are over 32 bits. */
#define MARGAY_PEAK_LEVELS 5

struct margay_peaks {
    uint64_t sets, slots; /* slots of a set */
    uint64_t *keys;       /* [set][slot] */
    unsigned levels;
    uint8_t *peaks[MARGAY_PEAK_LEVELS];  /* [level][set][group] */
    uint64_t groups[MARGAY_PEAK_LEVELS]; /* of a set */
};

uint64_t margay_peaks_bytes(uint64_t sets, uint32_t slots);

/* Make keys that are all 0.  MARGAY_NO_MEMORY.  Destroy them in any case. */
enum margay_status margay_peaks_create(struct margay_peaks *peaks,
                                       uint64_t sets, uint32_t slots,
                                       struct margay_error *error);
void margay_peaks_destroy(struct margay_peaks *peaks);

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
