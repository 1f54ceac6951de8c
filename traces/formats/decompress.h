/*
 * decompress.h - compressed bytes in, plain bytes out
 *
 * Concatenated streams are read as one.  What is cut short, corrupt, or
 * followed by bytes that belong to no stream is MARGAY_BAD_INPUT.
 *
 * gzip goes through zlib, because libarchive does not look at gzip's check
 * sums and would hand out corrupt text; the rest goes through libarchive.
 */
#ifndef MARGAY_TRACES_FORMATS_DECOMPRESS_H
#define MARGAY_TRACES_FORMATS_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* The longest beginning that tells a compression. */
#define MARGAY_MAGIC_BYTES 10

/* Where the compressed bytes come from; *got = 0 is the end. */
struct margay_byte_source {
    void *context;
    enum margay_status (*read)(void *context, void *buffer, size_t bytes,
                               size_t *got, struct margay_error *error);
};

struct margay_decompressor;

/* True if `bytes` bytes are too few to tell and more may show a magic. */
bool margay_may_be_compressed(const void *head, size_t bytes);

/*
 * Make a decompressor for what begins with `head` (which the source is going
 * to give, too).  *decompressor is NULL on success if that is not compressed.
 * `name` is the file's, for messages; it must outlive the decompressor.
 */
enum margay_status margay_decompressor_create(
    const char *name, const void *head, size_t bytes,
    struct margay_byte_source source, struct margay_decompressor **decompressor,
    struct margay_error *error);

/* *got = 0 is the end. */
enum margay_status margay_decompressor_read(
    struct margay_decompressor *decompressor, void *buffer, size_t bytes,
    size_t *got, struct margay_error *error);

/* "gzip", "xz", "zstd", "bzip2" or "lz4". */
const char *margay_decompressor_name(
    const struct margay_decompressor *decompressor);

/* NULL is fine. */
void margay_decompressor_free(struct margay_decompressor *decompressor);

#endif
