/* bars.c - histograms, the three Cs, and what pictures have in common */
#include "sim/report/bars.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/chart.h"
#include "sim/report/markup.h"
#include "sim/report/stacks.h"

/* Octaves of distances: 0, [1, 2), [2, 4), ..., and infinity. */
#define OCTAVES 66

struct rows rows_alike(const struct cells *table, size_t from)
{
    static const char *const names[] = {"trace", "block_bytes", "policy",
                                        "machine", "tenant"};
    struct rows rows = {table, from, from + 1};
    for (; rows.to < table->rows; rows.to++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            size_t column = table_column(table, names[i]);
            if (strcmp(table_text(table, from, column),
                       table_text(table, rows.to, column)) != 0)
                return rows;
        }
    }
    return rows;
}

/* The caption, and of which rows of a table with several groups. */
static void write_caption(struct output *output, const struct rows *rows,
                          const char *caption)
{
    const char *block = table_text(rows->table, rows->from,
                                   table_column(rows->table, "block_bytes"));
    output_text(output, "%s", caption);
    if (rows->from == 0 && rows->to == rows->table->rows)
        return;
    output_text(output, ": ");
    markup_text(output, table_text(rows->table, rows->from,
                                   table_column(rows->table, "trace")));
    if (*block != '\0') {
        output_text(output, ", blocks of ");
        markup_text(output, block);
        output_text(output, " bytes");
    }
}

void picture_begin(struct output *output, const struct rows *rows,
                   const char *caption)
{
    output_text(output, "<figure><figcaption>");
    write_caption(output, rows, caption);
    output_text(output,
                "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">"
                "<title>",
                CHART_WIDTH, CHART_HEIGHT);
    write_caption(output, rows, caption);
    output_text(output, "</title>\n");
}

void picture_end(struct output *output)
{
    output_text(output, "</svg></figure>\n");
}

void picture_legend(struct output *output, const char *const *names,
                    size_t count)
{
    output_text(output, "</svg><ul class=\"legend\">\n");
    for (size_t i = 0; i < count; i++) {
        output_text(output, "<li><span class=\"part%zu\"></span> ", i);
        markup_text(output, names[i]);
        output_text(output, "</li>\n");
    }
    output_text(output, "</ul></figure>\n");
}

void picture_title(struct output *output, const char *title)
{
    output_text(output, "<text class=\"below\" x=\"%d\" y=\"%d\">%s</text>\n",
                (CHART_LEFT + CHART_RIGHT) / 2, CHART_HEIGHT - 6, title);
}

/* ------------------------------------------------------------ histogram -- */

/* The octave of a distance; the last is infinity. */
static size_t octave_of(const struct rows *rows, size_t row, size_t column)
{
    double distance;
    if (!table_number(rows->table, row, column, &distance))
        return OCTAVES - 1;
    if (distance < 1)
        return 0;
    return distance < 0x1p64 ? (size_t)(1 + floor(log2(distance)))
                             : OCTAVES - 2;
}

void bars_histogram(struct output *output, const struct rows *rows,
                    const char *caption)
{
    struct stacks stacks = {0};
    size_t from = table_column(rows->table, "distance_from");
    size_t share = table_column(rows->table, "share");
    size_t last = 0;
    double number;
    for (size_t row = rows->from; row < rows->to; row++) {
        size_t octave = octave_of(rows, row, from);
        if (!table_number(rows->table, row, share, &number))
            continue;
        stacks.parts[octave][octave == OCTAVES - 1 ? 1 : 0] += number;
        if (octave < OCTAVES - 1 && octave > last)
            last = octave;
    }
    /* Infinity stands behind the last octave that has any. */
    memmove(stacks.parts[last + 1], stacks.parts[OCTAVES - 1],
            sizeof stacks.parts[0]);
    stacks.count = last + 2;
    for (size_t i = 0; i <= last; i++)
        markup_size(i == 0 ? 0 : exp2((double)i - 1), false, stacks.names[i]);
    strcpy(stacks.names[last + 1], "\u221e");
    picture_begin(output, rows, caption);
    stacks_write(output, &stacks);
    picture_title(output, "distance, from one power of two to the next");
    picture_end(output);
}

/* ---------------------------------------------------------- three Cs -- */

/* The number of ways whose caches are shown. */
static double choose_ways(const struct rows *rows, size_t ways)
{
    double chosen = INFINITY, number;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (!table_number(rows->table, row, ways, &number))
            continue;
        if (number == 4)
            return 4;
        chosen = fmin(chosen, number);
    }
    return chosen;
}

/* The shares of a row: of cold misses, of capacity misses, and of conflict
   misses, or, where sets do better than LRU over all blocks, as many less. */
static void three_shares(const struct rows *rows, size_t row, double parts[3])
{
    static const char *const names[] = {"cold_misses", "capacity_misses",
                                        "conflict_misses"};
    double references, misses[3];
    for (size_t i = 0; i < 3; i++) {
        if (!table_number(rows->table, row, table_column(rows->table, names[i]),
                          &misses[i]))
            misses[i] = 0;
    }
    if (misses[2] < 0) {
        misses[1] += misses[2];
        misses[2] = 0;
    }
    if (!table_number(rows->table, row, table_column(rows->table, "references"),
                      &references) ||
        references <= 0)
        references = 1;
    for (size_t i = 0; i < 3; i++)
        parts[i] = misses[i] > 0 ? misses[i] / references : 0;
}

void bars_three_cs(struct output *output, const struct rows *rows,
                   const char *caption)
{
    static const char *const names[] = {"cold", "capacity", "conflict"};
    struct stacks stacks = {0};
    size_t ways = table_column(rows->table, "ways");
    size_t bytes = table_column(rows->table, "cache_bytes");
    size_t sets = table_column(rows->table, "sets");
    double chosen = choose_ways(rows, ways), number, size = 0;
    char title[80];
    for (size_t row = rows->from; row < rows->to; row++) {
        bool in_bytes = table_number(rows->table, row, bytes, &size);
        if (!table_number(rows->table, row, ways, &number) ||
            number != chosen || stacks.count == STACKS_MOST)
            continue;
        if (!in_bytes && table_number(rows->table, row, sets, &size))
            size *= chosen;
        markup_size(size, in_bytes, stacks.names[stacks.count]);
        three_shares(rows, row, stacks.parts[stacks.count++]);
    }
    snprintf(title, sizeof title, "capacity of caches of %g way%s", chosen,
             chosen == 1 ? "" : "s");
    picture_begin(output, rows, caption);
    if (stacks.count > 0)
        stacks_write(output, &stacks);
    picture_title(output, title);
    picture_legend(output, names, 3);
}
