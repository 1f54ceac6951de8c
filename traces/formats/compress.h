/*
 * compress.h - plain bytes in, compressed bytes out
 *
 * The same bytes come out for the same bytes in, whenever and wherever: no
 * time and no name is written.
 */
#ifndef MARGAY_TRACES_FORMATS_COMPRESS_H
#define MARGAY_TRACES_FORMATS_COMPRESS_H

#include <stddef.h>

#include <margay/traces.h>

struct margay_compressor;

/*
 * Make a compressor for what is to be called `path`, by its suffix;
 * *compressor is NULL on success where that names no compression.
 */
enum margay_status margay_compressor_create(
    const char *path, const struct margay_sink *sink,
    struct margay_compressor **compressor, struct margay_error *error);

enum margay_status margay_compressor_write(struct margay_compressor *compressor,
                                           const void *bytes, size_t count,
                                           struct margay_error *error);

/* End the compressed data; to be called once, after the last write. */
enum margay_status margay_compressor_finish(
    struct margay_compressor *compressor, struct margay_error *error);

/* Whatever the state; nothing more reaches the sink.  NULL is fine. */
void margay_compressor_free(struct margay_compressor *compressor);

#endif
