/*
 * decompress.h - compressed bytes in, plain bytes out
 *
 * Concatenated streams are read as one.  A stream that is cut short or corrupt,
 * or bytes after it that begin no stream, are MARGAY_BAD_INPUT.
 *
 * zlib reads gzip, because libarchive does not compare the check sums of gzip
 * and would give corrupt text; liblzma reads xz where there are threads for it;
 * libarchive reads all others.
 */
#ifndef MARGAY_TRACES_FORMATS_DECOMPRESS_H
#define MARGAY_TRACES_FORMATS_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* The versions of libarchive and its libraries, or that it is missing. */
const char *margay_libarchive_version(void);

/* Where compressed bytes come from: up to `bytes` bytes are read to `buffer`.
 * *got = 0 is the end. */
struct margay_byte_source {
    void *context;
    enum margay_status (*read)(void *context, void *buffer, size_t bytes,
                               size_t *got, struct margay_error *error);
};

/* A compression, also for writing. */
struct margay_compression {
    const char *name;   /* "gzip" */
    const char *suffix; /* of file names: ".gz" */
    int filter;         /* of libarchive; 0 = it is only read */
};

/* The compression by the suffix of [name, end), NULL = none. */
const struct margay_compression *margay_compression_named(const char *name,
                                                          const char *end);

/* The length of the longest magic. */
#define MARGAY_MAGIC_BYTES 10

struct margay_decompressor;

/* True if these bytes are the beginning of a magic, and more may complete
   it. */
bool margay_may_be_compressed(const void *head, size_t bytes);

/* Make a decompressor for a file that begins with `head`, which the source
   gives again.  On success *decompressor is NULL if the file is not compressed.
   `name` names the file in messages; it must outlive the decompressor.  Where
   `threads` is 2 or more and the file is made of pieces for several threads,
   the decompressor starts up to `threads` of its own; a read may then wait
   until a piece is complete. */
enum margay_status margay_decompressor_create(
    const char *name, const void *head, size_t bytes,
    struct margay_byte_source source, unsigned threads,
    struct margay_decompressor **decompressor, struct margay_error *error);

/* Read up to `bytes` plain bytes; *got = 0 is the end. */
enum margay_status margay_decompressor_read(
    struct margay_decompressor *decompressor, void *buffer, size_t bytes,
    size_t *got, struct margay_error *error);

/* "gzip", "xz", "zstd", "bzip2" or "lz4". */
const char *margay_decompressor_name(
    const struct margay_decompressor *decompressor);

/* NULL is fine. */
void margay_decompressor_free(struct margay_decompressor *decompressor);

#endif
