/* words.c - what miss curves say, as sentences of a page */
#include "sim/report/words.h"

#include <math.h>
#include <string.h>

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

/* The first size at which at most this share misses; false: there is none. */
static bool find_at_most(const struct reading *reading, double most,
                         double *size)
{
    double ratio;
    for (size_t row = reading->rows->from; row < reading->rows->to; row++) {
        if (read_row(reading, row, size, &ratio) && ratio <= most)
            return true;
    }
    return false;
}

static struct reading read_rows(const struct rows *rows, const char *ratio)
{
    const struct cells *table = rows->table;
    size_t bytes = table_column(table, "cache_bytes");
    double number;
    bool in_bytes = table_number(table, rows->from, bytes, &number);
    return (struct reading){
        .rows = rows,
        .size = in_bytes ? bytes : table_column(table, "cache_blocks"),
        .ratio = table_column(table, ratio),
        .in_bytes = in_bytes,
    };
}

/* Whose curve this is. */
static void begin_paragraph(struct output *output, const struct rows *rows)
{
    const struct cells *table = rows->table;
    double number;
    output_text(output, "<p>");
    markup_text(output,
                table_text(table, rows->from, table_column(table, "trace")));
    if (table_number(table, rows->from, table_column(table, "block_bytes"),
                     &number))
        output_text(output, ", blocks of %g bytes", number);
    size_t tenant = table_column(table, "tenant");
    if (tenant != NO_COLUMN) {
        output_text(output, ", tenant ");
        markup_text(output, table_text(table, rows->from, tenant));
    }
}

static void tell(struct output *output, const struct rows *rows,
                 const char *ratio, const char *of)
{
    static const double shares[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001};
    struct reading reading = read_rows(rows, ratio);
    double size;
    begin_paragraph(output, rows);
    output_text(output, "%s: ", of);
    tell_knee(output, &reading);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        if (!find_at_most(&reading, shares[i], &size))
            continue;
        output_text(output, "At most %g%% miss from ", 100 * shares[i]);
        write_size(output, &reading, size);
        output_text(output, " on. ");
    }
    output_text(output, "The largest cache of the table misses %.4g.</p>\n",
                ratio_at(&reading, INFINITY));
}

/* The most curves that have a paragraph. */
#define MOST_PARAGRAPHS 12

void words_of_curve(struct output *output, const struct cells *table,
                    const char *ratio, const char *of)
{
    struct rows rows = {.to = 0};
    size_t curves = 0;
    for (; rows.to < table->rows; curves++) {
        rows = rows_alike(table, rows.to);
        if (curves < MOST_PARAGRAPHS)
            tell(output, &rows, ratio, of);
    }
    if (curves > MOST_PARAGRAPHS)
        output_text(output,
                    "<p>These are the first %d of %zu curves; the table below "
                    "has all.</p>\n",
                    MOST_PARAGRAPHS, curves);
}

/* ------------------------------------------------------------- policies -- */

static bool is_same(const struct cells *table, size_t row, size_t other,
                    const char *name)
{
    size_t column = table_column(table, name);
    return strcmp(table_text(table, row, column),
                  table_text(table, other, column)) == 0;
}

/* Rows of one trace and block size, of any policy, from `from` on. */
static struct rows rows_of_policies(const struct cells *table, size_t from)
{
    struct rows rows = rows_alike(table, from);
    while (rows.to < table->rows && is_same(table, from, rows.to, "trace") &&
           is_same(table, from, rows.to, "block_bytes"))
        rows.to = rows_alike(table, rows.to).to;
    rows.from = from;
    return rows;
}

/* The size from which on each policy misses at most this share. */
static void tell_sizes(struct output *output, const struct rows *rows,
                       double most)
{
    size_t policy = table_column(rows->table, "policy");
    bool is_first = true;
    struct rows one = {.to = rows->from};
    while (one.to < rows->to) {
        one = rows_alike(rows->table, one.to);
        struct reading reading = read_rows(&one, "miss_ratio");
        double size;
        if (!find_at_most(&reading, most, &size))
            continue;
        if (is_first)
            output_text(output, "At most %g%% miss", 100 * most);
        output_text(output, "%s with ", is_first ? "" : ",");
        markup_text(output, table_text(rows->table, one.from, policy));
        output_text(output, " from ");
        write_size(output, &reading, size);
        is_first = false;
    }
    output_text(output, "%s", is_first ? "" : " on. ");
}

void words_of_policies(struct output *output, const struct cells *table)
{
    static const double shares[] = {0.5, 0.2, 0.1, 0.05, 0.01};
    struct rows rows = {.to = 0};
    while (rows.to < table->rows) {
        rows = rows_of_policies(table, rows.to);
        begin_paragraph(output, &rows);
        output_text(output, ": ");
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
            tell_sizes(output, &rows, shares[i]);
        output_text(output, "</p>\n");
    }
}
