/*
 * naive_objects.h - caches of objects with sizes, and sets of blocks: the
 * requests, and the table of policies (naive_rules.h, naive_sampled.h)
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_OBJECTS_H
#define MARGAY_TESTS_ASSOC_NAIVE_OBJECTS_H

#include "tests/assoc/naive_sampled.h"

static const struct naive_policy naive_policies[] = {
    {"lru", renew_hit, oldest_evict, unmarked_insert, NULL, 0, 0, false},
    {"fifo", no_hit, oldest_evict, unmarked_insert, NULL, 0, 0, false},
    {"clock", naive_clock_hit, naive_clock_evict, naive_clock_insert, NULL, 1,
     0, false},
    {"sieve", mark_hit, naive_sieve_evict, unmarked_insert, naive_sieve_remove,
     0, 0, true},
    {"lfu", naive_greedy_use, naive_greedy_evict, naive_greedy_insert, NULL, 0,
     0, true},
    {"random", no_hit, random_evict, random_insert, random_remove, 0, 0, false},
    {"s3fifo", naive_s3fifo_hit, naive_s3fifo_evict, naive_s3fifo_insert, NULL,
     0.1, 0, true},
    {"2q", naive_2q_hit, naive_2q_evict, known_insert, NULL, 0.25, 0.5, true},
    {"slru", naive_slru_hit, naive_slru_evict, unmarked_insert, NULL, 0.8, 0,
     true},
    {"arc", naive_arc_hit, naive_arc_evict, known_insert, NULL, 0, 0, true},
    {"lirs", naive_lirs_hit, naive_lirs_evict, naive_lirs_insert,
     naive_lirs_remove, 0.01, 0, true},
    {"tinylfu", naive_tinylfu_hit, naive_tinylfu_evict, naive_tinylfu_insert,
     NULL, 0.01, 0.8, true},
    {"lfuda", naive_greedy_use, naive_greedy_evict, naive_greedy_insert, NULL,
     0, 0, true},
    {"hyperbolic", hyperbolic_hit, hyperbolic_evict, hyperbolic_insert,
     random_remove, 64, 0, false},
    {"redis-lru", redis_lru_hit, redis_evict, redis_lru_insert, redis_remove, 5,
     1, false},
    {"redis-lfu", redis_lfu_hit, redis_evict, redis_lfu_insert, redis_remove, 5,
     10, false},
    {"lhd", lhd_hit, lhd_evict, lhd_insert, lhd_remove, 1 << 20, 0, false},
    {"gdsf", naive_greedy_use, naive_greedy_evict, naive_greedy_insert, NULL, 0,
     0, true},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, false},
};

/* The policy of a spec and its parameters, which are given in their order. */
static inline void naive_parse(struct naive *naive, const char *spec)
{
    const char *admits = strstr(spec, "admit="), *tier = strstr(spec, "tier=");
    const char *value = strchr(spec, '=');
    const struct naive_policy *policy = naive_policies;
    size_t bytes = strcspn(spec, ":");
    while (policy->name != NULL && (strncmp(spec, policy->name, bytes) != 0 ||
                                    policy->name[bytes] != '\0'))
        policy++;
    *naive = (struct naive){
        .policy = policy, .first = policy->first, .second = policy->second};
    naive->admits = admits == NULL ? "" : admits + strlen("admit=");
    naive->tier = tier == NULL ? 0 : strtoull(tier + 5, NULL, 10);
    if (value != NULL && value[-1] != 't' &&
        (tier == NULL || value != tier + 4))
        naive->first = atof(value + 1);
    if (value != NULL && (value = strchr(value + 1, '=')) != NULL)
        naive->second = atof(value + 1);
}

static inline void naive_begin(struct naive *naive, const char *spec,
                               uint64_t bytes, const uint64_t *sizes,
                               uint64_t seed)
{
    naive_parse(naive, spec);
    const struct naive_policy *policy = naive->policy;
    naive->bytes = bytes;
    naive->unit = (naive_wide)1 << 50;
    margay_random_seed(&naive->chances, ~seed);
    memcpy(naive->sizes, sizes, sizeof naive->sizes);
    margay_random_seed(&naive->random, seed);
    uint64_t all = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        all += sizes[i];
    if (strcmp(policy->name, "lhd") == 0) {
        naive->lhd = calloc(1, sizeof *naive->lhd);
        if (naive->lhd == NULL)
            exit(1);
        naive->lhd->left = (uint64_t)naive->first;
        naive->lhd->shift = 10;
        naive->lhd->budget = (int64_t)(bytes / 100);
    }
    naive->counted.ways = bytes < all ? OBJECTS * bytes / all : OBJECTS;
    if (naive->counted.ways == 0)
        naive->counted.ways = 1;
    naive->admitted.ways = naive->counted.ways;
    naive->scale = 32768;
    for (size_t i = 0; i < OBJECTS; i++)
        naive->rates[i] = -1;
    naive->every = naive->left =
        naive->admits[0] == 'a' ? strtoull(naive->admits + 10, NULL, 10) : 0;
}

static inline void naive_end(struct naive *naive)
{
    for (size_t i = 0; i < 4; i++)
        free(naive->list[i].entries);
    free(naive->memory.entries);
    free(naive->counted.counters);
    free(naive->admitted.counters);
    free(naive->lhd);
}

static inline void naive_make_room(struct naive *naive)
{
    for (;;) {
        uint64_t used = naive->coming;
        for (size_t i = 0; i < OBJECTS; i++)
            used += naive->held[i] ? naive->sizes[i] : 0;
        if (used <= naive->bytes)
            return;
        naive->held[naive->policy->evict(naive)] = false;
    }
}

/* An object is to come in that is not there: what was remembered of it. */
static inline void naive_prepare(struct naive *naive, uint64_t object)
{
    naive->from = -1;
    for (int i = 2; i < 4; i++)
        naive->from = list_has(&naive->list[i], object) ? i : naive->from;
    if (naive->from >= 0 && strcmp(naive->policy->name, "arc") == 0)
        naive_arc_adapt(naive, object);
    if (strcmp(naive->policy->name, "lirs") == 0)
        list_drop(&naive->list[2], object);
    else
        move_to(naive, object, -1);
}

static inline void naive_come_in(struct naive *naive, uint64_t object)
{
    naive_prepare(naive, object);
    naive_make_room(naive);
    naive->policy->insert(naive, object);
    naive->held[object] = true;
    naive->written_bytes += naive->sizes[object];
}

/* Take out one that is held.  Sets have blocks of any number, and do not look
   at `held`. */
static inline void naive_take_out(struct naive *naive, uint64_t object)
{
    if (object < OBJECTS)
        naive->held[object] = false;
    if (naive->policy->remove != NULL)
        naive->policy->remove(naive, object);
    else
        move_to(naive, object, -1);
}

/* ------------------------------------------------------- sets of blocks -- */

/* False if the policy is not one of lists that naive_cache.h takes from here.
   Up to 40 ways the parts of arc's target leave nothing to round: every length
   divides them. */
static inline bool naive_set_begin(struct naive *set, const char *spec,
                                   uint64_t ways)
{
    naive_parse(set, spec);
    set->of_blocks = true;
    set->bytes = set->counted.ways = ways;
    set->unit = ways > 40 ? (naive_wide)1 << 50 : 1;
    for (uint64_t i = 2; i <= ways && ways <= 40; i++) {
        uint64_t a = (uint64_t)set->unit, b = i;
        while (b != 0) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        set->unit *= i / a;
    }
    return set->policy->for_sets || strncmp(spec, "clock:", 6) == 0;
}

static inline void naive_set_hit(struct naive *set, uint64_t block)
{
    set->asked = block;
    set->coming = 0;
    set->policy->hit(set, block);
}

/* The block that leaves a full set for another one. */
static inline uint64_t naive_set_evict(struct naive *set, uint64_t block)
{
    set->asked = block;
    set->coming = 1;
    naive_prepare(set, block);
    return set->policy->evict(set);
}

static inline void naive_set_insert(struct naive *set, uint64_t block)
{
    if (set->coming == 0)
        naive_prepare(set, block);
    set->coming = 1;
    set->policy->insert(set, block);
    set->coming = 0;
}

/* ------------------------------------------------------------ adaptsize -- */

/* The authors' model, over the objects that have a rate. */
static inline double adaptsize_model(const struct naive *naive, double log2c)
{
    double chances[OBJECTS], sum = 0, hits = 0, room = (double)naive->bytes;
    for (size_t i = 0; i < OBJECTS; i++) {
        chances[i] = exp(-(double)naive->sizes[i] / pow(2, log2c));
        if (naive->rates[i] >= 0)
            sum += naive->rates[i] * chances[i] * (double)naive->sizes[i];
    }
    if (sum <= 0)
        return 0;
    double time = room / sum;
    for (int j = 0; j < 10 && time <= 1e70; j++) {
        double held = 0;
        for (size_t i = 0; i < OBJECTS; i++) {
            double size = (double)naive->sizes[i], uses, odds;
            if (naive->rates[i] < 0)
                continue;
            uses = naive->rates[i] * time;
            odds = chances[i] * (exp(uses) - 1);
            held += uses > 150 ? size : size * (odds / (1 + odds));
        }
        time = room * time / held;
    }
    for (size_t i = 0; i < OBJECTS; i++) {
        double l = naive->rates[i], p = chances[i], x = l * time, share;
        if (l < 0)
            continue;
        double up = p * x * (840 + x * (60 + x * (20 + x)));
        double down =
            840 + x * (120 * (7 * p - 3) +
                       x * (60 * (1 + p) + x * (4 * (5 * p - 1) + x * p)));
        share = up != 0 && down == 0 ? 0 : up / down;
        hits += l * (share < 0 ? 0 : share > 1 ? 1 : share);
    }
    return hits;
}

/* x[0] to x[3] bracket the best; h is that of x[1] and x[2]. */
static inline void adaptsize_choose(struct naive *naive)
{
    const double r = 0.61803399, v = 1 - r, end = log2((double)naive->bytes);
    double x[4] = {0, end, end, end}, h[3] = {0, 0, 0};
    for (double at = 2; at < end; at += 4) {
        double hits = adaptsize_model(naive, at);
        x[1] = hits > h[1] ? at : x[1];
        h[1] = hits > h[1] ? hits : h[1];
    }
    if (x[3] - x[1] > x[1]) {
        x[2] = x[1] + v * (x[3] - x[1]);
        h[2] = adaptsize_model(naive, x[2]);
    } else {
        x[2] = x[1], h[2] = h[1];
        x[1] = v * x[1];
        h[1] = adaptsize_model(naive, x[1]);
    }
    for (int i = 0; i < 15; i++) {
        if (isnan(h[1]) || isnan(h[2]))
            return;
        if (fabs(x[3] - x[0]) <= 3e-8 * (fabs(x[1]) + fabs(x[2])))
            break;
        if (h[2] > h[1]) {
            x[0] = x[1], x[1] = x[2], h[1] = h[2];
            x[2] = r * x[1] + v * x[3];
            h[2] = adaptsize_model(naive, x[2]);
        } else {
            x[3] = x[2], x[2] = x[1], h[2] = h[1];
            x[1] = r * x[2] + v * x[0];
            h[1] = adaptsize_model(naive, x[1]);
        }
    }
    if (!isnan(h[1]) && !isnan(h[2]))
        naive->scale = pow(2, h[1] > h[2] ? x[1] : x[2]);
}

static inline void adaptsize_ask(struct naive *naive, uint64_t object)
{
    uint64_t known = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        known +=
            naive->asks[i] > 0 || naive->rates[i] >= 0 ? naive->sizes[i] : 0;
    if (--naive->left == 0) {
        naive->left = naive->every;
        for (size_t i = 0; i < OBJECTS && known > 3 * naive->bytes; i++) {
            double asks = (double)naive->asks[i], *rate = &naive->rates[i];
            if (*rate >= 0)
                *rate = *rate * 0.3 + 0.7 * asks;
            else if (asks > 0)
                *rate = asks;
            if (*rate < 0.1)
                *rate = -1;
            naive->asks[i] = 0;
        }
        if (known > 3 * naive->bytes)
            adaptsize_choose(naive);
    }
    naive->asks[object]++;
}

static inline uint64_t naive_next_victim(const struct naive *naive)
{
    struct naive copy = *naive;
    for (size_t i = 0; i < 4; i++) {
        const struct naive_list *list = &naive->list[i];
        size_t bytes = list->room * sizeof *list->entries;
        if (bytes > 0 && (copy.list[i].entries = malloc(bytes)) == NULL)
            exit(1);
        if (bytes > 0)
            memcpy(copy.list[i].entries, list->entries, bytes);
    }
    uint64_t victim = copy.policy->evict(&copy);
    for (size_t i = 0; i < 4; i++)
        free(copy.list[i].entries);
    return victim;
}

static inline bool naive_fits(const struct naive *naive, uint64_t size)
{
    for (size_t i = 0; i < OBJECTS; i++)
        size += naive->held[i] ? naive->sizes[i] : 0;
    return size <= naive->bytes;
}

static inline bool naive_admits(struct naive *naive, uint64_t object)
{
    bool before = naive->asked_before[object];
    if (naive->admits[0] == 's' && naive->admits[1] == 'i')
        return (double)naive->sizes[object] < atof(naive->admits + 5);
    if (naive->admits[0] == 's')
        return before;
    if (naive->admits[0] == 't')
        return naive_fits(naive, naive->sizes[object]) ||
               tinylfu_frequency(&naive->admitted, object) >
                   tinylfu_frequency(&naive->admitted,
                                     naive_next_victim(naive));
    if (naive->admits[0] == 'a')
        return (double)(margay_random_u64(&naive->chances) >> 11) / 0x1p53 <
               exp(-(double)naive->sizes[object] / naive->scale);
    return naive->admits[0] == '\0' ||
           (double)(margay_random_u64(&naive->chances) >> 11) / 0x1p53 <
               atof(naive->admits);
}

/* A request that the cache sees, of an object whose size is known. */
static inline void naive_ask_object(struct naive *naive, uint64_t object)
{
    bool held = naive->held[object];
    uint64_t size = naive->sizes[object];
    naive->asked = object;
    naive->coming = held ? 0 : size;
    if (naive->admits[0] == 'a')
        adaptsize_ask(naive, object);
    if (naive->admits[0] == 't')
        tinylfu_count(&naive->admitted, object);
    if (held)
        naive->policy->hit(naive, object);
    if (held && size > naive->bytes) {
        naive_take_out(naive, object);
    } else if (held) {
        naive->from = -1;
        naive_make_room(naive);
    } else if (size <= naive->bytes && naive_admits(naive, object)) {
        naive_come_in(naive, object);
    }
    naive->asked_before[object] = true;
}

/* ---------------------------------------------- memory before the cache -- */

static inline void naive_offer(struct naive *naive, uint64_t object,
                               uint64_t time)
{
    if (!naive->held[object] && time <= naive->valid[object])
        naive_ask_object(naive, object);
}

static inline void naive_remember(struct naive *naive, uint64_t object,
                                  uint64_t time)
{
    if (naive->sizes[object] > naive->tier) {
        naive_offer(naive, object, time);
        return;
    }
    for (;;) {
        uint64_t used = naive->sizes[object];
        for (size_t i = 0; i < naive->memory.count; i++)
            used += naive->sizes[naive->memory.entries[i].block];
        if (used <= naive->tier)
            break;
        naive_offer(naive, list_shift(&naive->memory), time);
    }
    list_push(&naive->memory, object, 0);
}

static inline void naive_request(struct naive *naive, uint64_t object,
                                 uint64_t size, uint64_t cost, uint64_t time,
                                 uint64_t until, bool stores)
{
    bool held = naive->held[object], in = list_drop(&naive->memory, object);
    bool miss = !(held || in) || time > naive->valid[object];
    bool anew = miss || stores || size != naive->sizes[object];
    naive->misses += miss;
    naive->missed_bytes += miss ? size : 0;
    naive->missed_cost += miss ? cost : 0;
    naive->memory_hits += in && !miss;
    if (miss || stores)
        naive->valid[object] = until;
    if (naive->tier > 0 && anew && held)
        naive_take_out(naive, object);
    naive->sizes[object] = size;
    naive->costs[object] = cost;
    if (naive->tier == 0)
        naive->written_bytes += held && anew && size <= naive->bytes ? size : 0;
    if (naive->tier == 0 || (!in && naive->held[object]))
        naive_ask_object(naive, object);
    if (naive->tier > 0)
        naive_remember(naive, object, time);
}

#endif
