/*
 * naive_lists.h - the policies of several queues, made of lists of blocks
 *
 * Every list is an array of block numbers, the oldest entry first, that is
 * searched from the front; what a policy counts of blocks stands in one more
 * list.  Nothing here is shared with assoc/policies.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_LISTS_H
#define MARGAY_TESTS_ASSOC_NAIVE_LISTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct naive_entry {
    uint64_t block, value;
};

struct naive_list {
    struct naive_entry *entries;
    size_t count, room;
};

static inline size_t list_find(const struct naive_list *list, uint64_t block)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->entries[i].block == block)
            return i;
    }
    return SIZE_MAX;
}

static inline bool list_has(const struct naive_list *list, uint64_t block)
{
    return list_find(list, block) != SIZE_MAX;
}

static inline void list_push(struct naive_list *list, uint64_t block,
                             uint64_t value)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->entries =
            realloc(list->entries, list->room * sizeof *list->entries);
        if (list->entries == NULL)
            exit(1);
    }
    list->entries[list->count++] = (struct naive_entry){block, value};
}

/* Remove a block that may be there. */
static inline bool list_drop(struct naive_list *list, uint64_t block)
{
    size_t at = list_find(list, block);
    if (at == SIZE_MAX)
        return false;
    memmove(list->entries + at, list->entries + at + 1,
            (--list->count - at) * sizeof *list->entries);
    return true;
}

static inline uint64_t list_shift(struct naive_list *list)
{
    uint64_t block = list->entries[0].block;
    list_drop(list, block);
    return block;
}

/* Move a block of the list to its end, with its value. */
static inline void list_renew(struct naive_list *list, uint64_t block)
{
    uint64_t value = list->entries[list_find(list, block)].value;
    list_drop(list, block);
    list_push(list, block, value);
}

static inline uint64_t *list_value(struct naive_list *list, uint64_t block)
{
    return &list->entries[list_find(list, block)].value;
}

/* A set.  What the lists are, each policy says. */
struct naive_set {
    uint64_t ways;
    double first, second; /* the values of the spec, or its defaults */
    struct naive_list list[6];
    __extension__ __int128 target; /* of arc, in units of arc_unit() */
    uint64_t uses, lines;
    size_t hand;
    bool known;        /* the block that misses is remembered */
    uint8_t *counters; /* of the sketch: [line][row][counter] */
};

static inline uint64_t naive_share(uint64_t ways, double fraction)
{
    uint64_t share = ways * (uint64_t)(fraction * 1e6 + 0.5) / 1000000;
    return share > 1 ? share : 1;
}

/* ---------------------------------------------------------------- sieve -- */

/* List 0: the blocks as they came, value 1 = hit. */
static inline void sieve_hit(struct naive_set *set, uint64_t block)
{
    *list_value(&set->list[0], block) = 1;
}

static inline uint64_t sieve_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *all = &set->list[0];
    size_t at = set->hand;
    (void)block;
    while (all->entries[at].value == 1) {
        all->entries[at].value = 0;
        at = (at + 1) % all->count;
    }
    uint64_t victim = all->entries[at].block;
    list_drop(all, victim);
    set->hand = at < all->count ? at : 0;
    return victim;
}

static inline void sieve_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[0], block, 0);
}

/* ------------------------------------------------------------------ lfu -- */

/* List 0: the blocks by their last use, value = uses. */
static inline void lfu_hit(struct naive_set *set, uint64_t block)
{
    ++*list_value(&set->list[0], block);
    list_renew(&set->list[0], block);
}

static inline uint64_t lfu_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *all = &set->list[0];
    size_t least = 0;
    (void)block;
    for (size_t i = 1; i < all->count; i++) {
        if (all->entries[i].value < all->entries[least].value)
            least = i;
    }
    uint64_t victim = all->entries[least].block;
    list_drop(all, victim);
    return victim;
}

static inline void lfu_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[0], block, 1);
}

/* --------------------------------------------------------------- s3fifo -- */

/* Lists: 0 small, 1 main, 2 ghosts; value = hits, up to 3. */
static inline void s3fifo_hit(struct naive_set *set, uint64_t block)
{
    struct naive_list *in = &set->list[list_has(&set->list[0], block) ? 0 : 1];
    if (*list_value(in, block) < 3)
        ++*list_value(in, block);
}

static inline uint64_t s3fifo_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *small = &set->list[0], *main = &set->list[1];
    struct naive_list *ghosts = &set->list[2];
    uint64_t share = naive_share(set->ways, set->first);
    set->known = list_drop(ghosts, block);
    if (small->count >= share) {
        while (small->count > 0) {
            uint64_t hits = small->entries[0].value;
            uint64_t oldest = list_shift(small);
            if (hits >= 2) {
                list_push(main, oldest, 0);
                continue;
            }
            list_push(ghosts, oldest, 0);
            if (ghosts->count > set->ways - share)
                list_shift(ghosts);
            return oldest;
        }
    }
    for (;;) {
        uint64_t hits = main->entries[0].value, oldest = list_shift(main);
        if (hits == 0)
            return oldest;
        list_push(main, oldest, hits - 1);
    }
}

static inline void s3fifo_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[set->known ? 1 : 0], block, 0);
}

/* ------------------------------------------------------------------- 2q -- */

/* Lists: 0 A1in, 1 Am, 2 A1out. */
static inline void two_q_hit(struct naive_set *set, uint64_t block)
{
    if (list_has(&set->list[1], block))
        list_renew(&set->list[1], block);
}

static inline uint64_t two_q_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *in = &set->list[0], *main = &set->list[1];
    struct naive_list *out = &set->list[2];
    set->known = list_drop(out, block);
    if (main->count > 0 && in->count <= naive_share(set->ways, set->first))
        return list_shift(main);
    uint64_t victim = list_shift(in);
    list_push(out, victim, 0);
    if (out->count > naive_share(set->ways, set->second))
        list_shift(out);
    return victim;
}

static inline void two_q_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[set->known ? 1 : 0], block, 0);
}

/* ------------------------------------------------------------------ arc -- */

/* The parts of a block in which the target is counted.  Up to 40 ways they
   leave nothing to round: every length divides them.  Of more ways sums of
   rounded steps are taken for the whole number that they are next to. */
static inline int64_t arc_unit(uint64_t ways)
{
    int64_t unit = 1;
    if (ways > 40)
        return INT64_C(1) << 50;
    for (int64_t i = 2; i <= (int64_t)ways; i++) {
        int64_t a = unit, b = i;
        while (b != 0) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        unit *= i / a;
    }
    return unit;
}

/* Move the target by the larger of 1 and other / length. */
static inline void arc_move(struct naive_set *set, size_t length, size_t other,
                            int sign)
{
    int64_t unit = arc_unit(set->ways);
    __extension__ typedef __int128 wide;
    wide step =
        length >= other ? (wide)unit : (wide)other * unit / (wide)length;
    wide most = (wide)set->ways * unit, target = set->target + sign * step;
    wide whole = (target + unit / 2) / unit * unit;
    if (set->ways > 40 && target - whole < 1 << 20 && whole - target < 1 << 20)
        target = whole;
    set->target = target < 0 ? 0 : target > most ? most : target;
}

/* Lists: 0 T1, 1 T2, 2 B1, 3 B2. */
static inline void arc_hit(struct naive_set *set, uint64_t block)
{
    list_drop(&set->list[0], block);
    list_drop(&set->list[1], block);
    list_push(&set->list[1], block, 0);
}

static inline uint64_t arc_replace(struct naive_set *set, bool in_b2)
{
    struct naive_list *list = set->list;
    __extension__ __int128 t1 = list[0].count, p = set->target;
    t1 *= arc_unit(set->ways);
    int from = list[0].count >= 1 && ((in_b2 && t1 == p) || t1 > p) ? 0 : 1;
    if (list[from].count == 0)
        from = 1 - from;
    uint64_t victim = list_shift(&list[from]);
    list_push(&list[2 + from], victim, 0);
    return victim;
}

static inline uint64_t arc_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *list = set->list;
    bool in_b1 = list_has(&list[2], block), in_b2 = list_has(&list[3], block);
    set->known = in_b1 || in_b2;
    if (in_b1) {
        arc_move(set, list[2].count, list[3].count, 1);
        list_drop(&list[2], block);
        return arc_replace(set, false);
    }
    if (in_b2) {
        arc_move(set, list[3].count, list[2].count, -1);
        list_drop(&list[3], block);
        return arc_replace(set, true);
    }
    size_t l1 = list[0].count + list[2].count;
    size_t l2 = list[1].count + list[3].count;
    if (l1 == set->ways && list[2].count == 0)
        return list_shift(&list[0]);
    if (l1 == set->ways)
        list_shift(&list[2]);
    else if (l1 + l2 == 2 * set->ways)
        list_shift(&list[3]);
    return arc_replace(set, false);
}

static inline void arc_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[set->known ? 1 : 0], block, 0);
}

/* ----------------------------------------------------------------- lirs -- */

/* Lists: 0 the stack, its bottom first, value 1 = LIR; 1 the queue of HIR
   blocks; 2 those evicted that are in the stack, as they were evicted. */
static inline uint64_t lirs_lirs(const struct naive_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->list[0].count; i++)
        count += set->list[0].entries[i].value;
    return count;
}

static inline uint64_t lirs_most(const struct naive_set *set)
{
    return set->ways - naive_share(set->ways, set->first);
}

static inline void lirs_prune(struct naive_set *set)
{
    while (set->list[0].count > 0 && set->list[0].entries[0].value == 0)
        list_drop(&set->list[2], list_shift(&set->list[0]));
}

/* A block of the stack is used and becomes LIR, or is it. */
static inline void lirs_raise(struct naive_set *set, uint64_t block)
{
    *list_value(&set->list[0], block) = 1;
    list_renew(&set->list[0], block);
    list_drop(&set->list[1], block);
    lirs_prune(set);
    if (lirs_lirs(set) > lirs_most(set))
        list_push(&set->list[1], list_shift(&set->list[0]), 0);
    lirs_prune(set);
}

static inline void lirs_hit(struct naive_set *set, uint64_t block)
{
    if (list_has(&set->list[0], block)) {
        lirs_raise(set, block);
    } else {
        list_push(&set->list[0], block, 0);
        list_renew(&set->list[1], block);
    }
}

static inline uint64_t lirs_evict(struct naive_set *set, uint64_t block)
{
    list_drop(&set->list[2], block);
    uint64_t victim = list_shift(&set->list[1]);
    if (list_has(&set->list[0], victim))
        list_push(&set->list[2], victim, 0);
    if (set->list[2].count > 4 * set->ways)
        list_drop(&set->list[0], list_shift(&set->list[2]));
    return victim;
}

static inline void lirs_insert(struct naive_set *set, uint64_t block)
{
    if (list_has(&set->list[0], block)) {
        lirs_raise(set, block);
    } else if (lirs_lirs(set) < lirs_most(set)) {
        list_push(&set->list[0], block, 1);
    } else {
        list_push(&set->list[0], block, 0);
        list_push(&set->list[1], block, 0);
    }
}

/* -------------------------------------------------------------- tinylfu -- */

/* Lists: 0 the window, 1 probation, 2 protected. */
static inline uint8_t *tinylfu_counter(struct naive_set *set, uint64_t block,
                                       unsigned row)
{
    uint64_t hash = block;
    for (int i = 0; i < 2; i++)
        hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return set->counters + hash / 4294967296 % set->lines * 128 + row * 32 +
           (hash >> row * 5) % 32;
}

static inline void tinylfu_count(struct naive_set *set, uint64_t block)
{
    if (set->counters == NULL) {
        set->lines = 1;
        while (set->lines * 8 < set->ways)
            set->lines *= 2;
        set->counters = calloc(set->lines, 128);
        if (set->counters == NULL)
            exit(1);
    }
    for (unsigned row = 0; row < 4; row++) {
        uint8_t *counter = tinylfu_counter(set, block, row);
        *counter = *counter == 15 ? 15 : (uint8_t)(*counter + 1);
    }
    if (++set->uses < 10 * set->ways)
        return;
    for (uint64_t i = 0; i < set->lines * 128; i++)
        set->counters[i] /= 2;
    set->uses /= 2;
}

static inline unsigned tinylfu_frequency(struct naive_set *set, uint64_t block)
{
    unsigned least = 15;
    for (unsigned row = 0; row < 4; row++) {
        unsigned count = *tinylfu_counter(set, block, row);
        least = count < least ? count : least;
    }
    return least;
}

static inline void tinylfu_hit(struct naive_set *set, uint64_t block)
{
    uint64_t main = set->ways - naive_share(set->ways, set->first);
    tinylfu_count(set, block);
    if (list_has(&set->list[0], block)) {
        list_renew(&set->list[0], block);
    } else if (list_has(&set->list[2], block)) {
        list_renew(&set->list[2], block);
    } else {
        list_drop(&set->list[1], block);
        list_push(&set->list[2], block, 0);
        if (set->list[2].count > (uint64_t)((double)main * set->second))
            list_push(&set->list[1], list_shift(&set->list[2]), 0);
    }
}

static inline uint64_t tinylfu_evict(struct naive_set *set, uint64_t block)
{
    struct naive_list *losers = &set->list[set->list[1].count > 0 ? 1 : 2];
    uint64_t candidate = set->list[0].entries[0].block;
    (void)block;
    if (losers->count == 0 ||
        tinylfu_frequency(set, losers->entries[0].block) >=
            tinylfu_frequency(set, candidate))
        return list_shift(&set->list[0]);
    uint64_t victim = list_shift(losers);
    list_push(&set->list[1], list_shift(&set->list[0]), 0);
    return victim;
}

static inline void tinylfu_insert(struct naive_set *set, uint64_t block)
{
    tinylfu_count(set, block);
    if (set->list[0].count == naive_share(set->ways, set->first))
        list_push(&set->list[1], list_shift(&set->list[0]), 0);
    list_push(&set->list[0], block, 0);
}

/* ----------------------------------------------------------------- slru -- */

/* Lists: 0 probation, 1 protected. */
static inline void slru_hit(struct naive_set *set, uint64_t block)
{
    list_drop(&set->list[0], block);
    list_drop(&set->list[1], block);
    list_push(&set->list[1], block, 0);
    if (set->list[1].count > (uint64_t)((double)set->ways * set->first + 1e-6))
        list_push(&set->list[0], list_shift(&set->list[1]), 0);
}

static inline uint64_t slru_evict(struct naive_set *set, uint64_t block)
{
    (void)block;
    return list_shift(&set->list[set->list[0].count > 0 ? 0 : 1]);
}

static inline void slru_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[0], block, 0);
}

/* ------------------------------------------------------- lfuda and gdsf -- */

/* Lists: 0 the blocks by their last use, value = uses and age; 1 value = uses.
   The age stands in set->uses. */
static inline void lfuda_hit(struct naive_set *set, uint64_t block)
{
    *list_value(&set->list[0], block) =
        ++*list_value(&set->list[1], block) + set->uses;
    list_renew(&set->list[0], block);
}

static inline uint64_t lfuda_evict(struct naive_set *set, uint64_t block)
{
    uint64_t victim;
    size_t least = 0;
    (void)block;
    for (size_t i = 1; i < set->list[0].count; i++) {
        if (set->list[0].entries[i].value < set->list[0].entries[least].value)
            least = i;
    }
    set->uses = set->list[0].entries[least].value;
    victim = set->list[0].entries[least].block;
    list_drop(&set->list[0], victim);
    list_drop(&set->list[1], victim);
    return victim;
}

static inline void lfuda_insert(struct naive_set *set, uint64_t block)
{
    list_push(&set->list[0], block, set->uses + 1);
    list_push(&set->list[1], block, 1);
}

/* ------------------------------------------------------------------ all -- */

struct naive_listed {
    const char *name;
    double first, second; /* defaults of its parameters */
    void (*hit)(struct naive_set *set, uint64_t block);
    /* The block that leaves a full set for `block`. */
    uint64_t (*evict)(struct naive_set *set, uint64_t block);
    void (*insert)(struct naive_set *set, uint64_t block);
};

static const struct naive_listed naive_listed[] = {
    {"sieve", 0, 0, sieve_hit, sieve_evict, sieve_insert},
    {"lfu", 0, 0, lfu_hit, lfu_evict, lfu_insert},
    {"s3fifo", 0.1, 0, s3fifo_hit, s3fifo_evict, s3fifo_insert},
    {"2q", 0.25, 0.5, two_q_hit, two_q_evict, two_q_insert},
    {"arc", 0, 0, arc_hit, arc_evict, arc_insert},
    {"lirs", 0.01, 0, lirs_hit, lirs_evict, lirs_insert},
    {"tinylfu", 0.01, 0.8, tinylfu_hit, tinylfu_evict, tinylfu_insert},
    {"slru", 0.8, 0, slru_hit, slru_evict, slru_insert},
    {"lfuda", 0, 0, lfuda_hit, lfuda_evict, lfuda_insert},
    {"gdsf", 0, 0, lfuda_hit, lfuda_evict, lfuda_insert},
};

/* The policy of a spec whose parameters, if any, are given in their order; NULL
   if it is not made of lists. */
static inline const struct naive_listed *naive_listed_of(const char *spec,
                                                         struct naive_set *set)
{
    size_t bytes = strcspn(spec, ":");
    for (size_t i = 0; i < sizeof naive_listed / sizeof naive_listed[0]; i++) {
        if (strncmp(spec, naive_listed[i].name, bytes) != 0 ||
            naive_listed[i].name[bytes] != '\0')
            continue;
        set->first = naive_listed[i].first;
        set->second = naive_listed[i].second;
        const char *value = strchr(spec, '=');
        if (value != NULL)
            set->first = atof(value + 1);
        if (value != NULL && (value = strchr(value + 1, '=')) != NULL)
            set->second = atof(value + 1);
        return &naive_listed[i];
    }
    return NULL;
}

static inline void naive_set_free(struct naive_set *set)
{
    for (size_t i = 0; i < sizeof set->list / sizeof set->list[0]; i++)
        free(set->list[i].entries);
    free(set->counters);
}

#endif
