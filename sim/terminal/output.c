/*
 * output.c - output that appears whole or not at all
 *
 * A regular file is replaced as a whole: bytes go to a temporary file in its
 * folder, which gets the file's name in the end and has none before, where the
 * file system can do that.  Symbolic links are followed first, so that they
 * stay links.  Standard output, devices and FIFOs are written in place, in the
 * end, from memory or a temporary file.
 */
#define _GNU_SOURCE
#include "sim/terminal/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* ----------------------------------------- the place that output goes to -- */

#define MAX_LINKS     40
#define MAX_ATTEMPTS  100
#define NEW_FILE_MODE 0666

/* Temporary files begin so; then come a process and a number. */
#define TEMPORARY_PREFIX ".margay-"

struct target {
    const char *name;     /* in messages */
    bool durable;         /* on disk before it gets its name, as is the name */
    bool in_place;        /* no temporary file, so none of the following */
    int descriptor;       /* of the temporary file; -1 = none */
    char *path;           /* of the file in the end; owned */
    char *temporary_path; /* of the file until then; owned; NULL: no name */
};

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

char *output_resolve_absent(const char *path)
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

bool output_is_standard(const struct stat *status)
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
            target->path = output_resolve_absent(target->name);
    } else if (output_is_standard(&status)) {
        /* Such as /dev/stdout.  To replace the file that it names would lose
           the part that a shell appends to. */
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
    free(folder);
    if (target->descriptor < 0 && !find_name(target, mode))
        return fail_to_write(target->name, error);
    /* A file that is replaced keeps its mode; the umask does not apply. */
    if (replaces && fchmod(target->descriptor, mode) != 0)
        return fail_to_write(target->name, error);
    return MARGAY_OK;
}

/* A temporary file that was not published is removed. */
static void target_release(struct target *target)
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

/* Open the target at `path` (NULL or "-": standard output): a regular file, or
   a free name, gets a temporary file. */
static enum margay_status target_open(struct target *target, const char *path,
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

/* Give the temporary file, which is whole, its name. */
static enum margay_status target_publish(struct target *target,
                                         struct margay_error *error)
{
    if (!take_name(target))
        return fail_to_write(target->name, error);
    if (!target->durable)
        return MARGAY_OK;
    /* The file is whole under either name, so a failure is none of the
       output. */
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

/* Is it standard output, under any name, such as /dev/stdout? */
static bool target_is_standard_output(const struct target *target)
{
    return strcmp(target->name, "-") == 0;
}

/* Open a target that is written in place; opening a FIFO waits for a reader. */
static enum margay_status target_open_in_place(const struct target *target,
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

enum margay_status output_write_to(int descriptor, const char *name,
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

/* ------------------------------------------------------------ the output -- */

/* The bytes that are held in memory before a temporary file is made.  A stream
   and a file are written in pieces that stay in the processor's cache, twice as
   large as the most room, so that a piece is at least half full. */
#define HELD_BYTES  ((size_t)8 << 20)
#define PIECE_BYTES (2 * OUTPUT_ROOM_BYTES)

struct output {
    struct target target;
    int store;              /* where a full buffer goes; -1 = not yet */
    const char *store_name; /* in messages */
    bool spooled;           /* the store is the unlinked temporary file */
    size_t used, capacity;
    char *buffer;
    struct margay_error failure; /* status MARGAY_OK while there is none */
};

enum margay_status output_open(const char *path, enum output_mode mode,
                               struct output **output,
                               struct margay_error *error)
{
    struct output *opened = calloc(1, sizeof *opened);
    *output = NULL;
    if (opened == NULL)
        return margay_fail_memory(error, "the output");
    opened->store = -1;
    enum margay_status status = target_open(&opened->target, path, error);
    if (status == MARGAY_OK) {
        opened->store_name = opened->target.name;
        opened->store = opened->target.descriptor;
        opened->target.durable = mode == OUTPUT_DURABLE;
    }
    if (status == MARGAY_OK && opened->target.in_place &&
        mode == OUTPUT_STREAMED)
        status = target_open_in_place(&opened->target, &opened->store, error);
    opened->capacity = opened->store < 0 ? HELD_BYTES : PIECE_BYTES;
    if (status == MARGAY_OK &&
        (opened->buffer = malloc(opened->capacity)) == NULL)
        status = margay_fail_memory(error, "the output");
    if (status == MARGAY_OK)
        *output = opened;
    else
        output_free(opened);
    return status;
}

const char *output_temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory == NULL || *directory == '\0' ? "/tmp" : directory;
}

void output_flush(struct output *output)
{
    struct margay_error *failure = &output->failure;
    if (failure->status == MARGAY_OK && output->store < 0) {
        const char *directory = output_temporary_directory();
        output->store = margay_nameless_file(directory);
        output->spooled = output->store >= 0;
        output->store_name = "the temporary file (TMPDIR)";
        if (output->store < 0)
            margay_fail(failure, MARGAY_IO,
                        "%s: cannot make a temporary file: %s", directory,
                        strerror(errno));
    }
    if (failure->status == MARGAY_OK)
        output_write_to(output->store, output->store_name, output->buffer,
                        output->used, failure);
    output->used = 0;
}

char *output_room(struct output *output, size_t bytes)
{
    if (output->capacity - output->used < bytes)
        output_flush(output);
    return output->buffer + output->used;
}

void output_add(struct output *output, size_t bytes)
{
    output->used += bytes;
}

void output_text(struct output *output, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *room = output_room(output, OUTPUT_ROOM_BYTES);
    int bytes = vsnprintf(room, OUTPUT_ROOM_BYTES, format, arguments);
    va_end(arguments);
    if (bytes > 0)
        output_add(output, (size_t)bytes);
}

void output_bytes(struct output *output, const void *from, size_t count)
{
    const char *bytes = from;
    while (count > 0) {
        size_t piece = count < OUTPUT_ROOM_BYTES ? count : OUTPUT_ROOM_BYTES;
        memcpy(output_room(output, piece), bytes, piece);
        output_add(output, piece);
        bytes += piece;
        count -= piece;
    }
}

/* Read the spool from its start, piece by piece, into the buffer. */
static ssize_t read_spool(struct output *output, struct margay_error *error)
{
    ssize_t bytes;
    do {
        bytes = read(output->store, output->buffer, output->capacity);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0)
        margay_fail(error, MARGAY_IO, "%s: cannot read: %s", output->store_name,
                    strerror(errno));
    return bytes;
}

static enum margay_status rewind_spool(struct output *output,
                                       struct margay_error *error)
{
    output_flush(output);
    enum margay_status status = output_status(output, error);
    if (status == MARGAY_OK && lseek(output->store, 0, SEEK_SET) != 0)
        status = margay_fail(error, MARGAY_IO, "%s: cannot rewind: %s",
                             output->store_name, strerror(errno));
    return status;
}

void output_append(struct output *output, struct output *part)
{
    ssize_t bytes = 0;
    if (!part->spooled)
        output_bytes(output, part->buffer, part->used);
    else if (rewind_spool(part, &output->failure) == MARGAY_OK) {
        while ((bytes = read_spool(part, &output->failure)) > 0)
            output_bytes(output, part->buffer, (size_t)bytes);
    }
}

enum margay_status output_status(const struct output *output,
                                 struct margay_error *error)
{
    if (output->failure.status != MARGAY_OK && error != &output->failure)
        *error = output->failure;
    return output->failure.status;
}

/* End the writing.  All that can fail before output_publish() fails here. */
static enum margay_status output_finish(struct output *output,
                                        struct margay_error *error)
{
    const struct target *target = &output->target;
    if (output->store >= 0)
        output_flush(output);
    enum margay_status status = output_status(output, error);
    return status == MARGAY_OK && target->descriptor >= 0 &&
                   ((target->durable && fsync(target->descriptor) != 0) ||
                    !can_close(target->descriptor))
               ? fail_to_write(target->name, error)
               : status;
}

/* Copy the output that was held back to its target. */
static enum margay_status release_held(struct output *output, int descriptor,
                                       struct margay_error *error)
{
    const char *name = output->target.name;
    if (!output->spooled)
        return output_write_to(descriptor, name, output->buffer, output->used,
                               error);
    enum margay_status status = rewind_spool(output, error);
    while (status == MARGAY_OK) {
        ssize_t bytes = read_spool(output, error);
        if (bytes == 0)
            break;
        status = bytes < 0 ? MARGAY_IO
                           : output_write_to(descriptor, name, output->buffer,
                                             (size_t)bytes, error);
    }
    return status;
}

enum output_turn output_turn(const struct output *output)
{
    if (!output->target.in_place)
        return OUTPUT_FILES;
    return target_is_standard_output(&output->target) ? OUTPUT_STANDARD
                                                      : OUTPUT_DEVICES;
}

/* Let the output appear, after output_finish(). */
static enum margay_status output_publish(struct output *output,
                                         struct margay_error *error)
{
    struct target *target = &output->target;
    if (!target->in_place)
        return target_publish(target, error);
    bool held = output->store < 0 || output->spooled;
    int descriptor = output->store;
    enum margay_status status = MARGAY_OK;
    if (held)
        status = target_open_in_place(target, &descriptor, error);
    if (status == MARGAY_OK && held)
        status = release_held(output, descriptor, error);
    /* Standard output stays open. */
    if (status == MARGAY_OK &&
        (target_is_standard_output(target) ? !can_close(descriptor)
                                           : close(descriptor) != 0))
        status = fail_to_write(target->name, error);
    return status;
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    if (output->spooled)
        close(output->store);
    target_release(&output->target);
    free(output->buffer);
    free(output);
}

enum margay_status output_settle(struct output *output,
                                 enum margay_status status,
                                 struct margay_error *error)
{
    if (status == MARGAY_OK)
        status = output_finish(output, error);
    if (status == MARGAY_OK)
        status = output_publish(output, error);
    output_free(output);
    return status;
}

enum margay_status sink_write(void *context, const void *bytes, size_t count,
                              struct margay_error *error)
{
    struct output *output = *(struct output **)context;
    output_bytes(output, bytes, count);
    return output_status(output, error);
}

/* --------------------------------------------------- all of a command -- */

int conclude(enum margay_status status, struct output **outputs, size_t count,
             struct margay_error *error)
{
    message_wipe_status();
    /* All that can fail beforehand does so before the first byte is seen. */
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (outputs[i] != NULL)
            status = output_finish(outputs[i], error);
    }
    /* Standard output stays empty if a device fails, and no file appears if
       standard output fails. */
    for (int turn = 0; turn < OUTPUT_TURNS; turn++) {
        for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
            if (outputs[i] != NULL && (int)output_turn(outputs[i]) == turn)
                status = output_publish(outputs[i], error);
        }
    }
    for (size_t i = 0; i < count; i++)
        output_free(outputs[i]);
    message_tell_kept(status == MARGAY_OK);
    if (status != MARGAY_OK)
        return message_error(error);
    return signals_interrupted() ? 128 + signals_interrupted() : EXIT_DONE;
}
