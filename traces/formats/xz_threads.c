/* xz_threads.c - xz decompressed by several threads: see xz_threads.h */
#include "traces/formats/xz_threads.h"

#include <stdlib.h>

#include "traces/base/error.h"

#ifdef MARGAY_HAS_LZMA

#include <lzma.h>

#define SOURCE_BYTES ((size_t)64 << 10)

/* A thread holds a block, compressed and plain.  Where they would take more,
   there are fewer threads. */
#define MOST_BYTES ((uint64_t)1 << 30)

struct margay_xz {
    struct margay_byte_source source;
    lzma_stream stream;
    bool source_ended, ended;
    unsigned char buffer[SOURCE_BYTES];
};

bool margay_xz_is_there(void)
{
    return true;
}

enum margay_status margay_xz_create(struct margay_byte_source source,
                                    unsigned threads, struct margay_xz **xz,
                                    struct margay_error *error)
{
    const lzma_mt options = {
        .flags = LZMA_CONCATENATED,
        .threads = threads,
        .memlimit_threading = MOST_BYTES,
        .memlimit_stop = UINT64_MAX,
    };
    struct margay_xz *made = calloc(1, sizeof *made);
    *xz = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "decompression");
    made->source = source;
    made->stream = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder_mt(&made->stream, &options) != LZMA_OK) {
        free(made);
        return margay_fail_memory(error, "decompression");
    }
    *xz = made;
    return MARGAY_OK;
}

static enum margay_status refill(struct margay_xz *xz,
                                 struct margay_error *error)
{
    size_t got;
    if (xz->stream.avail_in > 0 || xz->source_ended)
        return MARGAY_OK;
    enum margay_status status = xz->source.read(xz->source.context, xz->buffer,
                                                SOURCE_BYTES, &got, error);
    if (status != MARGAY_OK)
        return status;
    xz->stream.next_in = xz->buffer;
    xz->stream.avail_in = got;
    xz->source_ended = got == 0;
    return MARGAY_OK;
}

static const char *reason_of(lzma_ret result)
{
    switch (result) {
    case LZMA_FORMAT_ERROR:
        return "not recognised";
    case LZMA_OPTIONS_ERROR:
        return "unknown options";
    case LZMA_BUF_ERROR:
        return "unexpected end";
    default:
        return "wrong bytes";
    }
}

enum margay_status margay_xz_read(struct margay_xz *xz, void *buffer,
                                  size_t bytes, size_t *got,
                                  const char **reason, uint64_t *position,
                                  struct margay_error *error)
{
    lzma_stream *stream = &xz->stream;
    stream->next_out = buffer;
    stream->avail_out = bytes;
    while (stream->avail_out == bytes && !xz->ended) {
        enum margay_status status = refill(xz, error);
        if (status != MARGAY_OK)
            return status;
        lzma_ret result =
            lzma_code(stream, xz->source_ended ? LZMA_FINISH : LZMA_RUN);
        xz->ended = result == LZMA_STREAM_END;
        if (result == LZMA_OK || xz->ended)
            continue;
        if (result == LZMA_MEM_ERROR)
            return margay_fail_memory(error, "decompression");
        *reason = reason_of(result);
        *position = stream->total_in;
        return MARGAY_BAD_INPUT;
    }
    *got = bytes - stream->avail_out;
    return MARGAY_OK;
}

void margay_xz_free(struct margay_xz *xz)
{
    if (xz == NULL)
        return;
    lzma_end(&xz->stream);
    free(xz);
}

#else

bool margay_xz_is_there(void)
{
    return false;
}

enum margay_status margay_xz_create(struct margay_byte_source source,
                                    unsigned threads, struct margay_xz **xz,
                                    struct margay_error *error)
{
    (void)source, (void)threads;
    *xz = NULL;
    return margay_fail_memory(error, "decompression");
}

enum margay_status margay_xz_read(struct margay_xz *xz, void *buffer,
                                  size_t bytes, size_t *got,
                                  const char **reason, uint64_t *position,
                                  struct margay_error *error)
{
    (void)xz, (void)buffer, (void)bytes, (void)got, (void)error;
    *reason = "built without liblzma";
    *position = 0;
    return MARGAY_BAD_INPUT;
}

void margay_xz_free(struct margay_xz *xz)
{
    (void)xz;
}

#endif
