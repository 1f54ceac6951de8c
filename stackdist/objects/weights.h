/*
 * weights.h - sums of sizes over time: the weighted twin of exact/rank.h
 *
 * Algorithm: the size of an object stands at the moment of its last use, and
 *   above the sizes a tree of sums: a leaf has the 32 sizes of consecutive
 *   moments, a node 16 entries, each the sum of a leaf or a node.  A prefix sum
 *   adds a part of a leaf and the earlier siblings on each level, which are
 *   neighbours in memory; taking a size away subtracts it from an entry per
 *   level.  A new size is the latest, so it is in no earlier sibling: those of
 *   a leaf are added when time leaves it.
 * Source: Olken, "Efficient methods for calculating the success function of
 *   fixed space replacement policies", 1981, whose weights were block counts;
 *   the shape is that of exact/rank.h.
 * Guarantee: exact; sums are below 2^64, which the caller checks.
 * Cost: O(log T) time, of which a leaf and an entry of the lowest level are far
 *   away in memory; 4.4 bytes per moment, 8.4 once a size is 2^32 bytes or
 *   more.
 *
 * A moment is a number from 1 on whose low half is not 0, so that it can be a
 * value of the hash table.  An object's last use is where there is a size, or a
 * bit that says that an object of size 0 is there.
 *
 * Compiled into the hot loops once per processor level, hence inline.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_WEIGHTS_H
#define MARGAY_STACKDIST_OBJECTS_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#define MARGAY_WEIGHTS_LEAF   32 /* moments of a leaf */
#define MARGAY_WEIGHTS_NODE   16 /* entries of a node */
#define MARGAY_WEIGHTS_LEVELS 9

/* As many sizes as a processor takes together, at any address. */
#ifdef __AVX512F__
#define MARGAY_LANES 8
#else
#define MARGAY_LANES 4
#endif
typedef uint64_t margay_lanes
    __attribute__((vector_size(8 * MARGAY_LANES), aligned(4), may_alias));
typedef uint32_t margay_halves
    __attribute__((vector_size(8 * MARGAY_LANES), aligned(4), may_alias));

/* All ones where i < n, at [64 - n + i] for i in [0, 64). */
extern const uint32_t margay_weights_first[128];

struct margay_weights {
    uint32_t *low;  /* the size's low half, 0 where no object is */
    uint32_t *high; /* its high half; NULL until a size has one */
    /* sums[l][i]: the bytes of 32 * 16^l moments, without those that were put
       into the latest leaf.  The topmost level is one node. */
    uint64_t *sums[MARGAY_WEIGHTS_LEVELS];
    /* Of those that change, no two are neighbours: compilers would load both at
       once, which waits for their stores. */
    uint64_t next;     /* the moment to be given next */
    uint64_t capacity; /* moments, a multiple of 512 */
    uint64_t total;    /* bytes of all objects */
    unsigned levels;
    uint64_t objects; /* how many there are */
    uint64_t *empty;  /* a bit per moment, for objects of size 0 */
    uint64_t fresh;   /* bytes that were put into the latest leaf */
};

/* An empty axis of `capacity` moments or a few more.  MARGAY_NO_MEMORY. */
enum margay_status margay_weights_create(struct margay_weights *weights,
                                         uint64_t capacity,
                                         struct margay_error *error);

/* A zeroed struct is fine. */
void margay_weights_destroy(struct margay_weights *weights);

/* Give sizes a high half.  MARGAY_NO_MEMORY. */
enum margay_status margay_weights_widen(struct margay_weights *weights,
                                        struct margay_error *error);

/* Fail at a reference, the first of which is 1: all these, objects or
   references, have too many bytes for a sum.  MARGAY_BAD_INPUT. */
enum margay_status margay_fail_total(const char *what, uint64_t reference,
                                     struct margay_error *error);

/* Begin a new time in the same memory, where the sizes still stand; those that
   have been put again are then followed by nothing. */
void margay_weights_restart(struct margay_weights *weights);
void margay_weights_clear_rest(struct margay_weights *weights);

static inline uint64_t margay_weights_size(const struct margay_weights *weights,
                                           uint64_t moment)
{
    uint64_t size = weights->low[moment];
    if (weights->high != NULL)
        size |= (uint64_t)weights->high[moment] << 32;
    return size;
}

/* Which of 32 moments have a size, by one of its halves. */
static inline uint64_t margay_weights_are(const uint32_t *halves)
{
    margay_halves bits = {0}, are = {0};
    uint32_t sum = 0;
    for (unsigned k = 0; k < 2 * MARGAY_LANES; k++)
        bits[k] = UINT32_C(1) << k;
    for (unsigned i = 0; i < MARGAY_WEIGHTS_LEAF; i += 2 * MARGAY_LANES)
        are |= (margay_halves)(*(const margay_halves *)(halves + i) != 0) &
               bits << i;
    for (unsigned k = 0; k < 2 * MARGAY_LANES; k++)
        sum |= are[k];
    return sum;
}

/* Where the last uses of objects are, of 64 moments. */
static inline uint64_t margay_weights_live(const struct margay_weights *weights,
                                           uint64_t word)
{
    uint64_t live = weights->empty[word];
    for (unsigned i = 0; i < 64; i += MARGAY_WEIGHTS_LEAF) {
        live |= margay_weights_are(weights->low + 64 * word + i) << i;
        if (weights->high != NULL)
            live |= margay_weights_are(weights->high + 64 * word + i) << i;
    }
    return live;
}

/* A mask of the first sizes of a leaf; of a node, the first halves of sums. */
static inline const margay_lanes *margay_weights_mask(uint64_t first)
{
    return (const margay_lanes *)(margay_weights_first + 64 - first);
}

/* The bytes of all objects last used before `moment`. */
static inline uint64_t margay_weights_before(
    const struct margay_weights *weights, uint64_t moment)
{
    uint64_t before = moment % MARGAY_WEIGHTS_LEAF;
    uint64_t index = moment / MARGAY_WEIGHTS_LEAF;
    margay_lanes sums = {0};
    const margay_lanes *mask = margay_weights_mask(before);
    const margay_lanes *leaf =
        (const margay_lanes *)(weights->low + (moment - before));
    for (unsigned i = 0; i < MARGAY_WEIGHTS_NODE / MARGAY_LANES; i++) {
        margay_lanes sizes = leaf[i] & mask[i];
        sums += (sizes & UINT32_MAX) + (sizes >> 32);
    }
    for (unsigned level = 0; level < weights->levels; level++) {
        uint64_t entry = index % MARGAY_WEIGHTS_NODE;
        const margay_lanes *node =
            (const margay_lanes *)(weights->sums[level] + (index - entry));
        mask = margay_weights_mask(2 * entry);
        for (unsigned i = 0; i < MARGAY_WEIGHTS_NODE / MARGAY_LANES; i++)
            sums += node[i] & mask[i];
        index /= MARGAY_WEIGHTS_NODE;
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < MARGAY_LANES; i++)
        sum += sums[i];
    if (weights->high != NULL) {
        const uint32_t *high = weights->high + (moment - before);
        for (uint64_t i = 0; i < before; i++)
            sum += (uint64_t)high[i] << 32;
    }
    return sum;
}

/* The object at `moment` has another size. */
static inline void margay_weights_set(struct margay_weights *weights,
                                      uint64_t moment, uint64_t size)
{
    weights->low[moment] = (uint32_t)size;
    if (weights->high != NULL)
        weights->high[moment] = (uint32_t)(size >> 32);
}

/* Take the object away that stands at `moment` and has this size. */
static inline void margay_weights_take(struct margay_weights *weights,
                                       uint64_t moment, uint64_t size)
{
    margay_weights_set(weights, moment, 0);
    if (size == 0)
        weights->empty[moment >> 6] &= ~(UINT64_C(1) << (moment & 63));
    weights->objects--;
    weights->total -= size;
    uint64_t index = moment / MARGAY_WEIGHTS_LEAF;
    for (unsigned level = 0; level < weights->levels; level++) {
        weights->sums[level][index] -= size;
        index /= MARGAY_WEIGHTS_NODE;
    }
}

/* Time enters a leaf with weights->next: the last one is added to those above,
   and begins those that begin with it. */
static inline void margay_weights_enter(struct margay_weights *weights)
{
    uint64_t index = weights->next / MARGAY_WEIGHTS_LEAF, entered = index - 1;
    bool begins = true;
    for (unsigned level = 0; level < weights->levels; level++) {
        weights->sums[level][entered] += weights->fresh;
        if (begins)
            weights->sums[level][index] = 0;
        begins = begins && index % MARGAY_WEIGHTS_NODE == 0;
        index /= MARGAY_WEIGHTS_NODE;
        entered /= MARGAY_WEIGHTS_NODE;
    }
    weights->fresh = 0;
}

/* No object's last use is at this moment. */
static inline void margay_weights_skip(struct margay_weights *weights)
{
    if ((weights->next & (MARGAY_WEIGHTS_LEAF - 1)) == 0)
        margay_weights_enter(weights);
    weights->next++;
}

/* Where one of the next 64 moments cannot be given, as its low half is 0, begin
   after it. */
static inline void margay_weights_pass(struct margay_weights *weights)
{
    uint32_t next = (uint32_t)weights->next;
    if (next > 0 && next < UINT32_MAX - 64)
        return;
    while ((uint32_t)weights->next != 1)
        margay_weights_skip(weights);
}

/* An object's last use is now; returns when that is.  There is room. */
static inline uint64_t margay_weights_put(struct margay_weights *weights,
                                          uint64_t size)
{
    if ((weights->next & (MARGAY_WEIGHTS_LEAF - 1)) == 0)
        margay_weights_enter(weights);
    uint64_t moment = weights->next++;
    margay_weights_set(weights, moment, size);
    if (size == 0)
        weights->empty[moment >> 6] |= UINT64_C(1) << (moment & 63);
    weights->fresh += size;
    weights->total += size;
    weights->objects++;
    return moment;
}

#endif
