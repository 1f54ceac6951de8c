/* search_path.c - programs as a shell finds them */
#define _GNU_SOURCE
#include "sim/terminal/search_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
