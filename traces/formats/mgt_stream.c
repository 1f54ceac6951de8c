/*
 * mgt_stream.c - bytes in a block of the format mgt, compressed with zstd
 *
 * A stream begins with its raw and its stored length, 32 bits each.  If these
 * are equal the bytes are stored raw: compression made them no shorter, or the
 * writer was built without zstd.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/mgt.h"

/* Instead of a length. */
#define NO_MEMORY SIZE_MAX

#define EXPECTS_STREAM "a stream as long as it says"

#ifdef MARGAY_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* Higher levels take twice the time and more, and save a twentieth. */
#define LEVEL 1

struct margay_mgt_packer {
    ZSTD_CCtx *compression; /* one of the two is NULL */
    ZSTD_DCtx *decompression;
};

enum margay_status margay_mgt_packer_create(bool compresses,
                                            struct margay_mgt_packer **packer,
                                            struct margay_error *error)
{
    struct margay_mgt_packer *made = calloc(1, sizeof *made);
    *packer = made;
    if (made != NULL && compresses)
        made->compression = ZSTD_createCCtx();
    else if (made != NULL)
        made->decompression = ZSTD_createDCtx();
    if (made != NULL &&
        (made->compression != NULL || made->decompression != NULL))
        return MARGAY_OK;
    free(made);
    *packer = NULL;
    return margay_fail_memory(error, "compression");
}

void margay_mgt_packer_free(struct margay_mgt_packer *packer)
{
    if (packer == NULL)
        return;
    ZSTD_freeCCtx(packer->compression);
    ZSTD_freeDCtx(packer->decompression);
    free(packer);
}

/* The compressed length; 0 if that is no shorter; or NO_MEMORY. */
static size_t compress(struct margay_mgt_packer *packer, const uint8_t *raw,
                       size_t raw_bytes, uint8_t *to)
{
    if (raw_bytes == 0)
        return 0;
    size_t bytes = ZSTD_compressCCtx(packer->compression, to, raw_bytes - 1,
                                     raw, raw_bytes, LEVEL);
    if (!ZSTD_isError(bytes))
        return bytes;
    return ZSTD_getErrorCode(bytes) == ZSTD_error_dstSize_tooSmall ? 0
                                                                   : NO_MEMORY;
}

static const char *decompress(struct margay_mgt_packer *packer,
                              const uint8_t *stored, size_t stored_bytes,
                              uint8_t *raw, size_t raw_bytes)
{
    size_t bytes = ZSTD_decompressDCtx(packer->decompression, raw, raw_bytes,
                                       stored, stored_bytes);
    return bytes == raw_bytes ? NULL : "a stream that zstd can decompress";
}

#else

struct margay_mgt_packer {
    char none;
};

enum margay_status margay_mgt_packer_create(bool compresses,
                                            struct margay_mgt_packer **packer,
                                            struct margay_error *error)
{
    (void)compresses;
    *packer = malloc(sizeof **packer);
    return *packer == NULL ? margay_fail_memory(error, "compression")
                           : MARGAY_OK;
}

void margay_mgt_packer_free(struct margay_mgt_packer *packer)
{
    free(packer);
}

static size_t compress(struct margay_mgt_packer *packer, const uint8_t *raw,
                       size_t raw_bytes, uint8_t *to)
{
    (void)packer, (void)raw, (void)raw_bytes, (void)to;
    return 0;
}

static const char *decompress(struct margay_mgt_packer *packer,
                              const uint8_t *stored, size_t stored_bytes,
                              uint8_t *raw, size_t raw_bytes)
{
    (void)packer, (void)stored, (void)stored_bytes, (void)raw, (void)raw_bytes;
    return "no compression with zstd, which this Margay was built without";
}

#endif

uint8_t *margay_mgt_pack(struct margay_mgt_packer *packer, const uint8_t *raw,
                         size_t raw_bytes, uint8_t *to)
{
    size_t bytes = compress(packer, raw, raw_bytes, to + 8);
    if (bytes == NO_MEMORY)
        return NULL;
    if (bytes == 0) {
        bytes = raw_bytes;
        memcpy(to + 8, raw, raw_bytes);
    }
    margay_put_little(to, raw_bytes, 4);
    margay_put_little(to + 4, bytes, 4);
    return to + 8 + bytes;
}

const char *margay_mgt_unpack(struct margay_mgt_packer *packer,
                              const uint8_t **cursor, const uint8_t *end,
                              uint8_t *raw, size_t capacity, size_t *raw_bytes)
{
    if (end - *cursor < 8)
        return EXPECTS_STREAM;
    size_t wanted = margay_get_little(*cursor, 4);
    size_t stored = margay_get_little(*cursor + 4, 4);
    *cursor += 8;
    if (wanted > capacity || stored > wanted ||
        stored > (size_t)(end - *cursor))
        return EXPECTS_STREAM;
    const char *expected = NULL;
    if (stored == wanted)
        memcpy(raw, *cursor, stored);
    else
        expected = decompress(packer, *cursor, stored, raw, wanted);
    *cursor += stored;
    *raw_bytes = wanted;
    return expected;
}
