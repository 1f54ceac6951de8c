/* search_path.h - programs as a shell finds them */
#ifndef MARGAY_SIM_TERMINAL_SEARCH_PATH_H
#define MARGAY_SIM_TERMINAL_SEARCH_PATH_H

#include <stdbool.h>

/* Is the path a file that may be run?  If not, errno says why. */
bool search_can_run(const char *path);

/* The file that execvp() would run, or the first that it would find and may not
   run; NULL if there is neither.  The caller frees it. */
char *search_path(const char *name);

#endif
