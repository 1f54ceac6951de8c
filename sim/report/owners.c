/* owners.c - which lines of a program's sources, or which of its data, own the
   misses, as SVG */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/bars.h"
#include "sim/report/markup.h"
#include "sim/report/stacks.h"
#include "sim/report/values.h"

/* The lines that have a part of their own; the last part is all others'. */
#define MOST_OWNERS (STACKS_PARTS - 1)

struct owners {
    const struct rows *rows;
    size_t file, line, function /* or data */, bytes, misses,
        references;            /* columns */
    size_t first[MOST_OWNERS]; /* a row of each */
    double most[MOST_OWNERS];  /* misses, at the size with the most; falling */
    size_t count;
    bool has_others;
    struct values sizes;
    struct stacks stacks;
};

static bool is_same_line(const struct owners *owners, size_t row, size_t other)
{
    const struct cells *table = owners->rows->table;
    const size_t columns[] = {owners->file, owners->line, owners->function};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (strcmp(table_text(table, row, columns[i]),
                   table_text(table, other, columns[i])) != 0)
            return false;
    }
    return true;
}

/* The part of a row's line: owners->count if it has none. */
static size_t part_of(const struct owners *owners, size_t row)
{
    size_t part = 0;
    while (part < owners->count &&
           !is_same_line(owners, row, owners->first[part]))
        part++;
    return part;
}

/* Let the line of a row have a part, if it has more misses than another. */
static void rank(struct owners *owners, size_t row)
{
    double misses;
    if (!table_number(owners->rows->table, row, owners->misses, &misses) ||
        misses <= 0)
        return;
    size_t place = part_of(owners, row);
    if (place < owners->count && misses <= owners->most[place])
        return;
    if (place == MOST_OWNERS && misses <= owners->most[--place])
        return;
    owners->count += place == owners->count;
    for (; place > 0 && owners->most[place - 1] < misses; place--) {
        owners->first[place] = owners->first[place - 1];
        owners->most[place] = owners->most[place - 1];
    }
    owners->first[place] = row;
    owners->most[place] = misses;
}

/* The misses of a row, for its size and its line. */
static void add_misses(struct owners *owners, size_t row)
{
    const struct cells *table = owners->rows->table;
    double size, misses;
    if (!table_number(table, row, owners->bytes, &size) ||
        !table_number(table, row, owners->misses, &misses) || misses <= 0)
        return;
    size_t place = values_place(&owners->sizes, size);
    size_t part = part_of(owners, row);
    if (part == owners->count) {
        part = MOST_OWNERS;
        owners->has_others = true;
    }
    if (place < owners->sizes.count)
        owners->stacks.parts[place][part] += misses;
}

/* References of all lines at the first size, which are those at each. */
static double count_references(const struct owners *owners)
{
    const struct cells *table = owners->rows->table;
    double sum = 0, size, references;
    for (size_t row = owners->rows->from; row < owners->rows->to; row++) {
        if (table_number(table, row, owners->bytes, &size) &&
            size == owners->sizes.numbers[0] &&
            table_number(table, row, owners->references, &references))
            sum += fmax(references, 0);
    }
    return fmax(sum, 1);
}

static void find_owners(struct owners *owners)
{
    const struct rows *rows = owners->rows;
    for (size_t row = rows->from; row < rows->to; row++)
        rank(owners, row);
    for (size_t row = rows->from; row < rows->to; row++)
        add_misses(owners, row);
    double references = count_references(owners);
    owners->stacks.count = owners->sizes.count;
    for (size_t i = 0; i < owners->stacks.count; i++) {
        markup_size(owners->sizes.numbers[i], true, owners->stacks.names[i]);
        for (size_t k = 0; k < STACKS_PARTS; k++)
            owners->stacks.parts[i][k] /= references;
    }
}

/* "matrix.c:12 multiply", or the function alone where the line is unknown. */
static void name_owner(const struct owners *owners, size_t part, char name[160])
{
    const struct cells *table = owners->rows->table;
    const char *file = table_text(table, owners->first[part], owners->file);
    const char *line = table_text(table, owners->first[part], owners->line);
    const char *function =
        table_text(table, owners->first[part], owners->function);
    const char *slash = strrchr(file, '/');
    file = slash == NULL ? file : slash + 1;
    snprintf(name, 160, "%s%s%s%s%s", file, *line == '\0' ? "" : ":", line,
             *file == '\0' || *function == '\0' ? "" : " ", function);
    if (*name == '\0')
        strcpy(name, "unknown");
}

/* At a few of the sizes, the line with the most misses. */
static void tell_owners(struct output *output, const struct owners *owners)
{
    size_t every = (owners->sizes.count + 3) / 4;
    output_text(output, "<p>");
    for (size_t i = 0; i < owners->sizes.count; i += every) {
        const double *parts = owners->stacks.parts[i];
        double all = parts[MOST_OWNERS];
        size_t largest = 0;
        char name[160];
        for (size_t k = 0; k < owners->count; k++) {
            all += parts[k];
            largest = parts[k] > parts[largest] ? k : largest;
        }
        if (parts[largest] <= 0)
            continue;
        name_owner(owners, largest, name);
        output_text(output, "In a cache of %s, %.3g%% of the misses are of ",
                    owners->stacks.names[i], 100 * parts[largest] / all);
        markup_text(output, name);
        output_text(output, ". ");
    }
    output_text(output, "</p>\n");
}

void bars_owners(struct output *output, const struct rows *rows,
                 const char *caption)
{
    const struct cells *table = rows->table;
    const bool of_data = table_column(table, "data") != NO_COLUMN;
    struct owners owners = {
        .rows = rows,
        .file = table_column(table, "file"),
        .line = table_column(table, "line"),
        .function = table_column(table, of_data ? "data" : "function"),
        .bytes = table_column(table, "cache_bytes"),
        .misses = table_column(table, "misses"),
        .references = table_column(table, "references"),
    };
    char names[STACKS_PARTS][160] = {""};
    const char *parts[STACKS_PARTS];
    owners.sizes = values_of(rows, owners.bytes);
    find_owners(&owners);
    if (owners.count == 0)
        return;
    for (size_t i = 0; i < owners.count; i++)
        name_owner(&owners, i, names[i]);
    strcpy(names[MOST_OWNERS], of_data ? "other data" : "other lines");
    for (size_t i = 0; i < STACKS_PARTS; i++)
        parts[i] = names[i];
    tell_owners(output, &owners);
    picture_begin(output, rows, caption);
    stacks_write(output, &owners.stacks);
    picture_title(output, "cache in bytes");
    picture_legend(output, parts,
                   owners.has_others ? STACKS_PARTS : owners.count);
}
