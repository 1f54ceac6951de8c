/*
 * output.h - output that appears whole or not at all
 *
 * What is written is held back until output_publish(): in a temporary file
 * beside a file that is to be replaced, otherwise in memory and, from some
 * megabytes on, in an unlinked temporary file.  A stream is not held back: it
 * is for what is large, and cannot go wrong any more.
 *
 * Writing never fails at once.  The first failure is kept, nothing is written
 * any more, and output_status() and output_finish() report it.
 */
#ifndef MARGAY_SIM_OUTPUT_H
#define MARGAY_SIM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

enum output_mode {
    OUTPUT_HELD,
    OUTPUT_STREAMED,
};

struct output;

/* The most that output_room() may be asked for. */
#define OUTPUT_ROOM_BYTES ((size_t)256 << 10)

/*
 * Prepare to write to `path` (NULL or "-": standard output), which must
 * outlive the output.  The caller owns *output.
 */
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

/* Append what `part` holds; `part` can only be freed then. */
void output_append(struct output *output, struct output *part);

/* What went wrong so far. */
enum margay_status output_status(const struct output *output,
                                 struct margay_error *error);

/* No more will be written; everything that can fail beforehand has. */
enum margay_status output_finish(struct output *output,
                                 struct margay_error *error);

/* What of a command's outputs appears first: what is most likely to fail,
   while nothing else can be seen. */
enum output_turn {
    OUTPUT_DEVICES,  /* and FIFOs */
    OUTPUT_STANDARD, /* standard output */
    OUTPUT_FILES,    /* which only get their names */
    OUTPUT_TURNS,
};
enum output_turn output_turn(const struct output *output);

/* After output_finish(): let it appear. */
enum margay_status output_publish(struct output *output,
                                  struct margay_error *error);

/* Release; what was not published never appears.  NULL is fine. */
void output_free(struct output *output);

#endif
