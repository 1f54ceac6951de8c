/* record_files.c - what programs are recorded with, wherever it lies */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/record.h"

/* Seen from the directory of this program: the build tree, then the usual
   places of libdir; a row of directories, one for each kind of machine. */
static const char *const places[] = {"", "/../lib/margay", "/../lib64/margay",
                                     "/../lib/*/margay"};

/* The first file of those that the pattern stands for; false: there is none. */
static bool find_one(const char *pattern, char *directory)
{
    glob_t found;
    char path[PATH_MAX] = "";
    if (glob(pattern, 0, NULL, &found) == 0)
        (void)!realpath(found.gl_pathv[0], path);
    globfree(&found);
    if (*path == '\0')
        return false;
    snprintf(directory, PATH_MAX, "%s", dirname(path));
    return true;
}

enum margay_status record_find(const char *file, char *directory,
                               struct margay_error *error)
{
    char self[PATH_MAX], pattern[PATH_MAX + 128];
    const char *given = getenv("MARGAY_RUNTIME");
    if (given != NULL) {
        snprintf(pattern, sizeof pattern, "%s/%s", given, file);
        return find_one(pattern, directory)
                   ? MARGAY_OK
                   : margay_fail(error, MARGAY_IO,
                                 "%s: no such file (MARGAY_RUNTIME)", pattern);
    }
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes < 0)
        return margay_fail(error, MARGAY_IO, "/proc/self/exe: %s",
                           strerror(errno));
    self[bytes] = '\0';
    const char *own = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(pattern, sizeof pattern, "%s%s/%s", own, places[i], file);
        if (find_one(pattern, directory))
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_IO,
                       "%s is neither beside this program nor in ../lib/margay "
                       "(MARGAY_RUNTIME can name its directory)",
                       file);
}
