/*
 * target.h - the place that output goes to
 *
 * A regular file is replaced as a whole: what is written goes to a temporary
 * file beside it, which takes its name in the end.  Symbolic links are
 * followed first, so that they stay links.  Standard output, devices and
 * FIFOs are written in place.
 */
#ifndef MARGAY_SIM_TARGET_H
#define MARGAY_SIM_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

struct target {
    const char *name;     /* for people */
    bool in_place;        /* and none of the following */
    int descriptor;       /* of the temporary file; -1 when closed */
    char *path;           /* what it will be called */
    char *temporary_path; /* what it is called until then */
};

/*
 * Find out what `path` is (NULL or "-": standard output) and make the
 * temporary file, whose name ends in `suffix`.  `path` must outlive the
 * target.  MARGAY_IO: a directory, or a place that cannot be written.
 */
enum margay_status target_open(struct target *target, const char *path,
                               const char *suffix, struct margay_error *error);

/* However it is called: /dev/stdout is, too. */
bool target_is_standard_output(const struct target *target);

/* Close the temporary file, noticing what could not be written after all. */
enum margay_status target_close(struct target *target,
                                struct margay_error *error);

/* Give the closed temporary file its name. */
enum margay_status target_publish(struct target *target,
                                  struct margay_error *error);

/* Open and close a target in place; opening a FIFO waits for a reader. */
enum margay_status target_open_in_place(const struct target *target,
                                        int *descriptor,
                                        struct margay_error *error);
enum margay_status target_close_in_place(const struct target *target,
                                         int descriptor,
                                         struct margay_error *error);

/* Release everything; a temporary file not yet published is removed. */
void target_release(struct target *target);

/*
 * Write everything.  A closed pipe is died of; anything else that goes wrong
 * is MARGAY_IO, in a message that calls the place `name`.
 */
enum margay_status target_write(int descriptor, const char *name,
                                const char *bytes, size_t count,
                                struct margay_error *error);

#endif
