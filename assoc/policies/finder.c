/* finder.c - which slot of its set holds a block: creation and release */
#include "assoc/policies/finder.h"

#include <string.h>

#include "traces/traces_internal.h"

/* A smaller finder stays in the processor's own caches. */
#define NEAR_BYTES ((uint64_t)1 << 18)

void margay_finder_set_up(struct margay_finder *finder, enum margay_form form,
                          const struct margay_sets *in,
                          const struct margay_policy_setup *setup,
                          struct margay_layout *layout)
{
    uint64_t sets = setup->sets, slots = setup->slots, before = layout->bytes;
    uint64_t marks = (slots + MARGAY_MARKS - 1) / MARGAY_MARKS * MARGAY_MARKS;
    unsigned bucket_bits = margay_log2_floor(sets * slots) + 1;
    *finder = (struct margay_finder){
        .form = form,
        .sets = *in,
        .ways = setup->ways,
        .slots = slots,
        .set_bytes =
            sizeof(struct margay_scanned_set) + marks * sizeof(uint16_t),
        .full = UINT64_MAX >> (setup->ways < MARGAY_SCANNED_SLOTS
                                   ? MARGAY_SCANNED_SLOTS - setup->ways
                                   : 0),
        .shift = 64 - bucket_bits,
        .blocks = margay_lay_out(layout, sets * slots * sizeof(uint64_t)),
    };
    if (form == MARGAY_FORM_SCANNED)
        finder->scanned = margay_lay_out(layout, sets * finder->set_bytes);
    else
        finder->filled = margay_lay_out(layout, sets * sizeof(uint32_t));
    if (form == MARGAY_FORM_INDEXED) {
        finder->emptied = margay_lay_out(layout, sets * sizeof(uint32_t));
        finder->heads = margay_lay_out(layout, sizeof(uint32_t) << bucket_bits);
        finder->next = margay_lay_out(layout, sets * slots * sizeof(uint32_t));
    }
    finder->far = layout->bytes - before > NEAR_BYTES;
}

static size_t place_bytes(uint64_t count)
{
    return (size_t)count * sizeof(uint32_t);
}

enum margay_status margay_finder_reserve(struct margay_finder *finder,
                                         uint64_t blocks,
                                         struct margay_error *error)
{
    uint64_t count = finder->place_count;
    if (blocks <= count)
        return MARGAY_OK;
    /* Doubled, so that blocks are copied twice on average at most. */
    count = blocks > 2 * count ? blocks : 2 * count;
    uint32_t *places = count > SIZE_MAX / 2 / sizeof *places
                           ? NULL
                           : margay_map(place_bytes(count));
    if (places == NULL)
        return margay_fail_memory(error, "a cache");
    if (finder->places != NULL)
        memcpy(places, finder->places, place_bytes(finder->place_count));
    margay_unmap(finder->places, place_bytes(finder->place_count));
    finder->places = places;
    finder->place_count = count;
    finder->far = finder->far || place_bytes(count) > NEAR_BYTES;
    return MARGAY_OK;
}

void margay_finder_free_places(struct margay_finder *finder)
{
    margay_unmap(finder->places, place_bytes(finder->place_count));
}
