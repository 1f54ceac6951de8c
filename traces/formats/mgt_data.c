/*
 * mgt_data.c - events of data in the format mgt
 *
 * A part of the file with events stands before the block whose entries the
 * events happen among: a head, and a column for each of the numbers of an
 * event, coded as the columns of a block are.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/data.h"
#include "traces/formats/format.h"
#include "traces/formats/mgt.h"

/* An encoded column without values, and what a value adds at most. */
#define COLUMN_BYTES (2 + 4 * MARGAY_MGT_STREAM_BYTES(0))
#define VALUE_BYTES  9

struct margay_mgt_data_builder {
    struct margay_mgt_encoder *encoder;
    size_t count;
    uint64_t values[MARGAY_MGT_DATA_COLUMNS]
                   [MARGAY_MGT_BACK_VALUES + MARGAY_MGT_BLOCK_ENTRIES];
    uint8_t part[MARGAY_MGT_DATA_BYTES + MARGAY_MGT_DATA_PAYLOAD_BYTES];
};

void margay_mgt_data_builder_free(struct margay_mgt_data_builder *builder)
{
    if (builder == NULL)
        return;
    margay_mgt_encoder_free(builder->encoder);
    free(builder);
}

static enum margay_status create(struct margay_mgt_data_builder **builder,
                                 struct margay_error *error)
{
    *builder = calloc(1, sizeof **builder);
    if (*builder == NULL)
        return margay_fail_memory(error, "the data of a trace");
    return margay_mgt_encoder_create(&(*builder)->encoder, error);
}

enum margay_status margay_mgt_data_add(struct margay_mgt_data_builder **builder,
                                       const struct margay_data_event *event,
                                       uint64_t at, bool *full,
                                       struct margay_error *error)
{
    enum margay_status status =
        *builder == NULL ? create(builder, error) : MARGAY_OK;
    if (status != MARGAY_OK)
        return status;
    struct margay_mgt_data_builder *made = *builder;
    size_t i = MARGAY_MGT_BACK_VALUES + made->count++;
    const uint64_t values[MARGAY_MGT_DATA_COLUMNS] = {
        at, event->address, event->bytes,
        margay_datum(event->data, event->site), event->order};
    for (size_t column = 0; column < MARGAY_MGT_DATA_COLUMNS; column++)
        made->values[column][i] = values[column];
    *full = made->count == MARGAY_MGT_BLOCK_ENTRIES;
    return MARGAY_OK;
}

uint64_t margay_mgt_data_most_bytes(
    const struct margay_mgt_data_builder *builder)
{
    return builder == NULL || builder->count == 0
               ? 0
               : MARGAY_MGT_DATA_BYTES +
                     MARGAY_MGT_DATA_COLUMNS *
                         (COLUMN_BYTES + builder->count * VALUE_BYTES);
}

const uint8_t *margay_mgt_data_end(struct margay_mgt_data_builder *builder,
                                   size_t *bytes)
{
    uint8_t *payload = builder->part + MARGAY_MGT_DATA_BYTES, *to = payload;
    *bytes = 0;
    if (builder->count == 0)
        return builder->part;
    for (unsigned i = 0; i < MARGAY_MGT_DATA_COLUMNS && to != NULL; i++)
        to = margay_mgt_encode(
            builder->encoder,
            (enum margay_mgt_column_name)(MARGAY_MGT_DATA_AT + i),
            builder->values[i] + MARGAY_MGT_BACK_VALUES, builder->count, to);
    if (to == NULL)
        return NULL;
    size_t length = (size_t)(to - payload);
    margay_put_little(builder->part, MARGAY_MGT_DATA_MARK, 4);
    margay_put_little(builder->part + 4, length, 4);
    margay_put_little(builder->part + 8, builder->count, 4);
    margay_put_little(builder->part + 12, margay_mgt_crc(0, payload, length),
                      4);
    builder->count = 0;
    *bytes = MARGAY_MGT_DATA_BYTES + length;
    return builder->part;
}

/* -------------------------------------------------------------- reading -- */

static void set(struct margay_data_event *event, unsigned column,
                uint64_t value)
{
    switch (MARGAY_MGT_DATA_AT + column) {
    case MARGAY_MGT_DATA_AT:
        event->at = value;
        return;
    case MARGAY_MGT_DATA_ADDRESS:
        event->address = value;
        return;
    case MARGAY_MGT_DATA_EXTENT:
        event->bytes = value;
        return;
    case MARGAY_MGT_DATA_DATUM:
        event->data = (enum margay_data)(value >> MARGAY_DATUM_SHIFT);
        event->site = margay_datum(0, value);
        return;
    default:
        event->order = value;
        return;
    }
}

static const char *take_column(struct margay_mgt_packer *packer,
                               unsigned column, const uint8_t **cursor,
                               const uint8_t *end, size_t count,
                               struct margay_data_event *events,
                               bool *no_memory)
{
    enum { PIECE = 256 };
    uint64_t values[PIECE];
    struct margay_mgt_column *read = calloc(1, sizeof *read);
    *no_memory = read == NULL;
    const char *expected =
        read == NULL ? "memory for it"
                     : margay_mgt_decode(packer,
                                         (enum margay_mgt_column_name)(
                                             MARGAY_MGT_DATA_AT + column),
                                         cursor, end, count, read, no_memory);
    for (size_t done = 0, some; done < count && expected == NULL;
         done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        margay_mgt_column_next(read, values, some);
        for (size_t i = 0; i < some; i++)
            set(&events[done + i], column, values[i]);
    }
    if (read != NULL)
        margay_mgt_column_free(read);
    free(read);
    return expected;
}

static const char *take(struct margay_mgt_packer *packer,
                        const uint8_t *payload, size_t bytes, size_t count,
                        struct margay_data_event *events, bool *no_memory)
{
    const uint8_t *cursor = payload, *end = payload + bytes;
    const char *expected = NULL;
    for (unsigned i = 0; i < MARGAY_MGT_DATA_COLUMNS && expected == NULL; i++)
        expected =
            take_column(packer, i, &cursor, end, count, events, no_memory);
    if (expected == NULL && cursor != end)
        expected = "no further bytes";
    for (size_t i = 0; i < count && expected == NULL; i++) {
        if ((unsigned)events[i].data >= MARGAY_DATA_KINDS ||
            (i > 0 && events[i].at < events[i - 1].at))
            expected = "events that can be, in their order";
    }
    return expected;
}

/* ----------------------------------------- events that are yet to happen -- */

struct margay_mgt_events {
    struct margay_data_map *map; /* which follows them */
    size_t count, done;
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
    free(events);
}

const char *margay_mgt_events_take(struct margay_mgt_events *events,
                                   struct margay_mgt_packer *packer,
                                   const uint8_t *payload, size_t bytes,
                                   size_t count, bool *no_memory)
{
    if (events == NULL)
        return NULL;
    const char *expected =
        take(packer, payload, bytes, count, events->events, no_memory);
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
