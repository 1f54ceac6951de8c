/* axis.c - from numbers to places on an axis */
#include "sim/report/axis.h"

#include <math.h>
#include <stdio.h>

#include "sim/report/markup.h"

#define MOST_STEPS 6

/* The step that divides the length into MOST_STEPS at most. */
static double find_step(double length, bool sizes)
{
    double base = sizes ? 2 : 10;
    double step = pow(base, floor(log(length / MOST_STEPS) / log(base)));
    if (sizes) {
        while (length / step > MOST_STEPS)
            step *= 2;
        return step;
    }
    for (int i = 0; length / step > MOST_STEPS; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

double axis_round(struct axis *axis)
{
    if (!axis->logarithmic) {
        double step = find_step(axis->to - axis->from, axis->sizes);
        axis->to =
            axis->from + step * ceil((axis->to - axis->from) / step - 1e-9);
        return step;
    }
    double low = floor(log2(axis->from)), high = ceil(log2(axis->to));
    double octaves = high > low ? high - low : 1;
    double step = ceil(octaves / MOST_STEPS);
    axis->from = exp2(low);
    axis->to = exp2(low + octaves);
    return exp2(step);
}

double axis_place(const struct axis *axis, double number)
{
    double share = axis->logarithmic
                       ? log(number / axis->from) / log(axis->to / axis->from)
                       : (number - axis->from) / (axis->to - axis->from);
    return axis->begin + share * (axis->end - axis->begin);
}

static const char *label(const struct axis *axis, double number, char text[32])
{
    if (axis->sizes)
        return markup_size(number, axis->in_bytes, text);
    snprintf(text, 32, "%.9g", number);
    return text;
}

/* The number behind one; a little beyond the end counts as the end. */
static double next(const struct axis *axis, double number, double step)
{
    return axis->logarithmic ? number * step : number + step;
}

static bool is_within(const struct axis *axis, double number)
{
    return number <= axis->to * (1 + 1e-9);
}

/* A line of the grid, to a place that `to` leads to, and a number at (x, y). */
static void write_mark(struct output *output, const double from[2], char to,
                       double place, const char *style, double x, double y,
                       const char *number)
{
    output_text(output,
                "<path class=\"grid\" d=\"M%.1f %.1f%c%.1f\"/>"
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                from[0], from[1], to, place, style, x, y, number);
}

void axis_write(struct output *output, const struct axis *axis, double step,
                enum axis_border border, double near, double far)
{
    char text[32];
    for (double number = axis->from; is_within(axis, number);
         number = next(axis, number, step)) {
        double place = axis_place(axis, number);
        const char *name = label(axis, number, text);
        if (border == AXIS_LOWER)
            write_mark(output, (const double[]){place, far}, 'V', near + 4,
                       "tick", place, near + 8, name);
        else
            write_mark(output, (const double[]){near - 4, place}, 'H', far,
                       "beside", near - 8, place + 4, name);
    }
}
