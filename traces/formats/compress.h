/*
 * compress.h - plain bytes in, compressed bytes out
 *
 * Guarantee: the same plain bytes give the same compressed bytes, because
 * neither time nor name is written.
 */
#ifndef MARGAY_TRACES_FORMATS_COMPRESS_H
#define MARGAY_TRACES_FORMATS_COMPRESS_H

#include <stddef.h>

#include <margay/traces.h>

struct margay_compressor;

/*
 * Make the compressor that the suffix of `path` names.  On success *compressor
 * is NULL if it names none.
 */
enum margay_status margay_compressor_create(
    const char *path, const struct margay_sink *sink,
    struct margay_compressor **compressor, struct margay_error *error);

enum margay_status margay_compressor_write(struct margay_compressor *compressor,
                                           const void *bytes, size_t count,
                                           struct margay_error *error);

/* End the compressed data.  To be called once, after the last write. */
enum margay_status margay_compressor_finish(
    struct margay_compressor *compressor, struct margay_error *error);

/* In any state; nothing more reaches the sink.  NULL is fine. */
void margay_compressor_free(struct margay_compressor *compressor);

#endif
