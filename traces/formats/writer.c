/* writer.c - references written in one format, compressed or plain, to a sink
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/nearest.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/compress.h"
#include "traces/formats/data.h"
#include "traces/formats/format.h"
#include "traces/formats/words.h"

/* The size of the buffer for records, which stays in the cache. */
#define PIECE_BYTES ((size_t)64 << 10)

struct margay_writer {
    const struct margay_format_info *format;
    bool stands_in_memory; /* as in format.h */
    struct margay_sink sink;
    struct margay_compressor *compressor;        /* NULL = plain */
    const struct margay_blocks_writing *writing; /* NULL = by the record */
    void *blocks;
    struct margay_trace_facts facts;
    uint64_t bytes; /* passed on so far, before compression */
    size_t used;
    char piece[PIECE_BYTES];
};

static const char *writable_name(size_t index, const void *context)
{
    (void)context;
    const struct margay_format_info *info;
    for (size_t i = 0; (info = margay_format_at(i)) != NULL; i++) {
        if (info->writable && index-- == 0)
            return info->name;
    }
    return NULL;
}

static enum margay_status fail_format(const char *name,
                                      struct margay_error *error)
{
    char names[320];
    const char *nearest = margay_nearest(name, writable_name, NULL);
    margay_format_list(true, names, sizeof names);
    if (margay_format_named(name) != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the format '%s' can be read, but not written; "
                           "these can: %s",
                           name, names);
    if (nearest != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "no format '%s' to write (did you mean '%s'?)", name,
                           nearest);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "no format '%s' to write, expected one of %s", name,
                       names);
}

/* All bytes pass here; this is the sink that a format of blocks writes to. */
static enum margay_status pass_on(void *context, const void *bytes,
                                  size_t count, struct margay_error *error)
{
    struct margay_writer *writer = context;
    writer->bytes += count;
    if (writer->compressor != NULL)
        return margay_compressor_write(writer->compressor, bytes, count, error);
    return writer->sink.write(writer->sink.context, bytes, count, error);
}

static enum margay_status flush(struct margay_writer *writer,
                                struct margay_error *error)
{
    size_t count = writer->used;
    writer->used = 0;
    return count == 0 ? MARGAY_OK
                      : pass_on(writer, writer->piece, count, error);
}

/* Make the writer of a format of blocks, and describe the trace to it. */
static enum margay_status create_blocks(struct margay_writer *writer,
                                        const struct margay_format *format,
                                        struct margay_error *error)
{
    const struct margay_sink sink = {writer, pass_on};
    writer->facts = (struct margay_trace_facts){
        .numbers = format->info.numbers,
        .unit_bytes = format->info.unit_bytes,
        .splits = format->info.splits,
    };
    writer->writing = format->writing;
    if (format->writing == NULL)
        return MARGAY_OK;
    enum margay_status status =
        format->writing->create(&sink, &writer->blocks, error);
    if (status == MARGAY_OK)
        format->writing->describe(writer->blocks, &writer->facts);
    return status;
}

enum margay_status margay_writer_create(const char *format, const char *path,
                                        const struct margay_sink *sink,
                                        margay_writer **writer,
                                        struct margay_error *error)
{
    const struct margay_format *row = margay_format_named(format);
    *writer = NULL;
    if (row == NULL || !row->info.writable)
        return fail_format(format, error);
    struct margay_writer *this = calloc(1, sizeof *this);
    if (this == NULL)
        return margay_fail_memory(error, "a writer of traces");
    this->format = &row->info;
    this->stands_in_memory = row->stands_in_memory;
    this->sink = *sink;
    enum margay_status status =
        margay_compressor_create(path, sink, &this->compressor, error);
    if (status == MARGAY_OK)
        status = create_blocks(this, row, error);
    if (status != MARGAY_OK) {
        margay_writer_free(this);
        return status;
    }
    if (row->info.head != NULL) {
        this->used = strlen(row->info.head);
        memcpy(this->piece, row->info.head, this->used);
    }
    *writer = this;
    return MARGAY_OK;
}

const struct margay_format_info *margay_writer_format(
    const margay_writer *writer)
{
    return writer->format;
}

enum margay_status margay_writer_set_collapsed(margay_writer *writer,
                                               uint64_t bytes,
                                               struct margay_error *error)
{
    if ((writer->format->columns & MARGAY_COLUMN_COUNTS) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "format %s has no place for counts of repeats",
                           writer->format->name);
    if (bytes != 0 && !margay_is_power_of_two(bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "repeats collapsed within %llu bytes, expected a "
                           "power of two",
                           (unsigned long long)bytes);
    uint64_t most = writer->writing->most_collapsed_bytes;
    if (most != 0 && bytes > most)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "repeats collapsed within %llu bytes, but the "
                           "format %s allows %llu at most",
                           (unsigned long long)bytes, writer->format->name,
                           (unsigned long long)most);
    writer->facts.collapsed_bytes = bytes;
    writer->writing->describe(writer->blocks, &writer->facts);
    return MARGAY_OK;
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
    if (!same && !writer->format->any_numbers)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "format %s has other numbers", writer->format->name);
    if (unit_bytes != 0 && !margay_is_power_of_two(unit_bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "unit %llu is not a power of two",
                           (unsigned long long)unit_bytes);
    facts->numbers = numbers;
    facts->unit_bytes = unit_bytes;
    facts->splits = splits;
    if (writer->writing != NULL)
        writer->writing->describe(writer->blocks, facts);
    return MARGAY_OK;
}

enum margay_status margay_writer_set_module(margay_writer *writer,
                                            unsigned number, const char *path,
                                            struct margay_error *error)
{
    return writer->writing == NULL || writer->writing->set_module == NULL
               ? MARGAY_OK
               : writer->writing->set_module(writer->blocks, number, path,
                                             error);
}

bool margay_writer_takes_data(const margay_writer *writer)
{
    return writer->writing != NULL && writer->writing->put_data != NULL;
}

enum margay_status margay_writer_put_data(margay_writer *writer,
                                          const struct margay_data_event *event,
                                          struct margay_error *error)
{
    return writer->writing->put_data(writer->blocks, event, error);
}

/* Write reference `i` of the batch as a record. */
static enum margay_status put_reference(margay_writer *writer,
                                        const struct margay_batch *batch,
                                        size_t i, struct margay_error *error)
{
    size_t bytes = 0;
    enum margay_status status = MARGAY_OK;
    if (PIECE_BYTES - writer->used < MARGAY_RECORD_BYTES)
        status = flush(writer, error);
    if (status == MARGAY_OK)
        status = margay_format_encode(
            writer->format, batch->numbers[i],
            batch->kinds == NULL ? MARGAY_READ : batch->kinds[i],
            batch->extents == NULL ? 1 : batch->extents[i],
            writer->piece + writer->used, &bytes, error);
    writer->used += bytes;
    return status;
}

/* Write numbers that, as they stand in memory, are the records. */
static enum margay_status put_numbers(margay_writer *writer,
                                      const struct margay_batch *batch,
                                      struct margay_error *error)
{
    enum margay_status status = flush(writer, error);
    return status != MARGAY_OK || batch->references == 0
               ? status
               : pass_on(writer, (const char *)batch->numbers,
                         batch->references * sizeof *batch->numbers, error);
}

enum margay_status margay_writer_put(margay_writer *writer,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (writer->writing != NULL && batch->extents != NULL &&
        margay_extents_pass(batch->numbers, batch->extents, batch->references))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a reference does not end within 64 bits");
    if (writer->writing != NULL)
        return writer->writing->put(writer->blocks, batch, error);
    if (writer->stands_in_memory && batch->counts == NULL)
        return put_numbers(writer, batch, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        uint32_t count = batch->counts == NULL ? 1 : batch->counts[i];
        for (uint32_t k = 0; k < count && status == MARGAY_OK; k++)
            status = put_reference(writer, batch, i, error);
    }
    return status;
}

/* The length of the records of a batch, without those that do not fit. */
static uint64_t record_bytes(const margay_writer *writer,
                             const struct margay_batch *batch)
{
    char record[MARGAY_RECORD_BYTES];
    uint64_t all = 0;
    for (size_t i = 0; i < batch->references; i++) {
        size_t bytes = 0;
        uint64_t count = batch->counts == NULL ? 1 : batch->counts[i];
        if (margay_format_encode(writer->format, batch->numbers[i],
                                 batch->kinds == NULL ? MARGAY_READ
                                                      : batch->kinds[i],
                                 batch->extents == NULL ? 1 : batch->extents[i],
                                 record, &bytes, NULL) == MARGAY_OK)
            all += count * bytes;
    }
    return all;
}

uint64_t margay_writer_most_bytes(const margay_writer *writer,
                                  const struct margay_batch *batch)
{
    static const struct margay_batch nothing;
    if (batch == NULL)
        batch = &nothing;
    return writer->bytes + writer->used +
           (writer->writing != NULL
                ? writer->writing->most_bytes(writer->blocks, batch)
                : record_bytes(writer, batch));
}

/* Words have the byte order of this machine, the format is little-endian. */
bool margay_writer_takes_words(const margay_writer *writer)
{
    return writer->writing != NULL && writer->writing->put_words != NULL &&
           le64toh(1) == 1;
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
    return writer->writing != NULL
               ? writer->writing->flush(writer->blocks, error)
               : flush(writer, error);
}

enum margay_status margay_writer_finish(margay_writer *writer,
                                        struct margay_error *error)
{
    enum margay_status status =
        writer->writing != NULL ? writer->writing->finish(writer->blocks, error)
                                : flush(writer, error);
    if (status == MARGAY_OK && writer->compressor != NULL)
        status = margay_compressor_finish(writer->compressor, error);
    return status;
}

void margay_writer_free(margay_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->writing != NULL)
        writer->writing->free_state(writer->blocks);
    margay_compressor_free(writer->compressor);
    free(writer);
}
