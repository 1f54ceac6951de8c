/*
 * writer.c - references written in one format, compressed or plain, to a sink
 *
 * Guarantee: the same plain bytes give the same compressed bytes, because
 *   neither time nor name is written.
 */
#define _DEFAULT_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/late.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/data.h"
#include "traces/formats/decompress.h"
#include "traces/formats/words.h"

#define ARCHIVE(name) MARGAY_LATE(&margay_libarchive, archive_##name)

struct margay_writer {
    const struct margay_format *row;
    struct margay_format_info format; /* of the row, but for a table's */
    struct margay_sink sink;
    const struct margay_compression *compression; /* NULL = plain */
    struct archive *archive;
    bool begun;                  /* the archive is open */
    bool discarded;              /* nothing more goes to the sink */
    struct margay_error failure; /* of the sink; status OK if none */

    const struct margay_blocks_writing *writing;
    unsigned needs;
    void *blocks;
    struct margay_trace_facts facts;
};

/* ----------------------------------------------------------- compression -- */

/* libarchive leaks memory once a write has failed.  So failures are hidden from
   it, and its further output is dropped. */
static la_ssize_t to_sink(struct archive *archive, void *context,
                          const void *bytes, size_t count)
{
    struct margay_writer *this = context;
    (void)archive;
    if (!this->discarded && this->failure.status == MARGAY_OK)
        this->failure.status =
            this->sink.write(this->sink.context, bytes, count, &this->failure);
    return (la_ssize_t)count;
}

static enum margay_status fail_compression(const struct margay_writer *this,
                                           struct margay_error *error)
{
    if (this->failure.status != MARGAY_OK)
        return margay_fail_again(error, &this->failure);
    const char *reason = ARCHIVE(error_string)(this->archive);
    return margay_fail(error, MARGAY_NO_MEMORY, "cannot compress to %s: %s",
                       this->compression->name,
                       reason == NULL ? "out of memory" : reason);
}

static enum margay_status create_archive(struct margay_writer *this,
                                         struct margay_error *error)
{
    if (!margay_late_open(&margay_libarchive))
        return margay_late_fail(&margay_libarchive, NULL, "writes",
                                this->compression->name, error);
    struct archive *archive = this->archive = ARCHIVE(write_new)();
    if (archive == NULL)
        return margay_fail_memory(error, "compression");
    /* Pass bytes to the sink as they come, without padding at the end. */
    ARCHIVE(write_set_bytes_per_block)(archive, 0);
    if (ARCHIVE(write_set_format_raw)(archive) != ARCHIVE_OK ||
        ARCHIVE(write_add_filter)(archive, this->compression->filter) !=
            ARCHIVE_OK)
        return fail_compression(this, error);
    /* Filters without a time stamp ignore this. */
    ARCHIVE(write_set_filter_option)(archive, "gzip", "timestamp", NULL);
    return MARGAY_OK;
}

/* Open the archive as late as possible, because closing it writes bytes.
   libarchive needs an entry, of which its format `raw` writes the data only. */
static enum margay_status begin_archive(struct margay_writer *this,
                                        struct margay_error *error)
{
    if (this->begun)
        return MARGAY_OK;
    this->begun = true;
    struct archive_entry *entry = ARCHIVE(entry_new)();
    if (entry != NULL)
        ARCHIVE(entry_set_filetype)(entry, AE_IFREG);
    bool done = entry != NULL &&
                ARCHIVE(write_open)(this->archive, this, NULL, to_sink, NULL) ==
                    ARCHIVE_OK &&
                ARCHIVE(write_header)(this->archive, entry) == ARCHIVE_OK;
    ARCHIVE(entry_free)(entry);
    return done ? MARGAY_OK : fail_compression(this, error);
}

static enum margay_status compress(struct margay_writer *this,
                                   const void *bytes, size_t count,
                                   struct margay_error *error)
{
    if (count == 0)
        return MARGAY_OK;
    enum margay_status status = begin_archive(this, error);
    if (status != MARGAY_OK)
        return status;
    la_ssize_t written = ARCHIVE(write_data)(this->archive, bytes, count);
    return written == (la_ssize_t)count && this->failure.status == MARGAY_OK
               ? MARGAY_OK
               : fail_compression(this, error);
}

/* End the compressed data.  To be called once, after the last write. */
static enum margay_status finish_compression(struct margay_writer *this,
                                             struct margay_error *error)
{
    /* libarchive 3.6 crashes when it closes an empty frame of lz4.  The frame:
       the magic, a descriptor without check sums, the check of that, the end
       mark. */
    static const unsigned char empty_lz4[] = {
        0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0x00, 0x00, 0x00, 0x00};
    if (!this->begun && strcmp(this->compression->name, "lz4") == 0)
        return this->sink.write(this->sink.context, empty_lz4, sizeof empty_lz4,
                                error);
    enum margay_status status = begin_archive(this, error);
    if (status != MARGAY_OK)
        return status;
    int result = ARCHIVE(write_close)(this->archive);
    return result == ARCHIVE_OK && this->failure.status == MARGAY_OK
               ? MARGAY_OK
               : fail_compression(this, error);
}

/* --------------------------------------------------------------- writers -- */

/* The sink that a format writes to. */
static enum margay_status pass_on(void *context, const void *bytes,
                                  size_t count, struct margay_error *error)
{
    struct margay_writer *writer = context;
    if (writer->compression != NULL)
        return compress(writer, bytes, count, error);
    return writer->sink.write(writer->sink.context, bytes, count, error);
}

/* Make the state of the format, of a table with its columns. */
static enum margay_status create_blocks(struct margay_writer *writer,
                                        const char *columns,
                                        struct margay_error *error)
{
    const struct margay_format *row = writer->row;
    struct margay_format_info *format = &writer->format;
    const struct margay_block_target target = {{writer, pass_on},
                                               row,
                                               &writer->facts,
                                               columns == NULL ? row->written
                                                               : columns,
                                               row->written == NULL};
    bool addresses = false;
    writer->writing = target.columns != NULL ? &margay_table_writing
                      : row->writing != NULL ? row->writing
                                             : &margay_record_writing;
    writer->needs = writer->writing->needs;
    if (target.columns != NULL) {
        format->any_numbers = false;
        writer->needs = margay_table_needs(target.columns, &addresses);
    }
    if (addresses) {
        format->numbers = MARGAY_ADDRESSES;
        format->unit_bytes = 1;
    }
    writer->facts = (struct margay_trace_facts){
        .numbers = format->numbers,
        .unit_bytes = format->unit_bytes,
        .splits = format->splits,
    };
    writer->blocks = calloc(1, writer->writing->state_bytes);
    if (writer->blocks == NULL)
        return margay_fail_memory(error, "a writer of traces");
    memcpy(writer->blocks, &target, sizeof target);
    return writer->writing->open == NULL
               ? MARGAY_OK
               : writer->writing->open(writer->blocks, error);
}

enum margay_status margay_writer_create(const char *format, const char *path,
                                        const struct margay_sink *sink,
                                        margay_writer **writer,
                                        struct margay_error *error)
{
    const struct margay_format *row;
    const char *columns = strncmp(format, "csv:", 4) == 0 ? format + 4 : NULL;
    *writer = NULL;
    if (columns == NULL && strchr(format, ':') != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "no format '%s' to write: only csv: is followed by "
                           "columns, of " MARGAY_TABLE_NAMES,
                           format);
    enum margay_status status =
        margay_format_find(columns == NULL ? format : "csv", true, &row, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_writer *this = calloc(1, sizeof *this);
    if (this == NULL)
        return margay_fail_memory(error, "a writer of traces");
    this->row = row;
    this->format = row->info;
    this->sink = *sink;
    if (path != NULL)
        this->compression = margay_compression_named(path, path + strlen(path));
    if (this->compression != NULL && this->compression->filter == 0)
        this->compression = NULL;
    if (this->compression != NULL)
        status = create_archive(this, error);
    if (status == MARGAY_OK)
        status = create_blocks(this, columns, error);
    if (status == MARGAY_OK)
        *writer = this;
    else
        margay_writer_free(this);
    return status;
}

const struct margay_format_info *margay_writer_format(
    const margay_writer *writer)
{
    return &writer->format;
}

unsigned margay_writer_needs(const margay_writer *writer)
{
    return writer->needs;
}

enum margay_status margay_writer_set_numbers(margay_writer *writer,
                                             enum margay_numbers numbers,
                                             uint64_t unit_bytes, bool splits,
                                             struct margay_error *error)
{
    struct margay_trace_facts *facts = &writer->facts;
    bool same =
        numbers == facts->numbers &&
        (numbers == MARGAY_ADDRESSES || unit_bytes == facts->unit_bytes) &&
        splits == facts->splits;
    if (!same && !writer->format.any_numbers)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "format %s has other numbers", writer->format.name);
    if (unit_bytes != 0 && !margay_is_power_of_two(unit_bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "unit %llu is not a power of two",
                           (unsigned long long)unit_bytes);
    facts->numbers = numbers;
    facts->unit_bytes = unit_bytes;
    facts->splits = splits;
    return MARGAY_OK;
}

enum margay_status margay_writer_set_module(margay_writer *writer,
                                            unsigned number, const char *path,
                                            struct margay_error *error)
{
    return writer->writing->set_module == NULL
               ? MARGAY_OK
               : writer->writing->set_module(writer->blocks, number, path,
                                             error);
}

bool margay_writer_takes_data(const margay_writer *writer)
{
    return writer->writing->put_data != NULL;
}

enum margay_status margay_writer_put_data(margay_writer *writer,
                                          const struct margay_data_event *event,
                                          struct margay_error *error)
{
    return writer->writing->put_data(writer->blocks, event, error);
}

enum margay_status margay_writer_put(margay_writer *writer,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    const char *format = writer->format.name;
#define MARGAY_COLUMN(name, NAME, bit, type, words)                   \
    if ((writer->needs & 1u << (bit)) && batch->name == NULL)         \
        return margay_fail(error, MARGAY_BAD_ARGUMENT,                \
                           "a trace as %s takes the " words           \
                           " of its references, which are not known", \
                           format);
#include <margay/columns.def>
    /* Encoders of records take any extent. */
    return writer->row->encode == NULL && batch->extents != NULL &&
                   margay_extents_pass(batch->numbers, batch->extents,
                                       batch->references)
               ? margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "a reference does not end within 64 bits")
               : writer->writing->put(writer->blocks, batch, error);
}

/* Words have the byte order of this machine, the format is little-endian. */
bool margay_writer_takes_words(const margay_writer *writer)
{
    return writer->writing->put_words != NULL && le64toh(1) == 1;
}

enum margay_status margay_writer_put_words(margay_writer *writer,
                                           const struct margay_words *words,
                                           struct margay_error *error)
{
    return writer->writing->put_words(writer->blocks, words, error);
}

enum margay_status margay_writer_flush(margay_writer *writer,
                                       struct margay_error *error)
{
    return writer->writing->flush(writer->blocks, error);
}

enum margay_status margay_writer_finish(margay_writer *writer,
                                        struct margay_error *error)
{
    enum margay_status status = writer->writing->finish(writer->blocks, error);
    if (status == MARGAY_OK && writer->compression != NULL)
        status = finish_compression(writer, error);
    return status;
}

void margay_writer_free(margay_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->blocks != NULL && writer->writing->clear != NULL)
        writer->writing->clear(writer->blocks);
    free(writer->blocks);
    /* Freeing an open archive closes it first, which writes bytes. */
    writer->discarded = true;
    if (writer->archive != NULL)
        ARCHIVE(write_free)(writer->archive);
    free(writer);
}
