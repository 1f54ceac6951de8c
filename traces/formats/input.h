/*
 * input.h - the bytes of a trace: opened, decompressed, interruptible
 *
 * One thread opens, cancels, asks for progress and closes; another thread may
 * read at the same time.
 */
#ifndef MARGAY_TRACES_FORMATS_INPUT_H
#define MARGAY_TRACES_FORMATS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

struct margay_input;

/* Open `path` ("-" = standard input, which stays open) without waiting, even
   for the writer of a FIFO.  A regular file may be decompressed by `threads`
   threads; bytes of a pipe are given at once.  Fails with MARGAY_IO, and *input
   NULL, if there is no such file or it is a directory. */
enum margay_status margay_input_open(const char *path, unsigned threads,
                                     struct margay_input **input,
                                     struct margay_error *error);

/* The path, valid until the input is closed. */
const char *margay_input_name(const struct margay_input *input);

/* NULL is fine. */
void margay_input_close(struct margay_input *input);

/* Make all calls of the reading thread fail, now and later. */
void margay_input_cancel(struct margay_input *input);

void margay_input_progress(const struct margay_input *input,
                           uint64_t *bytes_read, uint64_t *bytes_total);

/* Read up to `bytes` bytes, decompressed if the first bytes show a compression.
 *got = 0 is the end. */
enum margay_status margay_input_read(struct margay_input *input, void *buffer,
                                     size_t bytes, size_t *got,
                                     struct margay_error *error);

/* True if a read would wait for a writer.  Always false for compressed bytes,
   where this cannot be known. */
bool margay_input_would_wait(const struct margay_input *input);

/* The number of the pipe that the bytes come from unchanged; 0 = they come from
   elsewhere, or are compressed.  Known after the first read. */
uint64_t margay_input_pipe(const struct margay_input *input);

/* The length of a plain regular file, from the offset at which it was opened; 0
   for others, or if the first bytes cannot be read.  To be called by the
   reading thread. */
uint64_t margay_input_plain_bytes(struct margay_input *input);

/* In such a file, go on reading at `offset`, at most its length. */
enum margay_status margay_input_go_to(struct margay_input *input,
                                      uint64_t offset,
                                      struct margay_error *error);

/* In such a file, read `bytes` bytes at `offset`, fewer only at its end.  Any
   number of threads may call it at the same time. */
enum margay_status margay_input_read_at(struct margay_input *input,
                                        uint64_t offset, void *buffer,
                                        size_t bytes, size_t *got,
                                        struct margay_error *error);

/* "gzip" and so on, NULL for plain bytes; known after the first read. */
const char *margay_input_compression(const struct margay_input *input);

#endif
