/*
 * mgt_read.c - a file of the format mgt, in order or by its index
 *
 * A file that is read from its beginning, as from a pipe, needs no index:
 * blocks follow each other, and the footer must agree with them.  Functions
 * that decode return NULL, or what was expected instead of the bytes that they
 * found.
 *
 * Guarantee: a file that is cut or damaged gives every reference of the whole
 *   blocks before the damage, whose check sums are right, and then an error
 *   that says how many references these are.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/formats/data.h"
#include "traces/formats/mgt.h"
#include "traces/formats/modules.h"

/* A block while it is read. */
struct block {
    size_t left; /* references not yet given */
    struct margay_mgt_column column[MARGAY_MGT_COLUMNS];
    /* The values of the dictionary of MARGAY_MGT_ACCESSES, taken apart. */
    uint8_t kinds[MARGAY_MGT_DICTIONARY_VALUES];
    uint32_t extents[MARGAY_MGT_DICTIONARY_VALUES];
};

/* Events of data that were read and are still to happen, each before an entry
   or after the last. */
struct events {
    size_t count, done;
    struct margay_data_event list[MARGAY_MGT_BLOCK_ENTRIES];
    struct margay_mgt_column column; /* while it is read, */
    uint64_t values[MARGAY_MGT_COLUMNS][MARGAY_MGT_BLOCK_ENTRIES];
};

/* The most bytes of a part after its head. */
#define PART_BYTES                                   \
    (MARGAY_MGT_PAYLOAD_BYTES > MARGAY_MODULES_BYTES \
         ? MARGAY_MGT_PAYLOAD_BYTES                  \
         : MARGAY_MODULES_BYTES)

struct reader {
    struct margay_block_source source;
    unsigned names;   /* the columns of a block, as a set, */
    unsigned columns; /* and those of a batch that they fill */
    ZSTD_DCtx *zstd;
    struct block block;
    /* Counts of whole blocks, with the current one. */
    uint64_t blocks, references;
    uint64_t modules_bytes; /* of the part with the modules */
    bool no_memory;         /* for the modules, when the index was read */
    struct events *events;  /* NULL = they are not wanted */
    uint8_t part[PART_BYTES];
};

/* ------------------------------------------------------------- failing -- */

static enum margay_status fail(const struct reader *reader, uint64_t offset,
                               const char *found, const char *expected,
                               struct margay_error *error)
{
    uint64_t whole = reader->references - reader->block.left;
    if (expected == margay_mgt_lacks_memory)
        return margay_fail_memory(error, "a block of a trace");
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s; the first %llu "
                       "references of the trace are whole (read as mgt; %s)",
                       reader->source.name, (unsigned long long)offset, found,
                       expected, (unsigned long long)whole,
                       reader->source.evidence);
}

static uint64_t offset_of(const struct reader *reader)
{
    return margay_intake_offset(reader->source.intake);
}

static enum margay_status read_all(struct reader *reader, void *buffer,
                                   size_t bytes, const char *expected,
                                   struct margay_error *error)
{
    size_t got;
    uint64_t offset = offset_of(reader);
    enum margay_status status =
        margay_intake_copy(reader->source.intake, buffer, bytes, &got, error);
    if (status == MARGAY_OK && got < bytes)
        return fail(reader, offset, "the end of the file, which is cut",
                    expected, error);
    return status;
}

/* The bytes of a part after its head, whose check sum is at `crc`; *right: it
   matches. */
static enum margay_status read_part(struct reader *reader, size_t bytes,
                                    const uint8_t *crc, const char *expected,
                                    bool *right, struct margay_error *error)
{
    enum margay_status status =
        read_all(reader, reader->part, bytes, expected, error);
    *right = status == MARGAY_OK &&
             margay_mgt_is_crc(margay_mgt_crc(0, reader->part, bytes), crc);
    return status;
}

/* -------------------------------------------------------------- header -- */

static const char *take_header(struct reader *reader,
                               const uint8_t bytes[MARGAY_MGT_HEADER_BYTES],
                               struct margay_trace_facts *facts)
{
    if (memcmp(bytes, MARGAY_MGT_MAGIC, MARGAY_MGT_MAGIC_BYTES) != 0)
        return "the eight bytes that begin a trace in this format";
    if (!margay_mgt_is_crc(margay_mgt_crc(0, bytes, 16), bytes + 16))
        return "the check sum of the header";
    if (bytes[8] != MARGAY_MGT_VERSION)
        return "version 1 of the format";
    if ((bytes[10] & 1) != 0 || bytes[13] != 0)
        return "a trace without counts of repeats, which are no longer read";
    if (bytes[9] > 1 || bytes[10] > 6 || bytes[11] > 1 || bytes[12] > 64 ||
        bytes[14] != 0 || bytes[15] != 0)
        return "a header with values that version 1 defines";
    reader->names = MARGAY_MGT_ALWAYS | (unsigned)bytes[10] << 2;
    reader->columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                      (bytes[10] & 2 ? MARGAY_COLUMN_THREADS : 0) |
                      (bytes[10] & 4 ? MARGAY_COLUMN_SITES : 0);
    facts->numbers = bytes[9] == 1 ? MARGAY_IDS : MARGAY_ADDRESSES;
    facts->unit_bytes = bytes[9] == 0    ? 1
                        : bytes[12] == 0 ? 0
                                         : UINT64_C(1) << (bytes[12] - 1);
    facts->columns = reader->columns;
    facts->splits = bytes[11] == 1;
    return NULL;
}

static void reader_clear(void *state)
{
    struct reader *reader = state;
    for (size_t i = 0; i < MARGAY_MGT_COLUMNS; i++)
        margay_mgt_column_free(&reader->block.column[i]);
    if (reader->events != NULL)
        margay_mgt_column_free(&reader->events->column);
    free(reader->events);
    ZSTD_freeDCtx(reader->zstd);
}

static enum margay_status reader_open(void *state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_HEADER_BYTES];
    struct reader *reader = state;
    reader->zstd = ZSTD_createDCtx();
    if (reader->source.data != NULL)
        reader->events = calloc(1, sizeof *reader->events);
    if (reader->zstd == NULL ||
        (reader->source.data != NULL && reader->events == NULL))
        return margay_fail_memory(error, "a reader of traces");
    enum margay_status status =
        read_all(reader, bytes, sizeof bytes, "a header of 20 bytes", error);
    if (status != MARGAY_OK)
        return status;
    const char *expected = take_header(reader, bytes, facts);
    return expected == NULL
               ? MARGAY_OK
               : fail(reader, 0, "another header", expected, error);
}

/* ------------------------------------------------------------- modules -- */

/* The modules, after their mark: kept if they are wanted and were not yet read
   from the end of the file. */
static enum margay_status read_modules(struct reader *reader,
                                       struct margay_error *error)
{
    uint8_t head[MARGAY_MGT_MODULES_BYTES - 4];
    uint64_t offset = offset_of(reader);
    struct margay_modules *modules = reader->source.modules;
    bool no_memory = false, right;
    enum margay_status status =
        read_all(reader, head, sizeof head, "a list of modules", error);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = (size_t)margay_get_little(head, 4);
    if (bytes > MARGAY_MODULES_BYTES || reader->modules_bytes != 0)
        return fail(reader, offset, "a damaged list of modules",
                    "one of modules that can be", error);
    status = read_part(reader, bytes, head + 4, "the list of modules", &right,
                       error);
    if (right && modules != NULL && !atomic_load(&modules->whole))
        right = margay_modules_take(modules, reader->part, bytes, &no_memory);
    reader->modules_bytes = MARGAY_MGT_MODULES_BYTES + bytes;
    if (no_memory)
        return margay_fail_memory(error, "the modules of a trace");
    return status != MARGAY_OK || right
               ? status
               : fail(reader, offset, "a damaged list of modules",
                      "its check sum, and modules that can be", error);
}

/* -------------------------------------------------------------- footer -- */

struct footer {
    uint64_t modules_bytes, blocks, entries, references;
};

static struct footer take_footer(const uint8_t *bytes)
{
    return (struct footer){
        .modules_bytes = margay_get_little(bytes + 4, 4),
        .blocks = margay_get_little(bytes + 8, 8),
        .entries = margay_get_little(bytes + 16, 8),
        .references = margay_get_little(bytes + 24, 8),
    };
}

/* The trailer must agree with the footer, and end the file. */
static enum margay_status check_trailer(struct reader *reader, uint64_t offset,
                                        uint32_t crc,
                                        struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_TRAILER_BYTES], more;
    size_t got;
    enum margay_status status =
        read_all(reader, bytes, sizeof bytes, "the last 24 bytes", error);
    if (status == MARGAY_OK)
        status =
            margay_intake_copy(reader->source.intake, &more, 1, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got > 0)
        return fail(reader, offset_of(reader) - 1, "more bytes",
                    "the end of the file", error);
    if (margay_get_little(bytes, 8) != offset ||
        !margay_mgt_is_crc(crc, bytes + 8) ||
        !margay_mgt_is_crc(margay_mgt_crc(0, bytes, 12), bytes + 12) ||
        memcmp(bytes + 16, MARGAY_MGT_END_MAGIC, MARGAY_MGT_MAGIC_BYTES) != 0)
        return fail(reader, offset, "a damaged footer", "its check sum", error);
    return MARGAY_END;
}

static enum margay_status end_trace(struct reader *reader, const uint8_t *mark,
                                    struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_FOOTER_BYTES];
    uint64_t offset = offset_of(reader) - 4;
    memcpy(bytes, mark, 4);
    enum margay_status status =
        read_all(reader, bytes + 4, sizeof bytes - 4, "the footer", error);
    if (status != MARGAY_OK)
        return status;
    struct footer footer = take_footer(bytes);
    if (footer.modules_bytes != reader->modules_bytes ||
        footer.blocks != reader->blocks ||
        footer.references != reader->references ||
        footer.entries != footer.references)
        return fail(reader, offset, "a footer of other blocks",
                    "the counts of those before it", error);
    uint32_t crc = margay_mgt_crc(0, bytes, sizeof bytes);
    for (uint64_t i = 0; i < footer.blocks && status == MARGAY_OK; i++) {
        status = read_all(reader, bytes, MARGAY_MGT_INDEX_ENTRY_BYTES,
                          "the index of all blocks", error);
        if (status == MARGAY_OK)
            crc = margay_mgt_crc(crc, bytes, MARGAY_MGT_INDEX_ENTRY_BYTES);
    }
    return status == MARGAY_OK ? check_trailer(reader, offset, crc, error)
                               : status;
}

/* Only the footer follows the modules. */
static enum margay_status end_modules(struct reader *reader,
                                      struct margay_error *error)
{
    uint8_t mark[4];
    enum margay_status status = read_modules(reader, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t offset = offset_of(reader);
    status = read_all(reader, mark, sizeof mark, "the footer", error);
    if (status == MARGAY_OK &&
        margay_get_little(mark, 4) != MARGAY_MGT_FOOTER_MARK)
        return fail(reader, offset, "something else", "the footer", error);
    return status == MARGAY_OK ? end_trace(reader, mark, error) : status;
}

/* ------------------------------------------------------ events of data -- */

/* Decode `count` events that are in reader->part. */
static const char *take_events(struct reader *reader, size_t bytes,
                               size_t count)
{
    struct events *events = reader->events;
    const uint8_t *cursor = reader->part, *end = cursor + bytes;
    const char *expected = NULL;
    events->done = events->count = 0;
    for (unsigned i = 0; i < MARGAY_MGT_COLUMNS && expected == NULL; i++) {
        expected = margay_mgt_decode(
            reader->zstd, (enum margay_mgt_column_name)(MARGAY_MGT_DATA_AT + i),
            &cursor, end, count, &events->column);
        if (expected == NULL)
            margay_mgt_column_next(&events->column, events->values[i], count);
    }
    if (expected == NULL && cursor != end)
        expected = "no further bytes";
    for (size_t i = 0; i < count && expected == NULL; i++) {
        uint64_t(*values)[MARGAY_MGT_BLOCK_ENTRIES] = events->values;
        uint64_t datum = values[3][i];
        /* In the order of enum margay_mgt_data_column. */
        events->list[i] = (struct margay_data_event){
            .at = values[0][i],
            .address = values[1][i],
            .bytes = values[2][i],
            .data = (enum margay_data)(datum >> MARGAY_DATUM_SHIFT),
            .site = margay_datum(0, datum),
            .order = values[4][i],
        };
        if (datum >> MARGAY_DATUM_SHIFT >= MARGAY_DATA_KINDS ||
            (i > 0 && values[0][i] < values[0][i - 1]))
            expected = "events that can be, in their order";
    }
    events->count = expected == NULL ? count : 0;
    return expected;
}

/* Apply the remaining events; *late: one of them belongs after an entry that
   has not been read. */
static enum margay_status finish_events(struct reader *reader, bool *late,
                                        struct margay_error *error)
{
    struct events *events = reader->events;
    enum margay_status status = MARGAY_OK;
    *late = false;
    while (events != NULL && events->done < events->count && !*late &&
           status == MARGAY_OK) {
        const struct margay_data_event *event = &events->list[events->done++];
        *late = event->at > reader->references;
        if (!*late)
            status = margay_data_map_follow(reader->source.data, event, error);
    }
    return status;
}

/* A part with events, after its mark; all earlier events are applied. */
static enum margay_status read_events(struct reader *reader,
                                      struct margay_error *error)
{
    uint8_t head[MARGAY_MGT_DATA_BYTES - 4];
    uint64_t offset = offset_of(reader);
    bool late, right;
    enum margay_status status = finish_events(reader, &late, error);
    if (late)
        return fail(reader, offset, "events before their time",
                    "the block that they happen in", error);
    if (status == MARGAY_OK)
        status = read_all(reader, head, sizeof head, "events of data", error);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = (size_t)margay_get_little(head, 4);
    size_t count = (size_t)margay_get_little(head + 4, 4);
    if (bytes > MARGAY_MGT_PAYLOAD_BYTES || count == 0 ||
        count > MARGAY_MGT_BLOCK_ENTRIES)
        return fail(reader, offset, "damaged events of data",
                    "a head that can be", error);
    offset = offset_of(reader);
    status =
        read_part(reader, bytes, head + 8, "events of data", &right, error);
    if (status != MARGAY_OK || (right && reader->events == NULL))
        return status;
    const char *expected =
        !right ? "its check sum" : take_events(reader, bytes, count);
    return expected == NULL ? MARGAY_OK
                            : fail(reader, offset, "damaged events of data",
                                   expected, error);
}

/* Replace the sites of entries from `first` of the batch on by data; the trace
   has `before` entries before them. */
static enum margay_status name_data(struct reader *reader,
                                    struct margay_references *batch,
                                    size_t first, uint64_t before,
                                    struct margay_error *error)
{
    struct events *events = reader->events;
    struct margay_data_event *next = events->list + events->done;
    size_t left = events->count - events->done, count = 0;
    uint64_t given = batch->count - first;
    for (; count < left && next[count].at < before + given; count++)
        next[count].at =
            first + (next[count].at < before ? 0 : next[count].at - before);
    events->done += count;
    return margay_data_map_name(reader->source.data, next, count, batch, first,
                                error);
}

/* -------------------------------------------------------------- blocks -- */

#define EXPECTS_ACCESS "a kind (0 read, 1 write, 2 fetch) and a size of 32 bits"

/* Split accesses into kinds and extents; false if one is not valid. */
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

/* Begin with the block of this payload, which is in reader->part. */
static const char *begin_columns(struct reader *reader, size_t bytes,
                                 size_t entries)
{
    struct block *block = &reader->block;
    const uint8_t *cursor = reader->part, *end = cursor + bytes;
    const char *expected = NULL;
    for (unsigned name = 0; name < MARGAY_MGT_COLUMNS && expected == NULL;
         name++) {
        if (reader->names & MARGAY_MGT_COLUMN_BIT(name))
            expected = margay_mgt_decode(reader->zstd, name, &cursor, end,
                                         entries, &block->column[name]);
    }
    if (expected != NULL)
        return expected;
    if (cursor != end)
        return "the columns and nothing else";
    const struct margay_mgt_column *accesses =
        &block->column[MARGAY_MGT_ACCESSES];
    return accesses->coding == MARGAY_MGT_BACK ||
                   split_accesses(accesses->dictionary,
                                  accesses->dictionary_values, block->kinds,
                                  block->extents)
               ? NULL
               : EXPECTS_ACCESS;
}

/* A block, after its mark, which is the first of `head`. */
static enum margay_status read_block(struct reader *reader, uint8_t *head,
                                     struct margay_error *error)
{
    uint64_t offset = offset_of(reader);
    bool right;
    enum margay_status status =
        read_all(reader, head + 4, MARGAY_MGT_BLOCK_HEADER_BYTES - 4,
                 "the header of a block", error);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = (size_t)margay_get_little(head + 4, 4);
    size_t entries = (size_t)margay_get_little(head + 8, 4);
    uint64_t held = margay_get_little(head + 12, 8);
    const char *expected = NULL;
    if (!margay_mgt_is_crc(margay_mgt_crc(0, head, 24), head + 24))
        expected = "the check sum of a block's header";
    else if (bytes > MARGAY_MGT_PAYLOAD_BYTES || entries == 0 ||
             entries > MARGAY_MGT_BLOCK_ENTRIES || held != entries)
        expected = "the header of a block";
    if (expected != NULL)
        return fail(reader, offset - 4, "a damaged block", expected, error);
    offset = offset_of(reader);
    status = read_part(reader, bytes, head + 20, "a block", &right, error);
    if (status != MARGAY_OK)
        return status;
    expected = right ? begin_columns(reader, bytes, entries) : "its check sum";
    if (expected != NULL)
        return fail(reader, offset, "a damaged block", expected, error);
    reader->block.left = entries;
    reader->blocks++;
    reader->references += entries;
    return MARGAY_OK;
}

static enum margay_status next_block(struct reader *reader,
                                     struct margay_error *error)
{
    uint8_t head[MARGAY_MGT_BLOCK_HEADER_BYTES];
    for (;;) {
        uint64_t offset = offset_of(reader);
        enum margay_status status =
            read_all(reader, head, 4, "a block, or the footer", error);
        if (status != MARGAY_OK)
            return status;
        switch (margay_get_little(head, 4)) {
        case MARGAY_MGT_DATA_MARK:
            status = read_events(reader, error);
            if (status != MARGAY_OK)
                return status;
            break;
        case MARGAY_MGT_MODULES_MARK:
            return end_modules(reader, error);
        case MARGAY_MGT_FOOTER_MARK:
            return end_trace(reader, head, error);
        case MARGAY_MGT_BLOCK_MARK:
            return read_block(reader, head, error);
        default:
            return fail(reader, offset, "something else",
                        "a block, or the footer", error);
        }
    }
}

/* Entries that go through a buffer at a time. */
#define PIECE 512

/* The values of a dictionary have been split already. */
static void copy_accesses(struct block *block, size_t count, uint8_t *kinds,
                          uint32_t *extents)
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

static const char *next_accesses(struct block *block, size_t count,
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

/* Values of 32 bits. */
static const char *next_32(struct margay_mgt_column *column, size_t count,
                           uint32_t *to)
{
    uint64_t values[PIECE], all = 0;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        margay_mgt_column_next(column, values, some);
        for (size_t i = 0; i < some; i++) {
            to[done + i] = (uint32_t)values[i];
            all |= values[i];
        }
    }
    return all >> 32 == 0 ? NULL : "a number of 32 bits";
}

/* Append the next entries, up to the capacity of `references`; none of them if
   one is wrong. */
static const char *next_entries(struct reader *reader,
                                struct margay_references *references)
{
    struct block *block = &reader->block;
    size_t at = references->count, space = references->capacity - at;
    size_t count = block->left < space ? block->left : space;
    unsigned columns = reader->columns;
    margay_mgt_column_next(&block->column[MARGAY_MGT_NUMBERS],
                           references->numbers + at, count);
    const char *expected = next_accesses(block, count, references->kinds + at,
                                         references->extents + at);
    if (expected == NULL &&
        margay_extents_pass(references->numbers + at, references->extents + at,
                            count))
        expected = "extents within 64 bits";
    if (expected == NULL && columns & MARGAY_COLUMN_THREADS)
        expected = next_32(&block->column[MARGAY_MGT_THREADS], count,
                           references->threads + at);
    if (expected != NULL)
        return expected;
    if (columns & MARGAY_COLUMN_SITES)
        margay_mgt_column_next(&block->column[MARGAY_MGT_SITES],
                               references->sites + at, count);
    references->unfilled =
        (MARGAY_COLUMN_THREADS | (unsigned)MARGAY_COLUMN_SITES) & ~columns;
    references->count += count;
    block->left -= count;
    return NULL;
}

static enum margay_status reader_fill(void *state,
                                      struct margay_references *batch,
                                      struct margay_error *error)
{
    struct reader *reader = state;
    enum margay_status status = MARGAY_OK;
    size_t first = batch->count;
    if (reader->block.left == 0)
        status = next_block(reader, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t before = reader->references - reader->block.left;
    const char *expected = next_entries(reader, batch);
    if (expected != NULL)
        return fail(reader, offset_of(reader), "a block of impossible entries",
                    expected, error);
    return reader->events == NULL
               ? MARGAY_OK
               : name_data(reader, batch, first, before, error);
}

/* ------------------------------------------------------------- skipping -- */

static bool read_at(struct reader *reader, uint64_t offset, uint8_t *bytes,
                    size_t count)
{
    struct margay_intake *intake = reader->source.intake;
    size_t got;
    margay_intake_go_to(intake, offset);
    return margay_intake_copy(intake, bytes, count, &got, NULL) == MARGAY_OK &&
           got == count;
}

/* Where a block begins: its number, its offset in the file, and the references
   before it. */
struct block_start {
    uint64_t block, offset, references;
};

/* The last block with at most `skip_refs` references before it, by an ascending
   index.  The source stands after the footer. */
static bool find_block(struct reader *reader, const struct footer *footer,
                       uint64_t skip_refs, uint32_t *crc,
                       struct block_start *found)
{
    struct block_start last = {0, 0, 0};
    size_t got;
    for (uint64_t i = 0; i < footer->blocks; i++) {
        uint8_t bytes[MARGAY_MGT_INDEX_ENTRY_BYTES];
        if (margay_intake_copy(reader->source.intake, bytes, sizeof bytes, &got,
                               NULL) != MARGAY_OK ||
            got < sizeof bytes)
            return false;
        *crc = margay_mgt_crc(*crc, bytes, sizeof bytes);
        const struct block_start next = {i, margay_get_little(bytes, 8),
                                         margay_get_little(bytes + 8, 8)};
        if (next.offset <= last.offset ||
            (i > 0 && next.references <= last.references) ||
            next.references > footer->references)
            return false;
        last = next;
        if (next.references <= skip_refs || i == 0)
            *found = next;
    }
    return footer->blocks > 0;
}

/* Read the modules, which end at `end`; false if they are not whole. */
static bool find_modules(struct reader *reader, uint64_t end, uint64_t bytes)
{
    uint8_t mark[4];
    if (bytes == 0)
        return true;
    if (bytes < MARGAY_MGT_MODULES_BYTES || bytes >= end ||
        !read_at(reader, end - bytes, mark, sizeof mark) ||
        margay_get_little(mark, 4) != MARGAY_MGT_MODULES_MARK)
        return false;
    enum margay_status status = read_modules(reader, NULL);
    bool found = status == MARGAY_OK && reader->modules_bytes == bytes;
    reader->no_memory = status == MARGAY_NO_MEMORY;
    reader->modules_bytes = 0;
    return found;
}

/* The same by the index at the end of a file; false if that is not whole. */
static bool use_index(struct reader *reader, uint64_t skip_refs,
                      struct footer *footer, struct block_start *found)
{
    uint64_t file_bytes = reader->source.plain_bytes;
    uint8_t trailer[MARGAY_MGT_TRAILER_BYTES], bytes[MARGAY_MGT_FOOTER_BYTES];
    if (file_bytes < MARGAY_MGT_HEADER_BYTES + sizeof bytes + sizeof trailer ||
        !read_at(reader, file_bytes - sizeof trailer, trailer, sizeof trailer))
        return false;
    uint64_t offset = margay_get_little(trailer, 8);
    if (!margay_mgt_is_crc(margay_mgt_crc(0, trailer, 12), trailer + 12) ||
        offset > file_bytes - sizeof trailer - sizeof bytes ||
        !read_at(reader, offset, bytes, sizeof bytes))
        return false;
    *footer = take_footer(bytes);
    uint64_t index_bytes = file_bytes - sizeof trailer - sizeof bytes - offset;
    uint32_t crc = margay_mgt_crc(0, bytes, sizeof bytes);
    return margay_get_little(bytes, 4) == MARGAY_MGT_FOOTER_MARK &&
           index_bytes % MARGAY_MGT_INDEX_ENTRY_BYTES == 0 &&
           index_bytes / MARGAY_MGT_INDEX_ENTRY_BYTES == footer->blocks &&
           find_block(reader, footer, skip_refs, &crc, found) &&
           found->offset < offset && margay_mgt_is_crc(crc, trailer + 8) &&
           find_modules(reader, offset, footer->modules_bytes);
}

/* A damaged index is not used here: the blocks are read in order, and the
   damage is reported at the end. */
static enum margay_status reader_skip(void *state, uint64_t skip_refs,
                                      struct margay_skipped *skipped,
                                      struct margay_error *error)
{
    struct reader *reader = state;
    const struct margay_block_source *source = &reader->source;
    struct footer footer = {.blocks = 0};
    struct block_start start = {0, MARGAY_MGT_HEADER_BYTES, 0};
    if (source->plain_bytes == 0)
        return MARGAY_OK;
    bool known = use_index(reader, skip_refs, &footer, &start);
    if (reader->no_memory)
        return margay_fail_memory(error, "the modules of a trace");
    if (!known || source->data != NULL)
        start = (struct block_start){0, MARGAY_MGT_HEADER_BYTES, 0};
    margay_intake_go_to(source->intake, start.offset);
    if (!known)
        return MARGAY_OK;
    reader->blocks = start.block;
    reader->references = start.references;
    *skipped =
        (struct margay_skipped){true, footer.references, start.references};
    return MARGAY_OK;
}

const struct margay_blocks_reading margay_mgt_reading = {
    .state_bytes = sizeof(struct reader),
    .open = reader_open,
    .clear = reader_clear,
    .skip = reader_skip,
    .fill = reader_fill,
};
