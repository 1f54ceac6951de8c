/*
 * chart.h - lines over an axis, as SVG within HTML
 *
 * A chart shows two columns of a table: a line for each combination of values
 * in the key columns, as steps, because a cache that lies between two rows does
 * at least as well as the smaller one.  The marks that the page's script reads
 * (report.js) name the table, the columns and the keys, so that a cursor shows
 * the table's own numbers.
 */
#ifndef MARGAY_SIM_REPORT_CHART_H
#define MARGAY_SIM_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

#include "sim/report/table.h"
#include "sim/terminal/output.h"

#define CHART_KEYS 3

/* The most lines of a chart, for each of which report.css has a style; further
   ones are left out, and the page says so. */
#define CHART_MOST_LINES 24

/* The area between the axes, in units of the drawing. */
#define CHART_WIDTH  720
#define CHART_HEIGHT 372
#define CHART_LEFT   64
#define CHART_RIGHT  680
#define CHART_TOP    12
#define CHART_BOTTOM 312

struct chart {
    const struct cells *table;
    const char *table_id; /* of its section on the page */
    const char *caption, *x_title, *y_title;
    const char *x, *y;            /* columns */
    const char *keys[CHART_KEYS]; /* columns; NULL = no more */
    bool sizes;                   /* x counts blocks or bytes, */
    bool in_bytes;                /* bytes */
    bool logarithmic;             /* two pictures: logarithmic, and linear */
};

/* Write the chart; nothing if no row has both numbers.  `number` tells this
   chart from others on the page.  MARGAY_NO_MEMORY. */
enum margay_status chart_write(struct output *output, const struct chart *chart,
                               unsigned number, struct margay_error *error);

#endif
