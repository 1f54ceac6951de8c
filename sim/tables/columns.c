/* columns.c - what the columns of tables are for, when tables are compared */
#include "sim/tables/columns.h"

#include <stddef.h>
#include <string.h>

/* The columns that are no mere values, or hold names. */
static const struct column {
    const char *name;
    enum column_role role;
    bool is_text;
} columns[] = {
    {"trace", COLUMN_KEY, true},
    {"policy", COLUMN_KEY, true},
    {"role", COLUMN_KEY, true},
    {"region", COLUMN_KEY, true},
    {"op", COLUMN_KEY, true},
    {"engine", COLUMN_KEY, true},
    {"name", COLUMN_KEY, true},
    {"key", COLUMN_KEY, true},
    {"machine", COLUMN_KEY, true},
    {"cache", COLUMN_KEY, true},
    {"program", COLUMN_KEY, true},
    {"tenant", COLUMN_KEY, true},
    {"file", COLUMN_KEY, true},
    {"function", COLUMN_KEY, true},
    {"data", COLUMN_KEY, true},
    {"line", COLUMN_KEY, false},
    {"window", COLUMN_KEY, false},
    {"site", COLUMN_KEY, false},
    {"thread", COLUMN_KEY, false},
    {"core", COLUMN_KEY, false},
    {"block_address", COLUMN_KEY, false},
    {"offset", COLUMN_KEY, false},
    {"phase", COLUMN_KEY, false},
    {"block_bytes", COLUMN_KEY, false},
    {"cache_blocks", COLUMN_KEY, false},
    {"cache_bytes", COLUMN_KEY, false},
    {"sets", COLUMN_KEY, false},
    {"ways", COLUMN_KEY, false},
    {"distance_from", COLUMN_KEY, false},
    {"distance_to", COLUMN_KEY, false},
    {"index", COLUMN_KEY, false},
    {"sample", COLUMN_KEY, false},
    {"peak", COLUMN_KEY, false},
    {"miss_ratio", COLUMN_RATIO, false},
    {"byte_miss_ratio", COLUMN_RATIO, false},
    {"demand_miss_ratio", COLUMN_RATIO, false},
    {"misses", COLUMN_MISSES, false},
    {"shared_misses", COLUMN_MISSES, false},
    {"partition_misses", COLUMN_MISSES, false},
};

static const struct column *find(const char *name)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    }
    return NULL;
}

enum column_role column_role(const char *name)
{
    const struct column *column = find(name);
    if (column != NULL)
        return column->role;
    /* CACHE.COLUMN is what simulate --vary gave a value. */
    return strchr(name, '.') == NULL ? COLUMN_VALUE : COLUMN_KEY;
}

bool column_is_text(const char *name)
{
    const struct column *column = find(name);
    return column != NULL && column->is_text;
}
