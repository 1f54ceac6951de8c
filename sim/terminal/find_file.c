/* find_file.c - find programs as a shell does, and files installed with this
 * one */
#define _GNU_SOURCE
#include "sim/terminal/find_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
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
static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

char *search_path(const char *name)
{
    const char *path = getenv("PATH");
    char *denied = NULL;
    if (strchr(name, '/') != NULL || path == NULL)
        return strdup(name);
    while (*path != '\0') {
        size_t bytes = strcspn(path, ":");
        char *file = NULL;
        if (asprintf(&file, "%.*s%s%s", (int)bytes, path, bytes > 0 ? "/" : "",
                     name) < 0) {
            free(denied);
            return NULL;
        }
        if (search_can_run(file)) {
            free(denied);
            return file;
        }
        if (denied == NULL && errno == EACCES && is_there(file))
            denied = file;
        else
            free(file);
        path += bytes + (path[bytes] == ':');
    }
    return denied;
}

/* ----------------------------------------------------- installed files -- */

/* The directory of this program, its slash included. */
static bool find_program_directory(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    return true;
}

/* The path of the file in `directory`; false if it is not there. */
static bool file_in(const char *directory, const char *below, const char *name,
                    char **path)
{
    if (asprintf(path, "%s%s/%s", directory, below, name) < 0)
        *path = NULL;
    if (*path != NULL && access(*path, R_OK) == 0)
        return true;
    free(*path);
    *path = NULL;
    return false;
}

enum margay_status data_file_find(const struct data_place *place,
                                  const char *name, char **path,
                                  struct margay_error *error)
{
    const char *given = getenv(place->variable);
    char program[PATH_MAX];
    if (given != NULL && *given != '\0') {
        if (file_in(given, "", name, path))
            return MARGAY_OK;
        return margay_fail(error, MARGAY_IO, "%s=%s: no %s there",
                           place->variable, given, name);
    }
    if (find_program_directory(program, sizeof program) &&
        (file_in(program, place->built, name, path) ||
         file_in(program, place->installed, name, path)))
        return MARGAY_OK;
    if (access("/proc/self/exe", F_OK) != 0)
        return margay_fail(error, MARGAY_IO,
                           "%s: not found, as /proc does not say where this "
                           "program is (%s=DIRECTORY says where the file is)",
                           name, place->variable);
    return margay_fail(error, MARGAY_IO,
                       "%s: not found beside the program (say where it is "
                       "with %s=DIRECTORY)",
                       name, place->variable);
}
