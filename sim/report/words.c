/* words.c - what a miss curve says, as sentences of a page */
#include "sim/report/words.h"

#include <math.h>

#include "sim/report/bars.h"
#include "sim/report/markup.h"

/* The numbers of one curve's rows. */
struct reading {
    const struct rows *rows;
    size_t size, ratio; /* columns */
    bool in_bytes;
};

static bool read_row(const struct reading *reading, size_t row, double *size,
                     double *ratio)
{
    return table_number(reading->rows->table, row, reading->size, size) &&
           table_number(reading->rows->table, row, reading->ratio, ratio);
}

/* The ratio at the last size that is not above `size`; 1 below the first. */
static double ratio_at(const struct reading *reading, double size)
{
    double found = 1, other, ratio;
    for (size_t row = reading->rows->from; row < reading->rows->to; row++) {
        if (read_row(reading, row, &other, &ratio) && other <= size)
            found = ratio;
    }
    return found;
}

static void write_size(struct output *output, const struct reading *reading,
                       double size)
{
    char text[32];
    output_text(output, "%s%s", markup_size(size, reading->in_bytes, text),
                reading->in_bytes ? "" : " blocks");
}

/* The size with the largest difference to half of it, which the table has to
   reach down to. */
static void tell_knee(struct output *output, const struct reading *reading)
{
    double knee = 0, fall = 0, least = INFINITY, size, ratio;
    for (size_t row = reading->rows->from; row < reading->rows->to; row++) {
        if (!read_row(reading, row, &size, &ratio))
            continue;
        least = fmin(least, size);
        if (size / 2 < least)
            continue;
        double difference = ratio_at(reading, size / 2) - ratio;
        if (difference > fall) {
            fall = difference;
            knee = size;
        }
    }
    if (fall <= 0)
        return;
    output_text(output, "The curve falls most at ");
    write_size(output, reading, knee);
    output_text(output, ": from %.4g at half of that to %.4g. ",
                ratio_at(reading, knee / 2), ratio_at(reading, knee));
}

static void tell_at_most(struct output *output, const struct reading *reading,
                         double most)
{
    double size, ratio;
    for (size_t row = reading->rows->from; row < reading->rows->to; row++) {
        if (!read_row(reading, row, &size, &ratio) || ratio > most)
            continue;
        output_text(output, "At most %g%% miss from ", 100 * most);
        write_size(output, reading, size);
        output_text(output, " on. ");
        return;
    }
}

static void tell(struct output *output, const struct rows *rows)
{
    static const double shares[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001};
    const struct cells *table = rows->table;
    size_t bytes = table_column(table, "cache_bytes");
    size_t block = table_column(table, "block_bytes");
    double number;
    struct reading reading = {
        .rows = rows,
        .ratio = table_column(table, "miss_ratio"),
        .in_bytes = table_number(table, rows->from, bytes, &number),
    };
    reading.size =
        reading.in_bytes ? bytes : table_column(table, "cache_blocks");
    output_text(output, "<p>");
    markup_text(output,
                table_text(table, rows->from, table_column(table, "trace")));
    if (table_number(table, rows->from, block, &number))
        output_text(output, ", blocks of %g bytes", number);
    output_text(output, ": ");
    tell_knee(output, &reading);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        tell_at_most(output, &reading, shares[i]);
    output_text(output, "The largest cache of the table misses %.4g.</p>\n",
                ratio_at(&reading, INFINITY));
}

void words_of_curve(struct output *output, const struct cells *table)
{
    struct rows rows = {.to = 0};
    while (rows.to < table->rows) {
        rows = rows_alike(table, rows.to);
        tell(output, &rows);
    }
}
