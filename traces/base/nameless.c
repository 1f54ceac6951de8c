/* nameless.c - temporary files without a name */
#define _GNU_SOURCE
#include "traces/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int margay_nameless_file(const char *directory)
{
    char *path;
    if (asprintf(&path, "%s/margay-XXXXXX", directory) < 0) {
        errno = ENOMEM;
        return -1;
    }
    int file = mkostemp(path, O_CLOEXEC), reason = errno;
    if (file >= 0)
        unlink(path);
    free(path);
    errno = reason;
    return file;
}
