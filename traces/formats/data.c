/*
 * data.c - the data at the addresses of a recorded program, over time
 *
 * Algorithm: a treap of ranges that do not overlap, ordered by their addresses,
 *   whose priorities are hashes of these.  Allocated memory replaces all older
 *   ranges that it overlaps; freed memory is cut out of them.  The range of the
 *   last look-up is tried first.
 * Cost: logarithmic in the number of ranges for an event and for a reference to
 *   another range than the one before; 56 bytes for each range.
 */
#include "traces/formats/data.h"

#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/grow.h"
#include "traces/base/random.h"
#include "traces/formats/format.h"

#define NONE UINT32_MAX

struct range {
    uint64_t from, bytes;
    uint64_t site, order;
    enum margay_data data;
    uint32_t left, right; /* NONE = there is none; `left` links free ones */
};

struct margay_data_map {
    struct range *ranges;
    size_t count, capacity;
    uint32_t root, free, last; /* NONE = there is none */
    bool has_events;
};

enum margay_status margay_data_map_create(struct margay_data_map **map,
                                          struct margay_error *error)
{
    *map = malloc(sizeof **map);
    if (*map == NULL)
        return margay_fail_memory(error, "the data of a program");
    **map = (struct margay_data_map){.root = NONE, .free = NONE, .last = NONE};
    return MARGAY_OK;
}

void margay_data_map_free(struct margay_data_map *map)
{
    if (map != NULL)
        free(map->ranges);
    free(map);
}

/* ----------------------------------------------------------------- treap -- */

/* Addresses ascend in steps that are alike, so every bit has to count.  No two
   addresses have the same hash. */
static uint64_t priority(const struct range *range)
{
    uint64_t address = range->from;
    return margay_splitmix64(&address);
}

/* Part the tree at `node` into ranges that begin below an address, and the
   others. */
static void part(struct margay_data_map *map, uint32_t node, uint64_t address,
                 uint32_t *below, uint32_t *others)
{
    while (node != NONE) {
        struct range *range = &map->ranges[node];
        if (range->from < address) {
            *below = node;
            below = &range->right;
            node = range->right;
        } else {
            *others = node;
            others = &range->left;
            node = range->left;
        }
    }
    *below = *others = NONE;
}

/* Join two trees; all of `low` is below all of `high`. */
static uint32_t join(struct margay_data_map *map, uint32_t low, uint32_t high)
{
    uint32_t root = NONE, *at = &root;
    while (low != NONE && high != NONE) {
        struct range *x = &map->ranges[low], *y = &map->ranges[high];
        if (priority(x) > priority(y)) {
            *at = low;
            at = &x->right;
            low = x->right;
        } else {
            *at = high;
            at = &y->left;
            high = y->left;
        }
    }
    *at = low != NONE ? low : high;
    return root;
}

/* The last range that begins at or below an address. */
static uint32_t last_from(const struct margay_data_map *map, uint64_t address)
{
    uint32_t found = NONE, node = map->root;
    while (node != NONE) {
        const struct range *range = &map->ranges[node];
        if (range->from <= address)
            found = node;
        node = range->from <= address ? range->right : range->left;
    }
    return found;
}

static bool has(const struct margay_data_map *map, uint32_t node,
                uint64_t address)
{
    return node != NONE &&
           address - map->ranges[node].from < map->ranges[node].bytes;
}

static void take_out(struct margay_data_map *map, uint32_t node)
{
    uint64_t from = map->ranges[node].from;
    uint32_t below, self, above;
    part(map, map->root, from, &below, &self);
    part(map, self, from + 1, &self, &above);
    map->root = join(map, below, above);
    map->ranges[node].left = map->free;
    map->free = node;
    map->last = NONE;
}

static enum margay_status put_in(struct margay_data_map *map,
                                 const struct range *range,
                                 struct margay_error *error)
{
    uint32_t node = map->free, below, above;
    if (node == NONE) {
        if (map->count == NONE - 1 ||
            !MARGAY_MAKE_ROOM(map->ranges, map->count, 1, map->capacity))
            return margay_fail_memory(error, "the data of a program");
        node = (uint32_t)map->count++;
    } else {
        map->free = map->ranges[node].left;
    }
    map->ranges[node] = *range;
    map->ranges[node].left = map->ranges[node].right = NONE;
    part(map, map->root, range->from, &below, &above);
    map->root = join(map, join(map, below, node), above);
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- events -- */

/* The first range that overlaps [from, from + bytes), NONE = none does. */
static uint32_t first_within(const struct margay_data_map *map, uint64_t from,
                             uint64_t bytes)
{
    uint32_t found = last_from(map, from), node = map->root;
    if (has(map, found, from))
        return found;
    for (found = NONE; node != NONE;) {
        const struct range *range = &map->ranges[node];
        if (range->from >= from)
            found = node;
        node = range->from >= from ? range->left : range->right;
    }
    return found != NONE && map->ranges[found].from - from < bytes ? found
                                                                   : NONE;
}

/* Remove the ranges that overlap an event; false: a younger one does. */
static bool make_room(struct margay_data_map *map,
                      const struct margay_data_event *event)
{
    uint32_t node;
    while ((node = first_within(map, event->address, event->bytes)) != NONE) {
        if (map->ranges[node].order > event->order)
            return false;
        take_out(map, node);
    }
    return true;
}

/* Put back the part [from, to) of a range, if there is one. */
static enum margay_status put_part(struct margay_data_map *map,
                                   struct range range, uint64_t from,
                                   uint64_t to, struct margay_error *error)
{
    if (from >= to)
        return MARGAY_OK;
    if (range.data == MARGAY_DATA_VARIABLE)
        range.site += from - range.from;
    range.from = from;
    range.bytes = to - from;
    return put_in(map, &range, error);
}

/* The memory of an event is given back, of mappings perhaps a part; younger
   ranges stay. */
static enum margay_status give_back(struct margay_data_map *map,
                                    const struct margay_data_event *event,
                                    struct margay_error *error)
{
    uint64_t at = event->address, end = at + event->bytes;
    enum margay_status status = MARGAY_OK;
    uint32_t node;
    if (end < at)
        end = UINT64_MAX;
    while (status == MARGAY_OK && at < end &&
           (node = first_within(map, at, end - at)) != NONE) {
        const struct range range = map->ranges[node];
        at = range.from + range.bytes;
        if (range.order > event->order)
            continue;
        take_out(map, node);
        status = put_part(map, range, range.from, event->address, error);
        if (status == MARGAY_OK)
            status = put_part(map, range, end, at, error);
    }
    return status;
}

enum margay_status margay_data_map_follow(struct margay_data_map *map,
                                          const struct margay_data_event *event,
                                          struct margay_error *error)
{
    const struct range range = {
        .from = event->address,
        .bytes = event->bytes == 0 ? 1 : event->bytes,
        .site = event->site,
        .order = event->order,
        .data = event->data,
    };
    map->has_events = true;
    if (event->data != MARGAY_DATA_UNKNOWN)
        return range.bytes <= UINT64_MAX - range.from && make_room(map, event)
                   ? put_in(map, &range, error)
                   : MARGAY_OK;
    if (event->bytes != 0)
        return give_back(map, event, error);
    uint32_t node = last_from(map, event->address);
    if (node != NONE && map->ranges[node].from == event->address &&
        map->ranges[node].order < event->order)
        take_out(map, node);
    return MARGAY_OK;
}

bool margay_data_map_has_events(const struct margay_data_map *map)
{
    return map->has_events;
}

uint64_t margay_data_map_find(struct margay_data_map *map, uint64_t address,
                              uint64_t site)
{
    if (!has(map, map->last, address))
        map->last = last_from(map, address);
    if (!has(map, map->last, address))
        return margay_datum(MARGAY_DATA_UNKNOWN, site);
    const struct range *range = &map->ranges[map->last];
    switch (range->data) {
    case MARGAY_DATA_ALLOCATED:
        return margay_datum(range->data, range->site);
    case MARGAY_DATA_VARIABLE:
        return margay_datum(range->data, range->site + (address - range->from));
    default:
        return margay_datum(range->data, site);
    }
}

enum margay_status margay_data_map_name(struct margay_data_map *map,
                                        const struct margay_data_event *events,
                                        size_t count,
                                        struct margay_references *references,
                                        size_t first,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t *sites = references->sites;
    bool sited = margay_references_columns(references) & MARGAY_COLUMN_SITES;
    size_t i = first;
    for (size_t done = 0; done <= count && status == MARGAY_OK; done++) {
        size_t end = done == count || events[done].at > references->count
                         ? references->count
                         : (size_t)events[done].at;
        for (; i < end; i++)
            sites[i] = margay_data_map_find(map, references->numbers[i],
                                            sited ? sites[i] : 0);
        if (done < count)
            status = margay_data_map_follow(map, &events[done], error);
    }
    references->unfilled &= ~(unsigned)MARGAY_COLUMN_SITES;
    return status;
}
