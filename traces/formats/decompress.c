/* decompress.c - compressed bytes in, plain bytes out */
#include "traces/formats/decompress.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "traces/base/error.h"

#define SOURCE_BYTES ((size_t)64 << 10)

struct compression {
    const char *name;
    const char *magic; /* with '?' for any character */
    size_t magic_bytes;
    int (*add_filter)(struct archive *archive); /* NULL = zlib's */
};

static const struct compression compressions[] = {
    {"gzip", "\x1f\x8b\x08", 3, NULL},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, archive_read_support_filter_xz},
    {"zstd", "\x28\xb5\x2f\xfd", 4, archive_read_support_filter_zstd},
    {"bzip2", "BZh?1AY&SY", 10, archive_read_support_filter_bzip2},
    {"bzip2", "BZh?\x17rE8P\x90", 10, archive_read_support_filter_bzip2},
    {"lz4", "\x04\x22\x4d\x18", 4, archive_read_support_filter_lz4},
};

#define COMPRESSIONS (sizeof compressions / sizeof *compressions)

struct margay_decompressor {
    const struct compression *compression;
    const char *name;
    struct margay_byte_source source;
    unsigned char *buffer;       /* what the source gave last */
    uint64_t source_bytes;       /* given by the source in all */
    struct margay_error failure; /* the source's own, status OK if none */
    struct archive *archive;
    bool opened; /* the archive's header has been read */
    bool ended;
    z_stream zlib;
};

static bool begins_like(const struct compression *compression,
                        const unsigned char *head, size_t bytes)
{
    for (size_t i = 0; i < compression->magic_bytes && i < bytes; i++) {
        if (compression->magic[i] != '?' &&
            (unsigned char)compression->magic[i] != head[i])
            return false;
    }
    return true;
}

/* What is shorter than a magic but begins like one is a cut file.  Two bytes
   say too little for that. */
static const struct compression *compression_of(const unsigned char *head,
                                                size_t bytes)
{
    for (size_t i = 0; i < COMPRESSIONS && bytes > 2; i++) {
        if (begins_like(&compressions[i], head, bytes))
            return &compressions[i];
    }
    return NULL;
}

bool margay_may_be_compressed(const void *head, size_t bytes)
{
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        if (bytes < compressions[i].magic_bytes &&
            begins_like(&compressions[i], head, bytes))
            return true;
    }
    return false;
}

/* The next bytes of the source into the buffer; a failure is kept. */
static bool refill(struct margay_decompressor *this, size_t *got)
{
    if (this->source.read(this->source.context, this->buffer, SOURCE_BYTES, got,
                          &this->failure) != MARGAY_OK)
        return false;
    this->source_bytes += *got;
    return true;
}

/* The source's failure, else that the data is bad for `reason`. */
static enum margay_status fail(struct margay_decompressor *this,
                               uint64_t position, const char *reason,
                               struct margay_error *error)
{
    if (this->failure.status != MARGAY_OK) {
        if (error != NULL)
            *error = this->failure;
        return this->failure.status;
    }
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: %s data is cut short or corrupt (%s)",
                       this->name, (unsigned long long)position,
                       this->compression->name,
                       reason == NULL ? "not recognised" : reason);
}

/* ---------------------------------------------------------------- gzip -- */

static enum margay_status fail_gzip(struct margay_decompressor *this,
                                    const char *reason,
                                    struct margay_error *error)
{
    return fail(this, this->source_bytes - this->zlib.avail_in, reason, error);
}

static enum margay_status create_gzip(struct margay_decompressor *this,
                                      struct margay_error *error)
{
    /* 16 = expect gzip's header and check its trailer. */
    if (inflateInit2(&this->zlib, MAX_WBITS + 16) != Z_OK)
        return margay_fail_memory(error, "decompression");
    return MARGAY_OK;
}

static enum margay_status read_gzip(struct margay_decompressor *this,
                                    void *buffer, size_t bytes, size_t *got,
                                    struct margay_error *error)
{
    z_stream *zlib = &this->zlib;
    zlib->next_out = buffer;
    zlib->avail_out = (uInt)(bytes < UINT32_MAX ? bytes : UINT32_MAX);
    size_t wanted = zlib->avail_out;
    while (zlib->avail_out == wanted) {
        size_t given = zlib->avail_in;
        if (given == 0) {
            if (!refill(this, &given))
                return fail_gzip(this, NULL, error);
            zlib->next_in = this->buffer;
            zlib->avail_in = (uInt)given;
        }
        if (given == 0 && this->ended)
            break;
        if (given == 0)
            return fail_gzip(this, "unexpected end", error);
        /* Behind the end of a member another one begins. */
        if (this->ended)
            inflateReset(zlib);
        int result = inflate(zlib, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_gzip(this, zlib->msg, error);
        this->ended = result == Z_STREAM_END;
    }
    *got = wanted - zlib->avail_out;
    return MARGAY_OK;
}

/* ---------------------------------------------------------- libarchive -- */

static la_ssize_t archive_source(struct archive *archive, void *context,
                                 const void **buffer)
{
    struct margay_decompressor *this = context;
    size_t got;
    *buffer = this->buffer;
    if (refill(this, &got))
        return (la_ssize_t)got;
    archive_set_error(archive, EIO, "read error");
    return -1;
}

static enum margay_status fail_archive(struct margay_decompressor *this,
                                       struct margay_error *error)
{
    return fail(this, this->source_bytes, archive_error_string(this->archive),
                error);
}

/* One filter, and the formats that hand its output out as it is. */
static enum margay_status create_archive(struct margay_decompressor *this,
                                         struct margay_error *error)
{
    this->archive = archive_read_new();
    if (this->archive == NULL ||
        this->compression->add_filter(this->archive) < ARCHIVE_WARN ||
        archive_read_support_format_raw(this->archive) != ARCHIVE_OK ||
        archive_read_support_format_empty(this->archive) != ARCHIVE_OK)
        return margay_fail_memory(error, "decompression");
    return MARGAY_OK;
}

/* Some filters end quietly at bytes that they do not know. */
static enum margay_status end_archive(struct margay_decompressor *this,
                                      struct margay_error *error)
{
    uint64_t consumed = (uint64_t)archive_filter_bytes(this->archive, -1);
    size_t got = 0;
    if (consumed == this->source_bytes && !refill(this, &got))
        return fail_archive(this, error);
    if (consumed < this->source_bytes)
        return fail(this, consumed, "unknown bytes behind its end", error);
    this->ended = true;
    return MARGAY_OK;
}

static enum margay_status begin_archive(struct margay_decompressor *this,
                                        struct margay_error *error)
{
    struct archive_entry *entry;
    if (archive_read_open(this->archive, this, NULL, archive_source, NULL) !=
        ARCHIVE_OK)
        return fail_archive(this, error);
    int result = archive_read_next_header(this->archive, &entry);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
        return fail_archive(this, error);
    /* A filter that declines lets the bytes through as they are. */
    if (archive_filter_code(this->archive, 0) == ARCHIVE_FILTER_NONE)
        return fail_archive(this, error);
    this->opened = true;
    return result == ARCHIVE_EOF ? end_archive(this, error) : MARGAY_OK;
}

static enum margay_status read_archive(struct margay_decompressor *this,
                                       void *buffer, size_t bytes, size_t *got,
                                       struct margay_error *error)
{
    if (!this->opened) {
        enum margay_status status = begin_archive(this, error);
        if (status != MARGAY_OK)
            return status;
    }
    *got = 0;
    if (this->ended)
        return MARGAY_OK;
    la_ssize_t result = archive_read_data(this->archive, buffer, bytes);
    if (result < 0)
        return fail_archive(this, error);
    *got = (size_t)result;
    return result > 0 ? MARGAY_OK : end_archive(this, error);
}

/* -------------------------------------------------------------- either -- */

enum margay_status margay_decompressor_create(
    const char *name, const void *head, size_t bytes,
    struct margay_byte_source source, struct margay_decompressor **decompressor,
    struct margay_error *error)
{
    const struct compression *compression = compression_of(head, bytes);
    *decompressor = NULL;
    if (compression == NULL)
        return MARGAY_OK;
    struct margay_decompressor *this = calloc(1, sizeof *this);
    if (this == NULL)
        return margay_fail_memory(error, "decompression");
    this->compression = compression;
    this->name = name;
    this->source = source;
    this->buffer = malloc(SOURCE_BYTES);
    enum margay_status status;
    if (this->buffer == NULL)
        status = margay_fail_memory(error, "decompression");
    else if (compression->add_filter == NULL)
        status = create_gzip(this, error);
    else
        status = create_archive(this, error);
    if (status == MARGAY_OK)
        *decompressor = this;
    else
        margay_decompressor_free(this);
    return status;
}

enum margay_status margay_decompressor_read(struct margay_decompressor *this,
                                            void *buffer, size_t bytes,
                                            size_t *got,
                                            struct margay_error *error)
{
    return this->compression->add_filter == NULL
               ? read_gzip(this, buffer, bytes, got, error)
               : read_archive(this, buffer, bytes, got, error);
}

const char *margay_decompressor_name(const struct margay_decompressor *this)
{
    return this->compression->name;
}

void margay_decompressor_free(struct margay_decompressor *this)
{
    if (this == NULL)
        return;
    if (this->compression->add_filter == NULL)
        inflateEnd(&this->zlib);
    if (this->archive != NULL)
        archive_read_free(this->archive);
    free(this->buffer);
    free(this);
}
