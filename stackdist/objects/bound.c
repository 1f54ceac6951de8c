/* bound.c - forgetting objects; see objects.h */
#include "stackdist/objects/objects.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

/* ----------------------------------------------------------------- sweep -- */

/* The objects passed of a class of sizes. */
struct passed {
    uint64_t bytes;
    uint64_t smallest[2]; /* the sizes; UINT64_MAX = none */
};

struct sweep {
    uint64_t reach; /* L */
    /* Of the classes up to that of L: S(L), or more where something of that
       class is larger than L. */
    uint64_t sum;
    struct passed passed[MARGAY_CLASSES_MOST];
    const struct margay_reach *old; /* not yet passed */
    size_t old_count;
};

/* The reach becomes `most`, which is of class j and less than any second object
   of this class; `below`: the bytes of the classes below. */
static void set_reach(struct sweep *sweep, unsigned j, uint64_t most,
                      uint64_t below)
{
    struct passed *of = &sweep->passed[j];
    if (of->smallest[0] > most)
        of->smallest[0] = UINT64_MAX;
    of->smallest[1] = UINT64_MAX;
    of->bytes = of->smallest[0] == UINT64_MAX ? 0 : of->smallest[0];
    sweep->reach = most;
    sweep->sum = below + of->bytes;
}

static void lower(struct sweep *sweep)
{
    while (sweep->sum > sweep->reach) {
        /* The largest cache of the class of the reach that holds the passed
           objects of up to its size, or all caches below the class. */
        unsigned j = margay_class_of(sweep->reach);
        const struct passed *of = &sweep->passed[j];
        uint64_t below = sweep->sum - of->bytes;
        uint64_t one = margay_minimum(of->smallest[1] - 1, sweep->reach);
        uint64_t none = margay_minimum(of->smallest[0] - 1, sweep->reach);
        if (of->smallest[0] <= one && below + of->smallest[0] <= one) {
            set_reach(sweep, j, one, below);
        } else if (none >> j != 0 && below <= none) {
            set_reach(sweep, j, none, below);
        } else {
            sweep->reach = (UINT64_C(1) << j) - 1;
            sweep->sum = below;
        }
    }
}

/* Pass an object: is it in a cache? */
static bool is_kept(struct sweep *sweep, uint64_t moment, uint64_t size)
{
    for (; sweep->old_count > 0 && sweep->old->moment >= moment;
         sweep->old++, sweep->old_count--) {
        /* No larger cache is wanted. */
        unsigned j = margay_class_of(sweep->old->bytes);
        if (sweep->old->bytes < sweep->reach) {
            sweep->sum = 0;
            for (unsigned k = 0; k <= j; k++)
                sweep->sum += sweep->passed[k].bytes;
            sweep->reach = sweep->old->bytes;
            lower(sweep);
        }
    }
    if (size > 0 && size <= sweep->reach) {
        struct passed *of = &sweep->passed[margay_class_of(size)];
        of->bytes += size;
        sweep->sum += size;
        of->smallest[1] = margay_minimum(of->smallest[1],
                                         margay_maximum(of->smallest[0], size));
        of->smallest[0] = margay_minimum(of->smallest[0], size);
        lower(sweep);
    }
    return size <= sweep->reach && sweep->reach > 0;
}

static bool note_reach(struct margay_bound *bound, uint64_t moment,
                       uint64_t bytes)
{
    uint64_t before = bound->count == 0
                          ? bound->bytes
                          : bound->reaches[bound->count - 1].bytes;
    if (bytes == before)
        return true;
    if (!MARGAY_MAKE_ROOM(bound->reaches, bound->count, 1, bound->capacity))
        return false;
    bound->reaches[bound->count++] = (struct margay_reach){moment, bytes};
    return true;
}

enum margay_status margay_bound_sweep(struct margay_bound *bound,
                                      struct margay_weights *weights,
                                      struct margay_slack *slack,
                                      struct margay_error *error)
{
    struct margay_reach *old = bound->reaches;
    struct sweep sweep = {
        .reach = bound->bytes, .old = old, .old_count = bound->count};
    for (unsigned j = 0; j < MARGAY_CLASSES_MOST; j++)
        sweep.passed[j] = (struct passed){0, {UINT64_MAX, UINT64_MAX}};
    bool memory = true;
    bound->reaches = NULL;
    bound->count = bound->capacity = 0;
    for (uint64_t word = weights->capacity / 64; word-- > 0 && memory;) {
        for (uint64_t left = margay_weights_live(weights, word);
             left != 0 && memory;) {
            unsigned bit = 63u - (unsigned)__builtin_clzll(left);
            uint64_t moment = 64 * word + bit;
            uint64_t size = margay_weights_size(weights, moment);
            left &= ~(UINT64_C(1) << bit);
            if (is_kept(&sweep, moment, size)) {
                memory = note_reach(bound, moment, sweep.reach);
                continue;
            }
            margay_weights_set(weights, moment, 0);
            weights->empty[word] &= ~(UINT64_C(1) << bit);
            weights->objects--;
            if (slack->sums != NULL)
                margay_slack_add(slack, moment, size);
            bound->exceeded = true;
        }
    }
    free(old);
    return memory ? MARGAY_OK
                  : margay_fail_memory(error, "the objects within a bound");
}

uint64_t margay_bound_find_reach(const struct margay_bound *bound,
                                 uint64_t moment)
{
    size_t end =
        MARGAY_BISECT(i, bound->count, bound->reaches[i].moment >= moment);
    return end == 0 ? bound->bytes : bound->reaches[end - 1].bytes;
}
