/*
 * naive_sampled.h - policies that choose among a sample: hyperbolic, those of
 * Redis and lhd
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_SAMPLED_H
#define MARGAY_TESTS_ASSOC_NAIVE_SAMPLED_H

#include "tests/assoc/naive_rules.h"

/* ---------------------------------------------- hyperbolic, and a sample -- */

/* Of `most` draws, or all if there are no more, the object of the least value;
   list 0 as that of random. */
static inline uint64_t sample_least(struct naive *naive, uint64_t most,
                                    double (*value_of)(const struct naive *,
                                                       uint64_t object))
{
    const struct naive_list *all = &naive->list[0];
    uint64_t least = NONE;
    bool draws = all->count > most;
    for (size_t i = 0; i < (draws ? most : all->count) || least == NONE; i++) {
        size_t at = draws ? margay_random_below(&naive->random, all->count) : i;
        uint64_t object = all->entries[at].block;
        if (object != naive->asked &&
            (least == NONE || value_of(naive, object) < value_of(naive, least)))
            least = object;
    }
    return least;
}

static inline double hyperbolic_value(const struct naive *naive,
                                      uint64_t object)
{
    double bytes = naive->sizes[object] > 0 ? (double)naive->sizes[object] : 1;
    return (double)naive->uses[object] /
           ((double)(naive->now + 1 - naive->used[object]) * bytes);
}

static inline void hyperbolic_hit(struct naive *naive, uint64_t object)
{
    naive->now++;
    naive->uses[object]++;
}

static inline uint64_t hyperbolic_evict(struct naive *naive)
{
    uint64_t victim =
        sample_least(naive, (uint64_t)naive->first, hyperbolic_value);
    random_remove(naive, victim);
    return victim;
}

static inline void hyperbolic_insert(struct naive *naive, uint64_t object)
{
    naive->used[object] = ++naive->now;
    naive->uses[object] = 1;
    random_insert(naive, object);
}

/* ---------------------------------------------------------------- redis -- */

/* Uses are ticks of the last one, or the counter; `used` is when an object
   came, 0 = it left. */
static inline void redis_remove(struct naive *naive, uint64_t object)
{
    naive->used[object] = 0;
    random_remove(naive, object);
}

static inline uint64_t redis_evict(struct naive *naive)
{
    const struct naive_list *all = &naive->list[0];
    for (;;) {
        for (size_t i = 0; i < (size_t)naive->first; i++) {
            size_t at = margay_random_below(&naive->random, all->count);
            uint64_t object = all->entries[at].block;
            uint64_t value = naive->uses[object];
            size_t place = 0;
            while (place < naive->pooled && naive->pool[place].value <= value)
                place++;
            if (place == 16)
                continue;
            memmove(&naive->pool[place + 1], &naive->pool[place],
                    (16 - place) * sizeof naive->pool[0]);
            naive->pool[place].object = object;
            naive->pool[place].came = naive->used[object];
            naive->pool[place].value = value;
            naive->pooled += naive->pooled < 16;
        }
        while (naive->pooled > 0) {
            uint64_t object = naive->pool[0].object;
            uint64_t came = naive->pool[0].came;
            memmove(&naive->pool[0], &naive->pool[1],
                    naive->pooled-- * sizeof naive->pool[0]);
            if (object != naive->asked && naive->used[object] == came) {
                redis_remove(naive, object);
                return object;
            }
        }
    }
}

static inline void redis_lru_hit(struct naive *naive, uint64_t object)
{
    naive->now++;
    naive->uses[object] = naive->now / (uint64_t)naive->second;
}

static inline void redis_lru_insert(struct naive *naive, uint64_t object)
{
    hyperbolic_insert(naive, object);
    naive->uses[object] = naive->now / (uint64_t)naive->second;
}

static inline void redis_lfu_hit(struct naive *naive, uint64_t object)
{
    uint64_t uses = naive->uses[object];
    if (uses < 255 &&
        margay_random_below(&naive->random,
                            (uses - 5) * (uint64_t)naive->second + 1) == 0)
        naive->uses[object]++;
}

static inline void redis_lfu_insert(struct naive *naive, uint64_t object)
{
    hyperbolic_insert(naive, object);
    naive->uses[object] = 5;
}

/* ------------------------------------------------------------------ lhd -- */

#define LHD_AGES 20000

/* As the authors' program has it: see lhd.c. */
struct naive_lhd {
    float hits[16][LHD_AGES], evictions[16][LHD_AGES], density[16][LHD_AGES];
    uint64_t last[OBJECTS], before[OBJECTS];
    uint64_t taken[OBJECTS]; /* bytes from the budget */
    bool explores[OBJECTS];
    uint64_t came[8], comers;
    int64_t budget;
    uint64_t left, reconfigured;
    int shift;
    float objects, mass, victims;
};

static inline uint64_t lhd_age(const struct naive *naive, uint64_t object)
{
    uint64_t age = (naive->now - naive->used[object]) >> naive->lhd->shift;
    return age >= LHD_AGES ? LHD_AGES - 1 : age;
}

static inline int lhd_class(const struct naive *naive, uint64_t object)
{
    uint64_t sum = naive->lhd->last[object] + naive->lhd->before[object];
    int log = 0;
    if (sum == 0)
        return 15;
    while (sum < LHD_AGES && log < 15) {
        sum <<= 1;
        log++;
    }
    return log;
}

static inline double lhd_value(const struct naive *naive, uint64_t object)
{
    uint64_t age = lhd_age(naive, object), bytes = naive->sizes[object];
    int of = lhd_class(naive, object);
    float density = naive->lhd->density[of][age];
    if (age == LHD_AGES - 1)
        return (double)-3.40282347e38f;
    if (naive->lhd->reconfigured == 0)
        density = (float)(of + 1) / (float)(age + 1);
    return (double)(density / (bytes > 0 ? (float)bytes : 1) +
                    (naive->lhd->explores[object] ? 1 : 0));
}

/* Only from long ages to short ones: the tests have few objects. */
static inline void lhd_stretch(float *counts, int by)
{
    for (int age = LHD_AGES >> by; age < LHD_AGES - 1; age++)
        counts[LHD_AGES - 1] += counts[age];
    for (int age = LHD_AGES - 2; age >= 0; age--)
        counts[age] = counts[age >> by] / (float)(1 << by);
}

static inline void lhd_reconfigure(struct naive *naive)
{
    struct naive_lhd *lhd = naive->lhd;
    lhd->objects = lhd->objects * 0.9f + (float)naive->list[0].count;
    lhd->mass = lhd->mass * 0.9f + 1;
    for (int of = 0; of < 16; of++) {
        for (int age = 0; age < LHD_AGES; age++) {
            lhd->hits[of][age] *= 0.9f;
            lhd->evictions[of][age] *= 0.9f;
        }
        if (lhd->reconfigured == 5) {
            lhd_stretch(lhd->hits[of], 9);
            lhd_stretch(lhd->evictions[of], 9);
        }
        float hits = lhd->hits[of][LHD_AGES - 1];
        float events = hits + lhd->evictions[of][LHD_AGES - 1], life = events;
        for (int age = LHD_AGES - 2; age >= 0; age--) {
            hits += lhd->hits[of][age];
            events += lhd->hits[of][age] + lhd->evictions[of][age];
            life += events;
            lhd->density[of][age] = events > 1e-5f ? hits / life : 0;
        }
    }
    if (lhd->reconfigured == 5)
        lhd->shift = 1;
    if (lhd->reconfigured == 5 || lhd->reconfigured == 25) {
        lhd->objects *= 8;
        lhd->mass *= 8;
    }
    lhd->reconfigured++;
}

static inline void lhd_update(struct naive *naive, uint64_t object, bool comes)
{
    struct naive_lhd *lhd = naive->lhd;
    bool explores = margay_random_below(&naive->random, 32) == 0;
    naive->used[object] = naive->now;
    lhd->explores[object] =
        explores && lhd->budget > 0 && lhd->reconfigured < 50;
    if (lhd->explores[object])
        lhd->budget -= (int64_t)naive->sizes[object];
    lhd->taken[object] = naive->sizes[object];
    if (comes && !explores && lhd_value(naive, object) < (double)lhd->victims)
        lhd->came[lhd->comers++ % 8] = object + 1;
    naive->now++;
    if (--lhd->left == 0) {
        lhd_reconfigure(naive);
        lhd->left = (uint64_t)naive->first;
    }
}

static inline void lhd_end_exploring(struct naive *naive, uint64_t object)
{
    if (naive->lhd->explores[object])
        naive->lhd->budget += (int64_t)naive->lhd->taken[object];
    naive->lhd->explores[object] = false;
}

static inline void lhd_hit(struct naive *naive, uint64_t object)
{
    uint64_t age = lhd_age(naive, object);
    naive->lhd->hits[lhd_class(naive, object)][age]++;
    lhd_end_exploring(naive, object);
    naive->lhd->before[object] = naive->lhd->last[object];
    naive->lhd->last[object] = age;
    lhd_update(naive, object, false);
}

static inline void lhd_remove(struct naive *naive, uint64_t object)
{
    uint64_t age = lhd_age(naive, object);
    naive->lhd->evictions[lhd_class(naive, object)][age]++;
    lhd_end_exploring(naive, object);
    for (int i = 0; i < 8; i++)
        naive->lhd->came[i] *= naive->lhd->came[i] != object + 1;
    random_remove(naive, object);
}

static inline uint64_t lhd_evict(struct naive *naive)
{
    struct naive_lhd *lhd = naive->lhd;
    uint64_t victim =
        sample_least(naive, lhd->reconfigured > 50 ? 32 : 8, lhd_value);
    for (int i = 0; i < 8; i++) {
        uint64_t object = lhd->came[i] - 1;
        if (lhd->came[i] > 0 && object != naive->asked &&
            lhd_value(naive, object) < lhd_value(naive, victim))
            victim = object;
    }
    lhd->victims =
        0.9f * lhd->victims + (1 - 0.9f) * (float)lhd_value(naive, victim);
    lhd_remove(naive, victim);
    return victim;
}

static inline void lhd_insert(struct naive *naive, uint64_t object)
{
    naive->lhd->last[object] = 0;
    naive->lhd->before[object] = LHD_AGES;
    random_insert(naive, object);
    lhd_update(naive, object, true);
}

#endif
