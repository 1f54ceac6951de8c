/*
 * weights.h - sums of sizes over time: the weighted twin of exact/rank.h
 *
 * Algorithm: the size of an object stands at the moment of its last use, and
 *   above the sizes a tree of sums: a leaf has the 32 sizes of consecutive
 *   moments, a node 16 entries, and an entry is the sum of its earlier
 *   siblings.  A prefix sum adds an entry per level and a part of a leaf;
 *   taking a size away subtracts it from the later siblings of each node on the
 *   way up, which are neighbours in memory.  A new size is the latest, so no
 *   sibling changes: the sums of a node are noted when time enters it.
 * Source: Olken, "Efficient methods for calculating the success function of
 *   fixed space replacement policies", 1981, whose weights were block counts;
 *   the shape is that of exact/rank.h.
 * Guarantee: exact; sums are below 2^64, which the caller checks.
 * Cost: O(log T) time, of which a leaf and an entry of the lowest level are far
 *   away in memory; 4.4 bytes per moment, 8.4 once a size is 2^32 bytes or
 *   more.
 *
 * A moment is a number from 1 on whose low half is not 0, so that it can be a
 * value of the hash table.  A bit per moment says that an object's last use is
 * there, as objects of size 0 weigh nothing.
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

/* Four sizes, which need not stand side by side. */
typedef uint64_t margay_sizes4
    __attribute__((vector_size(32), aligned(4), may_alias));

/* All ones where i < n, at [32 - n + i] for i in [0, 32), */
extern const uint32_t margay_weights_first[64];
/* and where i > n, at [15 - n + i] for i in [0, 16). */
extern const uint64_t margay_weights_after[32];

struct margay_weights {
    uint32_t *low;  /* the size's low half, 0 where no object is */
    uint32_t *high; /* its high half; NULL until a size has one */
    uint64_t *live; /* a bit per moment */
    /* sums[l][i]: the bytes of the earlier siblings of entry i, which covers
       32 * 16^l moments.  The topmost level is one node. */
    uint64_t *sums[MARGAY_WEIGHTS_LEVELS];
    unsigned levels;
    uint64_t capacity; /* moments, a multiple of 512 */
    uint64_t next;     /* the moment to be given next */
    uint64_t total;    /* bytes of all objects */
    uint64_t objects;  /* how many there are */
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

/* The number of moments that an entry of this level covers, as a shift. */
static inline unsigned margay_weights_shift(unsigned level)
{
    return 5 + 4 * level;
}

static inline uint64_t margay_weights_size(const struct margay_weights *weights,
                                           uint64_t moment)
{
    uint64_t size = weights->low[moment];
    if (weights->high != NULL)
        size |= (uint64_t)weights->high[moment] << 32;
    return size;
}

/* Whether an object's last use is there. */
static inline bool margay_weights_has(const struct margay_weights *weights,
                                      uint64_t moment)
{
    return weights->live[moment >> 6] >> (moment & 63) & 1;
}

/* The bytes of all objects last used before `moment`. */
static inline uint64_t margay_weights_before(
    const struct margay_weights *weights, uint64_t moment)
{
    /* The sum of a leaf's sizes before `moment`. */
    const uint32_t *low = weights->low + (moment & ~UINT64_C(31));
    uint32_t before = (uint32_t)(moment & 31);
    const uint32_t *mask = margay_weights_first + 32 - before;
    margay_sizes4 sums = {0, 0, 0, 0};
    for (unsigned i = 0; i < MARGAY_WEIGHTS_LEAF; i += 8) {
        margay_sizes4 sizes = *(const margay_sizes4 *)(low + i) &
                              *(const margay_sizes4 *)(mask + i);
        sums += (sizes & UINT32_MAX) + (sizes >> 32);
    }
    uint64_t sum = sums[0] + sums[1] + sums[2] + sums[3];
    if (weights->high != NULL) {
        const uint32_t *high = weights->high + (moment & ~UINT64_C(31));
        for (uint32_t i = 0; i < before; i++)
            sum += (uint64_t)high[i] << 32;
    }
    for (unsigned level = 0; level < weights->levels; level++)
        sum += weights->sums[level][moment >> margay_weights_shift(level)];
    return sum;
}

/* The leaf of `moment` has lost this many bytes. */
static inline void margay_weights_lose(struct margay_weights *weights,
                                       uint64_t moment, uint64_t bytes)
{
    weights->total -= bytes;
    for (unsigned level = 0; level < weights->levels; level++) {
        uint64_t index = moment >> margay_weights_shift(level);
        uint64_t *node = weights->sums[level] +
                         (index & ~(uint64_t)(MARGAY_WEIGHTS_NODE - 1));
        const uint64_t *after =
            margay_weights_after + 15 - (index & (MARGAY_WEIGHTS_NODE - 1));
        for (unsigned i = 0; i < MARGAY_WEIGHTS_NODE; i += 4)
            *(margay_sizes4 *)(node + i) -=
                bytes & *(const margay_sizes4 *)(after + i);
    }
}

/* The object at `moment` has another size; its leaf loses what it had. */
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
    weights->live[moment >> 6] &= ~(UINT64_C(1) << (moment & 63));
    weights->objects--;
    margay_weights_lose(weights, moment, size);
}

/* Note the sums so far for the nodes that time enters with weights->next, a
   multiple of 32. */
static inline void margay_weights_enter(struct margay_weights *weights)
{
    uint64_t next = weights->next, rest = weights->total;
    for (unsigned level = weights->levels; level-- > 0;) {
        unsigned shift = margay_weights_shift(level);
        uint64_t *sum = &weights->sums[level][next >> shift];
        if ((next & ((UINT64_C(1) << shift) - 1)) == 0)
            *sum = rest;
        rest -= *sum;
    }
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
    weights->live[moment >> 6] |= UINT64_C(1) << (moment & 63);
    weights->total += size;
    weights->objects++;
    return moment;
}

#endif
