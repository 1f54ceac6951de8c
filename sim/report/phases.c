/* phases.c - the phases of a trace over time, as SVG and in words */
#include <math.h>

#include "sim/report/axis.h"
#include "sim/report/bars.h"
#include "sim/report/chart.h"
#include "sim/report/markup.h"

/* The colours of bars in report.css. */
#define COLOURS 8

/* A row of the table. */
struct phase {
    double number, from, to, blocks;
    double first; /* the first phase with the same miss curve */
};

static bool read_phase(const struct rows *rows, size_t row, struct phase *phase)
{
    const struct cells *table = rows->table;
    if (!table_number(table, row, table_column(table, "phase"),
                      &phase->number) ||
        !table_number(table, row, table_column(table, "from"), &phase->from) ||
        !table_number(table, row, table_column(table, "to"), &phase->to) ||
        !table_number(table, row, table_column(table, "working_set_blocks"),
                      &phase->blocks) ||
        phase->number < 0 || phase->from < 0 || phase->to <= phase->from ||
        phase->blocks < 0)
        return false;
    if (!table_number(table, row, table_column(table, "recurs"),
                      &phase->first) ||
        phase->first < 0)
        phase->first = phase->number;
    return true;
}

static void write_phase(struct output *output, const struct axis axes[2],
                        const struct phase *phase)
{
    double x = axis_place(&axes[0], phase->from);
    double y = axis_place(&axes[1], phase->blocks);
    output_text(output,
                "<rect class=\"part%d phase\" x=\"%.2f\" y=\"%.1f\" "
                "width=\"%.2f\" height=\"%.1f\"><title>phase %g: references "
                "%.15g to %.15g, %.15g blocks",
                (int)fmod(phase->first, COLOURS), x, y,
                axis_place(&axes[0], phase->to) - x, axes[1].begin - y,
                phase->number, phase->from, phase->to, phase->blocks);
    if (phase->first != phase->number)
        output_text(output, ", as phase %g", phase->first);
    output_text(output, "</title></rect>\n");
}

/* Their number, and the one that takes longest. */
static void tell_phases(struct output *output, const struct rows *rows,
                        double references)
{
    struct phase phase, longest = {.to = 0};
    size_t count = 0, different = 0;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (!read_phase(rows, row, &phase))
            continue;
        count++;
        different += phase.first == phase.number;
        if (phase.to - phase.from > longest.to - longest.from)
            longest = phase;
    }
    output_text(output,
                "<p>%zu phase%s, of which %zu differ%s. Phase %g takes "
                "longest, %.3g%% of the references, and uses %.15g blocks.</p>"
                "\n",
                count, count == 1 ? "" : "s", different,
                different == 1 ? "s" : "", longest.number,
                100 * (longest.to - longest.from) / references, longest.blocks);
}

void bars_phases(struct output *output, const struct rows *rows,
                 const char *caption)
{
    struct axis axes[2] = {{.begin = CHART_LEFT, .end = CHART_RIGHT},
                           {.begin = CHART_BOTTOM, .end = CHART_TOP}};
    struct phase phase;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (!read_phase(rows, row, &phase))
            continue;
        axes[0].to = fmax(axes[0].to, phase.to);
        axes[1].to = fmax(axes[1].to, phase.blocks);
    }
    if (axes[0].to == 0)
        return;
    tell_phases(output, rows, axes[0].to);
    axes[1].to = fmax(axes[1].to, 1);
    picture_begin(output, rows, caption);
    double steps[2] = {axis_round(&axes[0]), axis_round(&axes[1])};
    axis_write(output, &axes[0], steps[0], AXIS_LOWER, CHART_BOTTOM, CHART_TOP);
    axis_write(output, &axes[1], steps[1], AXIS_LEFT, CHART_LEFT, CHART_RIGHT);
    for (size_t row = rows->from; row < rows->to; row++) {
        if (read_phase(rows, row, &phase))
            write_phase(output, axes, &phase);
    }
    picture_title(output, "references; the height counts blocks");
    picture_end(output);
}
