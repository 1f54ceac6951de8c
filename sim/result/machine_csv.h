/* machine_csv.h - a machine of caches, from its table or from the system */
#ifndef MARGAY_SIM_RESULT_MACHINE_CSV_H
#define MARGAY_SIM_RESULT_MACHINE_CSV_H

#include <margay/hierarchy.h>

struct machine {
    struct margay_level levels[MARGAY_MOST_LEVELS];
    size_t count;
    struct machine_row *rows; /* the texts of the levels; owned */
    char *path;               /* in messages; owned */
};

/*
 * Read the machine NAME: the table in the file NAME; if there is no such file
 * and NAME has no slash, the table NAME.csv that was installed; for "host", the
 * machine that this runs on, as the system describes it.  Fields that the text
 * of --vary replaces may hold anything; NULL replaces none.  Call
 * machine_settle() before the levels are used.  MARGAY_IO, with the names of
 * the machines that there are; MARGAY_BAD_INPUT with the file, the line, the
 * cache and the column.  Call machine_clear() in any case.
 */
enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error);

/*
 * Set a field of a machine that was read, other than a name; `text` outlives
 * the machine.  MARGAY_BAD_ARGUMENT, about --vary.  Call machine_settle() after
 * the last.
 */
enum margay_status machine_set(struct machine *machine, const char *cache,
                               const char *column, const char *text,
                               struct margay_error *error);

/* Check the levels together. */
enum margay_status machine_settle(struct machine *machine,
                                  struct margay_error *error);

void machine_clear(struct machine *machine);

#endif
