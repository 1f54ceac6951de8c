/*
 * output.h - output that appears whole or not at all
 *
 * Output is held back until the end of the command: if it replaces a file, in a
 * temporary file next to that one; otherwise in memory and, from some megabytes
 * on, in an unlinked temporary file.  A stream is not held back: it is for
 * large outputs whose errors have all been found before.
 *
 * Writing never fails at once.  The output keeps the first failure, writes
 * nothing more, and output_status() and conclude() report it.
 */
#ifndef MARGAY_SIM_TERMINAL_OUTPUT_H
#define MARGAY_SIM_TERMINAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

enum output_mode {
    OUTPUT_HELD,
    OUTPUT_STREAMED,
    OUTPUT_DURABLE, /* held, and a file outlives a failure of the machine */
};

struct output;
struct stat;

/* The path of a file that does not exist yet, through dangling links; NULL with
   errno set on failure.  The caller frees it. */
char *output_resolve_absent(const char *path);

/* Is this the file that standard output goes to?  False for devices, where two
   outputs do each other no harm. */
bool output_is_standard(const struct stat *status);

/* Write all bytes, at once.  A closed pipe ends this process by SIGPIPE; any
   other failure is MARGAY_IO, in a message that names the place `name`. */
enum margay_status output_write_to(int descriptor, const char *name,
                                   const char *bytes, size_t count,
                                   struct margay_error *error);

/* Where temporary files go: TMPDIR, or else /tmp. */
const char *output_temporary_directory(void);

/* The most bytes of output_room(). */
#define OUTPUT_ROOM_BYTES ((size_t)256 << 10)

/* Prepare to write to `path` (NULL or "-": standard output), which must outlive
   the output.  The caller owns *output. */
enum margay_status output_open(const char *path, enum output_mode mode,
                               struct output **output,
                               struct margay_error *error);

/* Room for `bytes` bytes, which output_add() then declares written. */
char *output_room(struct output *output, size_t bytes);
void output_add(struct output *output, size_t bytes);

/* Append any number of bytes. */
void output_bytes(struct output *output, const void *bytes, size_t count);

void output_text(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append the contents of `part`, which can only be freed afterwards. */
void output_append(struct output *output, struct output *part);

/* Write the part of a stream that is held back. */
void output_flush(struct output *output);

/* The first failure so far. */
enum margay_status output_status(const struct output *output,
                                 struct margay_error *error);

/* The order in which a command's outputs appear: the one that is most likely to
   fail comes first, while no other is visible. */
enum output_turn {
    OUTPUT_DEVICES,  /* and FIFOs */
    OUTPUT_STANDARD, /* standard output */
    OUTPUT_FILES,    /* which only get their names */
    OUTPUT_TURNS,
};
enum output_turn output_turn(const struct output *output);

/* Release the output; if it was not published, it never appears.  NULL is
   fine. */
void output_free(struct output *output);

/* An output that appears before the command ends: finish and publish it, if
   `status`, which is returned otherwise, is MARGAY_OK.  Frees the output. */
enum margay_status output_settle(struct output *output,
                                 enum margay_status status,
                                 struct margay_error *error);

/* For struct margay_sink: the context is a struct output **, so that the output
   may be opened when all else is known to be right. */
enum margay_status sink_write(void *context, const void *bytes, size_t count,
                              struct margay_error *error);

/* The end of a command.  If `status` is MARGAY_OK, publish the outputs, of
   which any may be NULL; if it is not, or that fails, print *error.  Frees the
   outputs.  Returns the exit status: 128 + N where signal N cut the run
   short. */
int conclude(enum margay_status status, struct output **outputs, size_t count,
             struct margay_error *error);

#endif
