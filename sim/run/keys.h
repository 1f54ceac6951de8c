/*
 * keys.h - numbers for the sites, threads, regions or tenants of a pass
 *
 * A key gets the next number, from 0 on, when it is first met.  Neighbours
 * often have the same key, which costs a comparison.
 */
#ifndef MARGAY_SIM_RUN_KEYS_H
#define MARGAY_SIM_RUN_KEYS_H

#include "stackdist/stackdist_internal.h"
#include <margay/questions.h>

struct margay_keys {
    struct margay_hash numbers; /* by key: 1 + its number */
    uint64_t *list;             /* by number; owned */
    size_t count, capacity, most;
    uint64_t last; /* the key looked up last */
    uint32_t last_number;
};

/* The column of a span that keys are taken from.  Regions are numbered by
   addresses, and data by sites. */
unsigned margay_keys_column(enum margay_attribution by);

/* What stands there. */
static inline uint64_t margay_keys_source(enum margay_attribution by,
                                          const struct margay_span *span,
                                          size_t i)
{
    switch (by) {
    case MARGAY_BY_SITE:
    case MARGAY_BY_DATUM:
        return span->sites[i];
    case MARGAY_BY_THREAD:
        return span->threads[i];
    case MARGAY_BY_TENANT:
        return span->tenants[i];
    case MARGAY_BY_OP:
        return span->ops[i];
    default:
        return span->numbers[i];
    }
}

/* The most keys that references are told apart by. */
#define MARGAY_MOST_KEYS (((size_t)1 << 24) - 1)

/* `most` keys are up to UINT32_MAX - 1.  MARGAY_NO_MEMORY; to be cleared in any
   case. */
enum margay_status margay_keys_begin(struct margay_keys *keys, size_t most,
                                     struct margay_error *error);
void margay_keys_clear(struct margay_keys *keys);

/* The number of a key that is not the last one looked up.  MARGAY_NO_MEMORY,
   or MARGAY_BAD_ARGUMENT beyond the most keys. */
enum margay_status margay_keys_find(struct margay_keys *keys, uint64_t key,
                                    struct margay_error *error);

/* The numbers in ascending order of their keys, which the caller frees; NULL
   without memory. */
uint32_t *margay_keys_order(const struct margay_keys *keys);

/* The number of a key. */
static inline enum margay_status margay_keys_number(struct margay_keys *keys,
                                                    uint64_t key,
                                                    uint32_t *number,
                                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (key != keys->last || keys->count == 0)
        status = margay_keys_find(keys, key, error);
    *number = keys->last_number;
    return status;
}

#endif
