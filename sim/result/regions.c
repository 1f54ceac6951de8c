/* regions.c - named ranges of addresses, from a table */
#define _GNU_SOURCE
#include "sim/result/regions.h"

#include <stdlib.h>
#include <string.h>

#include "sim/result/csv_read.h"
#include "stackdist/stackdist_internal.h"

struct region {
    uint64_t from, to;
    size_t number; /* of its name */
    uint64_t line;
};

struct regions {
    const char *path;
    bool has_header;
    struct region *list; /* ascending, once all have been read */
    size_t count, capacity;
    char **names;
    size_t name_count, name_capacity, other;
    struct margay_hash numbers; /* by the hash of a name: 1 + its number */
    const struct region *last;  /* the region found last */
};

/* ------------------------------------------------------------- reading -- */

static bool parse_address(const char *text, uint64_t *address)
{
    char *end;
    if (strncasecmp(text, "0x", 2) != 0)
        return margay_parse_u64(text, address);
    size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    size_t zeros = strspn(text + 2, "0");
    *address = strtoull(text + 2, &end, 16);
    return digits > 0 && digits - zeros <= 16 && *end == '\0' &&
           text[2 + digits] == '\0';
}

/* The number of a name, which is new if the name is.  A name whose hash is
   taken by another name has the next free key. */
static enum margay_status number_of(struct regions *regions, const char *name,
                                    size_t *number, struct margay_error *error)
{
    uint64_t key = margay_fnv1a(name, strlen(name));
    uint32_t *entry;
    enum margay_status status =
        regions->name_count < UINT32_MAX
            ? margay_hash_reserve(&regions->numbers, 1, error)
            : margay_fail_memory(error, "regions");
    if (status != MARGAY_OK)
        return status;
    while (*(entry = margay_hash_insert(&regions->numbers, key)) != 0 &&
           strcmp(regions->names[*entry - 1], name) != 0)
        key++;
    if (*entry == 0) {
        *entry = (uint32_t)regions->name_count + 1;
        char *copy = NULL;
        if (MARGAY_MAKE_ROOM(regions->names, regions->name_count, 1,
                             regions->name_capacity))
            copy = strdup(name);
        if (copy == NULL)
            return margay_fail_memory(error, "regions");
        regions->names[regions->name_count++] = copy;
    }
    *number = *entry - 1;
    return MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct regions *regions = context;
    struct region region = {.line = row->line};
    char columns[256];
    if (!regions->has_header) {
        regions->has_header = true;
        csv_join_row(row, columns, sizeof columns);
        if (strcmp(columns, REGIONS_COLUMNS) == 0)
            return MARGAY_OK;
        return csv_fail(regions->path, row->line, error,
                        "found columns '%s', expected regions: "
                        "'" REGIONS_COLUMNS "'",
                        columns);
    }
    if (row->count != 3 || *row->fields[0] == '\0')
        return csv_fail(regions->path, row->line, error,
                        "found %zu field%s, expected a name and two addresses",
                        row->count, margay_plural(row->count, "s"));
    if (!parse_address(row->fields[1], &region.from) ||
        !parse_address(row->fields[2], &region.to) || region.to <= region.from)
        return csv_fail(regions->path, row->line, error,
                        "found a region from '%s' to '%s', expected two "
                        "addresses, the second above the first",
                        row->fields[1], row->fields[2]);
    if (!MARGAY_MAKE_ROOM(regions->list, regions->count, 1, regions->capacity))
        return margay_fail_memory(error, "regions");
    regions->list[regions->count] = region;
    return number_of(regions, row->fields[0],
                     &regions->list[regions->count++].number, error);
}

static int ascending(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

enum margay_status regions_read(const char *path, struct regions **regions,
                                struct margay_error *error)
{
    struct regions *made = calloc(1, sizeof *made);
    *regions = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "regions");
    made->path = path;
    enum margay_status status = margay_hash_create(&made->numbers, 64, error);
    if (status == MARGAY_OK)
        status = csv_read(path, NULL, take_row, made, error);
    if (status == MARGAY_OK && made->count == 0)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found no regions, expected '" REGIONS_COLUMNS
                             "' and a row for each",
                             path);
    if (status == MARGAY_OK)
        qsort(made->list, made->count, sizeof *made->list, ascending);
    for (size_t i = 1; i < made->count && status == MARGAY_OK; i++) {
        const struct region *one = &made->list[i - 1], *other = &made->list[i];
        if (one->to > other->from)
            status = csv_fail(
                path, one->line > other->line ? one->line : other->line, error,
                "found regions '%s' and '%s', which overlap, expected none "
                "that do",
                made->names[one->number], made->names[other->number]);
    }
    /* Regions of this name count together with addresses in no region. */
    if (status == MARGAY_OK)
        status = number_of(made, REGIONS_OTHER, &made->other, error);
    if (status == MARGAY_OK)
        *regions = made;
    else
        regions_free(made);
    return status;
}

void regions_free(struct regions *regions)
{
    if (regions == NULL)
        return;
    for (size_t i = 0; i < regions->name_count; i++)
        free(regions->names[i]);
    free(regions->names);
    free(regions->list);
    margay_hash_destroy(&regions->numbers);
    free(regions);
}

/* ------------------------------------------------------------- looking -- */

const char *regions_name(const struct regions *regions, size_t number)
{
    return regions->names[number];
}

static bool holds(const struct region *region, uint64_t address)
{
    return address >= region->from && address < region->to;
}

size_t regions_find(struct regions *regions, uint64_t address)
{
    if (regions->last != NULL && holds(regions->last, address))
        return regions->last->number;
    size_t at =
        MARGAY_BISECT(i, regions->count, regions->list[i].to <= address);
    if (at < regions->count && holds(&regions->list[at], address)) {
        regions->last = &regions->list[at];
        return regions->last->number;
    }
    return regions->other;
}
