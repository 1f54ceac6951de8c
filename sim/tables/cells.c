/* cells.c - a table of any kind, in memory as it was written */
#include "sim/tables/cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tables/csv_read.h"
#include "traces/traces_internal.h"

/* Room for another row, in steps that grow with the table. */
static enum margay_status make_room(struct cells *cells,
                                    const struct csv_row *row,
                                    struct margay_error *error)
{
    if (cells->rows == cells->row_room) {
        size_t room = 2 * cells->row_room + 64;
        size_t *starts =
            realloc(cells->starts, room * row->count * sizeof *cells->starts);
        if (starts != NULL)
            cells->starts = starts;
        uint64_t *lines = realloc(cells->lines, room * sizeof *cells->lines);
        if (lines != NULL)
            cells->lines = lines;
        if (starts == NULL || lines == NULL)
            return margay_fail_memory(error, "a table");
        cells->row_room = room;
    }
    /* No row is longer than that. */
    if (cells->text_room - cells->text_bytes < CSV_ROW_BYTES + CSV_ROW_FIELDS) {
        size_t room = 2 * (cells->text_room + CSV_ROW_BYTES + CSV_ROW_FIELDS);
        char *text = realloc(cells->text, room);
        if (text == NULL)
            return margay_fail_memory(error, "a table");
        cells->text = text;
        cells->text_room = room;
    }
    return MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct cells *cells = context;
    if (cells->columns == 0)
        cells->columns = row->count;
    if (row->count != cells->columns)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%" PRIu64 ": found %zu fields, expected %zu, as "
                           "in the header",
                           cells->path, row->line, row->count, cells->columns);
    enum margay_status status = make_room(cells, row, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < row->count; i++) {
        size_t bytes = strlen(row->fields[i]) + 1;
        memcpy(cells->text + cells->text_bytes, row->fields[i], bytes);
        cells->starts[cells->rows * cells->columns + i] = cells->text_bytes;
        cells->text_bytes += bytes;
    }
    cells->lines[cells->rows++] = row->line;
    return MARGAY_OK;
}

static enum margay_status end_reading(struct cells *cells,
                                      enum margay_status status,
                                      struct margay_error *error)
{
    if (status == MARGAY_OK && cells->columns == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found nothing, expected a table", cells->path);
    if (status == MARGAY_OK)
        cells->rows--;
    return status;
}

enum margay_status cells_read(struct cells *cells, const char *path,
                              struct margay_error *error)
{
    *cells = (struct cells){.path = path};
    return end_reading(cells, csv_read(path, take_row, cells, error), error);
}

enum margay_status cells_read_stream(struct cells *cells, FILE *file,
                                     const char *name,
                                     struct margay_error *error)
{
    *cells = (struct cells){.path = name};
    return end_reading(
        cells, csv_read_stream(file, name, take_row, cells, error), error);
}

void cells_clear(struct cells *cells)
{
    free(cells->text);
    free(cells->starts);
    free(cells->lines);
    *cells = (struct cells){.path = NULL};
}

const char *cells_name(const struct cells *cells, size_t column)
{
    return cells->text + cells->starts[column];
}

const char *cells_at(const struct cells *cells, size_t row, size_t column)
{
    return cells->text + cells->starts[(row + 1) * cells->columns + column];
}

uint64_t cells_line(const struct cells *cells, size_t row)
{
    return cells->lines[row + 1];
}
