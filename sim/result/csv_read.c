/* csv_read.c - reading tables, row by row or as a whole, through libcsv */
#define _GNU_SOURCE
#include "sim/result/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define PIECE_BYTES ((size_t)64 << 10)

struct reader {
    const char *name;
    csv_take_row *take;
    void *context;
    struct margay_error *error;
    enum margay_status status; /* MARGAY_OK while the reading goes on */

    struct csv_parser parser;
    uint64_t lines; /* complete lines so far */
    struct csv_row row;
    size_t row_bytes; /* of the row so far, its quotes included */
    size_t text_bytes;
    char text[CSV_ROW_BYTES + CSV_ROW_FIELDS]; /* the fields, each with a NUL */
    char piece[PIECE_BYTES];
};

enum margay_status csv_fail(const char *path, uint64_t line,
                            struct margay_error *error, const char *format, ...)
{
    struct margay_error why;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why.message, sizeof why.message, format, arguments);
    va_end(arguments);
    return margay_fail(error, MARGAY_BAD_INPUT, "%s:%" PRIu64 ": %s", path,
                       line, why.message);
}

static enum margay_status fail_row(struct reader *reader, const char *found,
                                   const char *expected)
{
    return csv_fail(reader->name, reader->row.line, reader->error,
                    "found %s, expected %s", found, expected);
}

static void take_field(void *field, size_t bytes, void *context)
{
    struct reader *reader = context;
    struct csv_row *row = &reader->row;
    if (row->count == CSV_ROW_FIELDS && reader->status == MARGAY_OK)
        reader->status = fail_row(reader, "more than 64 columns",
                                  "a table that margay wrote");
    if (reader->status != MARGAY_OK)
        return;
    char *copy = reader->text + reader->text_bytes;
    if (bytes > 0)
        memcpy(copy, field, bytes);
    copy[bytes] = '\0';
    reader->text_bytes += bytes + 1;
    row->fields[row->count++] = copy;
}

static void take_row(int terminator, void *context)
{
    struct reader *reader = context;
    (void)terminator;
    if (reader->status == MARGAY_OK)
        reader->status =
            reader->take(reader->context, &reader->row, reader->error);
    reader->row.count = 0;
    reader->text_bytes = 0;
}

static enum margay_status fail_parser(struct reader *reader)
{
    if (csv_error(&reader->parser) != CSV_EPARSE)
        return margay_fail_memory(reader->error, "a row of a table");
    return fail_row(reader, "a quote within a field or never closed", "CSV");
}

/* Feed a line, or a part of one that a piece of the file ends in. */
static void feed_line(struct reader *reader, const char *line, size_t bytes)
{
    if (reader->row_bytes == 0)
        reader->row.line = reader->lines + 1;
    reader->row_bytes += bytes;
    if (reader->row_bytes > CSV_ROW_BYTES)
        reader->status = fail_row(reader, "a row of more than 65536 bytes",
                                  "a table that margay wrote");
    else if (memchr(line, '\0', bytes) != NULL)
        reader->status = fail_row(reader, "a NUL byte", "text");
    else if (csv_parse(&reader->parser, line, bytes, take_field, take_row,
                       reader) != bytes)
        reader->status = fail_parser(reader);
    reader->lines += line[bytes - 1] == '\n';
    if (!reader->parser.quoted && line[bytes - 1] == '\n')
        reader->row_bytes = 0;
}

static enum margay_status read_all(struct reader *reader, FILE *file)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of the order of bytes */
    const size_t mark_bytes = sizeof mark - 1;
    size_t bytes;
    for (bool is_first = true;
         reader->status == MARGAY_OK &&
         (bytes = fread(reader->piece, 1, PIECE_BYTES, file)) > 0;
         is_first = false) {
        const char *line = reader->piece, *end = line + bytes;
        if (is_first && bytes >= mark_bytes &&
            memcmp(line, mark, mark_bytes) == 0)
            line += mark_bytes;
        while (line < end && reader->status == MARGAY_OK) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            const char *next = newline == NULL ? end : newline + 1;
            feed_line(reader, line, (size_t)(next - line));
            line = next;
        }
    }
    if (reader->status == MARGAY_OK && ferror(file))
        return margay_fail(reader->error, MARGAY_IO, "%s: cannot read: %s",
                           reader->name, strerror(errno));
    if (reader->status == MARGAY_OK &&
        csv_fini(&reader->parser, take_field, take_row, reader) != 0)
        return fail_parser(reader);
    return reader->status == MARGAY_END ? MARGAY_OK : reader->status;
}

enum margay_status csv_read(const char *path, FILE *file, csv_take_row *take,
                            void *context, struct margay_error *error)
{
    bool opens = file == NULL && strcmp(path, "-") != 0;
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return margay_fail_memory(error, "a row of a table");
    reader->name = path;
    reader->take = take;
    reader->context = context;
    reader->error = error;
    if (file == NULL)
        file = opens ? fopen(path, "re") : stdin;
    enum margay_status status = MARGAY_IO;
    if (file == NULL) {
        margay_fail(error, status, "%s: %s", path, strerror(errno));
    } else {
        csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI);
        status = read_all(reader, file);
        csv_free(&reader->parser);
    }
    if (opens && file != NULL)
        fclose(file);
    free(reader);
    return status;
}

/* -------------------------------------------------------------- headers -- */

void csv_join_row(const struct csv_row *row, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < row->count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s",
                                 i == 0 ? "" : ",", row->fields[i]);
}

/* ---------------------------------------------------- tables in memory -- */

static enum margay_status add_cells(void *context, const struct csv_row *row,
                                    struct margay_error *error)
{
    struct cells *cells = context;
    size_t cell = cells->rows * row->count;
    if (cells->columns == 0)
        cells->columns = row->count;
    if (row->count != cells->columns)
        return csv_fail(cells->path, row->line, error,
                        "found %zu fields, expected %zu, as in the header",
                        row->count, cells->columns);
    if (!MARGAY_MAKE_ROOM(cells->lines, cells->rows, 1, cells->line_room))
        return margay_fail_memory(error, "a table");
    cells->lines[cells->rows++] = row->line;
    for (size_t i = 0; i < row->count; i++) {
        size_t bytes = strlen(row->fields[i]) + 1;
        if (!MARGAY_MAKE_ROOM(cells->starts, cell, 1, cells->start_room) ||
            !MARGAY_MAKE_ROOM(cells->text, cells->text_bytes, bytes,
                              cells->text_room))
            return margay_fail_memory(error, "a table");
        memcpy(cells->text + cells->text_bytes, row->fields[i], bytes);
        cells->starts[cell++] = cells->text_bytes;
        cells->text_bytes += bytes;
    }
    return MARGAY_OK;
}

enum margay_status cells_read(struct cells *cells, const char *path, FILE *file,
                              struct margay_error *error)
{
    *cells = (struct cells){.path = path};
    enum margay_status status = csv_read(path, file, add_cells, cells, error);
    if (status == MARGAY_OK && cells->columns == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found nothing, expected a table", cells->path);
    if (status == MARGAY_OK)
        cells->rows--;
    return status;
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
    return column == SIZE_MAX
               ? ""
               : cells->text +
                     cells->starts[(row + 1) * cells->columns + column];
}

uint64_t cells_line(const struct cells *cells, size_t row)
{
    return cells->lines[row + 1];
}

size_t cells_column(const struct cells *cells, const char *name)
{
    for (size_t i = 0; i < cells->columns; i++) {
        if (strcmp(cells_name(cells, i), name) == 0)
            return i;
    }
    return SIZE_MAX;
}

bool cells_same(const struct cells *cells, size_t column, size_t first,
                size_t end)
{
    for (size_t row = first + 1; row < end; row++) {
        if (strcmp(cells_at(cells, row, column),
                   cells_at(cells, first, column)) != 0)
            return false;
    }
    return true;
}
