/* mgt_block.c - blocks of the format mgt, and events of data, that are read */
#include <stdlib.h>

#include <zlib.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/formats/data.h"
#include "traces/formats/mgt.h"

uint32_t margay_mgt_crc(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
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
    if (expected == NULL &&
        margay_extents_pass(references->numbers + at, references->extents + at,
                            count))
        expected = "extents within 64 bits";
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

/* -------------------------------------------------------- events of data -- */

struct margay_mgt_events {
    struct margay_data_map *map; /* which follows them */
    size_t count, done;
    struct margay_mgt_column column; /* while it is read */
    struct margay_data_event events[MARGAY_MGT_BLOCK_ENTRIES];
};

enum margay_status margay_mgt_events_create(struct margay_data_map *map,
                                            struct margay_mgt_events **events,
                                            struct margay_error *error)
{
    *events = calloc(1, sizeof **events);
    if (*events == NULL)
        return margay_fail_memory(error, "the data of a trace");
    (*events)->map = map;
    return MARGAY_OK;
}

void margay_mgt_events_free(struct margay_mgt_events *events)
{
    if (events != NULL)
        margay_mgt_column_free(&events->column);
    free(events);
}

static void set(struct margay_data_event *event, unsigned column,
                uint64_t value)
{
    switch (MARGAY_MGT_DATA_AT + column) {
    case MARGAY_MGT_DATA_AT:
        event->at = value;
        break;
    case MARGAY_MGT_DATA_ADDRESS:
        event->address = value;
        break;
    case MARGAY_MGT_DATA_EXTENT:
        event->bytes = value;
        break;
    case MARGAY_MGT_DATA_DATUM:
        event->data = (enum margay_data)(value >> MARGAY_DATUM_SHIFT);
        event->site = margay_datum(0, value);
        break;
    default:
        event->order = value;
    }
}

const char *margay_mgt_events_take(struct margay_mgt_events *events,
                                   struct margay_mgt_packer *packer,
                                   const uint8_t *payload, size_t bytes,
                                   size_t count, bool *no_memory)
{
    const uint8_t *cursor = payload, *end = payload + bytes;
    const char *expected = NULL;
    uint64_t values[PIECE];
    if (events == NULL)
        return NULL;
    for (unsigned i = 0; i < MARGAY_MGT_COLUMNS && expected == NULL; i++) {
        expected = margay_mgt_decode(
            packer, (enum margay_mgt_column_name)(MARGAY_MGT_DATA_AT + i),
            &cursor, end, count, &events->column, no_memory);
        for (size_t done = 0, some; done < count && expected == NULL;
             done += some) {
            some = count - done < PIECE ? count - done : PIECE;
            margay_mgt_column_next(&events->column, values, some);
            for (size_t k = 0; k < some; k++)
                set(&events->events[done + k], i, values[k]);
        }
    }
    if (expected == NULL && cursor != end)
        expected = "no further bytes";
    for (size_t i = 0; i < count && expected == NULL; i++) {
        const struct margay_data_event *event = &events->events[i];
        if ((unsigned)event->data >= MARGAY_DATA_KINDS ||
            (i > 0 && event->at < event[-1].at))
            expected = "events that can be, in their order";
    }
    events->done = 0;
    events->count = expected == NULL ? count : 0;
    return expected;
}

enum margay_status margay_mgt_events_finish(struct margay_mgt_events *events,
                                            uint64_t entries, bool *late,
                                            struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *late = false;
    while (events != NULL && events->done < events->count && !*late &&
           status == MARGAY_OK) {
        const struct margay_data_event *event = &events->events[events->done++];
        *late = event->at > entries;
        if (!*late)
            status = margay_data_map_follow(events->map, event, error);
    }
    return status;
}

enum margay_status margay_mgt_events_name(struct margay_mgt_events *events,
                                          struct margay_references *batch,
                                          size_t first, uint64_t before,
                                          struct margay_error *error)
{
    struct margay_data_event *next = events->events + events->done;
    size_t left = events->count - events->done, count = 0;
    uint64_t given = batch->count - first;
    for (; count < left && next[count].at < before + given; count++)
        next[count].at =
            first + (next[count].at < before ? 0 : next[count].at - before);
    events->done += count;
    return margay_data_map_name(events->map, next, count, batch, first, error);
}
