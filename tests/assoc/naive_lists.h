/*
 * naive_lists.h - lists that are searched from the front, and the sketch of
 * tinylfu
 *
 * A list is an array of blocks or objects, the oldest entry first.  Nothing
 * here is shared with assoc/policies.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_LISTS_H
#define MARGAY_TESTS_ASSOC_NAIVE_LISTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct naive_entry {
    uint64_t block, value;
    double worth; /* of lfuda and gdsf */
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
    list->entries[list->count++] = (struct naive_entry){block, value, 0};
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
    struct naive_entry entry = list->entries[list_find(list, block)];
    list_drop(list, block);
    list->entries[list->count++] = entry;
}

static inline uint64_t *list_value(struct naive_list *list, uint64_t block)
{
    return &list->entries[list_find(list, block)].value;
}

static inline uint64_t naive_share(uint64_t ways, double fraction)
{
    uint64_t share = ways * (uint64_t)(fraction * 1e6 + 0.5) / 1000000;
    return share > 1 ? share : 1;
}

/* ----------------------------------------------------------- the sketch -- */

struct naive_sketch {
    uint64_t ways, uses, lines;
    uint8_t *counters; /* [line][row][counter] */
};

static inline uint8_t *tinylfu_counter(struct naive_sketch *sketch,
                                       uint64_t block, unsigned row)
{
    uint64_t hash = block;
    for (int i = 0; i < 2; i++)
        hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return sketch->counters + hash / 4294967296 % sketch->lines * 128 +
           row * 32 + (hash >> row * 5) % 32;
}

static inline void tinylfu_count(struct naive_sketch *sketch, uint64_t block)
{
    if (sketch->counters == NULL) {
        sketch->lines = 1;
        while (sketch->lines * 8 < sketch->ways)
            sketch->lines *= 2;
        sketch->counters = calloc(sketch->lines, 128);
        if (sketch->counters == NULL)
            exit(1);
    }
    for (unsigned row = 0; row < 4; row++) {
        uint8_t *counter = tinylfu_counter(sketch, block, row);
        *counter = *counter == 15 ? 15 : (uint8_t)(*counter + 1);
    }
    if (++sketch->uses < 10 * sketch->ways)
        return;
    for (uint64_t i = 0; i < sketch->lines * 128; i++)
        sketch->counters[i] /= 2;
    sketch->uses /= 2;
}

static inline unsigned tinylfu_frequency(struct naive_sketch *sketch,
                                         uint64_t block)
{
    unsigned least = 15;
    for (unsigned row = 0; row < 4; row++) {
        unsigned count = *tinylfu_counter(sketch, block, row);
        least = count < least ? count : least;
    }
    return least;
}

#endif
