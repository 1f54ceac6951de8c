/* find_file.c - find programs as a shell does, and files installed with this
 * one */
#define _GNU_SOURCE
#include "sim/terminal/find_file.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/traces_internal.h"

bool search_can_run(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        errno = EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

/* A file in a directory that this process may not search counts as absent, or
   every program would exist there. */
char *search_path(const char *name)
{
    const char *path = getenv("PATH");
    char *denied = NULL;
    struct stat status;
    if (strchr(name, '/') != NULL || path == NULL)
        return strdup(name);
    while (*path != '\0') {
        size_t bytes = strcspn(path, ":");
        char *file = NULL;
        if (asprintf(&file, "%.*s%s%s", (int)bytes, path, bytes > 0 ? "/" : "",
                     name) < 0) {
            free(denied);
            errno = ENOMEM;
            return NULL;
        }
        if (search_can_run(file)) {
            free(denied);
            return file;
        }
        if (denied == NULL && errno == EACCES && stat(file, &status) == 0 &&
            !S_ISDIR(status.st_mode))
            denied = file;
        else
            free(file);
        path += bytes + (path[bytes] == ':');
    }
    errno = ENOENT;
    return denied;
}

/* Add a text to a pattern, of which each character stands for itself. */
static size_t add_quoted(char *pattern, size_t length, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("*?[]\\", *text) != NULL)
            pattern[length++] = '\\';
        pattern[length++] = *text;
    }
    return length;
}

/* The path of the file in `directory` and `below`, a pattern, which the caller
   frees.  MARGAY_IO if it is not there. */
static enum margay_status file_in(const char *directory, const char *below,
                                  const char *name, char **path,
                                  struct margay_error *error)
{
    glob_t found;
    char *pattern =
        malloc(2 * (strlen(directory) + strlen(name)) + strlen(below) + 2);
    *path = NULL;
    if (pattern == NULL)
        return margay_fail_memory(error, "the name of a file");
    size_t length = add_quoted(pattern, 0, directory);
    length += (size_t)sprintf(pattern + length, "%s/", below);
    pattern[add_quoted(pattern, length, name)] = '\0';
    int result = glob(pattern, 0, NULL, &found);
    bool is_there = result == 0 && access(found.gl_pathv[0], R_OK) == 0;
    if (is_there)
        *path = strdup(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    if (result == GLOB_NOSPACE || (is_there && *path == NULL))
        return margay_fail_memory(error, "the name of a file");
    return is_there ? MARGAY_OK : MARGAY_IO;
}

enum margay_status data_file_find(const struct data_place *place,
                                  const char *name, char **path,
                                  struct margay_error *error)
{
    const char *given = getenv(place->variable);
    char program[PATH_MAX];
    enum margay_status status = MARGAY_IO;
    if (given != NULL && *given != '\0') {
        status = file_in(given, "", name, path, error);
        return status == MARGAY_IO
                   ? margay_fail(error, MARGAY_IO, "%s=%s: no %s there",
                                 place->variable, given, name)
                   : status;
    }
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    program[bytes < 0 ? 0 : bytes] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0'; /* the directory of this program */
    *path = NULL;
    for (size_t i = 0; bytes > 0 && i < 4 && place->directories[i] != NULL &&
                       status == MARGAY_IO;
         i++)
        status = file_in(program, place->directories[i], name, path, error);
    if (status != MARGAY_IO)
        return status;
    if (bytes < 0)
        return margay_fail(error, MARGAY_IO,
                           "%s: not found, as /proc does not say where this "
                           "program is (%s=DIRECTORY says where the file is)",
                           name, place->variable);
    return margay_fail(error, MARGAY_IO,
                       "%s: not found next to the program (say where it is "
                       "with %s=DIRECTORY)",
                       name, place->variable);
}
