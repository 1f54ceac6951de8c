/* clock.c - the reuse time of each reference */
#include "stackdist/clock.h"

#include "traces/traces_internal.h"

enum margay_status margay_clock_create(struct margay_clock *clock,
                                       struct margay_error *error)
{
    clock->now = 0;
    return margay_hash_create(&clock->last, 0, error);
}

void margay_clock_destroy(struct margay_clock *clock)
{
    margay_hash_destroy(&clock->last);
}

enum margay_status margay_clock_fail_end(struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "reuse times are measured over at most %llu references",
                       (unsigned long long)MARGAY_CLOCK_END);
}
