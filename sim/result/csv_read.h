/* csv_read.h - reading tables, row by row or as a whole, through libcsv */
#ifndef MARGAY_SIM_RESULT_CSV_READ_H
#define MARGAY_SIM_RESULT_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <margay/status.h>

/* margay writes no table with longer rows or more columns. */
#define CSV_ROW_BYTES  ((size_t)64 << 10)
#define CSV_ROW_FIELDS 64

struct csv_row {
    size_t count;
    const char *fields[CSV_ROW_FIELDS];
    uint64_t line; /* where the row begins, from 1 on */
};

/* Take a row.  MARGAY_END ends the reading with success; any other failure ends
   it and is its result.  The fields stay valid until the next row. */
typedef enum margay_status csv_take_row(void *context,
                                        const struct csv_row *row,
                                        struct margay_error *error);

/* Read the open file, which messages call `path`, or if it is NULL the file of
   that name ("-": standard input), to its end and skip empty lines, and a byte
   order mark of UTF-8 at the beginning, as spreadsheets write it.  MARGAY_IO if
   the file cannot be read; MARGAY_BAD_INPUT, with the line, if it is not
   CSV. */
enum margay_status csv_read(const char *path, FILE *file, csv_take_row *take,
                            void *context, struct margay_error *error);

/* MARGAY_BAD_INPUT, in a message that begins with the file and the line. */
enum margay_status csv_fail(const char *path, uint64_t line,
                            struct margay_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Join the row's fields with commas into a text, cut to `bytes` bytes. */
void csv_join_row(const struct csv_row *row, char *text, size_t bytes);

/* ---------------------------------------------------- tables in memory -- */

struct cells {
    const char *path;
    size_t columns, rows; /* the header is no row */
    char *text;           /* of all cells, each with a NUL; owned */
    size_t text_bytes, text_room;
    size_t *starts;  /* of the cells, the header's first; owned */
    uint64_t *lines; /* where rows begin, the header's first; owned */
    size_t start_room, line_room;
};

/* Read a table as csv_read() does; the path has to outlive the cells.
   MARGAY_BAD_INPUT, with the line, if it has no header, or a row of another
   length; also MARGAY_IO and MARGAY_NO_MEMORY.  Call cells_clear() in any
   case. */
enum margay_status cells_read(struct cells *cells, const char *path, FILE *file,
                              struct margay_error *error);

void cells_clear(struct cells *cells);

const char *cells_name(const struct cells *cells, size_t column);
const char *cells_at(const struct cells *cells, size_t row, size_t column);
uint64_t cells_line(const struct cells *cells, size_t row);

/* The column of that name; SIZE_MAX = there is none. */
size_t cells_column(const struct cells *cells, const char *name);

/* Have all rows from `first` to before `end` the same in a column? */
bool cells_same(const struct cells *cells, size_t column, size_t first,
                size_t end);

#endif
