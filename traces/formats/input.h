/*
 * input.h - the bytes of a trace: opened, decompressed, interruptible
 *
 * One thread opens, cancels, asks for progress and closes; another one may
 * read at the same time.
 */
#ifndef MARGAY_TRACES_FORMATS_INPUT_H
#define MARGAY_TRACES_FORMATS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

struct margay_input;

/*
 * Open `path` ("-" = standard input, which stays open) without waiting, not
 * even for the writer of a FIFO.  MARGAY_IO, with *input NULL, if there is no
 * such file or it is a directory.
 */
enum margay_status margay_input_open(const char *path,
                                     struct margay_input **input,
                                     struct margay_error *error);

/* The path, as long as the input lives. */
const char *margay_input_name(const struct margay_input *input);

/* NULL is fine. */
void margay_input_close(struct margay_input *input);

/* Make the reading thread's calls fail now and ever after. */
void margay_input_cancel(struct margay_input *input);

void margay_input_progress(const struct margay_input *input,
                           uint64_t *bytes_read, uint64_t *bytes_total);

/*
 * Read up to `bytes` bytes, decompressed if need be; *got = 0 is the end.
 * The first call looks at the first bytes to see whether they are compressed.
 */
enum margay_status margay_input_read(struct margay_input *input, void *buffer,
                                     size_t bytes, size_t *got,
                                     struct margay_error *error);

/* True if a read would have to wait for a writer.  Always false for what is
   compressed, where nobody can tell. */
bool margay_input_would_wait(const struct margay_input *input);

/*
 * The bytes of a plain regular file, from where it was opened on; false for
 * anything else, or if the first bytes cannot be read.  From the reading
 * thread.
 */
bool margay_input_plain_bytes(struct margay_input *input, uint64_t *bytes);

/* In such a file: go on reading at `offset` <= those bytes. */
enum margay_status margay_input_go_to(struct margay_input *input,
                                      uint64_t offset,
                                      struct margay_error *error);

/*
 * In such a file: the bytes at `offset`, fewer only at its end.  From any
 * thread, at the same time as others.
 */
enum margay_status margay_input_read_at(struct margay_input *input,
                                        uint64_t offset, void *buffer,
                                        size_t bytes, size_t *got,
                                        struct margay_error *error);

/* "gzip" ..., NULL for plain bytes; known after the first read. */
const char *margay_input_compression(const struct margay_input *input);

#endif
