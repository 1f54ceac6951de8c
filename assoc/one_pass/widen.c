/*
 * widen.c - from tags of 32 bits to tags of 64
 *
 * It happens once, when the numbers lie in more regions than 32 bits can tell
 * apart.
 */
#include "assoc/one_pass/simulation.h"

static void widen_tags(const margay_assoc *assoc, unsigned shift,
                       const struct margay_level *from, struct margay_level *to)
{
    const uint32_t *narrow = from->tags;
    uint64_t *wide = to->tags;
    unsigned stride = from->stride < to->stride ? from->stride : to->stride;
    for (uint64_t set = 0; set >> from->set_shift == 0; set++) {
        for (unsigned i = 0; i < stride; i++) {
            uint32_t tag = narrow[set * from->stride + i];
            bool there = from->set_shift == 0 ? i < from->filled : tag != 0;
            if (there)
                wide[set * to->stride + i] =
                    margay_regions_widen(assoc->regions, tag, shift);
        }
    }
    to->filled = from->filled < to->stride ? from->filled : to->stride;
}

/*
 * Copy the counts.  Where the sets of one width have more places than those of
 * the other, the additional places are beyond the most ways, where no count
 * makes a difference.
 */
static void widen_hits(const struct margay_level *from, struct margay_level *to)
{
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        for (unsigned i = 0; i <= from->stride; i++) {
            unsigned at = i < to->stride ? i : to->stride;
            if (i == from->stride)
                at = to->stride;
            to->hits[kind * (to->stride + 1) + at] +=
                from->hits[kind * (from->stride + 1) + i];
        }
    }
}

static void widen_unit(const margay_assoc *assoc, struct margay_unit *unit,
                       struct margay_caches *wide)
{
    for (size_t i = 0; i < unit->level_count; i++) {
        size_t index = unit->first_level + i;
        struct margay_level *from = &assoc->caches.levels[index];
        widen_tags(assoc, unit->shift, from, &wide->levels[index]);
        widen_hits(from, &wide->levels[index]);
    }
    if (assoc->started)
        unit->last = margay_regions_widen(assoc->regions, (uint32_t)unit->last,
                                          unit->shift);
}

enum margay_status margay_assoc_widen(margay_assoc *assoc,
                                      struct margay_error *error)
{
    struct margay_caches wide = {0};
    margay_assoc_flush(assoc);
    assoc->wide = true;
    assoc->kernel = margay_levels_kernel_for(assoc->target, true);
    enum margay_status status = margay_caches_create(assoc, &wide, error);
    if (status != MARGAY_OK) {
        margay_caches_destroy(&wide);
        return status;
    }
    for (size_t i = 0; i < assoc->unit_count; i++)
        widen_unit(assoc, &assoc->units[i], &wide);
    margay_caches_destroy(&assoc->caches);
    assoc->caches = wide;
    if (assoc->started)
        assoc->last =
            margay_regions_widen(assoc->regions, (uint32_t)assoc->last, 0);
    return MARGAY_OK;
}
