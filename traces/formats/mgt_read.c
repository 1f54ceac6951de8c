/*
 * mgt_read.c - a file of the format mgt, in order or by its index
 *
 * A file that is read from its beginning, as from a pipe, needs no index:
 * blocks follow each other, and the footer must agree with them.
 *
 * Guarantee: a file that is cut or damaged gives every reference of the whole
 *   blocks before the damage, whose check sums are right, and then an error
 *   that says how many references these are.
 */
#include <stdlib.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/data.h"
#include "traces/formats/mgt.h"
#include "traces/formats/modules.h"

struct reader {
    struct margay_block_source source;
    struct margay_mgt_header header;
    struct margay_mgt_packer *packer;
    struct margay_mgt_block block;
    uint64_t offset; /* bytes read */
    /* Counts of whole blocks, with the current one.  `entries` is unknown once
       blocks have been skipped. */
    uint64_t blocks, entries, references;
    bool skipped;
    uint64_t modules_bytes; /* of the part with the modules */
    bool no_memory;         /* for the modules, when the index was looked at */
    /* The events of data that are still to happen; NULL = they are not
       wanted. */
    struct margay_mgt_events *events;
    uint8_t payload[MARGAY_MGT_PAYLOAD_BYTES];
};

/* ------------------------------------------------------------- failing -- */

static enum margay_status fail(const struct reader *reader, uint64_t offset,
                               const char *found, const char *expected,
                               struct margay_error *error)
{
    uint64_t whole = reader->references - reader->block.references_left;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s; the first %llu "
                       "references of the trace are whole (read as mgt; %s)",
                       reader->source.name, (unsigned long long)offset, found,
                       expected, (unsigned long long)whole,
                       reader->source.evidence);
}

/* Read `bytes` bytes, fewer only at the end of the file. */
static enum margay_status read_some(struct reader *reader, void *buffer,
                                    size_t bytes, size_t *got,
                                    struct margay_error *error)
{
    enum margay_status status = margay_block_source_read(
        &reader->source, buffer, bytes, bytes, got, error);
    reader->offset += *got;
    return status;
}

static enum margay_status read_all(struct reader *reader, void *buffer,
                                   size_t bytes, const char *expected,
                                   struct margay_error *error)
{
    size_t got;
    uint64_t offset = reader->offset;
    enum margay_status status = read_some(reader, buffer, bytes, &got, error);
    if (status == MARGAY_OK && got < bytes)
        return fail(reader, offset, "the end of the file, which is cut",
                    expected, error);
    return status;
}

/* -------------------------------------------------------------- header -- */

static uint64_t power_of(uint8_t shift)
{
    return shift == 0 ? 0 : UINT64_C(1) << (shift - 1);
}

const char *margay_mgt_take_header(const uint8_t bytes[MARGAY_MGT_HEADER_BYTES],
                                   struct margay_mgt_header *header)
{
    if (memcmp(bytes, MARGAY_MGT_MAGIC, MARGAY_MGT_MAGIC_BYTES) != 0)
        return "the eight bytes that begin a trace in this format";
    if (!margay_mgt_is_crc(margay_mgt_crc(0, bytes, 16), bytes + 16))
        return "the check sum of the header";
    if (bytes[8] != MARGAY_MGT_VERSION)
        return "version 1 of the format";
    if (bytes[9] > 1 || bytes[10] > 7 || bytes[11] > 1 || bytes[12] > 64 ||
        bytes[13] > 64 || bytes[14] != 0 || bytes[15] != 0)
        return "a header with values that version 1 defines";
    header->numbers = bytes[9] == 1 ? MARGAY_IDS : MARGAY_ADDRESSES;
    header->columns = MARGAY_MGT_ALWAYS | (unsigned)bytes[10] << 2;
    header->splits = bytes[11] == 1;
    header->unit_bytes = power_of(bytes[12]);
    header->collapsed_bytes = power_of(bytes[13]);
    return NULL;
}

unsigned margay_mgt_columns(unsigned names)
{
    unsigned columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS;
    if (names & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_COUNTS))
        columns |= MARGAY_COLUMN_COUNTS;
    if (names & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS))
        columns |= MARGAY_COLUMN_THREADS;
    if (names & MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_SITES))
        columns |= MARGAY_COLUMN_SITES;
    return columns;
}

static enum margay_status read_header(struct reader *reader,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_HEADER_BYTES];
    struct margay_mgt_header *header = &reader->header;
    enum margay_status status =
        read_all(reader, bytes, sizeof bytes, "a header of 20 bytes", error);
    if (status != MARGAY_OK)
        return status;
    const char *expected = margay_mgt_take_header(bytes, header);
    if (expected != NULL)
        return fail(reader, 0, "another header", expected, error);
    reader->block.columns = header->columns;
    facts->numbers = header->numbers;
    facts->unit_bytes =
        header->numbers == MARGAY_ADDRESSES ? 1 : header->unit_bytes;
    facts->columns = margay_mgt_columns(header->columns);
    facts->splits = header->splits;
    facts->collapsed_bytes = header->collapsed_bytes;
    return MARGAY_OK;
}

static void reader_free(void *state)
{
    struct reader *reader = state;
    if (reader == NULL)
        return;
    margay_mgt_packer_free(reader->packer);
    margay_mgt_block_free(&reader->block);
    margay_mgt_events_free(reader->events);
    free(reader);
}

static enum margay_status reader_open(const struct margay_block_source *source,
                                      void **state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    *state = NULL;
    if (reader == NULL)
        return margay_fail_memory(error, "a reader of traces");
    reader->source = *source;
    enum margay_status status =
        margay_mgt_packer_create(false, &reader->packer, error);
    if (status == MARGAY_OK && source->data != NULL)
        status = margay_mgt_events_create(source->data, &reader->events, error);
    if (status == MARGAY_OK)
        status = read_header(reader, facts, error);
    if (status == MARGAY_OK)
        *state = reader;
    else
        reader_free(reader);
    return status;
}

static bool is_magic(const void *window, size_t bytes)
{
    return bytes >= MARGAY_MGT_MAGIC_BYTES &&
           memcmp(window, MARGAY_MGT_MAGIC, MARGAY_MGT_MAGIC_BYTES) == 0;
}

/* ------------------------------------------------------------- modules -- */

/* The modules, after their mark: taken where they are wanted and not yet known
   from the end of the file. */
static enum margay_status read_modules(struct reader *reader,
                                       struct margay_error *error)
{
    uint8_t head[MARGAY_MGT_MODULES_BYTES - 4];
    uint64_t offset = reader->offset;
    struct margay_modules *modules = reader->source.modules;
    bool no_memory = false, whole = false;
    enum margay_status status =
        read_all(reader, head, sizeof head, "a list of modules", error);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = (size_t)margay_get_little(head, 4);
    if (bytes > MARGAY_MODULES_BYTES || reader->modules_bytes != 0)
        return fail(reader, offset, "a damaged list of modules",
                    "one of modules that can be", error);
    uint8_t *list = malloc(bytes + 1);
    if (list == NULL)
        return margay_fail_memory(error, "the modules of a trace");
    status = read_all(reader, list, bytes, "the list of modules", error);
    if (status == MARGAY_OK)
        whole = margay_mgt_is_crc(margay_mgt_crc(0, list, bytes), head + 4) &&
                (modules == NULL || atomic_load(&modules->whole) ||
                 margay_modules_take(modules, list, bytes, &no_memory));
    free(list);
    reader->modules_bytes = MARGAY_MGT_MODULES_BYTES + bytes;
    if (no_memory)
        return margay_fail_memory(error, "the modules of a trace");
    return status != MARGAY_OK || whole
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
        status = read_some(reader, &more, 1, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got > 0)
        return fail(reader, reader->offset - 1, "more bytes",
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
    uint64_t offset = reader->offset - 4;
    memcpy(bytes, mark, 4);
    enum margay_status status =
        read_all(reader, bytes + 4, sizeof bytes - 4, "the footer", error);
    if (status != MARGAY_OK)
        return status;
    struct footer footer = take_footer(bytes);
    if (footer.modules_bytes != reader->modules_bytes ||
        footer.blocks != reader->blocks ||
        footer.references != reader->references ||
        (footer.entries != reader->entries && !reader->skipped))
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

/* Nothing but the footer follows the modules. */
static enum margay_status end_modules(struct reader *reader,
                                      struct margay_error *error)
{
    uint8_t mark[4];
    enum margay_status status = read_modules(reader, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t offset = reader->offset;
    status = read_all(reader, mark, sizeof mark, "the footer", error);
    if (status == MARGAY_OK &&
        margay_get_little(mark, 4) != MARGAY_MGT_FOOTER_MARK)
        return fail(reader, offset, "something else", "the footer", error);
    return status == MARGAY_OK ? end_trace(reader, mark, error) : status;
}

/* ------------------------------------------------------ events of data -- */

/* A part with events, after its mark; all those before happen. */
static enum margay_status read_events(struct reader *reader,
                                      struct margay_error *error)
{
    uint8_t head[MARGAY_MGT_DATA_BYTES - 4];
    uint64_t offset = reader->offset;
    bool late, no_memory = false;
    enum margay_status status =
        margay_mgt_events_finish(reader->events, reader->entries, &late, error);
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
    offset = reader->offset;
    status = read_all(reader, reader->payload, bytes, "events of data", error);
    if (status != MARGAY_OK)
        return status;
    const char *expected = "its check sum";
    if (margay_mgt_is_crc(margay_mgt_crc(0, reader->payload, bytes), head + 8))
        expected =
            margay_mgt_events_take(reader->events, reader->packer,
                                   reader->payload, bytes, count, &no_memory);
    if (no_memory)
        return margay_fail_memory(error, "the data of a trace");
    return expected == NULL ? MARGAY_OK
                            : fail(reader, offset, "damaged events of data",
                                   expected, error);
}

/* -------------------------------------------------------------- blocks -- */

static enum margay_status begin_block(
    struct reader *reader, const struct margay_mgt_block_header *header,
    struct margay_error *error)
{
    uint64_t offset = reader->offset;
    bool no_memory = false;
    enum margay_status status = read_all(
        reader, reader->payload, header->payload_bytes, "a block", error);
    if (status != MARGAY_OK)
        return status;
    const char *expected = "its check sum";
    uint32_t crc = margay_mgt_crc(0, reader->payload, header->payload_bytes);
    if (margay_mgt_is_crc(crc, header->payload_crc))
        expected = margay_mgt_block_begin(&reader->block, reader->packer,
                                          header, reader->payload, &no_memory);
    if (no_memory)
        return margay_fail_memory(error, "a block of a trace");
    if (expected != NULL)
        return fail(reader, offset, "a damaged block", expected, error);
    reader->blocks++;
    reader->entries += header->entries;
    reader->references += header->references;
    return MARGAY_OK;
}

static enum margay_status next_block(struct reader *reader,
                                     struct margay_error *error)
{
    uint8_t bytes[MARGAY_MGT_BLOCK_HEADER_BYTES];
    struct margay_mgt_block_header header;
    uint64_t offset, references;
    enum margay_status status;
    do {
        offset = reader->offset;
        status = read_all(reader, bytes, 4, "a block, or the footer", error);
        if (status != MARGAY_OK ||
            margay_get_little(bytes, 4) != MARGAY_MGT_DATA_MARK)
            break;
        status = read_events(reader, error);
    } while (status == MARGAY_OK);
    if (status != MARGAY_OK)
        return status;
    if (margay_get_little(bytes, 4) == MARGAY_MGT_MODULES_MARK)
        return end_modules(reader, error);
    if (margay_get_little(bytes, 4) == MARGAY_MGT_FOOTER_MARK)
        return end_trace(reader, bytes, error);
    if (margay_get_little(bytes, 4) != MARGAY_MGT_BLOCK_MARK)
        return fail(reader, offset, "something else", "a block, or the footer",
                    error);
    status = read_all(reader, bytes + 4, sizeof bytes - 4,
                      "the header of a block", error);
    if (status != MARGAY_OK)
        return status;
    const char *expected = margay_mgt_take_block_header(bytes, &header);
    if (expected == NULL &&
        !margay_add_u64(reader->references, header.references, &references))
        expected = "fewer than 2^64 references";
    if (expected != NULL)
        return fail(reader, offset, "a damaged block", expected, error);
    return begin_block(reader, &header, error);
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
    uint64_t before = reader->entries - reader->block.left;
    const char *expected = margay_mgt_block_next(&reader->block, batch);
    if (expected != NULL)
        return fail(reader, reader->offset, "a block of impossible entries",
                    expected, error);
    return reader->events == NULL
               ? MARGAY_OK
               : margay_mgt_events_name(reader->events, batch, first, before,
                                        error);
}

/* ------------------------------------------------------------- skipping -- */

static bool read_at(struct reader *reader, uint64_t offset, uint8_t *bytes,
                    size_t count)
{
    const struct margay_block_source *source = &reader->source;
    size_t got = 0;
    return source->go_to(source->context, offset, NULL) == MARGAY_OK &&
           read_some(reader, bytes, count, &got, NULL) == MARGAY_OK &&
           got == count;
}

/* Where a block begins: its number, its offset in the file, and the references
   before it. */
struct block_start {
    uint64_t block, offset, references;
};

/* The last block with no more than `skip_refs` references before it, by an
   index that ascends.  The source stands after the footer. */
static bool find_block(struct reader *reader, const struct footer *footer,
                       uint64_t skip_refs, uint32_t *crc,
                       struct block_start *found)
{
    struct block_start last = {0, 0, 0};
    size_t got;
    for (uint64_t i = 0; i < footer->blocks; i++) {
        uint8_t bytes[MARGAY_MGT_INDEX_ENTRY_BYTES];
        if (read_some(reader, bytes, sizeof bytes, &got, NULL) != MARGAY_OK ||
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
static bool use_index(struct reader *reader, uint64_t file_bytes,
                      uint64_t skip_refs, struct footer *footer,
                      struct block_start *found)
{
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

/* An index that is not whole is not used here: the blocks are read in order,
   and what is wrong with the index is reported at the end. */
static enum margay_status reader_skip(void *state, uint64_t skip_refs,
                                      uint64_t *skipped_refs, bool *known,
                                      uint64_t *refs,
                                      struct margay_error *error)
{
    struct reader *reader = state;
    const struct margay_block_source *source = &reader->source;
    struct footer footer = {.blocks = 0};
    struct block_start start = {0, MARGAY_MGT_HEADER_BYTES, 0};
    uint64_t bytes;
    *known = false;
    if (!source->plain_bytes(source->context, &bytes))
        return MARGAY_OK;
    *known = use_index(reader, bytes, skip_refs, &footer, &start);
    if (reader->no_memory)
        return margay_fail_memory(error, "the modules of a trace");
    if (!*known || source->data != NULL)
        start = (struct block_start){0, MARGAY_MGT_HEADER_BYTES, 0};
    reader->offset = start.offset;
    enum margay_status status =
        source->go_to(source->context, start.offset, error);
    if (status != MARGAY_OK || !*known)
        return status;
    reader->blocks = start.block;
    reader->references = *skipped_refs = start.references;
    reader->skipped = start.block > 0;
    *refs = footer.references;
    return MARGAY_OK;
}

const struct margay_blocks_reading margay_mgt_reading = {
    .is_magic = is_magic,
    .open = reader_open,
    .free_state = reader_free,
    .skip = reader_skip,
    .fill = reader_fill,
};
