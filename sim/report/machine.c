/* machine.c - the misses of the caches of a machine, as SVG and in words */
#include <math.h>
#include <stdio.h>

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
        double mpki = number_at(rows, row, "mpki");
        if (number_at(rows, row, "references") <= 0)
            continue;
        output_text(output, "%s", between);
        markup_text(output,
                    table_text(table, row, table_column(table, "cache")));
        output_text(output, " misses %.3g%% of what reaches it",
                    100 * number_at(rows, row, "miss_ratio"));
        if (mpki > 0)
            output_text(output, ", %.3g per 1000 instructions", mpki);
        between = "; ";
    }
    output_text(output, ".</p>\n");
}

void bars_machine(struct output *output, const struct rows *rows,
                  const char *caption)
{
    static const char *const kinds[] = {"fetch_misses", "read_misses",
                                        "write_misses"};
    static const char *const names[] = {"fetches", "reads", "writes"};
    double references = fmax(most_of(rows, "references"), 1);
    bool has_instructions = most_of(rows, "mpki") > 0;
    struct stacks stacks = {0};
    for (size_t row = rows->from; row < rows->to && stacks.count < STACKS_MOST;
         row++) {
        double misses = fmax(number_at(rows, row, "misses"), 1);
        double scale = has_instructions ? number_at(rows, row, "mpki") / misses
                                        : 1 / references;
        snprintf(
            stacks.names[stacks.count], sizeof stacks.names[0], "%s",
            table_text(rows->table, row, table_column(rows->table, "cache")));
        for (size_t i = 0; i < 3; i++)
            stacks.parts[stacks.count][i] =
                number_at(rows, row, kinds[i]) * scale;
        stacks.count++;
    }
    tell_caches(output, rows);
    picture_begin(output, rows, caption);
    stacks_write(output, &stacks);
    picture_title(output, has_instructions
                              ? "misses per 1000 instructions"
                              : "misses per reference of the program");
    picture_legend(output, names, 3);
}
