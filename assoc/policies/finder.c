/* finder.c - which slot of its set holds a block: creation and release */
#include "assoc/policies/finder.h"

#include <string.h>

#include "traces/traces_internal.h"

/* A smaller finder stays in the processor's own caches. */
#define NEAR_BYTES ((uint64_t)1 << 18)

/* The sizes of the arrays for a number of sets and of slots in each. */
struct shape {
    uint64_t sets, slots, all_slots, buckets;
    size_t set_bytes; /* of a scanned set */
};

static struct shape shape_of(uint64_t sets, uint64_t slots)
{
    struct shape shape = {.sets = sets, .slots = slots};
    uint64_t marks = (slots + MARGAY_MARKS - 1) / MARGAY_MARKS * MARGAY_MARKS;
    shape.all_slots = sets * slots;
    shape.buckets = UINT64_C(2) << margay_log2_floor(shape.all_slots);
    shape.set_bytes =
        sizeof(struct margay_scanned_set) + marks * sizeof(uint16_t);
    return shape;
}

static uint64_t bytes_of(const struct shape *shape, enum margay_form form)
{
    uint64_t bytes = shape->all_slots * sizeof(uint64_t);
    if (form == MARGAY_FORM_SCANNED)
        return bytes + shape->sets * shape->set_bytes;
    bytes += shape->sets * sizeof(uint32_t);
    return form == MARGAY_FORM_DENSE
               ? bytes
               : bytes + (shape->sets + shape->all_slots + shape->buckets) *
                             sizeof(uint32_t);
}

uint64_t margay_finder_bytes(enum margay_form form,
                             const struct margay_policy_setup *setup)
{
    struct shape shape = shape_of(setup->sets, setup->slots);
    return bytes_of(&shape, form);
}

static bool map(struct margay_finder *finder, const struct shape *shape)
{
    finder->blocks = margay_map(shape->all_slots * sizeof *finder->blocks);
    if (finder->form == MARGAY_FORM_SCANNED) {
        finder->scanned = margay_map(shape->sets * shape->set_bytes);
        return finder->blocks != NULL && finder->scanned != NULL;
    }
    finder->filled = margay_map(shape->sets * sizeof *finder->filled);
    if (finder->form == MARGAY_FORM_DENSE)
        return finder->blocks != NULL && finder->filled != NULL;
    finder->emptied = margay_map(shape->sets * sizeof *finder->emptied);
    finder->heads = margay_map(shape->buckets * sizeof *finder->heads);
    finder->next = margay_map(shape->all_slots * sizeof *finder->next);
    return finder->blocks != NULL && finder->filled != NULL &&
           finder->emptied != NULL && finder->heads != NULL &&
           finder->next != NULL;
}

enum margay_status margay_finder_create(struct margay_finder *finder,
                                        enum margay_form form,
                                        enum margay_set_rule rule,
                                        const struct margay_policy_setup *setup,
                                        struct margay_error *error)
{
    struct shape shape = shape_of(setup->sets, setup->slots);
    *finder = (struct margay_finder){
        .form = form,
        .rule = rule,
        .sets = setup->sets,
        .ways = setup->ways,
        .slots = setup->slots,
        .set_bytes = shape.set_bytes,
        .full = UINT64_MAX >> (setup->ways < MARGAY_SCANNED_SLOTS
                                   ? MARGAY_SCANNED_SLOTS - setup->ways
                                   : 0),
        .shift = 64 - margay_log2_floor(shape.buckets),
        .far = bytes_of(&shape, form) > NEAR_BYTES,
    };
    if (map(finder, &shape))
        return MARGAY_OK;
    margay_finder_destroy(finder);
    return margay_fail_memory(error, "a cache");
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

void margay_finder_destroy(struct margay_finder *finder)
{
    if (finder->slots == 0)
        return;
    struct shape shape = shape_of(finder->sets, finder->slots);
    margay_unmap(finder->blocks, shape.all_slots * sizeof *finder->blocks);
    margay_unmap(finder->scanned, shape.sets * shape.set_bytes);
    margay_unmap(finder->filled, shape.sets * sizeof *finder->filled);
    margay_unmap(finder->emptied, shape.sets * sizeof *finder->emptied);
    margay_unmap(finder->heads, shape.buckets * sizeof *finder->heads);
    margay_unmap(finder->next, shape.all_slots * sizeof *finder->next);
    margay_unmap(finder->places, place_bytes(finder->place_count));
    *finder = (struct margay_finder){.slots = 0};
}
