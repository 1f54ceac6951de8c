/* mgt_write.c - a file of the format mgt: header, blocks, footer; its row */
#define _GNU_SOURCE
#include <stdlib.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/base/grow.h"
#include "traces/formats/data.h"
#include "traces/formats/mgt.h"
#include "traces/formats/modules.h"

/* An entry of the index: the counts before a block. */
struct index_entry {
    uint64_t offset, references;
};

/* A block, or the events of data, while they are gathered. */
struct builder {
    struct margay_mgt_encoder encoder;
    size_t entries;
    /* The zeros before the values of each column, as bases of the first ones,
       and the values. */
    uint64_t values[MARGAY_MGT_COLUMNS]
                   [MARGAY_MGT_BACK_VALUES + MARGAY_MGT_BLOCK_ENTRIES];
    uint8_t part[MARGAY_MGT_BLOCK_HEADER_BYTES + MARGAY_MGT_PAYLOAD_BYTES];
};

static void free_builder(struct builder *builder)
{
    if (builder != NULL)
        ZSTD_freeCCtx(builder->encoder.zstd);
    free(builder);
}

static enum margay_status create_builder(struct builder **builder,
                                         const char *what,
                                         struct margay_error *error)
{
    *builder = calloc(1, sizeof **builder);
    if (*builder != NULL)
        (*builder)->encoder.zstd = ZSTD_createCCtx();
    return *builder == NULL || (*builder)->encoder.zstd == NULL
               ? margay_fail_memory(error, what)
               : MARGAY_OK;
}

struct writer {
    struct margay_block_target target;
    unsigned names; /* the columns, as a set */
    bool begun;     /* the header has been written */
    struct builder *block;
    struct builder *data; /* NULL = there are no events */
    uint64_t offset;
    uint64_t references; /* of whole blocks */
    uint64_t of_kind[MARGAY_KINDS];
    struct index_entry *index; /* of `capacity` entries, `blocks` in use */
    size_t blocks, capacity;
    struct margay_modules modules;
};

void margay_mgt_put_header(const struct margay_trace_facts *facts,
                           unsigned names,
                           uint8_t bytes[MARGAY_MGT_HEADER_BYTES])
{
    bool ids = facts->numbers == MARGAY_IDS;
    memset(bytes, 0, MARGAY_MGT_HEADER_BYTES);
    memcpy(bytes, MARGAY_MGT_MAGIC, MARGAY_MGT_MAGIC_BYTES);
    bytes[8] = MARGAY_MGT_VERSION;
    bytes[9] = ids;
    bytes[10] = (uint8_t)(names >> 2);
    bytes[11] = facts->splits;
    if (ids && facts->unit_bytes != 0)
        bytes[12] = (uint8_t)(1 + margay_log2_floor(facts->unit_bytes));
    margay_put_little(bytes + 16, margay_mgt_crc(0, bytes, 16), 4);
}

static enum margay_status emit(struct writer *writer, const void *bytes,
                               size_t count, struct margay_error *error)
{
    writer->offset += count;
    return writer->target.sink.write(writer->target.sink.context, bytes, count,
                                     error);
}

static enum margay_status begin(struct writer *writer,
                                struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_HEADER_BYTES];
    if (writer->begun)
        return MARGAY_OK;
    writer->begun = true;
    margay_mgt_put_header(writer->target.facts, writer->names, bytes);
    return emit(writer, bytes, sizeof bytes, error);
}

/* Encode the columns of a set, of which the first is `first`, after the head
   of a part, and begin anew.  Returns their length; 0: there is no memory. */
static size_t encode(struct builder *builder, unsigned first, unsigned columns,
                     size_t head_bytes)
{
    uint8_t *payload = builder->part + head_bytes, *end = payload;
    for (unsigned i = 0; i < MARGAY_MGT_COLUMNS && end != NULL; i++) {
        if (columns & MARGAY_MGT_COLUMN_BIT(i))
            end = margay_mgt_encode(&builder->encoder,
                                    (enum margay_mgt_column_name)(first + i),
                                    builder->values[i] + MARGAY_MGT_BACK_VALUES,
                                    builder->entries, end);
    }
    builder->entries = 0;
    return end == NULL ? 0 : (size_t)(end - payload);
}

/* The events of data that happen among the entries of the block that ends. */
static enum margay_status end_data(struct writer *writer,
                                   struct margay_error *error)
{
    struct builder *data = writer->data;
    size_t events = data == NULL ? 0 : data->entries;
    if (events == 0)
        return MARGAY_OK;
    size_t bytes = encode(data, MARGAY_MGT_DATA_AT, ~0u, MARGAY_MGT_DATA_BYTES);
    if (bytes == 0)
        return margay_fail_memory(error, "compression");
    uint8_t *part = data->part;
    margay_put_little(part, MARGAY_MGT_DATA_MARK, 4);
    margay_put_little(part + 4, bytes, 4);
    margay_put_little(part + 8, events, 4);
    margay_put_little(
        part + 12, margay_mgt_crc(0, part + MARGAY_MGT_DATA_BYTES, bytes), 4);
    return emit(writer, part, MARGAY_MGT_DATA_BYTES + bytes, error);
}

static enum margay_status end_block(struct writer *writer,
                                    struct margay_error *error)
{
    size_t entries = writer->block->entries;
    enum margay_status status = end_data(writer, error);
    if (entries == 0 || status != MARGAY_OK)
        return status;
    if (!MARGAY_MAKE_ROOM(writer->index, writer->blocks, 1, writer->capacity))
        return margay_fail_memory(error, "the index of a trace");
    writer->index[writer->blocks++] =
        (struct index_entry){writer->offset, writer->references};
    size_t bytes = encode(writer->block, MARGAY_MGT_NUMBERS, writer->names,
                          MARGAY_MGT_BLOCK_HEADER_BYTES);
    if (bytes == 0)
        return margay_fail_memory(error, "compression");
    uint8_t *part = writer->block->part;
    margay_put_little(part, MARGAY_MGT_BLOCK_MARK, 4);
    margay_put_little(part + 4, bytes, 4);
    margay_put_little(part + 8, entries, 4);
    margay_put_little(part + 12, entries, 8);
    margay_put_little(
        part + 20,
        margay_mgt_crc(0, part + MARGAY_MGT_BLOCK_HEADER_BYTES, bytes), 4);
    margay_put_little(part + 24, margay_mgt_crc(0, part, 24), 4);
    writer->references += entries;
    return emit(writer, part, MARGAY_MGT_BLOCK_HEADER_BYTES + bytes, error);
}

/* The first batch decides which columns the trace has. */
static unsigned choose_columns(const struct margay_batch *batch)
{
    unsigned columns = MARGAY_MGT_ALWAYS;
    if (batch->threads != NULL)
        columns |= MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS);
    if (batch->sites != NULL)
        columns |= MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_SITES);
    return columns;
}

/* The end of a column, where the next entries go. */
static uint64_t *column_end(struct writer *writer,
                            enum margay_mgt_column_name name)
{
    return writer->block->values[name] + MARGAY_MGT_BACK_VALUES +
           writer->block->entries;
}

/* Take entries of the batch from `from` on, until the block is full.  Returns
   how many it took.  A column of the file may be absent from a batch. */
static size_t take(struct writer *writer, const struct margay_batch *batch,
                   size_t from)
{
    size_t space = MARGAY_MGT_BLOCK_ENTRIES - writer->block->entries;
    size_t left = batch->references - from;
    size_t count = left < space ? left : space;
    unsigned columns = writer->names;
    bool has_threads = columns & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS);
    bool has_sites = columns & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_SITES);
    const uint8_t *kinds = batch->kinds;
    const uint32_t *extents = batch->extents;
    uint64_t *to = column_end(writer, MARGAY_MGT_ACCESSES);
    memcpy(column_end(writer, MARGAY_MGT_NUMBERS), batch->numbers + from,
           count * sizeof *batch->numbers);
    /* A loop for each column: compilers make vector instructions of them. */
    for (size_t i = 0; i < count; i++) {
        uint64_t extent = extents == NULL ? 1 : extents[from + i];
        to[i] = extent << 2 | (kinds == NULL ? MARGAY_READ : kinds[from + i]);
    }
    for (size_t i = 0; i < count; i++)
        writer->of_kind[kinds == NULL ? MARGAY_READ : kinds[from + i]]++;
    to = column_end(writer, MARGAY_MGT_THREADS);
    for (size_t i = 0; has_threads && i < count; i++)
        to[i] = batch->threads == NULL ? 0 : batch->threads[from + i];
    to = column_end(writer, MARGAY_MGT_SITES);
    for (size_t i = 0; has_sites && i < count; i++)
        to[i] = batch->sites == NULL ? 0 : batch->sites[from + i];
    writer->block->entries += count;
    return count;
}

static enum margay_status writer_put(void *state,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct writer *writer = state;
    if (batch->references == 0)
        return MARGAY_OK;
    if (!writer->begun)
        writer->names = choose_columns(batch);
    enum margay_status status = begin(writer, error);
    for (size_t done = 0; done < batch->references && status == MARGAY_OK;) {
        done += take(writer, batch, done);
        if (writer->block->entries == MARGAY_MGT_BLOCK_ENTRIES)
            status = end_block(writer, error);
    }
    return status;
}

/* The first event may come before the first reference: then the trace has
   the columns of a recording with sites. */
static enum margay_status writer_put_data(void *state,
                                          const struct margay_data_event *event,
                                          struct margay_error *error)
{
    struct writer *writer = state;
    if (!writer->begun)
        writer->names |= MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS) |
                         MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_SITES);
    enum margay_status status = begin(writer, error);
    if (status == MARGAY_OK && writer->data == NULL)
        status = create_builder(&writer->data, "the data of a trace", error);
    if (status != MARGAY_OK)
        return status;
    const uint64_t values[MARGAY_MGT_COLUMNS] = {
        writer->references + writer->block->entries, event->address,
        event->bytes, margay_datum(event->data, event->site), event->order};
    size_t i = MARGAY_MGT_BACK_VALUES + writer->data->entries++;
    for (size_t column = 0; column < MARGAY_MGT_COLUMNS; column++)
        writer->data->values[column][i] = values[column];
    return writer->data->entries == MARGAY_MGT_BLOCK_ENTRIES
               ? end_block(writer, error)
               : MARGAY_OK;
}

static enum margay_status writer_set_module(void *state, unsigned number,
                                            const char *path,
                                            struct margay_error *error)
{
    return margay_modules_set(&((struct writer *)state)->modules, number, path,
                              error);
}

/* The bytes of the part with the modules; 0 = there is none. */
static size_t part_of_modules(const struct writer *writer)
{
    size_t bytes = margay_modules_put(&writer->modules, NULL);
    return bytes == 0 ? 0 : MARGAY_MGT_MODULES_BYTES + bytes;
}

static enum margay_status put_modules(struct writer *writer,
                                      struct margay_error *error)
{
    size_t bytes = part_of_modules(writer);
    if (bytes == 0)
        return MARGAY_OK;
    uint8_t *part = malloc(bytes);
    if (part == NULL)
        return margay_fail_memory(error, "the modules of a trace");
    margay_put_little(part, MARGAY_MGT_MODULES_MARK, 4);
    margay_put_little(part + 4, bytes - MARGAY_MGT_MODULES_BYTES, 4);
    margay_modules_put(&writer->modules, part + MARGAY_MGT_MODULES_BYTES);
    margay_put_little(part + 8,
                      margay_mgt_crc(0, part + MARGAY_MGT_MODULES_BYTES,
                                     bytes - MARGAY_MGT_MODULES_BYTES),
                      4);
    enum margay_status status = emit(writer, part, bytes, error);
    free(part);
    return status;
}

/* A trace without references has a header, too. */
static enum margay_status writer_flush(void *state, struct margay_error *error)
{
    enum margay_status status = begin(state, error);
    return status == MARGAY_OK ? end_block(state, error) : status;
}

static enum margay_status put_footer(struct writer *writer,
                                     struct margay_error *error)
{
    uint8_t footer[MARGAY_MGT_FOOTER_BYTES] = {0};
    uint8_t trailer[MARGAY_MGT_TRAILER_BYTES];
    uint64_t offset = writer->offset;
    margay_put_little(footer, MARGAY_MGT_FOOTER_MARK, 4);
    margay_put_little(footer + 4, part_of_modules(writer), 4);
    margay_put_little(footer + 8, writer->blocks, 8);
    margay_put_little(footer + 16, writer->references, 8);
    margay_put_little(footer + 24, writer->references, 8);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        margay_put_little(footer + 32 + 8 * kind, writer->of_kind[kind], 8);
    uint32_t crc = margay_mgt_crc(0, footer, sizeof footer);
    enum margay_status status = emit(writer, footer, sizeof footer, error);
    for (size_t i = 0; i < writer->blocks && status == MARGAY_OK; i++) {
        uint8_t entry[MARGAY_MGT_INDEX_ENTRY_BYTES];
        margay_put_little(entry, writer->index[i].offset, 8);
        margay_put_little(entry + 8, writer->index[i].references, 8);
        crc = margay_mgt_crc(crc, entry, sizeof entry);
        status = emit(writer, entry, sizeof entry, error);
    }
    margay_put_little(trailer, offset, 8);
    margay_put_little(trailer + 8, crc, 4);
    margay_put_little(trailer + 12, margay_mgt_crc(0, trailer, 12), 4);
    memcpy(trailer + 16, MARGAY_MGT_END_MAGIC, MARGAY_MGT_MAGIC_BYTES);
    return status == MARGAY_OK ? emit(writer, trailer, sizeof trailer, error)
                               : status;
}

static enum margay_status writer_finish(void *state, struct margay_error *error)
{
    enum margay_status status = writer_flush(state, error);
    if (status == MARGAY_OK)
        status = put_modules(state, error);
    return status == MARGAY_OK ? put_footer(state, error) : status;
}

static void writer_clear(void *state)
{
    struct writer *writer = state;
    free_builder(writer->block);
    free_builder(writer->data);
    margay_modules_clear(&writer->modules);
    free(writer->index);
}

static enum margay_status writer_open(void *state, struct margay_error *error)
{
    struct writer *writer = state;
    writer->names = MARGAY_MGT_ALWAYS;
    return create_builder(&writer->block, "a block of a trace", error);
}

static const struct margay_blocks_writing writing = {
    .state_bytes = sizeof(struct writer),
    .open = writer_open,
    .clear = writer_clear,
    .put = writer_put,
    .set_module = writer_set_module,
    .put_data = writer_put_data,
    .flush = writer_flush,
    .finish = writer_finish,
};

static bool is_magic(const void *window, size_t bytes)
{
    return bytes >= MARGAY_MGT_MAGIC_BYTES &&
           memcmp(window, MARGAY_MGT_MAGIC, MARGAY_MGT_MAGIC_BYTES) == 0;
}

const struct margay_format margay_format_mgt = {
    .info = {.name = "mgt",
             .description = "Margay's own, in compressed blocks",
             .suffixes = "mgt",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .any_numbers = true,
             .checked = true,
             .writable = true,
             .columns = MARGAY_ALL_COLUMNS & ~MARGAY_STORAGE_COLUMNS,
             .kinds = MARGAY_ALL_KINDS,
             .empty_extents = true},
    .is_magic = is_magic,
    .reading = &margay_mgt_reading,
    .writing = &writing,
};
