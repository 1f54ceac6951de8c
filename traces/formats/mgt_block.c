/* mgt_block.c - a block of the format mgt: filled with entries, and read */
#include <stdlib.h>

#include <zlib.h>

#include "traces/base/error.h"
#include "traces/formats/format.h"
#include "traces/formats/mgt.h"

uint32_t margay_mgt_crc(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}

/* --------------------------------------------------------------- header -- */

static void put_block_header(const struct margay_mgt_block_header *header,
                             uint8_t *bytes)
{
    margay_put_little(bytes, MARGAY_MGT_BLOCK_MARK, 4);
    margay_put_little(bytes + 4, header->payload_bytes, 4);
    margay_put_little(bytes + 8, header->entries, 4);
    margay_put_little(bytes + 12, header->references, 8);
    memcpy(bytes + 20, header->payload_crc, 4);
    margay_put_little(bytes + 24, margay_mgt_crc(0, bytes, 24), 4);
}

const char *margay_mgt_take_block_header(
    const uint8_t bytes[MARGAY_MGT_BLOCK_HEADER_BYTES],
    struct margay_mgt_block_header *header)
{
    header->payload_bytes = (uint32_t)margay_get_little(bytes + 4, 4);
    header->entries = (uint32_t)margay_get_little(bytes + 8, 4);
    header->references = margay_get_little(bytes + 12, 8);
    memcpy(header->payload_crc, bytes + 20, 4);
    if (!margay_mgt_is_crc(margay_mgt_crc(0, bytes, 24), bytes + 24))
        return "the check sum of a block's header";
    if (header->payload_bytes > MARGAY_MGT_PAYLOAD_BYTES ||
        header->entries == 0 || header->entries > MARGAY_MGT_BLOCK_ENTRIES ||
        header->references < header->entries)
        return "the header of a block";
    return NULL;
}

/* -------------------------------------------------------------- filling -- */

struct margay_mgt_builder {
    struct margay_mgt_encoder *encoder;
    size_t entries;
    uint64_t references;
    /* The zeros before the values of each column, from which the first ones
       may differ, and the values. */
    uint64_t values[MARGAY_MGT_COLUMNS]
                   [MARGAY_MGT_BACK_VALUES + MARGAY_MGT_BLOCK_ENTRIES];
    uint8_t block[MARGAY_MGT_BLOCK_HEADER_BYTES + MARGAY_MGT_PAYLOAD_BYTES];
};

enum margay_status margay_mgt_builder_create(
    struct margay_mgt_builder **builder, struct margay_error *error)
{
    *builder = calloc(1, sizeof **builder);
    if (*builder == NULL)
        return margay_fail_memory(error, "a block of a trace");
    enum margay_status status =
        margay_mgt_encoder_create(&(*builder)->encoder, error);
    if (status != MARGAY_OK) {
        free(*builder);
        *builder = NULL;
    }
    return status;
}

void margay_mgt_builder_free(struct margay_mgt_builder *builder)
{
    if (builder == NULL)
        return;
    margay_mgt_encoder_free(builder->encoder);
    free(builder);
}

/* The end of a column, where the next entries go. */
static uint64_t *column_end(struct margay_mgt_builder *builder,
                            enum margay_mgt_column_name name)
{
    return builder->values[name] + MARGAY_MGT_BACK_VALUES + builder->entries;
}

static void take_accesses(struct margay_mgt_builder *builder,
                          const uint8_t *kinds, const uint32_t *extents,
                          size_t count)
{
    uint64_t *values = column_end(builder, MARGAY_MGT_ACCESSES);
    for (size_t i = 0; i < count; i++) {
        uint64_t extent = extents == NULL ? 1 : extents[i];
        values[i] = extent << 2 | (kinds == NULL ? MARGAY_READ : kinds[i]);
    }
}

/* A column that the file has and the batch may lack. */
static void take_32(struct margay_mgt_builder *builder,
                    enum margay_mgt_column_name name, const uint32_t *from,
                    uint32_t otherwise, size_t count)
{
    uint64_t *values = column_end(builder, name);
    for (size_t i = 0; i < count; i++)
        values[i] = from == NULL ? otherwise : from[i];
}

static void count_references(struct margay_mgt_builder *builder,
                             const uint32_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        builder->references += counts == NULL ? 1 : counts[i];
}

size_t margay_mgt_builder_take(struct margay_mgt_builder *builder,
                               unsigned columns,
                               const struct margay_batch *batch, size_t from)
{
    size_t space = MARGAY_MGT_BLOCK_ENTRIES - builder->entries;
    size_t left = batch->references - from;
    size_t count = left < space ? left : space;
    const uint32_t *counts =
        batch->counts == NULL ? NULL : batch->counts + from;
    memcpy(column_end(builder, MARGAY_MGT_NUMBERS), batch->numbers + from,
           count * sizeof *batch->numbers);
    take_accesses(builder, batch->kinds == NULL ? NULL : batch->kinds + from,
                  batch->extents == NULL ? NULL : batch->extents + from, count);
    if (columns & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_COUNTS))
        take_32(builder, MARGAY_MGT_COUNTS, counts, 1, count);
    if (columns & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS))
        take_32(builder, MARGAY_MGT_THREADS,
                batch->threads == NULL ? NULL : batch->threads + from, 0,
                count);
    if (columns & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_SITES)) {
        uint64_t *sites = column_end(builder, MARGAY_MGT_SITES);
        for (size_t i = 0; i < count; i++)
            sites[i] = batch->sites == NULL ? 0 : batch->sites[from + i];
    }
    count_references(builder, counts, count);
    builder->entries += count;
    return count;
}

size_t margay_mgt_builder_entries(const struct margay_mgt_builder *builder)
{
    return builder->entries;
}

const uint8_t *margay_mgt_builder_end(struct margay_mgt_builder *builder,
                                      unsigned columns, size_t *bytes,
                                      uint64_t *references)
{
    uint8_t *payload = builder->block + MARGAY_MGT_BLOCK_HEADER_BYTES;
    uint8_t *end = payload;
    for (unsigned name = 0; name < MARGAY_MGT_COLUMNS && end != NULL; name++) {
        if (columns & MARGAY_MGT_COLUMN_BIT(name))
            end = margay_mgt_encode(builder->encoder, name,
                                    builder->values[name] +
                                        MARGAY_MGT_BACK_VALUES,
                                    builder->entries, end);
    }
    if (end == NULL)
        return NULL;
    struct margay_mgt_block_header header = {
        .payload_bytes = (uint32_t)(end - payload),
        .entries = (uint32_t)builder->entries,
        .references = builder->references,
    };
    margay_put_little(header.payload_crc,
                      margay_mgt_crc(0, payload, header.payload_bytes), 4);
    put_block_header(&header, builder->block);
    *bytes = (size_t)(end - builder->block);
    *references = builder->references;
    builder->entries = 0;
    builder->references = 0;
    return builder->block;
}

/* -------------------------------------------------------------- reading -- */

#define EXPECTS_ACCESS "a kind (0 read, 1 write, 2 fetch) and a size of 32 bits"

void margay_mgt_block_free(struct margay_mgt_block *block)
{
    for (size_t i = 0; i < MARGAY_MGT_COLUMNS; i++)
        margay_mgt_column_free(&block->column[i]);
}

/* Kinds and extents; false if an access is none of those that exist. */
static bool split_accesses(const uint64_t *accesses, size_t count,
                           uint8_t *kinds, uint32_t *extents)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        kinds[i] = accesses[i] & 3;
        extents[i] = (uint32_t)(accesses[i] >> 2);
        wrong |= (accesses[i] >> 34) | (uint64_t)(kinds[i] == 3);
    }
    return wrong == 0;
}

const char *margay_mgt_block_begin(struct margay_mgt_block *block,
                                   struct margay_mgt_packer *packer,
                                   const struct margay_mgt_block_header *header,
                                   const uint8_t *payload, bool *no_memory)
{
    const uint8_t *cursor = payload, *end = payload + header->payload_bytes;
    const char *expected = NULL;
    for (unsigned name = 0; name < MARGAY_MGT_COLUMNS && expected == NULL;
         name++) {
        if (block->columns & MARGAY_MGT_COLUMN_BIT(name))
            expected =
                margay_mgt_decode(packer, name, &cursor, end, header->entries,
                                  &block->column[name], no_memory);
    }
    if (expected != NULL)
        return expected;
    if (cursor != end)
        return "the columns and nothing else";
    const struct margay_mgt_column *accesses =
        &block->column[MARGAY_MGT_ACCESSES];
    if (accesses->coding != MARGAY_MGT_BACK &&
        !split_accesses(accesses->dictionary, accesses->dictionary_values,
                        block->kinds, block->extents))
        return EXPECTS_ACCESS;
    block->left = header->entries;
    block->references_left = header->references;
    return NULL;
}

/* Entries that go through a buffer at a time. */
#define PIECE 512

/* The values of a dictionary have been split already. */
static void copy_accesses(struct margay_mgt_block *block, size_t count,
                          uint8_t *kinds, uint32_t *extents)
{
    struct margay_mgt_column *column = &block->column[MARGAY_MGT_ACCESSES];
    if (column->coding == MARGAY_MGT_CONSTANT) {
        memset(kinds, block->kinds[0], count);
        for (size_t i = 0; i < count; i++)
            extents[i] = block->extents[0];
    } else {
        const uint8_t *control = column->control;
        for (size_t i = 0; i < count; i++) {
            kinds[i] = block->kinds[control[i]];
            extents[i] = block->extents[control[i]];
        }
        column->control += count;
    }
    column->left -= count;
}

static const char *next_accesses(struct margay_mgt_block *block, size_t count,
                                 uint8_t *kinds, uint32_t *extents)
{
    struct margay_mgt_column *column = &block->column[MARGAY_MGT_ACCESSES];
    uint64_t values[PIECE];
    if (column->coding != MARGAY_MGT_BACK) {
        copy_accesses(block, count, kinds, extents);
        return NULL;
    }
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        margay_mgt_column_next(column, values, some);
        if (!split_accesses(values, some, kinds + done, extents + done))
            return EXPECTS_ACCESS;
    }
    return NULL;
}

/* Values of 32 bits, and their sum. */
static const char *next_32(struct margay_mgt_column *column, size_t count,
                           uint32_t *to, uint64_t *sum)
{
    uint64_t values[PIECE], all = 0;
    *sum = 0;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        margay_mgt_column_next(column, values, some);
        for (size_t i = 0; i < some; i++) {
            to[done + i] = (uint32_t)values[i];
            all |= values[i];
            *sum += to[done + i];
        }
    }
    return all >> 32 == 0 ? NULL : "a number of 32 bits";
}

/* The counts of all entries must sum to what the header says. */
static const char *next_counts(struct margay_mgt_block *block, size_t count,
                               uint32_t *counts, uint64_t *sum)
{
    const char *expected = NULL;
    *sum = count;
    if (counts != NULL)
        expected =
            next_32(&block->column[MARGAY_MGT_COUNTS], count, counts, sum);
    for (size_t i = 0; counts != NULL && i < count; i++) {
        if (counts[i] == 0)
            expected = "counts from 1 up";
    }
    if (expected == NULL &&
        (*sum > block->references_left ||
         (block->left == count && *sum != block->references_left)))
        expected = "as many references as the block's header says";
    return expected;
}

const char *margay_mgt_block_next(struct margay_mgt_block *block,
                                  struct margay_references *references)
{
    size_t at = references->count, space = references->capacity - at;
    size_t count = block->left < space ? block->left : space;
    uint64_t sum, held;
    unsigned columns = margay_mgt_columns(block->columns);
    margay_mgt_column_next(&block->column[MARGAY_MGT_NUMBERS],
                           references->numbers + at, count);
    const char *expected = next_accesses(block, count, references->kinds + at,
                                         references->extents + at);
    if (expected == NULL)
        expected = next_counts(
            block, count,
            columns & MARGAY_COLUMN_COUNTS ? references->counts + at : NULL,
            &held);
    if (expected == NULL && columns & MARGAY_COLUMN_THREADS)
        expected = next_32(&block->column[MARGAY_MGT_THREADS], count,
                           references->threads + at, &sum);
    if (expected != NULL)
        return expected;
    if (columns & MARGAY_COLUMN_SITES)
        margay_mgt_column_next(&block->column[MARGAY_MGT_SITES],
                               references->sites + at, count);
    references->unfilled = margay_mgt_columns(~0u) & ~columns;
    references->count += count;
    block->left -= count;
    block->references_left -= held;
    return NULL;
}
