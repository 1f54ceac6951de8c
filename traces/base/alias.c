/* alias.c - random choice from a list of weights: see alias.h */
#include "traces/base/alias.h"

#include "traces/base/error.h"
#include "traces/base/memory.h"

#define COLUMN_BITS 32
#define COLUMN      (UINT64_C(1) << COLUMN_BITS)

/* Draws whose cache misses overlap. */
#define DRAWS_AT_ONCE 32

struct margay_alias_column {
    uint32_t threshold;
    uint32_t alias; /* the entry itself if it fills its column */
};

static size_t columns_bytes(uint64_t entries)
{
    return (size_t)entries * sizeof(struct margay_alias_column);
}

void margay_alias_scale(uint64_t *weights, uint64_t entries, margay_u128 sum)
{
    uint64_t left = entries << COLUMN_BITS;
    margay_u128 area = left;
    for (uint64_t i = 0; i < entries; i++) {
        weights[i] = (uint64_t)(weights[i] * area / sum);
        left -= weights[i];
    }
    /* Rounding down has left less than 1 of each entry. */
    for (uint64_t i = 0; i < left; i++)
        weights[i]++;
}

/* The first entry from `entry` on that is heavier than a column, or is not,
   as `heavy` says; `entries` if there is none. */
static uint64_t find(const uint64_t *weights, uint64_t entries, uint64_t entry,
                     bool heavy)
{
    while (entry < entries && (weights[entry] > COLUMN) != heavy)
        entry++;
    return entry;
}

/* The entry keeps `own` of its column, and `other` gets the rest. */
static void fill_column(struct margay_alias *alias, uint64_t entry,
                        uint64_t own, uint64_t other)
{
    bool full = own == COLUMN;
    alias->columns[entry].threshold = full ? 0 : (uint32_t)own;
    alias->columns[entry].alias = (uint32_t)(full ? entry : other);
}

/*
 * One heavy entry at a time fills the columns of light entries, until its
 * remainder is light, too; then the next heavy entry fills its column.
 * Invariant: the weights not yet placed sum to the area not yet filled, so the
 * last heavy entry and the light ones after it fill their columns exactly.
 */
static void fill(struct margay_alias *alias, const uint64_t *weights)
{
    uint64_t entries = alias->entries;
    uint64_t light = find(weights, entries, 0, false);
    uint64_t heavy = find(weights, entries, 0, true);
    uint64_t left = heavy < entries ? weights[heavy] : 0;
    while (heavy < entries) {
        if (left > COLUMN) {
            fill_column(alias, light, weights[light], heavy);
            left -= COLUMN - weights[light];
            light = find(weights, entries, light + 1, false);
        } else {
            uint64_t next = find(weights, entries, heavy + 1, true);
            fill_column(alias, heavy, left, next);
            if (next < entries)
                left = weights[next] - (COLUMN - left);
            heavy = next;
        }
    }
    for (; light < entries; light = find(weights, entries, light + 1, false))
        fill_column(alias, light, COLUMN, light);
}

enum margay_status margay_alias_create(struct margay_alias *alias,
                                       const uint64_t *weights,
                                       uint64_t entries,
                                       struct margay_error *error)
{
    *alias = (struct margay_alias){entries, margay_map(columns_bytes(entries))};
    if (alias->columns == NULL)
        return margay_fail_memory(error, "a table of weights");
    fill(alias, weights);
    return MARGAY_OK;
}

void margay_alias_destroy(struct margay_alias *alias)
{
    margay_unmap(alias->columns, columns_bytes(alias->entries));
    *alias = (struct margay_alias){0};
}

/* The high half of draw * entries is the column, the low half the height. */
static void draw(const struct margay_alias *alias, struct margay_random *random,
                 uint64_t *drawn, size_t count)
{
    uint64_t chosen[DRAWS_AT_ONCE];
    uint32_t heights[DRAWS_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        margay_u128 product =
            (margay_u128)margay_random_u64(random) * alias->entries;
        chosen[i] = (uint64_t)(product >> 64);
        heights[i] = (uint32_t)((uint64_t)product >> (64 - COLUMN_BITS));
        __builtin_prefetch(&alias->columns[chosen[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        struct margay_alias_column column = alias->columns[chosen[i]];
        drawn[i] = heights[i] < column.threshold ? chosen[i] : column.alias;
    }
}

void margay_alias_draw(const struct margay_alias *alias,
                       struct margay_random *random, uint64_t *drawn,
                       size_t count)
{
    while (count > 0) {
        size_t some = count < DRAWS_AT_ONCE ? count : DRAWS_AT_ONCE;
        draw(alias, random, drawn, some);
        drawn += some;
        count -= some;
    }
}
