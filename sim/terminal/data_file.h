/* data_file.h - the files that are installed with the program */
#ifndef MARGAY_SIM_TERMINAL_DATA_FILE_H
#define MARGAY_SIM_TERMINAL_DATA_FILE_H

#include <margay/status.h>

/* Where the files of one kind lie. */
struct data_place {
    const char *variable;  /* the environment may name their directory */
    const char *built;     /* below the build's folder: "../plots" */
    const char *installed; /* and an installed program's: "../share/margay" */
};

/* The path of a file, which the caller frees.  MARGAY_IO if there is none. */
enum margay_status data_file_find(const struct data_place *place,
                                  const char *name, char **path,
                                  struct margay_error *error);

#endif
