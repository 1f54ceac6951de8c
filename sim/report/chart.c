/* chart.c - lines over an axis, as SVG within HTML */
#define _GNU_SOURCE
#include "sim/report/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/axis.h"
#include "sim/report/markup.h"
#include "traces/traces_internal.h"

/* A point that moves neither way by this much is not drawn. */
#define LEAST_MOVE 0.4

/* What chart_write() found in the table. */
struct lines {
    const struct chart *chart;
    size_t x, y, keys[CHART_KEYS];  /* columns */
    size_t first[CHART_MOST_LINES]; /* the first row of each line */
    size_t count;
    bool leaves_out; /* further lines */
    size_t *line_of; /* by row; owned */
    double x_from, x_to, y_to;
};

static bool are_alike(const struct lines *lines, size_t row, size_t other)
{
    const struct cells *table = lines->chart->table;
    for (size_t i = 0; i < CHART_KEYS; i++) {
        if (strcmp(table_text(table, row, lines->keys[i]),
                   table_text(table, other, lines->keys[i])) != 0)
            return false;
    }
    return true;
}

/* The numbers of a row; false where it has not both. */
static bool point_at(const struct lines *lines, size_t row, double *x,
                     double *y)
{
    const struct cells *table = lines->chart->table;
    return table_number(table, row, lines->x, x) &&
           table_number(table, row, lines->y, y) &&
           (*x > 0 || !lines->chart->logarithmic);
}

static void widen(struct lines *lines, double x, double y)
{
    lines->x_from = fmin(lines->x_from, x);
    lines->x_to = fmax(lines->x_to, x);
    lines->y_to = fmax(lines->y_to, y);
}

/* The line of a row: lines->count if it is the first of a new one. */
static size_t line_at(const struct lines *lines, size_t row)
{
    size_t line = row > 0 ? lines->line_of[row - 1] : 0;
    if (line < lines->count && are_alike(lines, row, lines->first[line]))
        return line;
    for (line = 0; line < lines->count; line++) {
        if (are_alike(lines, row, lines->first[line]))
            break;
    }
    return line;
}

static enum margay_status find_lines(struct lines *lines,
                                     struct margay_error *error)
{
    const struct cells *table = lines->chart->table;
    double x, y;
    lines->line_of = calloc(table->rows + 1, sizeof *lines->line_of);
    if (lines->line_of == NULL)
        return margay_fail_memory(error, "the lines of a chart");
    for (size_t row = 0; row < table->rows; row++) {
        size_t line = line_at(lines, row);
        lines->line_of[row] = line;
        lines->leaves_out |= line == CHART_MOST_LINES;
        if (line == CHART_MOST_LINES)
            continue;
        if (line == lines->count)
            lines->first[lines->count++] = row;
        if (point_at(lines, row, &x, &y))
            widen(lines, x, y);
    }
    return MARGAY_OK;
}

/* ------------------------------------------------------------- drawing -- */

static void write_line(struct output *output, const struct lines *lines,
                       const struct axis axes[2], size_t line)
{
    double last_x = -1, last_y = -1, x, y;
    output_text(output, "<path class=\"line style%zu\" data-line=\"%zu\" d=\"",
                line, line);
    for (size_t row = lines->first[line]; row < lines->chart->table->rows;
         row++) {
        if (lines->line_of[row] != line || !point_at(lines, row, &x, &y))
            continue;
        x = axis_place(&axes[0], x);
        y = axis_place(&axes[1], y);
        if (last_x < 0)
            output_text(output, "M%.1f %.1f", x, y);
        else if (fabs(x - last_x) < LEAST_MOVE && fabs(y - last_y) < LEAST_MOVE)
            continue;
        else
            output_text(output, "H%.1fV%.1f", x, y);
        last_x = x;
        last_y = y;
    }
    output_text(output, "\"/>\n");
}

static void write_titles(struct output *output, const struct chart *chart)
{
    output_text(output, "<text class=\"below\" x=\"%d\" y=\"%d\">",
                (CHART_LEFT + CHART_RIGHT) / 2, CHART_HEIGHT - 6);
    markup_text(output, chart->x_title);
    output_text(output,
                "</text><text class=\"below\" transform=\"translate(14 %d) "
                "rotate(-90)\">",
                (CHART_TOP + CHART_BOTTOM) / 2);
    markup_text(output, chart->y_title);
    output_text(output, "</text>\n");
}

static void write_picture(struct output *output, const struct lines *lines,
                          bool logarithmic)
{
    const struct chart *chart = lines->chart;
    struct axis axes[2] = {
        {.from = logarithmic ? lines->x_from : 0,
         .to = lines->x_to,
         .begin = CHART_LEFT,
         .end = CHART_RIGHT,
         .logarithmic = logarithmic,
         .sizes = chart->sizes,
         .in_bytes = chart->in_bytes},
        {.from = 0, .to = lines->y_to, .begin = CHART_BOTTOM, .end = CHART_TOP},
    };
    double steps[2] = {axis_round(&axes[0]), axis_round(&axes[1])};
    output_text(output,
                "<svg class=\"%s\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "data-from=\"%.17g\" data-to=\"%.17g\" data-left=\"%d\" "
                "data-right=\"%d\">\n"
                "<title>",
                logarithmic ? "logarithmic" : "linear", CHART_WIDTH,
                CHART_HEIGHT, axes[0].from, axes[0].to, CHART_LEFT,
                CHART_RIGHT);
    markup_text(output, chart->caption);
    output_text(output, "</title>\n");
    axis_write(output, &axes[0], steps[0], AXIS_LOWER, CHART_BOTTOM, CHART_TOP);
    axis_write(output, &axes[1], steps[1], AXIS_LEFT, CHART_LEFT, CHART_RIGHT);
    write_titles(output, chart);
    for (size_t i = 0; i < lines->count; i++)
        write_line(output, lines, axes, i);
    output_text(output,
                "<path class=\"cursor\" d=\"M0 %dV%d\" hidden=\"\"/></svg>\n",
                CHART_TOP, CHART_BOTTOM);
}

/* -------------------------------------------------------------- legend -- */

static void write_key(struct output *output, const char *key, const char *text)
{
    char size[32];
    if (strcmp(key, "cache_bytes") == 0) {
        output_text(output, "%s", markup_size(strtod(text, NULL), true, size));
        return;
    }
    markup_text(output, text);
    if (strcmp(key, "block_bytes") == 0)
        output_text(output, " B blocks");
    if (strcmp(key, "cache_blocks") == 0)
        output_text(output, " blocks");
}

/* The values of the keys of a line, of those that are not the same in all. */
static void write_name(struct output *output, const struct lines *lines,
                       size_t line)
{
    const struct chart *chart = lines->chart;
    const char *between = "";
    for (size_t i = 0; i < CHART_KEYS; i++) {
        bool differs = false;
        for (size_t k = 1; k < lines->count; k++)
            differs |= strcmp(table_text(chart->table, lines->first[k],
                                         lines->keys[i]),
                              table_text(chart->table, lines->first[0],
                                         lines->keys[i])) != 0;
        if (!differs)
            continue;
        output_text(output, "%s", between);
        write_key(output, chart->keys[i],
                  table_text(chart->table, lines->first[line], lines->keys[i]));
        between = ", ";
    }
}

static void write_legend(struct output *output, const struct lines *lines)
{
    if (lines->count < 2)
        return;
    output_text(output, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < lines->count; i++) {
        output_text(output,
                    "<li><label><input type=\"checkbox\" checked "
                    "data-line=\"%zu\"><svg class=\"swatch\" viewBox=\"0 0 32 "
                    "8\" aria-hidden=\"true\"><path class=\"line style%zu\" "
                    "d=\"M0 4H32\"/></svg><span>",
                    i, i);
        write_name(output, lines, i);
        output_text(output, "</span></label></li>\n");
    }
    output_text(output, "</ul>\n");
    if (lines->leaves_out)
        output_text(output,
                    "<p>Only the first %d lines are drawn; the table below has "
                    "all.</p>\n",
                    CHART_MOST_LINES);
}

static void write_choice(struct output *output, unsigned number,
                         const char *name, bool checked)
{
    output_text(output,
                "<input type=\"radio\" name=\"axis%u\" id=\"axis%u-%s\" "
                "class=\"to-%s\"%s><label for=\"axis%u-%s\">%s</label>\n",
                number, number, name, name, checked ? " checked" : "", number,
                name, name);
}

static void write_figure(struct output *output, const struct lines *lines,
                         unsigned number)
{
    const struct chart *chart = lines->chart;
    output_text(output,
                "<figure class=\"chart\" data-table=\"%s\" data-x=\"%s\" "
                "data-y=\"%s\" data-keys=\"",
                chart->table_id, chart->x, chart->y);
    for (size_t i = 0; i < CHART_KEYS && chart->keys[i] != NULL; i++)
        output_text(output, "%s%s", i > 0 ? "," : "", chart->keys[i]);
    output_text(output, "\">\n<figcaption>");
    markup_text(output, chart->caption);
    output_text(output, "</figcaption>\n");
    if (chart->logarithmic) {
        write_choice(output, number, "logarithmic", true);
        write_choice(output, number, "linear", false);
        write_picture(output, lines, true);
    }
    write_picture(output, lines, false);
    output_text(output, "<p class=\"reading\" hidden><label>cursor <input "
                        "type=\"range\" min=\"0\" value=\"0\"></label> "
                        "<output></output></p>\n");
    write_legend(output, lines);
    output_text(output, "</figure>\n");
}

enum margay_status chart_write(struct output *output, const struct chart *chart,
                               unsigned number, struct margay_error *error)
{
    struct lines lines = {
        .chart = chart,
        .x = table_column(chart->table, chart->x),
        .y = table_column(chart->table, chart->y),
        .x_from = INFINITY,
    };
    for (size_t i = 0; i < CHART_KEYS; i++)
        lines.keys[i] = chart->keys[i] == NULL
                            ? NO_COLUMN
                            : table_column(chart->table, chart->keys[i]);
    enum margay_status status = find_lines(&lines, error);
    if (status == MARGAY_OK && lines.x_to > 0) {
        if (lines.y_to == 0)
            lines.y_to = 1;
        write_figure(output, &lines, number);
    }
    free(lines.line_of);
    return status;
}
