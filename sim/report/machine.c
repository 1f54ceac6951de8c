/* machine.c - the misses of the caches of a machine, as SVG and in words */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/bars.h"
#include "sim/report/markup.h"
#include "sim/report/stacks.h"

static double number_at(const struct rows *rows, size_t row, const char *name)
{
    double number;
    bool has = table_number(rows->table, row, table_column(rows->table, name),
                            &number);
    return has ? fmax(number, 0) : 0;
}

/* The largest number of a column. */
static double most_of(const struct rows *rows, const char *name)
{
    double most = 0;
    for (size_t row = rows->from; row < rows->to; row++)
        most = fmax(most, number_at(rows, row, name));
    return most;
}

static void tell_caches(struct output *output, const struct rows *rows)
{
    const struct cells *table = rows->table;
    output_text(output, "<p>");
    markup_text(output,
                table_text(table, rows->from, table_column(table, "machine")));
    output_text(output, ", ");
    markup_text(output,
                table_text(table, rows->from, table_column(table, "trace")));
    const char *between = ": ";
    for (size_t row = rows->from; row < rows->to; row++) {
        double mpki = number_at(rows, row, "demand_mpki");
        if (number_at(rows, row, "demand_references") <= 0)
            continue;
        output_text(output, "%s", between);
        markup_text(output,
                    table_text(table, row, table_column(table, "cache")));
        output_text(output, " misses %.3g%% of what the program asks of it",
                    100 * number_at(rows, row, "demand_miss_ratio"));
        if (mpki > 0)
            output_text(output, ", %.3g per 1000 instructions", mpki);
        between = "; ";
    }
    output_text(output, ".</p>\n");
}

/* Thousands of instructions that were executed; 0 = unknown.  All rows tell the
   same, those with many misses with the most digits. */
static double thousands_of(const struct rows *rows)
{
    double most = 0, thousands = 0;
    for (size_t row = rows->from; row < rows->to; row++) {
        double misses = number_at(rows, row, "misses");
        double mpki = number_at(rows, row, "mpki");
        if (misses <= most || mpki <= 0)
            continue;
        most = misses;
        thousands = misses / mpki;
    }
    return thousands;
}

/* A bar for each cache, of the numbers in some columns; OTHERS are the misses
   that are no demand. */
#define OTHERS "other misses"
static void write_stacks(struct output *output, const struct rows *rows,
                         const char *const *columns, size_t count, double scale)
{
    struct stacks stacks = {0};
    for (size_t row = rows->from; row < rows->to && stacks.count < STACKS_MOST;
         row++) {
        snprintf(
            stacks.names[stacks.count], sizeof stacks.names[0], "%s",
            table_text(rows->table, row, table_column(rows->table, "cache")));
        for (size_t i = 0; i < count; i++)
            stacks.parts[stacks.count][i] =
                scale * (strcmp(columns[i], OTHERS) != 0
                             ? number_at(rows, row, columns[i])
                             : number_at(rows, row, "misses") -
                                   number_at(rows, row, "demand_misses"));
        stacks.count++;
    }
    stacks_write(output, &stacks);
}

void bars_machine(struct output *output, const struct rows *rows,
                  const char *caption)
{
    static const char *const kinds[] = {"demand_misses"};
    static const char *const names[] = {"demand misses"};
    double thousands = thousands_of(rows);
    double references = fmax(most_of(rows, "references"), 1);
    tell_caches(output, rows);
    picture_begin(output, rows, caption);
    write_stacks(output, rows, kinds, 1,
                 1 / (thousands > 0 ? thousands : references));
    picture_title(output, thousands > 0
                              ? "misses per 1000 instructions"
                              : "misses per reference of the program");
    picture_legend(output, names, 1);
}

void bars_traffic(struct output *output, const struct rows *rows,
                  const char *caption)
{
    static const char *const kinds[] = {"demand_misses", OTHERS, "prefetches",
                                        "writebacks"};
    static const char *const names[] = {"demand misses", OTHERS, "prefetches",
                                        "write-backs"};
    double thousands = thousands_of(rows);
    picture_begin(output, rows, caption);
    write_stacks(output, rows, kinds, 4, thousands > 0 ? 1 / thousands : 1);
    picture_title(output,
                  thousands > 0 ? "blocks per 1000 instructions" : "blocks");
    picture_legend(output, names, 4);
}
