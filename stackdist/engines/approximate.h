/*
 * approximate.h - what the engines with a guaranteed error have in common
 *
 * They remember when each block was last referenced, and keep ranges of time
 * with the number of blocks whose last reference lies there; the distance is
 * the number of blocks in newer ranges, which misses those that are newer in
 * the same range.  They differ in how wide they let ranges become.
 */
#ifndef MARGAY_STACKDIST_APPROXIMATE_H
#define MARGAY_STACKDIST_APPROXIMATE_H

#include "stackdist/engine.h"

/* Times are numbers from 1 up, and below UINT32_MAX. */
struct margay_approximate_class {
    enum margay_status (*create)(const struct margay_engine_setup *setup,
                                 void **ranges, struct margay_error *error);
    void (*free_ranges)(void *ranges);

    /*
     * A block that was referenced at `last` (0: never) is referenced at
     * `now`.  Returns how many blocks are in newer ranges than that of `last`,
     * of which the caller makes no use if it is 0.  MARGAY_NO_MEMORY.
     */
    enum margay_status (*refer)(void *ranges, uint32_t last, uint32_t now,
                                uint32_t *distance, struct margay_error *error);

    /*
     * Time is to begin anew: number the ranges from 1 up (NULL: they are); say
     * which number a time's range has; make the numbers the ranges' ends, and
     * return the last one.
     */
    void (*begin_renaming)(void *ranges);
    uint32_t (*rename_time)(void *ranges, uint32_t time);
    uint32_t (*rename_ends)(void *ranges);

    /* Ranges there are. */
    uint64_t (*count)(const void *ranges);
};

/* The functions of a margay_engine_class but for create(). */
enum margay_status margay_approximate_create(
    const struct margay_approximate_class *class,
    const struct margay_engine_setup *setup, void **state,
    struct margay_error *error);
enum margay_status margay_approximate_feed(void *state, const uint64_t *blocks,
                                           size_t count, uint64_t *distances,
                                           struct margay_error *error);
void margay_approximate_reset_counts(void *state);
enum margay_status margay_approximate_finish(void *state,
                                             struct margay_result *result,
                                             struct margay_error *error);
void margay_approximate_free(void *state);

/* Times go up to `end` only, which must be beyond all ranges there ever are:
   create() takes what 32 bits hold, and tests less, as nobody waits for so many
   references. */
void margay_approximate_end_time_at(void *state, uint32_t end);

#endif
