/*
 * naive_rules.h - policies of objects with sizes, and of sets of blocks, by
 * lists that are searched and summed up; naive_sampled.h has those of samples
 *
 * A block is an object of size 1 with any number.  Every list is in the order
 * of its entries' ages, the oldest first.  Nothing here is shared with
 * assoc/policies but the random numbers.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_RULES_H
#define MARGAY_TESTS_ASSOC_NAIVE_RULES_H

#include <math.h>

#include "tests/assoc/naive_lists.h"
#include "traces/traces_internal.h"

#define OBJECTS 90
#define NONE    UINT64_C(0x9d3f1c5ab7e84621) /* no object, nor a block */

__extension__ typedef __int128 naive_wide;

struct naive;

struct naive_policy {
    const char *name;
    void (*hit)(struct naive *naive, uint64_t object);
    /* The object that leaves, which is not naive->asked. */
    uint64_t (*evict)(struct naive *naive);
    void (*insert)(struct naive *naive, uint64_t object);
    /* An object outgrew the cache; NULL = it leaves all lists. */
    void (*remove)(struct naive *naive, uint64_t object);
    double first, second; /* the defaults of its parameters */
    bool for_sets;        /* naive_cache.h has none of its own */
};

/* Each policy defines its lists. */
struct naive {
    const struct naive_policy *policy;
    uint64_t bytes;
    double first, second;
    struct naive_list list[4];
    bool of_blocks;
    bool held[OBJECTS];
    uint64_t sizes[OBJECTS], valid[OBJECTS];
    uint64_t asked;  /* the object of the request */
    uint64_t coming; /* the bytes that it needs yet */
    int from;        /* the list that remembered it, or -1 */
    size_t hand, gap;
    naive_wide target, unit;     /* of arc, in parts of a byte */
    struct naive_sketch counted; /* uses, of tinylfu */
    double age;
    uint64_t now, used[OBJECTS], uses[OBJECTS];
    struct {
        uint64_t object, came, value;
    } pool[17]; /* of redis, and room for one more */
    size_t pooled;
    struct naive_lhd *lhd; /* its state */
    struct margay_random random;
    const char *admits; /* as the spec has it; "" = all */
    bool asked_before[OBJECTS];
    struct margay_random chances;
    uint64_t left, every;         /* of adaptsize: requests until a choice, */
    double scale, rates[OBJECTS]; /* c, and rates; below 0 = unknown */
    uint64_t asks[OBJECTS];
    struct naive_sketch admitted; /* of tinylfu */
    uint64_t misses, missed_bytes, missed_cost, written_bytes, memory_hits;
    uint64_t tier, costs[OBJECTS]; /* bytes of memory before the cache */
    struct naive_list memory;      /* the objects there, by last use */
};

static inline uint64_t size_of(const struct naive *naive, uint64_t object)
{
    return naive->of_blocks ? 1 : naive->sizes[object];
}

static inline uint64_t bytes_of(const struct naive *naive, size_t of)
{
    const struct naive_list *list = &naive->list[of];
    uint64_t sum = 0;
    if (naive->of_blocks)
        return list->count;
    for (size_t i = 0; i < list->count; i++)
        sum += naive->sizes[list->entries[i].block];
    return sum;
}

/* The first object of a list that may leave; NONE if there is none. */
static inline uint64_t first_of(const struct naive *naive, size_t of)
{
    const struct naive_list *list = &naive->list[of];
    for (size_t i = 0; i < list->count; i++) {
        if (list->entries[i].block != naive->asked)
            return list->entries[i].block;
    }
    return NONE;
}

static inline uint64_t move_to(struct naive *naive, uint64_t object, int to)
{
    for (int i = 0; i < 4; i++)
        list_drop(&naive->list[i], object);
    if (to >= 0)
        list_push(&naive->list[to], object, 0);
    return object;
}

static inline void trim(struct naive *naive, size_t of, uint64_t most)
{
    while (bytes_of(naive, of) > most)
        list_shift(&naive->list[of]);
}

/* ------------------------------------ lru, fifo, clock, sieve, random -- */

static inline void unmarked_insert(struct naive *naive, uint64_t object)
{
    list_push(&naive->list[0], object, 0);
}

static inline void renew_hit(struct naive *naive, uint64_t object)
{
    list_renew(&naive->list[0], object);
}

static inline void mark_hit(struct naive *naive, uint64_t object)
{
    *list_value(&naive->list[0], object) = 1;
}

static inline void naive_clock_hit(struct naive *naive, uint64_t object)
{
    uint64_t *chances = list_value(&naive->list[0], object);
    *chances += *chances < (uint64_t)naive->first;
}

static inline void naive_clock_insert(struct naive *naive, uint64_t object)
{
    list_push(&naive->list[0], object, (uint64_t)naive->second);
}

static inline void no_hit(struct naive *naive, uint64_t object)
{
    (void)naive, (void)object;
}

static inline uint64_t oldest_evict(struct naive *naive)
{
    return move_to(naive, first_of(naive, 0), -1);
}

static inline uint64_t naive_clock_evict(struct naive *naive)
{
    struct naive_list *all = &naive->list[0];
    while (all->entries[0].value > 0 || all->entries[0].block == naive->asked) {
        uint64_t chances = all->entries[0].value;
        list_push(all, list_shift(all), chances - (chances > 0));
    }
    return list_shift(all);
}

static inline uint64_t naive_sieve_evict(struct naive *naive)
{
    struct naive_list *all = &naive->list[0];
    while (all->entries[naive->hand].value == 1 ||
           all->entries[naive->hand].block == naive->asked) {
        all->entries[naive->hand].value = 0;
        naive->hand = (naive->hand + 1) % all->count;
    }
    uint64_t victim = all->entries[naive->hand].block;
    list_drop(all, victim);
    naive->hand = naive->hand == all->count ? 0 : naive->hand;
    return victim;
}

static inline void naive_sieve_remove(struct naive *naive, uint64_t object)
{
    struct naive_list *all = &naive->list[0];
    naive->hand -= naive->hand > list_find(all, object);
    list_drop(all, object);
    naive->hand = naive->hand >= all->count ? 0 : naive->hand;
}

/* A new object comes to where another one has just left, which else the last
   one takes. */
static inline void gap_take(struct naive *naive, size_t at)
{
    struct naive_list *all = &naive->list[0];
    naive->gap = at;
    all->entries[at] = all->entries[--all->count];
}

static inline uint64_t random_evict(struct naive *naive)
{
    struct naive_list *all = &naive->list[0];
    size_t at;
    do
        at = margay_random_below(&naive->random, all->count);
    while (all->entries[at].block == naive->asked);
    uint64_t victim = all->entries[at].block;
    gap_take(naive, at);
    return victim;
}

static inline void random_insert(struct naive *naive, uint64_t object)
{
    struct naive_list *all = &naive->list[0];
    list_push(all, object, 0);
    if (naive->gap < all->count - 1) {
        all->entries[all->count - 1] = all->entries[naive->gap];
        all->entries[naive->gap].block = object;
    }
    naive->gap = all->count;
}

static inline void random_remove(struct naive *naive, uint64_t object)
{
    gap_take(naive, list_find(&naive->list[0], object));
}

/* --------------------------------------------------------------- s3fifo -- */

/* Lists: 0 small, 1 main, 2 ghosts; value = hits, up to 3. */
static inline void naive_s3fifo_hit(struct naive *naive, uint64_t object)
{
    struct naive_list *in = &naive->list[!list_has(&naive->list[0], object)];
    *list_value(in, object) += *list_value(in, object) < 3;
}

static inline uint64_t naive_s3fifo_evict(struct naive *naive)
{
    struct naive_list *small = &naive->list[0], *main = &naive->list[1];
    uint64_t share = naive_share(naive->bytes, naive->first);
    if (bytes_of(naive, 0) >= share || first_of(naive, 1) == NONE) {
        while (small->count > 0) {
            uint64_t hits = small->entries[0].value, object = list_shift(small);
            if (hits < 2 && object != naive->asked) {
                list_push(&naive->list[2], object, 0);
                trim(naive, 2, naive->bytes - share);
                return object;
            }
            list_push(main, object, 0);
        }
    }
    while (main->entries[0].value > 0 ||
           main->entries[0].block == naive->asked) {
        uint64_t hits = main->entries[0].value, object = list_shift(main);
        list_push(main, object, hits - (hits > 0));
    }
    return list_shift(main);
}

static inline void naive_s3fifo_insert(struct naive *naive, uint64_t object)
{
    list_push(&naive->list[naive->from == 2], object, 0);
}

/* ----------------------------------------------------------- 2q and slru -- */

/* Lists: 0 A1in, 1 Am, 2 A1out. */
static inline void naive_2q_hit(struct naive *naive, uint64_t object)
{
    if (list_has(&naive->list[1], object))
        list_renew(&naive->list[1], object);
}

static inline uint64_t naive_2q_evict(struct naive *naive)
{
    uint64_t old = first_of(naive, 0), main = first_of(naive, 1);
    bool long_in = bytes_of(naive, 0) > naive_share(naive->bytes, naive->first);
    if (main == NONE || (long_in && old != NONE)) {
        move_to(naive, old, 2);
        trim(naive, 2, naive_share(naive->bytes, naive->second));
        return old;
    }
    return move_to(naive, main, -1);
}

/* Lists: 0 probation, 1 protected. */
static inline void naive_slru_hit(struct naive *naive, uint64_t object)
{
    move_to(naive, object, 1);
    while (bytes_of(naive, 1) >
           (uint64_t)((double)naive->bytes * naive->first + 1e-6))
        move_to(naive, naive->list[1].entries[0].block, 0);
}

static inline uint64_t naive_slru_evict(struct naive *naive)
{
    uint64_t object = first_of(naive, 0);
    return move_to(naive, object != NONE ? object : first_of(naive, 1), -1);
}

/* ------------------------------------------------------------------ arc -- */

/* Lists: 0 T1, 1 T2, 2 B1, 3 B2. */
static inline void naive_arc_hit(struct naive *naive, uint64_t object)
{
    move_to(naive, object, 1);
}

/* The object that misses was in B1 or B2, and is there yet. */
static inline void naive_arc_adapt(struct naive *naive, uint64_t object)
{
    const naive_wide unit = naive->unit, most = (naive_wide)naive->bytes * unit;
    naive_wide own = (naive_wide)bytes_of(naive, (size_t)naive->from);
    naive_wide other = (naive_wide)bytes_of(naive, (size_t)(5 - naive->from));
    naive_wide size = (naive_wide)size_of(naive, object), step = size * unit;
    if (other > own && size > 0)
        step = other * unit * size / own;
    naive_wide target = naive->target + (naive->from == 2 ? step : -step);
    naive_wide whole = (target + unit / 2) / unit * unit;
    if (unit == (naive_wide)1 << 50 && target - whole < 1 << 20 &&
        whole - target < 1 << 20)
        target = whole;
    naive->target = target < 0 ? 0 : target > most ? most : target;
}

static inline uint64_t naive_arc_replace(struct naive *naive)
{
    naive_wide t1 = bytes_of(naive, 0);
    uint64_t once = first_of(naive, 0), often = first_of(naive, 1);
    t1 *= naive->unit;
    bool first =
        t1 > naive->target || (naive->from == 3 && t1 == naive->target);
    if (often == NONE || (once != NONE && first))
        return move_to(naive, once, 2);
    return move_to(naive, often, 3);
}

static inline uint64_t naive_arc_evict(struct naive *naive)
{
    if (naive->from >= 0)
        return naive_arc_replace(naive);
    while (bytes_of(naive, 0) + bytes_of(naive, 2) + naive->coming >
               naive->bytes &&
           naive->list[2].count > 0)
        list_shift(&naive->list[2]);
    if (bytes_of(naive, 0) + naive->coming > naive->bytes)
        return list_shift(&naive->list[0]);
    while (bytes_of(naive, 0) + bytes_of(naive, 1) + bytes_of(naive, 2) +
                   bytes_of(naive, 3) + naive->coming >
               2 * naive->bytes &&
           naive->list[3].count > 0)
        list_shift(&naive->list[3]);
    return naive_arc_replace(naive);
}

/* Into list 1 if it was remembered. */
static inline void known_insert(struct naive *naive, uint64_t object)
{
    list_push(&naive->list[naive->from >= 0], object, 0);
}

/* ----------------------------------------------------------------- lirs -- */

/* Lists: 0 the stack, its bottom first, value 1 = LIR; 1 the queue of HIR
   objects; 2 those evicted that are in the stack. */
static inline uint64_t naive_lir_bytes(const struct naive *naive)
{
    const struct naive_list *stack = &naive->list[0];
    uint64_t sum = 0;
    for (size_t i = 0; i < stack->count; i++)
        sum +=
            stack->entries[i].value * size_of(naive, stack->entries[i].block);
    return sum;
}

static inline uint64_t naive_lir_most(const struct naive *naive)
{
    return naive->bytes - naive_share(naive->bytes, naive->first);
}

static inline void naive_lirs_prune(struct naive *naive)
{
    struct naive_list *stack = &naive->list[0];
    while (stack->count > 0 && stack->entries[0].value == 0)
        list_drop(&naive->list[2], list_shift(stack));
}

static inline void naive_lirs_raise(struct naive *naive, uint64_t object)
{
    *list_value(&naive->list[0], object) = 1;
    list_renew(&naive->list[0], object);
    list_drop(&naive->list[1], object);
    naive_lirs_prune(naive);
    while (naive_lir_bytes(naive) > naive_lir_most(naive)) {
        list_push(&naive->list[1], list_shift(&naive->list[0]), 0);
        naive_lirs_prune(naive);
    }
}

static inline void naive_lirs_hit(struct naive *naive, uint64_t object)
{
    if (list_has(&naive->list[0], object)) {
        naive_lirs_raise(naive, object);
    } else {
        list_push(&naive->list[0], object, 0);
        list_renew(&naive->list[1], object);
    }
}

static inline uint64_t naive_lirs_evict(struct naive *naive)
{
    uint64_t victim = first_of(naive, 1);
    if (victim == NONE) {
        victim = list_shift(&naive->list[0]);
        naive_lirs_prune(naive);
        return victim;
    }
    list_drop(&naive->list[1], victim);
    if (list_has(&naive->list[0], victim))
        list_push(&naive->list[2], victim, 0);
    while (bytes_of(naive, 2) > 4 * naive->bytes)
        list_drop(&naive->list[0], list_shift(&naive->list[2]));
    return victim;
}

static inline void naive_lirs_insert(struct naive *naive, uint64_t object)
{
    uint64_t lir = naive_lir_bytes(naive), most = naive_lir_most(naive);
    if (list_has(&naive->list[0], object)) {
        naive_lirs_raise(naive, object);
    } else if (lir < most && lir + size_of(naive, object) <= most) {
        list_push(&naive->list[0], object, 1);
        naive_lirs_prune(naive);
    } else {
        list_push(&naive->list[0], object, 0);
        list_push(&naive->list[1], object, 0);
    }
}

static inline void naive_lirs_remove(struct naive *naive, uint64_t object)
{
    list_drop(&naive->list[0], object);
    list_drop(&naive->list[1], object);
    naive_lirs_prune(naive);
}

/* -------------------------------------------------------------- tinylfu -- */

/* Lists: 0 the window, 1 probation, 2 protected. */
static inline uint64_t naive_window(const struct naive *naive)
{
    return naive_share(naive->bytes, naive->first);
}

static inline bool naive_tinylfu_overflows(const struct naive *naive)
{
    return bytes_of(naive, 0) + naive->coming > naive_window(naive);
}

static inline void naive_tinylfu_hit(struct naive *naive, uint64_t object)
{
    uint64_t main = naive->bytes - naive_window(naive);
    tinylfu_count(&naive->counted, object);
    if (list_has(&naive->list[0], object)) {
        list_renew(&naive->list[0], object);
        return;
    }
    move_to(naive, object, 2);
    while (bytes_of(naive, 2) > (uint64_t)((double)main * naive->second + 1e-6))
        move_to(naive, naive->list[2].entries[0].block, 1);
}

static inline uint64_t naive_tinylfu_evict(struct naive *naive)
{
    uint64_t main = naive->bytes - naive_window(naive), candidate, victim;
    while (naive_tinylfu_overflows(naive) &&
           (candidate = first_of(naive, 0)) != NONE &&
           bytes_of(naive, 1) + bytes_of(naive, 2) +
                   size_of(naive, candidate) <=
               main)
        move_to(naive, candidate, 1);
    candidate = first_of(naive, 0);
    victim = first_of(naive, 1);
    if (victim == NONE)
        victim = first_of(naive, 2);
    if (victim == NONE)
        return move_to(naive, candidate, -1);
    if (candidate == NONE || !naive_tinylfu_overflows(naive))
        return move_to(naive, victim, -1);
    if (tinylfu_frequency(&naive->counted, candidate) <=
        tinylfu_frequency(&naive->counted, victim))
        return move_to(naive, candidate, -1);
    move_to(naive, candidate, 1);
    return move_to(naive, victim, -1);
}

static inline void naive_tinylfu_insert(struct naive *naive, uint64_t object)
{
    tinylfu_count(&naive->counted, object);
    while (naive_tinylfu_overflows(naive) && naive->list[0].count > 0)
        move_to(naive, naive->list[0].entries[0].block, 1);
    list_push(&naive->list[0], object, 0);
}

/* -------------------------------------------------- lfu, lfuda and gdsf -- */

/* List 0, by last use: value = uses. */
static inline void naive_greedy_use(struct naive *naive, uint64_t object)
{
    struct naive_list *all = &naive->list[0];
    struct naive_entry *entry = &all->entries[list_find(all, object)];
    uint64_t bytes = size_of(naive, object);
    bool gdsf = strcmp(naive->policy->name, "gdsf") == 0;
    if (!gdsf || bytes == 0)
        bytes = 1;
    double cost = gdsf && !naive->of_blocks ? (double)naive->costs[object] : 1;
    entry->worth = (double)++entry->value * cost / (double)bytes + naive->age;
    list_renew(all, object);
}

static inline uint64_t naive_greedy_evict(struct naive *naive)
{
    const struct naive_list *all = &naive->list[0];
    const struct naive_entry *least = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct naive_entry *entry = &all->entries[i];
        if (entry->block != naive->asked &&
            (least == NULL || entry->worth < least->worth))
            least = entry;
    }
    if (strcmp(naive->policy->name, "lfu") != 0)
        naive->age = least->worth;
    return move_to(naive, least->block, -1);
}

static inline void naive_greedy_insert(struct naive *naive, uint64_t object)
{
    list_push(&naive->list[0], object, 0);
    naive_greedy_use(naive, object);
}

#endif
