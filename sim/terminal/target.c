/* target.c - the place that output goes to */
#define _GNU_SOURCE
#include "sim/terminal/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

#define MAX_LINKS     40
#define MAX_ATTEMPTS  100
#define NEW_FILE_MODE 0666

/* Temporary files begin so; then come a process and a number. */
#define TEMPORARY_PREFIX ".margay-"

static enum margay_status fail_to_write(const char *name,
                                        struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO, "%s: cannot write: %s", name,
                       strerror(errno));
}

/* The length of the directory in front, its slash included; 0 if there is
   none. */
static size_t directory_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

char *target_resolve_absent(const char *path)
{
    char *resolved = strdup(path), points_to[PATH_MAX];
    struct stat status;
    for (int links = 0; resolved != NULL; links++) {
        if (lstat(resolved, &status) != 0 || !S_ISLNK(status.st_mode))
            return resolved;
        char *link = resolved;
        ssize_t bytes = readlink(link, points_to, sizeof points_to - 1);
        points_to[bytes < 0 ? 0 : bytes] = '\0';
        size_t directory = points_to[0] == '/' ? 0 : directory_bytes(link);
        if (links == MAX_LINKS)
            errno = ELOOP;
        if (links == MAX_LINKS || bytes < 0 ||
            asprintf(&resolved, "%.*s%s", (int)directory, link, points_to) < 0)
            resolved = NULL;
        free(link);
    }
    return NULL;
}

bool target_is_behind_standard(const struct stat *status)
{
    struct stat output;
    return !S_ISCHR(status->st_mode) && fstat(STDOUT_FILENO, &output) == 0 &&
           output.st_dev == status->st_dev && output.st_ino == status->st_ino;
}

/* Set target->path or target->in_place. */
static enum margay_status resolve(struct target *target,
                                  struct margay_error *error)
{
    struct stat status;
    if (stat(target->name, &status) != 0) {
        if (errno == ENOENT)
            target->path = target_resolve_absent(target->name);
    } else if (target_is_behind_standard(&status)) {
        /* Such as /dev/stdout.  To replace the file behind it would lose the
           part that a shell appends to. */
        target->name = "-";
        target->in_place = true;
    } else if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (access(target->name, W_OK) != 0) {
        ;
    } else if (S_ISREG(status.st_mode) && status.st_nlink > 0) {
        target->path = realpath(target->name, NULL);
    } else {
        target->in_place = true;
    }
    if (target->path == NULL && !target->in_place)
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

/* The folder that the file is in, with a slash; NULL if there is no memory. The
   caller frees it. */
static char *folder_of(const char *path)
{
    size_t bytes = directory_bytes(path);
    return bytes == 0 ? strdup("./") : strndup(path, bytes);
}

/* Give the nameless file a name that is free; errno is EEXIST if it is not. */
static bool link_to(const struct target *target, const char *path)
{
    char self[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    sprintf(self, "/proc/self/fd/%d", target->descriptor);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Try one name for the temporary file, which is made unless it is there without
   one; errno is EEXIST if the name was taken. */
static bool name_temporary(struct target *target, mode_t mode, unsigned number)
{
    if (asprintf(&target->temporary_path, "%.*s" TEMPORARY_PREFIX "%ld-%u",
                 (int)directory_bytes(target->path), target->path,
                 (long)getpid(), number) < 0) {
        target->temporary_path = NULL;
        return false;
    }
    signals_hold();
    bool named =
        target->descriptor >= 0
            ? link_to(target, target->temporary_path)
            : (target->descriptor =
                   open(target->temporary_path,
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) >= 0;
    int reason = errno;
    if (named && !signals_doom(target->temporary_path)) {
        unlink(target->temporary_path);
        named = false;
        reason = ENOMEM;
    }
    signals_release();
    if (named)
        return true;
    free(target->temporary_path);
    target->temporary_path = NULL;
    errno = reason;
    return false;
}

/* Find a name for the temporary file. */
static bool find_name(struct target *target, mode_t mode)
{
    /* Each number is used once, because a command may have many outputs. */
    static atomic_uint next_number;
    unsigned attempt = 0;
    while (!name_temporary(target, mode, atomic_fetch_add(&next_number, 1))) {
        if (errno != EEXIST || ++attempt == MAX_ATTEMPTS)
            return false;
    }
    return true;
}

/* Once in a process: if the folder has temporary files of processes that have
   died, a message in the end names one.  As long as a process writes one it has
   a lock on it, on this machine or another.  None is removed: someone may want
   what it holds. */
static void tell_leftovers(const char *folder)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    static const int flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
    struct dirent *entry;
    size_t count = 0;
    char first[NAME_MAX + 1] = "";
    DIR *entries = atomic_flag_test_and_set(&told) ? NULL : opendir(folder);
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        int file = strncmp(entry->d_name, TEMPORARY_PREFIX,
                           strlen(TEMPORARY_PREFIX)) == 0
                       ? openat(dirfd(entries), entry->d_name, flags)
                       : -1;
        if (file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0 && count++ == 0)
            strcpy(first, entry->d_name);
        if (file >= 0)
            close(file);
    }
    closedir(entries);
    if (count > 0)
        message_keep("found %zu half-written file%s of runs that were killed, "
                     "which may be removed: %s%s%s",
                     count, margay_plural(count, "s"), folder, first,
                     count > 1 ? ", ..." : "");
}

static enum margay_status make_temporary(struct target *target,
                                         struct margay_error *error)
{
    struct stat replaced;
    bool replaces = stat(target->path, &replaced) == 0;
    mode_t mode = replaces ? replaced.st_mode & 0777 : NEW_FILE_MODE;
    char *folder = folder_of(target->path);
    if (folder == NULL)
        return margay_fail_memory(error, "the name of the output");
    /* Nothing is left of a file without a name if this process is killed.  Not
       every file system has them, and the name in the end needs /proc. */
    if (access("/proc/self/fd", X_OK) == 0)
        target->descriptor =
            open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    bool nameless = target->descriptor >= 0;
    bool made = nameless || find_name(target, mode);
    if (made) {
        flock(target->descriptor, LOCK_EX | LOCK_NB);
        if (replaces || !nameless)
            tell_leftovers(folder);
    }
    free(folder);
    if (!made)
        return fail_to_write(target->name, error);
    /* A file that is replaced keeps its mode; the umask does not apply. */
    if (replaces && fchmod(target->descriptor, mode) != 0)
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

enum margay_status target_open(struct target *target, const char *path,
                               struct margay_error *error)
{
    *target = (struct target){.name = path, .descriptor = -1};
    if (path == NULL || strcmp(path, "-") == 0) {
        target->name = "-";
        target->in_place = true;
        return MARGAY_OK;
    }
    enum margay_status status = resolve(target, error);
    if (status == MARGAY_OK && !target->in_place)
        status = make_temporary(target, error);
    if (status != MARGAY_OK)
        target_release(target);
    return status;
}

/* Closing a duplicate reports the errors that its file system reports on
   closing. */
static bool can_close(int descriptor)
{
    int duplicate = dup(descriptor);
    return duplicate >= 0 && close(duplicate) == 0;
}

enum margay_status target_close(struct target *target,
                                struct margay_error *error)
{
    if (target->descriptor >= 0 &&
        ((target->durable && fsync(target->descriptor) != 0) ||
         !can_close(target->descriptor)))
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

/* A file that is replaced makes way for one that has another name already. */
static bool take_name(struct target *target)
{
    if (target->temporary_path == NULL) {
        if (link_to(target, target->path))
            return true;
        if (errno != EEXIST || !find_name(target, NEW_FILE_MODE))
            return false;
    }
    if (rename(target->temporary_path, target->path) != 0)
        return false;
    signals_spare(target->temporary_path);
    free(target->temporary_path);
    target->temporary_path = NULL;
    return true;
}

enum margay_status target_publish(struct target *target,
                                  struct margay_error *error)
{
    if (!take_name(target))
        return fail_to_write(target->name, error);
    if (!target->durable)
        return MARGAY_OK;
    /* The file is whole under either name, so a failure is none of the output.
     */
    char *folder = folder_of(target->path);
    int opened =
        folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) {
        fsync(opened);
        close(opened);
    }
    free(folder);
    return MARGAY_OK;
}

bool target_is_standard_output(const struct target *target)
{
    return strcmp(target->name, "-") == 0;
}

enum margay_status target_open_in_place(const struct target *target,
                                        int *descriptor,
                                        struct margay_error *error)
{
    *descriptor = target_is_standard_output(target)
                      ? STDOUT_FILENO
                      : open(target->name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (*descriptor < 0)
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

enum margay_status target_close_in_place(const struct target *target,
                                         int descriptor,
                                         struct margay_error *error)
{
    /* Standard output stays open. */
    if (target_is_standard_output(target) ? !can_close(descriptor)
                                          : close(descriptor) != 0)
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

void target_release(struct target *target)
{
    if (target->descriptor >= 0)
        close(target->descriptor);
    if (target->temporary_path != NULL) {
        unlink(target->temporary_path);
        signals_spare(target->temporary_path);
        free(target->temporary_path);
    }
    free(target->path);
    *target = (struct target){.descriptor = -1};
}

enum margay_status target_write(int descriptor, const char *name,
                                const char *bytes, size_t count,
                                struct margay_error *error)
{
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EPIPE)
            signals_die(SIGPIPE);
        if (written < 0 && errno != EINTR)
            return fail_to_write(name, error);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return MARGAY_OK;
}
