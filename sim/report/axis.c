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

void axis_write_lower(struct output *output, const struct axis *axis,
                      double step, double top, double bottom)
{
    char text[32];
    for (double number = axis->from; is_within(axis, number);
         number = next(axis, number, step)) {
        double x = axis_place(axis, number);
        output_text(output,
                    "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
                    "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                    x, top, bottom + 4, x, bottom + 8,
                    label(axis, number, text));
    }
}

void axis_write_left(struct output *output, const struct axis *axis,
                     double step, double left, double right)
{
    char text[32];
    for (double number = axis->from; is_within(axis, number);
         number = next(axis, number, step)) {
        double y = axis_place(axis, number);
        output_text(output,
                    "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>"
                    "<text class=\"beside\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                    left - 4, y, right, left - 8, y + 4,
                    label(axis, number, text));
    }
}
