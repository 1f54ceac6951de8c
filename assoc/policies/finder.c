/* finder.c - which slot of its set holds a block: creation and release */
#include "assoc/policies/finder.h"

#include "traces/traces_internal.h"

/* A smaller finder stays in the processor's own caches. */
#define NEAR_BYTES ((uint64_t)1 << 18)

/* The sizes of the arrays for a number of sets and of slots in each. */
struct shape {
    uint64_t sets, slots, all_slots, buckets;
    size_t set_bytes; /* of a scanned set */
};

static struct shape shape_of(unsigned set_shift, uint64_t slots)
{
    struct shape shape = {.sets = UINT64_C(1) << set_shift, .slots = slots};
    uint64_t marks = (slots + MARGAY_MARKS - 1) / MARGAY_MARKS * MARGAY_MARKS;
    shape.all_slots = slots << set_shift;
    shape.buckets = UINT64_C(2) << margay_log2_floor(shape.all_slots);
    shape.set_bytes =
        sizeof(struct margay_scanned_set) + marks * sizeof(uint16_t);
    return shape;
}

static uint64_t bytes_of(const struct shape *shape)
{
    uint64_t bytes = shape->all_slots * sizeof(uint64_t);
    if (!margay_finder_indexes(shape->slots))
        return bytes + shape->sets * shape->set_bytes;
    return bytes +
           (shape->sets + shape->all_slots + shape->buckets) * sizeof(uint32_t);
}

uint64_t margay_finder_bytes(unsigned set_shift, uint64_t slots)
{
    struct shape shape = shape_of(set_shift, slots);
    return bytes_of(&shape);
}

static bool map(struct margay_finder *finder, const struct shape *shape)
{
    finder->blocks = margay_map(shape->all_slots * sizeof *finder->blocks);
    if (!margay_finder_indexes(shape->slots)) {
        finder->scanned = margay_map(shape->sets * shape->set_bytes);
        return finder->blocks != NULL && finder->scanned != NULL;
    }
    finder->filled = margay_map(shape->sets * sizeof *finder->filled);
    finder->heads = margay_map(shape->buckets * sizeof *finder->heads);
    finder->next = margay_map(shape->all_slots * sizeof *finder->next);
    return finder->blocks != NULL && finder->filled != NULL &&
           finder->heads != NULL && finder->next != NULL;
}

enum margay_status margay_finder_create(struct margay_finder *finder,
                                        unsigned set_shift, uint64_t slots,
                                        struct margay_error *error)
{
    struct shape shape = shape_of(set_shift, slots);
    *finder = (struct margay_finder){
        .set_mask = shape.sets - 1,
        .slots = slots,
        .set_bytes = shape.set_bytes,
        .full =
            UINT64_MAX >>
            (slots < MARGAY_SCANNED_SLOTS ? MARGAY_SCANNED_SLOTS - slots : 0),
        .shift = 64 - margay_log2_floor(shape.buckets),
        .far = bytes_of(&shape) > NEAR_BYTES,
    };
    if (map(finder, &shape))
        return MARGAY_OK;
    margay_finder_destroy(finder);
    return margay_fail_memory(error, "a cache");
}

void margay_finder_destroy(struct margay_finder *finder)
{
    if (finder->slots == 0)
        return;
    struct shape shape = shape_of(
        (unsigned)__builtin_popcountll(finder->set_mask), finder->slots);
    margay_unmap(finder->blocks, shape.all_slots * sizeof *finder->blocks);
    margay_unmap(finder->scanned, shape.sets * shape.set_bytes);
    margay_unmap(finder->filled, shape.sets * sizeof *finder->filled);
    margay_unmap(finder->heads, shape.buckets * sizeof *finder->heads);
    margay_unmap(finder->next, shape.all_slots * sizeof *finder->next);
    *finder = (struct margay_finder){.slots = 0};
}
