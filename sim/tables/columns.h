/* columns.h - what the columns of tables are for, when tables are compared */
#ifndef MARGAY_SIM_TABLES_COLUMNS_H
#define MARGAY_SIM_TABLES_COLUMNS_H

#include <stdbool.h>

enum column_role {
    COLUMN_KEY,    /* tells which row it is */
    COLUMN_VALUE,  /* what was found */
    COLUMN_RATIO,  /* a value that is worse where it is higher */
    COLUMN_MISSES, /* so is this one, where a table has no ratio */
    COLUMN_OTHER,  /* neither: the trace, where that is known to be another */
};

enum column_role column_role(const char *name);

/* Is the column one of names, even where they look like numbers? */
bool column_is_text(const char *name);

#endif
