/* find_file.h - find programs as a shell does, and files installed with this
 * one */
#ifndef MARGAY_SIM_TERMINAL_FIND_FILE_H
#define MARGAY_SIM_TERMINAL_FIND_FILE_H

#include <stdbool.h>

#include <margay/status.h>

/* Is the path a file that may be run?  If not, errno says why. */
bool search_can_run(const char *path);

/* The file that execvp() would run, or the first that it would find and may not
   run; NULL if there is neither, or errno is ENOMEM.  The caller frees it. */
char *search_path(const char *name);

/* Where the files of one kind lie. */
struct data_place {
    const char *variable; /* the environment may name their directory */
    /* Patterns that follow the program's directory, such as "/../plots", that
       of a build first; NULL = no more. */
    const char *directories[4];
};

/* The path of a file, which the caller frees.  MARGAY_IO if there is none,
   MARGAY_NO_MEMORY. */
enum margay_status data_file_find(const struct data_place *place,
                                  const char *name, char **path,
                                  struct margay_error *error);

#endif
