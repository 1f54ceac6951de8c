/*
 * input.h - the bytes of a trace: opened, decompressed, interruptible
 *
 * One thread opens, cancels, asks for progress and closes; another thread may
 * read at the same time.
 */
#ifndef MARGAY_TRACES_FORMATS_INPUT_H
#define MARGAY_TRACES_FORMATS_INPUT_H

#include "traces/formats/format.h"

struct margay_input;

/* Bytes that are held at once: they fit into the second-level cache, and make
   system calls rare. */
#define MARGAY_HELD_BYTES ((size_t)196608 >> MARGAY_SHRINK)

/* Bytes of an input that have been read and are not decoded yet: [begin, end)
   of `held`, which has room for MARGAY_HELD_BYTES + MARGAY_TEXT_PADDING. */
struct margay_intake {
    struct margay_input *input;
    bool is_part;    /* begins anywhere in a plain file, as others do */
    uint64_t offset; /* of the next byte to be read */
    char *held;
    size_t begin, end;
    bool ended; /* no bytes follow */
};

/* The number of bytes held. */
static inline size_t margay_intake_left(const struct margay_intake *intake)
{
    return intake->end - intake->begin;
}

/* The offset of the first of them in the trace. */
static inline uint64_t margay_intake_offset(const struct margay_intake *intake)
{
    return intake->offset - margay_intake_left(intake);
}

/* In a plain file, go on reading at `offset`. */
static inline void margay_intake_go_to(struct margay_intake *intake,
                                       uint64_t offset)
{
    intake->begin = intake->end = 0;
    intake->ended = false;
    intake->offset = offset;
}

/* Open `path` ("-" = standard input, which stays open), which must outlive the
   input, without waiting, even for the writer of a FIFO.  A regular file may be
   decompressed by `threads` threads; bytes of a pipe are given at once.  Fails
   with MARGAY_IO, and *input NULL, if there is no such file or it is a
   directory. */
enum margay_status margay_input_open(const char *path, unsigned threads,
                                     struct margay_input **input,
                                     struct margay_error *error);

/* NULL is fine. */
void margay_input_close(struct margay_input *input);

/* Make all calls of the reading thread fail, now and later. */
void margay_input_cancel(struct margay_input *input);

void margay_input_progress(const struct margay_input *input,
                           uint64_t *bytes_read, uint64_t *bytes_total);

/* Read once, up to `most` bytes, decompressed if they are compressed, as the
   first call finds out.  They come after those that are held, which move to the
   beginning, and newlines follow them: the last line ends, and who looks ahead
   of any finds nothing else.  Of a plain file `offset` may be set where nothing
   is held, and any number of threads may read parts at the same time, each into
   an intake of its own. */
enum margay_status margay_input_read(struct margay_intake *intake, size_t most,
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

/* "gzip" and so on, NULL for plain bytes; known after the first read. */
const char *margay_input_compression(const struct margay_input *input);

#endif
