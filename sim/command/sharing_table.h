/* sharing_table.h - the table of the blocks that cores share in machines */
#ifndef MARGAY_SIM_COMMAND_SHARING_TABLE_H
#define MARGAY_SIM_COMMAND_SHARING_TABLE_H

#include "sim/annotate/places.h"
#include "sim/tables/machine_table.h"

/* From sites to lines of sources. */
struct sharing_lines {
    struct places *places;     /* NULL = lines are not looked for */
    const margay_trace *trace; /* whose sites they are */
    const char *program;       /* as of places_find_site() */
};

/* Rows of SHARING_COLUMNS, those of each machine.  MARGAY_NO_MEMORY. */
enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const struct sharing_lines *lines,
                                 struct margay_error *error);

#endif
