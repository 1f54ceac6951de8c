/*
 * target.h - the place that output goes to
 *
 * A regular file is replaced as a whole: bytes go to a temporary file in its
 * folder, which gets the file's name in the end and has none before, where the
 * file system can do that.  Symbolic links are followed
 * first, so that they stay links.  Standard output, devices and FIFOs are
 * written in place.
 */
#ifndef MARGAY_SIM_TERMINAL_TARGET_H
#define MARGAY_SIM_TERMINAL_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

struct stat;

/* The path of a file that does not exist yet, through dangling links; NULL with
   errno set on failure.  The caller frees it. */
char *target_resolve_absent(const char *path);

/* Is this the file behind standard output?  False for devices, where two
   outputs do each other no harm. */
bool target_is_behind_standard(const struct stat *status);

struct target {
    const char *name;     /* in messages */
    bool durable;         /* on disk before it gets its name, as is the name */
    bool in_place;        /* no temporary file, so none of the following */
    int descriptor;       /* of the temporary file; -1 = none */
    char *path;           /* of the file in the end; owned */
    char *temporary_path; /* of the file until then; owned; NULL: no name */
};

/*
 * Open the target at `path` (NULL or "-": standard output): a regular file, or
 * a free name, gets a temporary file.  `path` must outlive the target.
 * MARGAY_IO for a directory or a place that cannot be written.
 */
enum margay_status target_open(struct target *target, const char *path,
                               struct margay_error *error);

/* Is the target standard output, under any name, such as /dev/stdout? */
bool target_is_standard_output(const struct target *target);

/* End the writing of the temporary file.  MARGAY_IO if its bytes could not be
   written. */
enum margay_status target_close(struct target *target,
                                struct margay_error *error);

/* Give the temporary file, which is whole, its name. */
enum margay_status target_publish(struct target *target,
                                  struct margay_error *error);

/* Open and close a target that is written in place; opening a FIFO waits for a
   reader. */
enum margay_status target_open_in_place(const struct target *target,
                                        int *descriptor,
                                        struct margay_error *error);
enum margay_status target_close_in_place(const struct target *target,
                                         int descriptor,
                                         struct margay_error *error);

/* Release the target; a temporary file that was not published is removed. */
void target_release(struct target *target);

/*
 * Write all bytes.  A closed pipe ends this process by SIGPIPE; any other
 * failure is MARGAY_IO, in a message that names the place `name`.
 */
enum margay_status target_write(int descriptor, const char *name,
                                const char *bytes, size_t count,
                                struct margay_error *error);

#endif
