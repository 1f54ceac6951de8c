/*
 * margay/writing.h - writing traces, and generating them
 *
 * <margay/traces.h> includes it.  One thread at a time uses an object;
 * different objects are independent.
 */
#ifndef MARGAY_WRITING_H
#define MARGAY_WRITING_H

#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- writing -- */

/* The length in bytes of the longest record that margay_format_encode()
   writes. */
#define MARGAY_RECORD_BYTES 64

/*
 * Write one reference as a record of the format to `record`, which has room
 * for MARGAY_RECORD_BYTES bytes, and the length of the record to *bytes.
 * `number` is written as it stands, address or id.  A format without extents
 * drops `extent` (1 or more), one without kinds drops `kind`.
 *
 * Fails with MARGAY_BAD_ARGUMENT where the format is unknown, or does not
 * write each reference as a record of its own, or the number does not fit.
 */
MARGAY_API enum margay_status margay_format_encode(
    const struct margay_format_info *format, uint64_t number,
    enum margay_kind kind, uint32_t extent, char *record, size_t *bytes,
    struct margay_error *error);

/* Where the bytes of a writer go. */
struct margay_sink {
    /* Passed to `write` as it is. */
    void *context;
    /* Take all of `count` bytes.  A status other than MARGAY_OK ends the
       writing; the caller of the writer gets that status and *error. */
    enum margay_status (*write)(void *context, const void *bytes, size_t count,
                                struct margay_error *error);
};

/* Writes references in one format, compressed or plain, into a sink. */
typedef struct margay_writer margay_writer;

/* Make a writer of the format of that name.  The suffix of `path` (.gz .xz .zst
   .bz2 .lz4) selects a compression; NULL or any other suffix means plain bytes.
   The writer opens no file.  "csv:id,size,time" is a table of such columns.
   Fails with MARGAY_BAD_ARGUMENT (no such format, or not writable) or
   MARGAY_NO_MEMORY.  The caller owns *writer. */
MARGAY_API enum margay_status margay_writer_create(
    const char *format, const char *path, const struct margay_sink *sink,
    margay_writer **writer, struct margay_error *error);

/* To be called before the first reference: the meaning of the numbers, how many
   bytes an id stands for (a power of two, 0 = unknown; ignored for addresses),
   and whether each reference asks for all blocks that it covers.  Fails with
   MARGAY_BAD_ARGUMENT where the format fixes another meaning; a format with
   any_numbers accepts every one. */
MARGAY_API enum margay_status margay_writer_set_numbers(
    margay_writer *writer, enum margay_numbers numbers, uint64_t unit_bytes,
    bool splits, struct margay_error *error);

/* Name module `number`, below MARGAY_MOST_MODULES, by a path of 1 to
   MARGAY_MODULE_PATH_BYTES - 1 bytes, which is copied; the first name stays.
   To be called before margay_writer_finish().  A format without a place for
   modules ignores them.  Fails with MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_writer_set_module(
    margay_writer *writer, unsigned number, const char *path,
    struct margay_error *error);

/* The format that the writer writes, */
MARGAY_API const struct margay_format_info *margay_writer_format(
    const margay_writer *writer);

/* and the columns that its batches need to have. */
MARGAY_API unsigned margay_writer_needs(const margay_writer *writer);

/* Write the references of a batch.  The first batch decides which of the
   columns threads and sites the trace has.  MARGAY_BAD_ARGUMENT for a reference
   that does not fit, such as one that passes 2^64.  After a failure, and after
   margay_writer_finish(), the writer can only be freed. */
MARGAY_API enum margay_status margay_writer_put(
    margay_writer *writer, const struct margay_batch *batch,
    struct margay_error *error);

/* Hand the buffered bytes to the sink, for a program that reads the trace while
   it is written; more may follow.  A compression may still hold bytes back, and
   each flush makes a compressed trace somewhat longer. */
MARGAY_API enum margay_status margay_writer_flush(margay_writer *writer,
                                                  struct margay_error *error);

/* End the trace: hand all buffered bytes to the sink. */
MARGAY_API enum margay_status margay_writer_finish(margay_writer *writer,
                                                   struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_writer_free(margay_writer *writer);

/* ---------------------------------------------------------- generating -- */

struct margay_generator_options {
    /* The number of distinct blocks, or of elements where the generator makes
       addresses; 1 or more.  Ignored by `scan`. */
    uint64_t blocks;
    /* The seed of the random numbers, any value. */
    uint64_t seed;
    /* The skew of `zipf`, in [0, 8]; 0 = every block is equally likely. */
    double exponent;
};

/* A row of the table of generators.  Static storage. */
struct margay_generator_info {
    /* The name that margay_generator_create() takes. */
    const char *name;
    /* One line for people, without a full stop. */
    const char *description;
    /* The stream consists of byte addresses of elements of 8 bytes each,
       instead of block ids. */
    bool addresses;
};

/* The number of rows in the table of generators. */
MARGAY_API size_t margay_generator_count(void);

/* Row `index` in [0, margay_generator_count()), NULL beyond. */
MARGAY_API const struct margay_generator_info *margay_generator_at(
    size_t index);

typedef struct margay_generator margay_generator;

/* Make a generator: an endless stream of block ids in [0, blocks), except that
   `scan` counts up without end.  The same name, options and seed give the same
   stream on every machine, however calls divide it.  `zipf` takes at most 2^32
   - 1 blocks and 16 bytes of memory for each.  Fails with MARGAY_BAD_ARGUMENT
   or MARGAY_NO_MEMORY.  The caller owns *generator. */
MARGAY_API enum margay_status margay_generator_create(
    const char *name, const struct margay_generator_options *options,
    margay_generator **generator, struct margay_error *error);

/* Write the next `count` ids or addresses of the stream to `blocks`. */
MARGAY_API void margay_generator_next(margay_generator *generator,
                                      uint64_t *blocks, size_t count);

/* NULL is fine. */
MARGAY_API void margay_generator_free(margay_generator *generator);

#ifdef __cplusplus
}
#endif

#endif
