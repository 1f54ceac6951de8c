/* csv_read.h - reading tables, row by row or as a whole, through libcsv */
#ifndef MARGAY_SIM_TABLES_CSV_READ_H
#define MARGAY_SIM_TABLES_CSV_READ_H

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

/*
 * Read the file ("-": standard input) to its end and skip empty lines, and a
 * byte order mark of UTF-8 at the beginning, as spreadsheets write it.
 * MARGAY_IO if the file cannot be read; MARGAY_BAD_INPUT, with the line, if it
 * is not CSV.
 */
enum margay_status csv_read(const char *path, csv_take_row *take, void *context,
                            struct margay_error *error);

/* The same for an open file, which messages call `name`. */
enum margay_status csv_read_stream(FILE *file, const char *name,
                                   csv_take_row *take, void *context,
                                   struct margay_error *error);

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
    size_t row_room;
};

/*
 * Read the table at `path` ("-": standard input), which has to outlive the
 * cells.  MARGAY_BAD_INPUT, with the line, if it has no header, or a row of
 * another length; also MARGAY_IO and MARGAY_NO_MEMORY.  Call cells_clear() in
 * any case.
 */
enum margay_status cells_read(struct cells *cells, const char *path,
                              struct margay_error *error);

/* The same for an open file, which messages call `name`. */
enum margay_status cells_read_stream(struct cells *cells, FILE *file,
                                     const char *name,
                                     struct margay_error *error);

void cells_clear(struct cells *cells);

const char *cells_name(const struct cells *cells, size_t column);
const char *cells_at(const struct cells *cells, size_t row, size_t column);
uint64_t cells_line(const struct cells *cells, size_t row);

#endif
