/*
 * chart.c - miss curves drawn in letters, and said in sentences
 *
 * A line stays at a size's ratio up to the next size, so the curve is nowhere
 * above it.  The axis of the ratio is logarithmic where most curves fall so far
 * that their knees would lie on the floor of a linear one, as in pictures
 * (plots/curve.gp).
 */
#include "sim/result/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/knees.h"
#include "sim/result/match.h"
#include "traces/traces_internal.h"

#define CHART_ROWS  13
#define MARGIN      9    /* columns of the ratios and the axis */
#define AXIS_BYTES  1024 /* the widest */
#define AXIS_GAP    4    /* between names of sizes */
#define MOST_LINES  26   /* letters */
#define MOST_STEPS  5    /* of a sentence */
#define DECADES     9    /* of a logarithmic axis */
#define STEEP_RATIO 50   /* from which a curve's fall is steep */

/* Rows of one curve, which follow each other. */
struct line {
    size_t first, end;
    size_t ratio; /* the column */
};

struct chart {
    const struct cells *table;
    struct output *output;
    size_t columns; /* of the plot alone */
    size_t size;    /* the column of sizes */
    bool in_bytes, is_steep, is_whole;
    bool lacks; /* rows for which a sample is no guide are left out */
    double least_log2, most_log2; /* of sizes */
    double low, high;             /* of ratios but 0 */
    struct line *lines;
    size_t count;
};

bool chart_is_for(const struct cells *table)
{
    return table->rows > 0 && cells_column(table, "cache_blocks") != SIZE_MAX &&
           cells_column(table, "miss_ratio") != SIZE_MAX;
}

/* ------------------------------------------------------------- the lines -- */

static uint64_t size_at(const struct chart *chart, size_t row)
{
    uint64_t size = 0;
    (void)margay_parse_u64(cells_at(chart->table, row, chart->size), &size);
    return size;
}

/* The number of a cell; 0 = it has none, or there is no such column. */
static double number_at(const struct chart *chart, size_t row, size_t column)
{
    return strtod(cells_at(chart->table, row, column), NULL);
}

static double ratio_at(const struct chart *chart, const struct line *line,
                       size_t row)
{
    return number_at(chart, row, line->ratio);
}

static void add_line(struct chart *chart, const struct line *line)
{
    double low = INFINITY, high = 0;
    chart->lines[chart->count++] = *line;
    for (size_t row = line->first; row < line->end; row++) {
        double size = log2(fmax(1, (double)size_at(chart, row)));
        double ratio = ratio_at(chart, line, row);
        chart->least_log2 = fmin(chart->least_log2, size);
        chart->most_log2 = fmax(chart->most_log2, size);
        high = fmax(high, ratio);
        low = ratio > 0 ? fmin(low, ratio) : low;
    }
    chart->low = fmin(chart->low, low);
    chart->high = fmax(chart->high, high);
    chart->is_steep |= high > STEEP_RATIO * low;
}

/* Find the curves: one for each key, and one of bytes where these are
   counted. */
static enum margay_status find_lines(struct chart *chart,
                                     struct margay_error *error)
{
    static const char *const sizes[] = {"cache_blocks", "cache_bytes", NULL};
    const struct cells *table = chart->table;
    struct line line = {.ratio = cells_column(table, "miss_ratio")};
    size_t bytes = cells_column(table, "byte_miss_ratio");
    size_t no_guide = cells_column(table, "no_guide");
    chart->lines = calloc(2 * table->rows, sizeof *chart->lines);
    if (chart->lines == NULL)
        return margay_fail_memory(error, "a chart");
    for (; line.first < table->rows; line.first = line.end) {
        line.end = line.first + 1;
        if (strcmp(cells_at(table, line.first, no_guide), "1") == 0) {
            chart->lacks = true;
            continue;
        }
        while (line.end < table->rows &&
               match_same_keys(table, line.end, line.end - 1, sizes) &&
               size_at(chart, line.end) > size_at(chart, line.end - 1))
            line.end++;
        add_line(chart, &line);
        struct line of_bytes = line;
        of_bytes.ratio = bytes;
        if (bytes != SIZE_MAX)
            add_line(chart, &of_bytes);
    }
    return MARGAY_OK;
}

/* ----------------------------------------------------------- the picture -- */

/* The height of a ratio above the floor, 0 to CHART_ROWS - 1. */
static size_t height_of(const struct chart *chart, double ratio)
{
    double share = chart->high <= 0 ? 0 : ratio / chart->high;
    if (chart->is_steep)
        share = ratio <= chart->low
                    ? 0
                    : log(ratio / chart->low) / log(chart->high / chart->low);
    return (size_t)lround(fmin(fmax(share, 0), 1) * (CHART_ROWS - 1));
}

static char mark_of(const struct chart *chart, size_t line)
{
    return chart->count == 1 ? '*' : (char)('a' + line);
}

/* Draw a line from left to right, with upright parts where it falls. */
static void draw_line(const struct chart *chart, size_t index, char *canvas)
{
    const struct line *line = &chart->lines[index];
    size_t row = line->first, before = SIZE_MAX;
    double octaves = chart->most_log2 - chart->least_log2;
    for (size_t x = 0; x < chart->columns; x++) {
        double size = chart->least_log2 +
                      octaves * (double)x / (double)(chart->columns - 1) + 1e-9;
        while (row + 1 < line->end &&
               log2((double)size_at(chart, row + 1)) <= size)
            row++;
        if (log2(fmax(1, (double)size_at(chart, row))) > size)
            continue;
        size_t height = height_of(chart, ratio_at(chart, line, row));
        char *column = canvas + x;
        for (size_t y = height + 1; before != SIZE_MAX && y < before; y++) {
            if (column[y * chart->columns] == ' ')
                column[y * chart->columns] = '|';
        }
        column[height * chart->columns] = mark_of(chart, index);
        before = height;
    }
}

/* The ratio that a row of the chart stands for; negative: it has no name. */
static double tick_at(const struct chart *chart, size_t height)
{
    if (!chart->is_steep)
        return height % 3 == 0 ? chart->high * (double)height / (CHART_ROWS - 1)
                               : -1;
    for (int decade = 0; decade < DECADES; decade++) {
        double ratio = pow(10, -decade);
        if (ratio <= chart->high * 1.0001 && ratio >= chart->low &&
            height_of(chart, ratio) == height)
            return ratio;
    }
    return height == CHART_ROWS - 1 ? chart->high : -1;
}

static void put_rows(const struct chart *chart, const char *canvas)
{
    char text[WORDS_BYTES];
    for (size_t y = CHART_ROWS; y-- > 0;) {
        const char *row = canvas + y * chart->columns;
        double ratio = tick_at(chart, y);
        size_t width = chart->columns;
        while (width > 0 && row[width - 1] == ' ')
            width--;
        output_text(chart->output, "%*s |%.*s\n", MARGIN - 2,
                    ratio < 0 ? "" : words_ratio(ratio, text), (int)width, row);
    }
}

static const char *name_size(const struct chart *chart, uint64_t size,
                             char text[WORDS_BYTES])
{
    if (chart->in_bytes)
        return words_bytes(size, text);
    return words_of(size, "block", text);
}

/* The axis of sizes: names at powers of two, as many as have room. */
static void put_axis(const struct chart *chart)
{
    char marks[AXIS_BYTES], names[AXIS_BYTES], text[WORDS_BYTES];
    double octaves = chart->most_log2 - chart->least_log2;
    double per_octave = (double)(chart->columns - 1) / octaves;
    size_t columns = chart->columns, last = 0, widest = 0;
    int first = (int)ceil(chart->least_log2);
    for (int power = first; power <= (int)chart->most_log2 && power < 64;
         power++) {
        size_t width = strlen(name_size(chart, UINT64_C(1) << power, text));
        widest = width > widest ? width : widest;
    }
    int step = (int)ceil((double)(widest + AXIS_GAP) / per_octave);
    memset(marks, '-', columns);
    memset(names, ' ', columns);
    for (int power = first; power <= (int)chart->most_log2 && power < 64;
         power += step) {
        size_t x = (size_t)lround((power - chart->least_log2) * per_octave);
        const char *name = name_size(chart, UINT64_C(1) << power, text);
        size_t end = x + strlen(name);
        if (end > columns)
            break;
        marks[x] = '+';
        memcpy(names + x, name, strlen(name));
        last = end;
    }
    output_text(chart->output, "%*s +%.*s\n%*s  %.*s\n", MARGIN - 2, "",
                (int)columns, marks, MARGIN - 2, "", (int)last, names);
}

static enum margay_status draw(const struct chart *chart,
                               struct margay_error *error)
{
    size_t cells = chart->columns * CHART_ROWS;
    char *canvas = malloc(cells);
    if (canvas == NULL)
        return margay_fail_memory(error, "a chart");
    memset(canvas, ' ', cells);
    for (size_t i = margay_minimum(chart->count, MOST_LINES); i-- > 0;)
        draw_line(chart, i, canvas);
    put_rows(chart, canvas);
    put_axis(chart);
    free(canvas);
    return MARGAY_OK;
}

/* --------------------------------------------------------- the sentences -- */

/* "a: policy fifo, blocks of 64 B" */
static void put_name(const struct chart *chart, size_t index)
{
    const struct cells *table = chart->table;
    const struct line *line = &chart->lines[index];
    const char *gap = "";
    char text[WORDS_KEY_BYTES];
    if (chart->count > 1)
        output_text(chart->output, "%c: ", mark_of(chart, index));
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = cells_name(table, i);
        if (column_role(name) != COLUMN_KEY ||
            strncmp(name, "cache_", 6) == 0 ||
            (strcmp(name, "trace") != 0 &&
             cells_same(table, i, 0, table->rows)))
            continue;
        output_text(chart->output, "%s%s", gap,
                    words_key(table, line->first, i, text));
        gap = ", ";
    }
    if (strcmp(cells_name(table, line->ratio), "byte_miss_ratio") == 0)
        output_text(chart->output, "%sin bytes", gap);
}

/* From which size on a ratio is reached. */
struct step {
    double ratio;
    size_t row;
};

/* The ratios 50%, 20%, 10%, 5% ... that a curve reaches after its first size
   and exceeds at no larger one, of several at sizes at most a sixteenth apart
   the lowest; returns their number.  The last ones are kept, which are of the
   largest caches. */
static size_t find_steps(const struct chart *chart, const struct line *line,
                         struct step steps[MOST_STEPS])
{
    static const double digits[] = {0.5, 0.2, 0.1};
    size_t count = 0;
    for (int i = 0; i < 3 * DECADES; i++) {
        double ratio = digits[i % 3] * pow(10, -(i / 3));
        size_t row = line->end;
        while (row > line->first && ratio_at(chart, line, row - 1) <= ratio)
            row--;
        if (row == line->end)
            break;
        if (row == line->first)
            continue;
        uint64_t before = count == 0 ? 0 : size_at(chart, steps[count - 1].row);
        if (count > 0 && size_at(chart, row) - before <= before / 16)
            count--;
        if (count == MOST_STEPS)
            memmove(steps, steps + 1, --count * sizeof *steps);
        steps[count++] = (struct step){ratio, row};
        if (ratio_at(chart, line, row) <= ratio_at(chart, line, line->end - 1))
            break;
    }
    return count;
}

/* "; at most 5% miss from 2 KiB, 2% from 9 KiB"; returns how many there are.
   Policies are simulated at some sizes only, between which a smaller one may
   do, too. */
static size_t put_steps(const struct chart *chart, const struct line *line)
{
    const bool is_grid = cells_column(chart->table, "policy") != SIZE_MAX;
    struct step steps[MOST_STEPS];
    char ratio[WORDS_BYTES], size[WORDS_BYTES];
    size_t count = find_steps(chart, line, steps);
    for (size_t i = 0; i < count; i++)
        output_text(chart->output, "%s%s%s %s %s", i == 0 ? "; at most " : ", ",
                    words_ratio(steps[i].ratio, ratio), i == 0 ? " miss" : "",
                    is_grid ? "by" : "from",
                    name_size(chart, size_at(chart, steps[i].row), size));
    if (count > 0 && is_grid)
        output_text(chart->output, ", the first size%s of the grid that do%s",
                    margay_plural(count, "s"), count == 1 ? "es" : "");
    return count;
}

static bool coincide(const struct chart *chart, const struct line *a,
                     const struct line *b)
{
    size_t count = a->end - a->first, i = 0;
    while (count == b->end - b->first && i < count &&
           size_at(chart, a->first + i) == size_at(chart, b->first + i) &&
           ratio_at(chart, a, a->first + i) == ratio_at(chart, b, b->first + i))
        i++;
    return i == count;
}

/* " Misses stop falling steeply at 2 KiB, 9 KiB." */
static enum margay_status put_knees(const struct chart *chart,
                                    const struct line *line,
                                    struct margay_error *error)
{
    char text[WORDS_BYTES];
    struct knees knees = {.count = 0};
    enum margay_status status = MARGAY_OK;
    if (strcmp(cells_name(chart->table, line->ratio), "miss_ratio") == 0 &&
        knees_are_for(chart->table))
        status = knees_of_rows(chart->table, line->first, line->end,
                               chart->is_whole, &knees, error);
    for (size_t i = 0; i < knees.count; i++)
        output_text(chart->output, "%s%s",
                    i == 0 ? " Misses stop falling steeply at " : ", ",
                    name_size(chart, size_at(chart, knees.list[i]), text));
    if (knees.count > 0)
        output_text(chart->output, ".");
    return status;
}

/* Are the misses at the end of a line the first uses?  A policy may miss others
   there, and of requests and objects more misses in every cache. */
static bool ends_in_first_uses(const struct chart *chart,
                               const struct line *line)
{
    static const char *const others[] = {"policy", "tenant", "requests",
                                         "reference_bytes"};
    bool is_plain = chart->is_whole && ratio_at(chart, line, line->end - 1) > 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_plain &= cells_column(chart->table, others[i]) == SIZE_MAX;
    return is_plain;
}

/* " Of the tokens that hit at 90 KiB, 90% hit from 9 KiB.", of requests. */
static void put_savings(const struct chart *chart, const struct line *line)
{
    char size[WORDS_BYTES], largest[WORDS_BYTES];
    size_t tokens = cells_column(chart->table, "hit_tokens");
    size_t row = line->first, last = line->end - 1;
    double most = number_at(chart, last, tokens);
    while (number_at(chart, row, tokens) < 0.9 * most)
        row++;
    if (most > 0)
        output_text(chart->output,
                    " Of the tokens that hit at %s, 90%% hit from %s.",
                    name_size(chart, size_at(chart, last), largest),
                    name_size(chart, size_at(chart, row), size));
}

/* ": 20,000 references, blocks of 16 tokens on average" */
static void put_references(const struct chart *chart, size_t row)
{
    const struct cells *table = chart->table;
    const size_t references = cells_column(table, "references");
    const char *sampled = cells_at(table, row, cells_column(table, "sampled"));
    double tokens =
        number_at(chart, row, cells_column(table, "request_tokens"));
    char text[WORDS_KEY_BYTES];
    output_text(chart->output, ": %s", words_key(table, row, references, text));
    if (*sampled != '\0')
        output_text(chart->output, ", of which a sample of %s counts", sampled);
    if (tokens > 0)
        output_text(chart->output, ", blocks of %.4g tokens on average",
                    tokens / number_at(chart, row, references));
}

/* "a: sample.din: 20,000 references; at most 5% miss from 2 KiB, 2% from 9 KiB.
   1% are first uses, which no cache avoids; 90 KiB avoid all other misses.", as
   in a report (sim/report/report.js), or "b: other.din: as a." */
static enum margay_status put_sentence(const struct chart *chart, size_t index,
                                       struct margay_error *error)
{
    const struct line *line = &chart->lines[index];
    const size_t last = line->end - 1;
    const double least = ratio_at(chart, line, last);
    const bool is_floor = ends_in_first_uses(chart, line);
    char text[WORDS_BYTES], end[WORDS_BYTES];
    size_t same = 0;
    put_name(chart, index);
    while (!coincide(chart, line, &chart->lines[same]))
        same++;
    if (same < index) {
        output_text(chart->output, ": as %c.\n", mark_of(chart, same));
        return MARGAY_OK;
    }
    put_references(chart, line->first);
    bool has_steps = put_steps(chart, line) > 0;
    words_ratio(least, text);
    name_size(chart, size_at(chart, last), end);
    if (is_floor)
        output_text(chart->output, ".");
    else
        output_text(chart->output, "; %s%s at %s.", text,
                    has_steps ? "" : " of them miss", end);
    put_savings(chart, line);
    enum margay_status status = put_knees(chart, line, error);
    if (is_floor)
        output_text(chart->output, " %s are first uses, which no cache avoids",
                    text);
    if (is_floor && ratio_at(chart, line, line->first) > least)
        output_text(chart->output, "; %s avoid all other misses", end);
    output_text(chart->output, is_floor ? ".\n" : "\n");
    return status;
}

enum margay_status chart_write(struct output *output, const struct cells *table,
                               size_t columns, bool is_whole,
                               struct margay_error *error)
{
    size_t bytes = cells_column(table, "cache_bytes");
    struct chart chart = {
        .table = table,
        .output = output,
        .columns = (columns < AXIS_BYTES ? columns : AXIS_BYTES) - MARGIN,
        .in_bytes = bytes != SIZE_MAX,
        .is_whole = is_whole,
        .least_log2 = INFINITY,
        .low = INFINITY,
    };
    /* Sizes are in bytes if all rows know them, else in blocks. */
    for (size_t row = 0; row < table->rows && chart.in_bytes; row++)
        chart.in_bytes = cells_at(table, row, bytes)[0] != '\0';
    chart.size = chart.in_bytes ? bytes : cells_column(table, "cache_blocks");
    enum margay_status status = find_lines(&chart, error);
    /* A single size is no curve. */
    if (status == MARGAY_OK && chart.least_log2 < chart.most_log2)
        status = draw(&chart, error);
    for (size_t i = 0; i < chart.count && status == MARGAY_OK; i++) {
        if (i == MOST_LINES) {
            output_text(output, "... and %zu more curves\n",
                        chart.count - MOST_LINES);
            break;
        }
        status = put_sentence(&chart, i, error);
    }
    if (chart.lacks)
        output_text(output,
                    "%s caches are left out: the sample has too little in them "
                    "to be a guide.\n",
                    chart.count == 0 ? "All these" : "Smaller");
    free(chart.lines);
    return status;
}
