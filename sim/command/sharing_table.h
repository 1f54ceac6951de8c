/* sharing_table.h - the table of the blocks that cores share in machines */
#ifndef MARGAY_SIM_COMMAND_SHARING_TABLE_H
#define MARGAY_SIM_COMMAND_SHARING_TABLE_H

#include "sim/annotate/annotate.h"
#include "sim/result/machine_table.h"

/* From sites to lines of sources. */
struct sharing_lines {
    struct places *places;     /* NULL = lines are not looked for */
    const margay_trace *trace; /* whose sites they are */
    const char *program;       /* as of places_find_site() */
};

/* The lines that are named of a block, and the bytes of a name. */
#define SHARING_MOST_LINES 4
#define SHARING_NAME_BYTES 256

/* The block with the most misses of false sharing of all machines. */
struct sharing_most {
    uint64_t misses; /* 0 = no block has any */
    uint64_t address;
    size_t machine;
    /* The first lines or sites that contend for it, as ", a.c:1 and b.c:2"; ""
       = the trace has no sites. */
    char lines[SHARING_MOST_LINES * (SHARING_NAME_BYTES + 8)];
};

/* Rows of SHARING_COLUMNS, those of each machine.  MARGAY_NO_MEMORY. */
enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const struct sharing_lines *lines,
                                 struct sharing_most *most,
                                 struct margay_error *error);

#endif
