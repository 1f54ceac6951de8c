/* csv_read.h - tables read back, row by row, through libcsv */
#ifndef MARGAY_SIM_CSV_READ_H
#define MARGAY_SIM_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <margay/status.h>

/* A table with longer or wider rows is none of ours. */
#define CSV_ROW_BYTES  ((size_t)64 << 10)
#define CSV_ROW_FIELDS 64

struct csv_row {
    size_t count;
    const char *fields[CSV_ROW_FIELDS];
    uint64_t line; /* where it begins, from 1 on */
};

/* Take a row; MARGAY_END: no more are wanted.  Other failures end the reading
   and are its result.  The fields stay until the next row. */
typedef enum margay_status csv_take_row(void *context,
                                        const struct csv_row *row,
                                        struct margay_error *error);

/*
 * Read the file ("-": standard input) to its end, empty lines passed over.
 * MARGAY_IO if it cannot be read; MARGAY_BAD_INPUT, with the line, if it is
 * not CSV.
 */
enum margay_status csv_read(const char *path, csv_take_row *take, void *context,
                            struct margay_error *error);

/* The same, of a file that is open; `name` is what messages call it. */
enum margay_status csv_read_stream(FILE *file, const char *name,
                                   csv_take_row *take, void *context,
                                   struct margay_error *error);

/*
 * Read a file's first row, put together again with commas, into `columns`,
 * and whether another row follows.  A first row longer than `bytes` is cut.
 * Fails as csv_read() does.
 */
enum margay_status csv_read_header(const char *path, char *columns,
                                   size_t bytes, bool *has_rows,
                                   struct margay_error *error);

/* Write the row's fields, with commas between them, cut to `bytes`. */
void csv_join_row(const struct csv_row *row, char *text, size_t bytes);

#endif
