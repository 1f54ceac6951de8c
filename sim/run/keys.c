/* keys.c - numbers for keys: see keys.h */
#define _GNU_SOURCE
#include "sim/run/keys.h"

#include <stdlib.h>

unsigned margay_keys_column(enum margay_attribution by)
{
    return by == MARGAY_BY_SITE     ? MARGAY_COLUMN_SITES
           : by == MARGAY_BY_DATUM  ? MARGAY_COLUMN_SITES
           : by == MARGAY_BY_THREAD ? MARGAY_COLUMN_THREADS
           : by == MARGAY_BY_TENANT ? MARGAY_COLUMN_TENANTS
           : by == MARGAY_BY_OP     ? MARGAY_COLUMN_OPS
                                    : MARGAY_COLUMN_NUMBERS;
}

enum margay_status margay_keys_begin(struct margay_keys *keys, size_t most,
                                     struct margay_error *error)
{
    *keys = (struct margay_keys){.most = most};
    return margay_hash_create(&keys->numbers, 64, error);
}

void margay_keys_clear(struct margay_keys *keys)
{
    margay_hash_destroy(&keys->numbers);
    free(keys->list);
    *keys = (struct margay_keys){.list = NULL};
}

enum margay_status margay_keys_find(struct margay_keys *keys, uint64_t key,
                                    struct margay_error *error)
{
    enum margay_status status = margay_hash_reserve(&keys->numbers, 1, error);
    if (status != MARGAY_OK)
        return status;
    uint32_t *entry = margay_hash_insert(&keys->numbers, key);
    if (*entry == 0) {
        *entry = 1; /* the table stays in order, even if the next call fails */
        if (keys->count == keys->most)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "more than %zu sites, threads or tenants, or "
                               "distances of these",
                               keys->most);
        if (!MARGAY_MAKE_ROOM(keys->list, keys->count, 1, keys->capacity))
            return margay_fail_memory(error, "the attribution");
        keys->list[keys->count++] = key;
        *entry = (uint32_t)keys->count;
    }
    keys->last = key;
    keys->last_number = *entry - 1;
    return MARGAY_OK;
}

static int by_key(const void *a, const void *b, void *context)
{
    const uint64_t *keys = context;
    uint64_t x = keys[*(const uint32_t *)a], y = keys[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

uint32_t *margay_keys_order(const struct margay_keys *keys)
{
    uint32_t *order = calloc(keys->count + 1, sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < keys->count; i++)
        order[i] = (uint32_t)i;
    if (keys->count > 1)
        qsort_r(order, keys->count, sizeof *order, by_key, keys->list);
    return order;
}
