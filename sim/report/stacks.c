/* stacks.c - bars of parts that stand upon another, as SVG */
#include "sim/report/stacks.h"

#include <math.h>
#include <string.h>

#include "sim/report/axis.h"
#include "sim/report/chart.h"
#include "sim/report/markup.h"

static double height(const struct stacks *stacks, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < STACKS_PARTS; k++)
        sum += stacks->parts[i][k];
    return sum;
}

static void write_part(struct output *output, const struct axis *axis,
                       const double place[2], const double part[2], size_t kind,
                       const char *name)
{
    double y = axis_place(axis, part[1]), base = axis_place(axis, part[0]);
    output_text(output,
                "<rect class=\"part%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"><title>",
                kind, place[0], y, place[1] * 0.84, base - y);
    markup_text(output, name);
    output_text(output, ": %.6g</title></rect>\n", part[1] - part[0]);
}

/* The room that names need in the large letters of a small screen. */
static double name_width(const struct stacks *stacks)
{
    size_t longest = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        size_t length = strlen(stacks->names[i]);
        longest = length > longest ? length : longest;
    }
    return 12 * (double)(longest + 1);
}

static void write_name(struct output *output, double x, const char *name)
{
    output_text(output, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">", x,
                CHART_BOTTOM + 8);
    markup_text(output, name);
    output_text(output, "</text>\n");
}

void stacks_write(struct output *output, const struct stacks *stacks)
{
    struct axis axis = {.begin = CHART_BOTTOM, .end = CHART_TOP};
    double width = (double)(CHART_RIGHT - CHART_LEFT) / (double)stacks->count;
    size_t every = (size_t)ceil(name_width(stacks) / width);
    for (size_t i = 0; i < stacks->count; i++)
        axis.to = fmax(axis.to, height(stacks, i));
    if (axis.to == 0)
        axis.to = 1;
    axis_write(output, &axis, axis_round(&axis), AXIS_LEFT, CHART_LEFT,
               CHART_RIGHT);
    for (size_t i = 0; i < stacks->count; i++) {
        const double place[2] = {CHART_LEFT + width * (double)i, width};
        double part[2] = {0, 0};
        for (size_t k = 0; k < STACKS_PARTS; k++) {
            part[1] = part[0] + stacks->parts[i][k];
            if (part[1] > part[0])
                write_part(output, &axis, place, part, k, stacks->names[i]);
            part[0] = part[1];
        }
        /* Some names, and the last: infinity, in a histogram. */
        if ((stacks->count - 1 - i) % every == 0)
            write_name(output, place[0] + width * 0.42, stacks->names[i]);
    }
}
