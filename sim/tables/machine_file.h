/* machine_file.h - a machine by the name of its table, or by its own name */
#ifndef MARGAY_SIM_TABLES_MACHINE_FILE_H
#define MARGAY_SIM_TABLES_MACHINE_FILE_H

#include "sim/tables/machine_csv.h"

/*
 * Read the machine NAME: the table in the file NAME; if there is no such file
 * and NAME has no slash, the table NAME.csv that was installed; for "host", the
 * machine that this runs on, as the system describes it.  --vary says `vary`.
 * Fails as machine_read() does, and with the names of the machines that there
 * are.  Call machine_clear() in any case.
 */
enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error);

#endif
