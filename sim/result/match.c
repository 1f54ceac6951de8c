/* match.c - the rows of two tables of one kind, by their keys */
#define _GNU_SOURCE
#include "sim/result/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* ------------------------------------------------------------- columns -- */

/* The columns that are no mere values, or hold names: lists between blanks. */
static const struct columns {
    enum column_role role;
    bool is_text;
    const char *names;
} columns[] = {
    {COLUMN_KEY, true,
     " trace policy role region op engine name key machine cache program "
     "tenant file function data property at "},
    {COLUMN_KEY, false,
     " line window site thread core block_address offset phase split tier "
     "block_bytes cache_blocks cache_bytes sets ways distance_from "
     "distance_to index sample peak place "},
    {COLUMN_RATIO, false, " miss_ratio byte_miss_ratio demand_miss_ratio "},
    {COLUMN_MISSES, false, " misses shared_misses partition_misses "},
};

static const struct columns *find(const char *name)
{
    size_t bytes = strcspn(name, " ");
    if (bytes == 0 || name[bytes] != '\0')
        return NULL;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *at = columns[i].names;
        while ((at = strstr(at, name)) != NULL) {
            if (at[-1] == ' ' && at[bytes] == ' ')
                return &columns[i];
            at += bytes;
        }
    }
    return NULL;
}

enum column_role column_role(const char *name)
{
    const struct columns *column = find(name);
    if (column != NULL)
        return column->role;
    /* CACHE.COLUMN is a field varied by simulate --vary. */
    return strchr(name, '.') == NULL ? COLUMN_VALUE : COLUMN_KEY;
}

bool match_same_keys(const struct cells *cells, size_t row, size_t other,
                     const char *const *but)
{
    for (size_t i = 0; i < cells->columns; i++) {
        const char *name = cells_name(cells, i);
        const char *const *left_out = but;
        while (*left_out != NULL && strcmp(*left_out, name) != 0)
            left_out++;
        if (*left_out == NULL && column_role(name) == COLUMN_KEY &&
            strcmp(cells_at(cells, row, i), cells_at(cells, other, i)) != 0)
            return false;
    }
    return true;
}

struct header {
    bool (*knows)(const char *header);
    bool is_ours;
};

static enum margay_status take_header(void *context, const struct csv_row *row,
                                      struct margay_error *error)
{
    struct header *header = context;
    char line[1024];
    (void)error;
    csv_join_row(row, line, sizeof line);
    bool counts = header->knows == NULL || header->knows(line);
    for (size_t i = 0; i < row->count; i++)
        counts |= strcmp(row->fields[i], "references") == 0;
    header->is_ours = counts && column_role(row->fields[0]) == COLUMN_KEY;
    return MARGAY_END;
}

bool match_is_table(const char *path, bool (*knows)(const char *header))
{
    struct header header = {.knows = knows};
    struct margay_error ignored;
    /* A file that is not CSV holds no table. */
    (void)csv_read(path, NULL, take_header, &header, &ignored);
    return header.is_ours;
}

bool column_is_text(const char *name)
{
    const struct columns *column = find(name);
    return column != NULL && column->is_text;
}

/* ---------------------------------------------------------------- rows -- */

static enum margay_status check_kinds(struct match *match,
                                      struct margay_error *error)
{
    const struct cells *base = &match->base, *now = &match->now;
    bool has_key = false;
    for (size_t i = 0; i < base->columns; i++) {
        match->roles[i] = column_role(cells_name(base, i));
        has_key |= match->roles[i] == COLUMN_KEY;
    }
    if (!has_key)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:1: found no column that tells rows apart, such "
                           "as trace, expected a table that margay wrote",
                           base->path);
    for (size_t i = 0; i < base->columns || i < now->columns; i++) {
        const char *was = i < base->columns ? cells_name(base, i) : "none";
        const char *is = i < now->columns ? cells_name(now, i) : "none";
        if (strcmp(was, is) != 0)
            return margay_fail(
                error, MARGAY_BAD_INPUT,
                "%s:1: found %.60s as column %zu, expected %.60s "
                "as in %s",
                now->path, is, i + 1, was, base->path);
    }
    return MARGAY_OK;
}

/* The only value of a column; NULL = rows differ, or there are none. */
static const char *only_cell(const struct cells *cells, size_t column)
{
    return cells->rows > 0 && cells_same(cells, column, 0, cells->rows)
               ? cells_at(cells, 0, column)
               : NULL;
}

/* Write-backs and fills of a machine's levels are no keys.  Two recordings of a
   program have names of their own: where each table is of one trace, its name
   does not tell rows apart. */
static void change_roles(struct match *match)
{
    size_t ratio = cells_column(&match->base, "miss_ratio");
    size_t trace = cells_column(&match->base, "trace");
    if (ratio != SIZE_MAX &&
        cells_column(&match->base, "demand_miss_ratio") != SIZE_MAX)
        match->roles[ratio] = COLUMN_VALUE;
    if (trace == SIZE_MAX)
        return;
    const char *was = only_cell(&match->base, trace);
    const char *is = only_cell(&match->now, trace);
    if (was == NULL || is == NULL || strcmp(was, is) == 0)
        return;
    match->base_trace = was;
    match->now_trace = is;
    match->roles[trace] = COLUMN_OTHER;
}

static int compare_keys(const struct match *match, const struct cells *a,
                        size_t a_row, const struct cells *b, size_t b_row)
{
    int order = 0;
    for (size_t i = 0; i < a->columns && order == 0; i++) {
        if (match->roles[i] == COLUMN_KEY)
            order = strcmp(cells_at(a, a_row, i), cells_at(b, b_row, i));
    }
    return order;
}

/* The table whose rows are sorted. */
struct sorted {
    const struct match *match;
    const struct cells *cells;
};

/* Rows of the same keys stay in their order. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const struct sorted *sorted = context;
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    int order =
        compare_keys(sorted->match, sorted->cells, one, sorted->cells, other);
    return order != 0 ? order : (one > other) - (one < other);
}

void match_describe(const struct match *match, const struct cells *cells,
                    size_t row, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < cells->columns && used < bytes; i++) {
        const char *cell = cells_at(cells, row, i);
        if (match->roles[i] == COLUMN_KEY && *cell != '\0')
            used += (size_t)snprintf(text + used, bytes - used, "%s%s %s",
                                     used == 0 ? "" : ", ",
                                     cells_name(cells, i), cell);
    }
    if (used == 0)
        snprintf(text, bytes, "the row");
}

/* Sort the rows by their keys. */
static enum margay_status sort_rows(const struct match *match,
                                    const struct cells *cells, size_t **order,
                                    struct margay_error *error)
{
    struct sorted sorted = {match, cells};
    *order = calloc(cells->rows + 1, sizeof **order);
    if (*order == NULL)
        return margay_fail_memory(error, "a table");
    for (size_t i = 0; i < cells->rows; i++)
        (*order)[i] = i;
    qsort_r(*order, cells->rows, sizeof **order, compare_rows, &sorted);
    return MARGAY_OK;
}

static enum margay_status fail_missing(const struct match *match,
                                       const struct cells *in,
                                       const struct cells *of, size_t row,
                                       struct margay_error *error)
{
    char keys[200];
    size_t found = 0, expected = 0, trace = cells_column(of, "trace");
    for (size_t i = 0; i < in->rows; i++)
        found += compare_keys(match, in, i, of, row) == 0;
    for (size_t i = 0; i < of->rows; i++)
        expected += compare_keys(match, of, i, of, row) == 0;
    /* May the sizes of caches be what one of two tables lacks?  Not if their
       traces are. */
    bool lacks_sizes = found == 0 && trace != SIZE_MAX &&
                       cells_column(of, "cache_bytes") != SIZE_MAX &&
                       cells_column(of, "sets") == SIZE_MAX &&
                       only_cell(in, trace) != NULL &&
                       only_cell(of, trace) != NULL;
    match_describe(match, of, row, keys, sizeof keys);
    return margay_fail(
        error, MARGAY_BAD_INPUT,
        "%s: found %zu row%s of %s, expected %zu, one for line "
        "%" PRIu64 " of %s%s",
        in->path, found, margay_plural(found, "s"), keys, expected,
        cells_line(of, row), of->path,
        lacks_sizes ? "; write both with the same list of --sizes" : "");
}

static enum margay_status pair_rows(struct match *match,
                                    struct margay_error *error)
{
    const struct cells *base = &match->base, *now = &match->now;
    enum margay_status status =
        sort_rows(match, base, &match->base_order, error);
    if (status == MARGAY_OK)
        status = sort_rows(match, now, &match->now_order, error);
    if (status != MARGAY_OK)
        return status;
    match->partner = calloc(base->rows + 1, sizeof *match->partner);
    if (match->partner == NULL)
        return margay_fail_memory(error, "a table");
    for (size_t i = 0; i < base->rows || i < now->rows; i++) {
        int order = i == base->rows ? 1
                    : i == now->rows
                        ? -1
                        : compare_keys(match, base, match->base_order[i], now,
                                       match->now_order[i]);
        if (order < 0)
            return fail_missing(match, now, base, match->base_order[i], error);
        if (order > 0)
            return fail_missing(match, base, now, match->now_order[i], error);
        match->partner[match->base_order[i]] = match->now_order[i];
    }
    return MARGAY_OK;
}

enum margay_status match_read(struct match *match, const char *base,
                              const char *now, struct margay_error *error)
{
    *match = (struct match){.partner = NULL};
    enum margay_status status = cells_read(&match->base, base, NULL, error);
    if (status == MARGAY_OK)
        status = cells_read(&match->now, now, NULL, error);
    if (status == MARGAY_OK)
        status = check_kinds(match, error);
    if (status == MARGAY_OK) {
        change_roles(match);
        status = pair_rows(match, error);
    }
    return status;
}

void match_clear(struct match *match)
{
    cells_clear(&match->base);
    cells_clear(&match->now);
    free(match->base_order);
    free(match->now_order);
    free(match->partner);
}
