/* text.c - a table for people: see text.h */
#include "sim/result/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "sim/result/match.h"
#include "traces/traces_internal.h"

#define GAP 2 /* between columns */

/* A group of rows: `fixed` columns have one value in each. */
struct group {
    const struct cells *table;
    struct output *output;
    size_t first, end; /* the rows */
    size_t columns;    /* of the terminal */
};

static bool is_key(const struct group *group, size_t column)
{
    return column_role(cells_name(group->table, column)) == COLUMN_KEY;
}

/* Does the heading have it, because it is the same in all rows?  The numbers of
   a row alone stay in it. */
static bool is_heading(const struct group *group, size_t column)
{
    const char *name = cells_name(group->table, column);
    return cells_same(group->table, column, group->first, group->end) &&
           (group->end - group->first > 1 || column_is_text(name) ||
            strcmp(name, "block_bytes") == 0) &&
           (is_key(group, column) || strcmp(name, "sampled") == 0 ||
            (strcmp(name, "references") == 0 &&
             cells_column(group->table, "misses") != SIZE_MAX));
}

/* "walk.din, blocks of 64 B, 3,576 references": what all rows share. */
static void put_heading(const struct group *group)
{
    char text[WORDS_KEY_BYTES];
    const char *gap = "";
    for (size_t i = 0; i < group->table->columns; i++) {
        if (!is_heading(group, i) ||
            cells_at(group->table, group->first, i)[0] == '\0')
            continue;
        output_text(group->output, "%s%s", gap,
                    words_key(group->table, group->first, i, text));
        gap = ", ";
    }
    if (gap[0] != '\0')
        output_text(group->output, "\n");
}

/* --------------------------------------------------------------- columns -- */

/* Names are cut at underscores, into lines that end at the same one: the word
   that is `above` lines above the last; returns its length, 0: none. */
static int name_word(const char *name, size_t above, const char **word)
{
    const char *end = name + strlen(name);
    for (;; above--) {
        *word = end;
        while (*word > name && (*word)[-1] != '_')
            (*word)--;
        if (above == 0)
            return (int)(end - *word);
        if (*word == name)
            return 0;
        end = *word - 1;
    }
}

static size_t width_of(const struct group *group, size_t column)
{
    char text[WORDS_BYTES];
    const char *word;
    size_t width = 0, above = 0;
    int length;
    while ((length = name_word(cells_name(group->table, column), above++,
                               &word)) > 0)
        width = margay_maximum(width, (size_t)length);
    for (size_t row = group->first; row < group->end; row++)
        width = margay_maximum(
            width, strlen(words_cell(group->table, row, column, text)));
    return width;
}

/* Has the column nothing, or only the text of the heading or of another one? */
static bool says_nothing(const struct group *group, size_t column)
{
    const struct cells *table = group->table;
    const char *value = cells_at(table, group->first, column);
    size_t bytes = cells_column(table, "cache_bytes");
    if (strcmp(cells_name(table, column), "cache_blocks") == 0 &&
        cells_at(table, group->first, bytes)[0] != '\0')
        return true;
    return is_heading(group, column) ||
           (cells_same(table, column, group->first, group->end) &&
            (value[0] == '\0' ||
             (strcmp(value, "0") == 0 && group->end - group->first > 1)));
}

/* Give columns their widths, as long as there is room; returns the number of
   those without. */
static size_t fit(const struct group *group, bool keys, size_t *used,
                  int widths[CSV_ROW_FIELDS])
{
    size_t left_out = 0;
    for (size_t i = 0; i < group->table->columns; i++) {
        if (is_key(group, i) != keys || says_nothing(group, i))
            continue;
        size_t width = width_of(group, i);
        if (left_out > 0 || *used + width > group->columns) {
            left_out++;
            continue;
        }
        widths[i] = (int)width;
        *used += width + GAP;
    }
    return left_out;
}

/* The columns that have a width, those of names to the left: a row or, where
   that is SIZE_MAX, a line of their names. */
static void put_line(const struct group *group, const int *widths, size_t row,
                     size_t above)
{
    const struct cells *table = group->table;
    int gap = 0;
    for (size_t i = 0; i < table->columns; i++) {
        char number[WORDS_BYTES];
        const char *first = cells_at(table, group->first, i), *text;
        int length = -1;
        if (row == SIZE_MAX)
            length = name_word(cells_name(table, i), above, &text);
        else
            text = words_cell(table, row, i, number);
        bool is_text = column_is_text(cells_name(table, i)) ||
                       (first[0] != '\0' && !json_is_number(first));
        if (widths[i] == 0)
            continue;
        output_text(group->output, "%*s%*.*s", gap, "",
                    is_text ? -widths[i] : widths[i], length, text);
        gap = GAP;
    }
    output_text(group->output, "\n");
}

static void put_columns(const struct group *group)
{
    const struct cells *table = group->table;
    int widths[CSV_ROW_FIELDS] = {0}; /* 0: not shown */
    size_t used = 0, left_out = fit(group, true, &used, widths), lines = 1;
    const char *word = "";
    left_out += fit(group, false, &used, widths);
    for (size_t i = 0; i < table->columns; i++) {
        while (widths[i] > 0 && name_word(cells_name(table, i), lines, &word))
            lines++;
    }
    while (lines-- > 0)
        put_line(group, widths, SIZE_MAX, lines);
    for (size_t row = group->first; row < group->end; row++)
        put_line(group, widths, row, 0);
    if (left_out > 0)
        output_text(group->output, "(%zu more columns: --csv)\n", left_out);
}

/* ---------------------------------------------------------------- matrix -- */

/* A row for each number of sets and a column for each number of ways, which
   follow each other in the table. */
static void put_matrix(const struct group *group)
{
    const struct cells *table = group->table;
    size_t sets = cells_column(table, "sets");
    size_t ways = cells_column(table, "ways");
    size_t ratio = cells_column(table, "miss_ratio");
    char text[WORDS_BYTES];
    size_t count = 1;
    while (group->first + count < group->end &&
           strcmp(cells_at(table, group->first + count, sets),
                  cells_at(table, group->first, sets)) == 0)
        count++;
    size_t shown = margay_minimum((group->columns - 10) / 8, count);
    output_text(group->output, "%10s", "sets");
    for (size_t i = 0; i < shown; i++)
        output_text(
            group->output, "%4s way%s", cells_at(table, group->first + i, ways),
            strcmp(cells_at(table, group->first + i, ways), "1") == 0 ? " "
                                                                      : "s");
    for (size_t row = group->first; row < group->end; row++) {
        size_t i = (row - group->first) % count;
        if (i == 0)
            output_text(group->output, "\n%10s",
                        words_cell(table, row, sets, text));
        if (i < shown)
            output_text(group->output, "%8s",
                        words_cell(table, row, ratio, text));
    }
    output_text(group->output, "\n");
    if (shown < count)
        output_text(group->output, "(%zu more columns: --csv)\n",
                    count - shown);
}

/* ------------------------------------------------------------------ bars -- */

#define BINS 65 /* 0, and a bin for each power of two */

/* "4Ki" */
static const char *name_distance(int power, bool is_end, char text[WORDS_BYTES])
{
    static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    if (power < 10)
        snprintf(text, WORDS_BYTES, "%u", (1U << power) - is_end);
    else
        snprintf(text, WORDS_BYTES, "%u%s", 1U << power % 10,
                 units[power / 10]);
    return text;
}

static void put_bar(const struct group *group, const char *name, double share,
                    double most)
{
    char text[WORDS_BYTES];
    size_t room = group->columns - 28;
    int bar = most > 0 ? (int)lround((double)room * share / most) : 0;
    output_text(group->output, "%16s %8s ", name, words_ratio(share, text));
    for (int i = 0; i < bar; i++)
        output_text(group->output, "#");
    output_text(group->output, "\n");
}

/* A bar for each power of two of the distance, and one of all beyond. */
static void put_bars(const struct group *group)
{
    const struct cells *table = group->table;
    size_t from = cells_column(table, "distance_from");
    size_t to = cells_column(table, "distance_to");
    size_t share = cells_column(table, "share");
    double shares[BINS] = {0}, most = 0, beyond = 0;
    char low[WORDS_BYTES], high[WORDS_BYTES], name[2 * WORDS_BYTES];
    int last = -1;
    for (size_t row = group->first; row < group->end; row++) {
        double of_row = strtod(cells_at(table, row, share), NULL);
        uint64_t distance = 0;
        if (strcmp(cells_at(table, row, to), "inf") == 0) {
            beyond += of_row;
            continue;
        }
        (void)margay_parse_u64(cells_at(table, row, from), &distance);
        int bin = distance == 0 ? 0 : 64 - __builtin_clzll(distance);
        shares[bin] += of_row;
        last = bin > last ? bin : last;
    }
    for (int bin = 0; bin <= last; bin++)
        most = fmax(most, shares[bin]);
    most = fmax(most, beyond);
    output_text(group->output, "%16s %8s\n", "distance", "share");
    for (int bin = 0; bin <= last; bin++) {
        if (bin < 2)
            snprintf(name, sizeof name, "%d", bin);
        else
            snprintf(name, sizeof name, "%s to %s",
                     name_distance(bin - 1, false, low),
                     name_distance(bin, true, high));
        put_bar(group, name, shares[bin], most);
    }
    put_bar(group, "first, or beyond", beyond, most);
}

/* ------------------------------------------------------------- all kinds -- */

/* The tables that are drawn in groups; the others are one group. */
static const struct kind {
    const char *keys[4]; /* which differ within a group; the first two and */
    const char *value;   /* this one say the kind */
    void (*put)(const struct group *group);
} kinds[] = {
    {{"sets", "ways", "cache_bytes", NULL}, "miss_ratio", put_matrix},
    {{"distance_from", "distance_to", NULL}, "share", put_bars},
};

enum margay_status text_write(struct output *output, const struct cells *table,
                              size_t columns, bool is_whole,
                              struct margay_error *error)
{
    struct group group = {.table = table,
                          .output = output,
                          .columns =
                              margay_maximum(columns, TEXT_LEAST_COLUMNS)};
    const struct kind *kind = NULL;
    /* What compare has apart from miss ratios needs columns of its own. */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (cells_column(table, "error_binomial") == SIZE_MAX &&
            cells_column(table, kinds[i].keys[0]) != SIZE_MAX &&
            cells_column(table, kinds[i].keys[1]) != SIZE_MAX &&
            cells_column(table, kinds[i].value) != SIZE_MAX)
            kind = &kinds[i];
    }
    if (table->rows == 0)
        output_text(output, "no references\n");
    if (chart_is_for(table))
        return chart_write(output, table, group.columns, is_whole, error);
    for (; group.first < table->rows; group.first = group.end) {
        group.end = kind == NULL ? table->rows : group.first + 1;
        while (group.end < table->rows &&
               match_same_keys(table, group.end, group.first, kind->keys))
            group.end++;
        if (group.first > 0)
            output_text(output, "\n");
        put_heading(&group);
        (kind == NULL ? put_columns : kind->put)(&group);
    }
    return MARGAY_OK;
}
