/* compress.c - plain bytes in, compressed bytes out, through libarchive */
#include "traces/formats/compress.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/base/error.h"

struct compression {
    const char *suffix, *name;
    int (*add_filter)(struct archive *archive);
};

static const struct compression compressions[] = {
    {".gz", "gzip", archive_write_add_filter_gzip},
    {".xz", "xz", archive_write_add_filter_xz},
    {".zst", "zstd", archive_write_add_filter_zstd},
    {".bz2", "bzip2", archive_write_add_filter_bzip2},
    {".lz4", "lz4", archive_write_add_filter_lz4},
};

struct margay_compressor {
    const struct compression *compression;
    struct margay_sink sink;
    struct margay_error failure; /* of the sink; status OK if none */
    struct archive *archive;
    bool begun;     /* the archive is open */
    bool discarded; /* nothing more goes to the sink */
};

static const struct compression *compression_of(const char *path)
{
    size_t path_bytes = path == NULL ? 0 : strlen(path);
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        const char *suffix = compressions[i].suffix;
        size_t bytes = strlen(suffix);
        if (path_bytes > bytes &&
            strcasecmp(path + path_bytes - bytes, suffix) == 0)
            return &compressions[i];
    }
    return NULL;
}

/* libarchive leaks memory once a write has failed.  So it is never told of a
   failure, and its further output is dropped. */
static la_ssize_t to_sink(struct archive *archive, void *context,
                          const void *bytes, size_t count)
{
    struct margay_compressor *this = context;
    (void)archive;
    if (!this->discarded && this->failure.status == MARGAY_OK)
        this->failure.status =
            this->sink.write(this->sink.context, bytes, count, &this->failure);
    return (la_ssize_t)count;
}

static enum margay_status fail(const struct margay_compressor *this,
                               struct margay_error *error)
{
    if (this->failure.status != MARGAY_OK) {
        if (error != NULL)
            *error = this->failure;
        return this->failure.status;
    }
    const char *reason = archive_error_string(this->archive);
    return margay_fail(error, MARGAY_NO_MEMORY, "cannot compress to %s: %s",
                       this->compression->name,
                       reason == NULL ? "out of memory" : reason);
}

/* libarchive needs an entry, of which its format `raw` writes the data only. */
static int begin_entry(struct archive *archive)
{
    struct archive_entry *entry = archive_entry_new();
    if (entry == NULL)
        return ARCHIVE_FATAL;
    archive_entry_set_filetype(entry, AE_IFREG);
    int result = archive_write_header(archive, entry);
    archive_entry_free(entry);
    return result;
}

static enum margay_status create_archive(struct margay_compressor *this,
                                         struct margay_error *error)
{
    struct archive *archive = this->archive = archive_write_new();
    if (archive == NULL)
        return margay_fail_memory(error, "compression");
    /* Pass bytes to the sink as they come, without padding at the end. */
    archive_write_set_bytes_per_block(archive, 0);
    if (archive_write_set_format_raw(archive) != ARCHIVE_OK ||
        this->compression->add_filter(archive) != ARCHIVE_OK)
        return fail(this, error);
    /* Filters without a time stamp ignore this. */
    archive_write_set_filter_option(archive, "gzip", "timestamp", NULL);
    return MARGAY_OK;
}

enum margay_status margay_compressor_create(
    const char *path, const struct margay_sink *sink,
    struct margay_compressor **compressor, struct margay_error *error)
{
    const struct compression *compression = compression_of(path);
    *compressor = NULL;
    if (compression == NULL)
        return MARGAY_OK;
    struct margay_compressor *this = calloc(1, sizeof *this);
    if (this == NULL)
        return margay_fail_memory(error, "compression");
    this->compression = compression;
    this->sink = *sink;
    enum margay_status status = create_archive(this, error);
    if (status == MARGAY_OK)
        *compressor = this;
    else
        margay_compressor_free(this);
    return status;
}

/* Open the archive as late as possible, because closing it writes bytes. */
static enum margay_status begin(struct margay_compressor *this,
                                struct margay_error *error)
{
    if (this->begun)
        return MARGAY_OK;
    this->begun = true;
    if (archive_write_open(this->archive, this, NULL, to_sink, NULL) !=
            ARCHIVE_OK ||
        begin_entry(this->archive) != ARCHIVE_OK)
        return fail(this, error);
    return MARGAY_OK;
}

enum margay_status margay_compressor_write(struct margay_compressor *this,
                                           const void *bytes, size_t count,
                                           struct margay_error *error)
{
    if (count == 0)
        return MARGAY_OK;
    enum margay_status status = begin(this, error);
    if (status != MARGAY_OK)
        return status;
    la_ssize_t written = archive_write_data(this->archive, bytes, count);
    return written == (la_ssize_t)count && this->failure.status == MARGAY_OK
               ? MARGAY_OK
               : fail(this, error);
}

/* libarchive 3.6 crashes when it closes an empty frame of lz4.  The frame: the
   magic, a descriptor without check sums, the check of that, the end mark. */
static enum margay_status write_empty_lz4(struct margay_compressor *this,
                                          struct margay_error *error)
{
    static const unsigned char frame[] = {0x04, 0x22, 0x4d, 0x18, 0x60, 0x40,
                                          0x82, 0x00, 0x00, 0x00, 0x00};
    return this->sink.write(this->sink.context, frame, sizeof frame, error);
}

enum margay_status margay_compressor_finish(struct margay_compressor *this,
                                            struct margay_error *error)
{
    if (!this->begun && strcmp(this->compression->name, "lz4") == 0)
        return write_empty_lz4(this, error);
    enum margay_status status = begin(this, error);
    if (status != MARGAY_OK)
        return status;
    int result = archive_write_close(this->archive);
    return result == ARCHIVE_OK && this->failure.status == MARGAY_OK
               ? MARGAY_OK
               : fail(this, error);
}

void margay_compressor_free(struct margay_compressor *this)
{
    if (this == NULL)
        return;
    /* Freeing an open archive closes it first, which writes bytes. */
    this->discarded = true;
    if (this->archive != NULL)
        archive_write_free(this->archive);
    free(this);
}
