/* watching.c - what the threads of a replay tell its watch, and ask it */
#include "sim/run/watching.h"

void margay_watching_add(struct margay_watching *watching, size_t count)
{
    const struct margay_watch *watch = watching->watch;
    uint64_t done = atomic_fetch_add(&watching->done_refs, count) + count;
    if (watch == NULL || atomic_flag_test_and_set(&watching->telling))
        return;
    watch->progress(watch->context, done, watching->total_refs);
    atomic_flag_clear(&watching->telling);
}

bool margay_watching_is_over(const struct margay_watching *watching)
{
    const struct margay_watch *watch = watching->watch;
    return watch != NULL && watch->stop(watch->context);
}

void margay_watching_end(const struct margay_watching *watching, size_t lacking,
                         size_t caches)
{
    const struct margay_watch *watch = watching->watch;
    if (watch != NULL && lacking > 0)
        watch->leave(watch->context, lacking, caches);
}
