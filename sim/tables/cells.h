/* cells.h - a table of any kind, in memory as it was written */
#ifndef MARGAY_SIM_TABLES_CELLS_H
#define MARGAY_SIM_TABLES_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <margay/status.h>

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
