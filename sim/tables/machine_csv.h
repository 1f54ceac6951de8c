/* machine_csv.h - a machine of caches, read from its table */
#ifndef MARGAY_SIM_TABLES_MACHINE_CSV_H
#define MARGAY_SIM_TABLES_MACHINE_CSV_H

#include <margay/hierarchy.h>

struct machine {
    struct margay_level levels[MARGAY_MOST_LEVELS];
    size_t count;
    struct machine_row *rows; /* the texts of the levels; owned */
};

/*
 * Read the table at `path`.  MARGAY_IO; MARGAY_BAD_INPUT with the file, the
 * line, the cache and the column.  Call machine_clear() in any case.
 */
enum margay_status machine_read(struct machine *machine, const char *path,
                                struct margay_error *error);

void machine_clear(struct machine *machine);

#endif
