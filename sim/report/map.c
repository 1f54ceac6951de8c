/* map.c - a cell for each cache of a grid, as SVG within HTML */
#include <math.h>

#include "sim/report/bars.h"
#include "sim/report/chart.h"
#include "sim/report/markup.h"
#include "sim/report/values.h"

struct map {
    struct values sets, ways;
    double width, height, most;
};

static void write_cell(struct output *output, const struct map *map,
                       const double cache[2], double ratio)
{
    size_t column = values_place(&map->sets, cache[0]);
    size_t line = values_place(&map->ways, cache[1]);
    double x = CHART_LEFT + map->width * (double)column;
    double y = CHART_BOTTOM - map->height * (double)(line + 1);
    double shade = map->most > 0 ? ratio / map->most : 0;
    if (column == map->sets.count || line == map->ways.count)
        return;
    output_text(output,
                "<g><title>%g sets of %g ways: miss ratio %.12g</title><rect "
                "class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\" fill-opacity=\"%.3f\"/>",
                cache[0], cache[1], ratio, x, y, map->width, map->height,
                shade);
    if (map->width >= 30)
        output_text(output,
                    "<text class=\"within%s\" x=\"%.1f\" y=\"%.1f\">%.*f"
                    "</text>",
                    shade > 0.65 ? " light" : "", x + map->width / 2,
                    y + map->height / 2 + 4, ratio < 0.09995 ? 2 : 1,
                    100 * ratio);
    output_text(output, "</g>\n");
}

static void write_names(struct output *output, const struct map *map)
{
    char text[32];
    size_t every = (map->sets.count + 7) / 8;
    for (size_t i = 0; i < map->sets.count; i += every)
        output_text(
            output, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>\n",
            CHART_LEFT + map->width * ((double)i + 0.5), CHART_BOTTOM + 8,
            markup_size(map->sets.numbers[i], false, text));
    for (size_t i = 0; i < map->ways.count; i++)
        output_text(
            output, "<text class=\"beside\" x=\"%d\" y=\"%.1f\">%g</text>\n",
            CHART_LEFT - 8, CHART_BOTTOM - map->height * ((double)i + 0.5) + 4,
            map->ways.numbers[i]);
    output_text(output,
                "<text class=\"below\" transform=\"translate(14 %d) "
                "rotate(-90)\">ways</text>\n",
                (CHART_TOP + CHART_BOTTOM) / 2);
}

static void write_cells(struct output *output, const struct rows *rows,
                        const struct map *map, const size_t columns[3])
{
    double cache[2], ratio;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (table_number(rows->table, row, columns[0], &cache[0]) &&
            table_number(rows->table, row, columns[1], &cache[1]) &&
            table_number(rows->table, row, columns[2], &ratio))
            write_cell(output, map, cache, ratio);
    }
}

void bars_map(struct output *output, const struct rows *rows,
              const char *caption)
{
    const size_t columns[3] = {table_column(rows->table, "sets"),
                               table_column(rows->table, "ways"),
                               table_column(rows->table, "miss_ratio")};
    struct map map = {.sets = values_of(rows, columns[0]),
                      .ways = values_of(rows, columns[1])};
    double ratio;
    if (map.sets.count == 0 || map.ways.count == 0)
        return;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (table_number(rows->table, row, columns[2], &ratio))
            map.most = fmax(map.most, ratio);
    }
    map.width = (double)(CHART_RIGHT - CHART_LEFT) / (double)map.sets.count;
    map.height = (double)(CHART_BOTTOM - CHART_TOP) / (double)map.ways.count;
    picture_begin(output, rows, caption);
    write_cells(output, rows, &map, columns);
    write_names(output, &map);
    picture_title(output, "sets; the numbers are miss ratios in percent");
    picture_end(output);
}
