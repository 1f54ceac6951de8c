/* record_files.c - finding the files of the recorder */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/record/record.h"

/* The places of the files, relative to this program: the build tree, then the
   usual values of libdir, of which the last has one directory for each kind of
   machine. */
static const char *const places[] = {"", "/../lib/margay", "/../lib64/margay",
                                     "/../lib/*/margay"};

/* Quote a directory's name, so that each character stands for itself in a
   pattern; the pattern has room for twice the name. */
static void quote(const char *name, char *pattern)
{
    for (; *name != '\0'; name++) {
        if (strchr("*?[]\\", *name) != NULL)
            *pattern++ = '\\';
        *pattern++ = *name;
    }
    *pattern = '\0';
}

/* Find the first file `file` in the directory `in` and the pattern `place`;
   false if there is none. */
static bool find_one(const char *in, const char *place, const char *file,
                     char *directory)
{
    glob_t found;
    char quoted[2 * PATH_MAX], pattern[2 * PATH_MAX + 128], path[PATH_MAX] = "";
    quote(in, quoted);
    snprintf(pattern, sizeof pattern, "%s%s/%s", quoted, place, file);
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
    char self[PATH_MAX];
    const char *given = getenv("MARGAY_RUNTIME");
    if (given != NULL)
        return strlen(given) < PATH_MAX && find_one(given, "", file, directory)
                   ? MARGAY_OK
                   : margay_fail(error, MARGAY_IO,
                                 "%s/%s: no such file (MARGAY_RUNTIME)", given,
                                 file);
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes < 0)
        return margay_fail(error, MARGAY_IO, "/proc/self/exe: %s",
                           strerror(errno));
    self[bytes] = '\0';
    const char *own = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (find_one(own, places[i], file, directory))
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_IO,
                       "%s is neither beside this program nor in ../lib/margay "
                       "(MARGAY_RUNTIME can name its directory)",
                       file);
}
