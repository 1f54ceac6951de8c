/*
 * ages.c - copies of objects that expire
 *
 * Algorithm: a copy in a cache is valid for some time after it was stored: by
 *   the miss that brought it there, or by a set.  That differs by the size of
 *   the cache, as larger ones have had the object for longer.  So an object has
 *   a few ages, each from a size of cache on, and a hit counts in the caches
 *   whose copy is valid.
 * Source: our own.
 * Guarantee: exact up to MARGAY_OBJECTS_AGES ages of an object; where there
 *   would be more, which is counted, the two nearest in time become one.
 * Cost: a few steps a request, and 64 bytes an object.
 */
#include "stackdist/objects/objects.h"

/* Ages that are being made, with room for one too many. */
struct new_ages {
    uint64_t from[MARGAY_OBJECTS_AGES + 1], until[MARGAY_OBJECTS_AGES + 1];
    size_t count;
    bool merged;
};

/* From caches of this size on, copies are valid up to then.  Where that is one
   too many, the two neighbours that are nearest in time get the age that the
   larger caches have: that of the largest is always right. */
static void add_age(struct new_ages *ages, uint64_t from, uint64_t until)
{
    size_t nearest = 0;
    uint64_t least = UINT64_MAX;
    if (ages->count > 0 && ages->until[ages->count - 1] == until)
        return;
    ages->from[ages->count] = from;
    ages->until[ages->count++] = until;
    if (ages->count <= MARGAY_OBJECTS_AGES)
        return;
    for (size_t i = 0; i < MARGAY_OBJECTS_AGES; i++) {
        uint64_t a = ages->until[i], b = ages->until[i + 1];
        uint64_t apart = a > b ? a - b : b - a;
        nearest = apart < least ? i : nearest;
        least = apart < least ? apart : least;
    }
    ages->merged = true;
    ages->count--;
    for (size_t i = nearest; i < MARGAY_OBJECTS_AGES; i++) {
        ages->until[i] = ages->until[i + 1];
        if (i > nearest)
            ages->from[i] = ages->from[i + 1];
    }
}

/* Find the part of `hits` whose copies are valid at this time; a copy that is
   stored anew, or by a set, is valid until `fresh`. */
static inline void keep_valid(const struct margay_ages *old,
                              const struct margay_hits *hits, uint64_t time,
                              bool sets, uint64_t fresh,
                              struct margay_hits *valid, struct new_ages *now)
{
    uint64_t end = 0;
    valid->count = 0;
    for (size_t k = 0; k < hits->count; k++) {
        const struct margay_interval *all = &hits->list[k];
        if (end < all->from)
            add_age(now, end, fresh);
        end = all->to;
        for (size_t a = 0; a < MARGAY_OBJECTS_AGES && old->from[a] < end; a++) {
            bool last = a + 1 == MARGAY_OBJECTS_AGES;
            uint64_t from = margay_maximum(old->from[a], all->from);
            uint64_t to =
                margay_minimum(last ? UINT64_MAX : old->from[a + 1], end);
            if (from >= to)
                continue;
            bool is_valid = time <= old->until[a];
            add_age(now, from, is_valid && !sets ? old->until[a] : fresh);
            if (is_valid)
                valid->list[valid->count++] =
                    (struct margay_interval){from, to};
        }
    }
    if (end != UINT64_MAX)
        add_age(now, end, fresh);
}

void margay_hits_expire(struct margay_objects *objects,
                        const struct margay_requests *requests, size_t i,
                        const struct margay_ages *old,
                        struct margay_ages *stored, struct margay_hits *hits)
{
    struct new_ages now = {.count = 0};
    struct margay_hits valid;
    uint64_t time = requests->times[i], ttl = objects->options.ttl_seconds;
    bool sets = requests->ops != NULL && requests->ops[i] == MARGAY_SET;
    if (ttl == UINT64_MAX && requests->ttls != NULL)
        ttl = requests->ttls[i];
    uint64_t fresh = margay_time_after(time, ttl);
    if (old == NULL)
        hits->count = 0;
    keep_valid(old, hits, time, sets, fresh, &valid, &now);
    for (size_t k = 0; k < MARGAY_OBJECTS_AGES; k++) {
        stored->from[k] = k < now.count ? now.from[k] : UINT64_MAX;
        stored->until[k] = now.until[k];
    }
    objects->counts.merged += now.merged;
    if (old == NULL)
        return;
    /* The distance is the smallest cache from the old one on that hits. */
    uint64_t distance = hits->distance;
    hits->distance = MARGAY_INFINITE;
    hits->count = valid.count;
    for (size_t k = valid.count; k-- > 0;) {
        hits->list[k] = valid.list[k];
        if (valid.list[k].to > distance)
            hits->distance =
                valid.list[k].from > 1 ? valid.list[k].from : distance;
    }
}
