/* peaks.c - the slot of each set with the highest key */
#include "assoc/policies/peaks.h"

#define GROUP 64

static uint64_t groups_of(uint64_t members)
{
    return (members + GROUP - 1) / GROUP;
}

void margay_peaks_set_up(struct margay_peaks *peaks, uint64_t sets,
                         uint64_t slots, struct margay_layout *layout)
{
    *peaks = (struct margay_peaks){.slots = slots};
    peaks->keys = margay_lay_out(layout, sets * slots * sizeof *peaks->keys);
    for (uint64_t members = slots; members > GROUP;) {
        members = groups_of(members);
        peaks->groups[peaks->levels] = members;
        peaks->peaks[peaks->levels++] = margay_lay_out(layout, sets * members);
    }
}

/* The slot with the highest key below group `group` of a level; level 0 is
   the lowest one with groups. */
static uint64_t peak_of(const struct margay_peaks *peaks, uint64_t set,
                        unsigned level, uint64_t group)
{
    for (;; level--) {
        group = group * GROUP +
                peaks->peaks[level][set * peaks->groups[level] + group];
        if (level == 0)
            return group;
    }
}

/* The slot with the highest key below member `member` of a level: the slot
   itself at level 0, and otherwise a group of the level below. */
static uint64_t peak_below(const struct margay_peaks *peaks, uint64_t set,
                           unsigned level, uint64_t member)
{
    return level == 0 ? member : peak_of(peaks, set, level - 1, member);
}

/* Does slot a rank before slot b? */
static bool is_higher(const uint64_t *keys, uint64_t a, uint64_t b)
{
    return keys[a] > keys[b] || (a < b && keys[a] == keys[b]);
}

/* The member with the highest key among [from, to) below a level. */
static uint64_t search(const struct margay_peaks *peaks, uint64_t set,
                       unsigned level, uint64_t from, uint64_t to)
{
    const uint64_t *keys = peaks->keys + set * peaks->slots;
    uint64_t best = from, highest = peak_below(peaks, set, level, from);
    for (uint64_t member = from + 1; member < to; member++) {
        uint64_t slot = peak_below(peaks, set, level, member);
        if (keys[slot] > keys[highest]) {
            best = member;
            highest = slot;
        }
    }
    return best;
}

void margay_peaks_mend(struct margay_peaks *peaks, uint64_t set, uint32_t slot,
                       uint64_t key)
{
    uint64_t *keys = peaks->keys + set * peaks->slots;
    bool lower = key < keys[slot];
    uint64_t member = slot, members = peaks->slots;
    keys[slot] = key;
    for (unsigned level = 0; level < peaks->levels; level++) {
        uint64_t group = member / GROUP;
        uint8_t *peak =
            &peaks->peaks[level][set * peaks->groups[level] + group];
        uint64_t from = group * GROUP, to = from + GROUP;
        if (from + *peak == member) {
            /* The member was the highest: it still is, unless it fell. */
            if (lower)
                *peak = (uint8_t)(search(peaks, set, level, from,
                                         to < members ? to : members) -
                                  from);
        } else if (is_higher(keys, slot, peak_of(peaks, set, level, group))) {
            *peak = (uint8_t)(member - from);
        } else {
            return;
        }
        member = group;
        members = peaks->groups[level];
    }
}

uint32_t margay_peaks_descend(const struct margay_peaks *peaks, uint64_t set)
{
    unsigned top = peaks->levels - 1;
    uint64_t group = search(peaks, set, top + 1, 0, peaks->groups[top]);
    return (uint32_t)peak_of(peaks, set, top, group);
}
