/*
 * words_format.c - the format `words`: the words of the recorder, fast to write
 * and read
 *
 *     8 bytes   "mgwords" and the version, 3; 2 is read, too, and has no slots
 *               of sites but slot 0
 *     8 bytes   2^32 = the call sites are known, 0 = they are not; others were
 *               counts of repeats and samples, which are refused
 *   then chunks, each of
 *     4 bytes   the number of words, up to 8192; 2^31 more: the words are not
 *               here, but in the next slot of memory that the reader has taken
 *               (relay.h)
 *     4 bytes   the number of the thread
 *     words     of 8 bytes, as stream.h defines them
 *
 * All numbers are little-endian.  No chunk depends on the control words of
 * another.  A trace that is cut gives its whole words.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/capture/decode.h"
#include "traces/capture/relay.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/words.h"

static const char magic[8] = {'m', 'g', 'w', 'o', 'r', 'd', 's', 3};
#define OLDER_VERSION 2

#define SITES_FLAG (UINT64_C(1) << 32)

struct words_head {
    char magic[8];
    uint64_t flags;
};

struct chunk_head {
    uint32_t words, thread;
};

/* A constant of the file format, independent of MARGAY_BUFFER_WORDS. */
#define CHUNK_WORDS 8192

/* In the number of words. */
#define CHUNK_RELAYED (UINT32_C(1) << 31)

/* --------------------------------------------------------------- reading -- */

struct reading {
    struct margay_block_source source;
    bool sites;
    uint32_t thread, words; /* of the chunk */
    struct margay_decoding decoding;
    struct margay_data_events *events; /* NULL = they are not followed */
    enum margay_status cut; /* why nothing can be read after the chunk */
    struct margay_error error;
    struct chunk_head head;
    struct margay_relay_end *relay; /* NULL: all words are in the trace */
    const uint64_t *from;           /* where the words of the chunk are */
    uint64_t chunk[CHUNK_WORDS];
};

static bool is_magic(const void *window, size_t bytes)
{
    const char *found = window;
    const size_t name = sizeof magic - 1;
    return bytes >= sizeof magic && memcmp(found, magic, name) == 0 &&
           (found[name] == magic[name] || found[name] == OLDER_VERSION);
}

static enum margay_status read_head(struct reading *reading,
                                    struct margay_trace_facts *facts,
                                    struct margay_error *error)
{
    struct words_head head;
    size_t got;
    enum margay_status status = margay_intake_copy(
        reading->source.intake, &head, sizeof head, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got < sizeof head || !is_magic(&head, sizeof head))
        return margay_source_fail(&reading->source, "another beginning",
                                  "mgwords, version 2 or 3", error);
    if ((le64toh(head.flags) & ~SITES_FLAG) != 0)
        return margay_source_fail(
            &reading->source,
            "counts of repeats, or a sample of the references",
            "a word for each reference, as record writes it now", error);
    reading->sites = head.flags != 0;
    if (!reading->sites)
        facts->columns &= ~(unsigned)MARGAY_COLUMN_SITES;
    return MARGAY_OK;
}

static void clear_reading(void *state)
{
    struct reading *reading = state;
    free(reading->events);
    margay_relay_leave(reading->relay);
}

static enum margay_status open_words(void *state,
                                     struct margay_trace_facts *facts,
                                     struct margay_error *error)
{
    struct reading *reading = state;
    enum margay_status status = read_head(reading, facts, error);
    if (status != MARGAY_OK || reading->source.data == NULL)
        return status;
    reading->events = calloc(1, sizeof *reading->events);
    return reading->events == NULL
               ? margay_fail_memory(error, "a reader of words")
               : MARGAY_OK;
}

/* Read the head of the next chunk, or return MARGAY_END.  A writer that shares
   memory marks its last word. */
static enum margay_status read_chunk_head(struct reading *reading,
                                          struct margay_error *error)
{
    size_t got;
    enum margay_status status =
        margay_intake_copy(reading->source.intake, &reading->head,
                           sizeof reading->head, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got > 0 && got < sizeof reading->head)
        return margay_source_fail(&reading->source, "the end",
                                  "the rest of 8 bytes", error);
    if (got == 0)
        return reading->relay == NULL || margay_relay_has_ended(reading->relay)
                   ? MARGAY_END
                   : margay_source_fail(&reading->source, "the end",
                                        "more words of who writes them", error);
    uint32_t words = le32toh(reading->head.words);
    if ((words & CHUNK_RELAYED) != 0 && reading->relay == NULL)
        return margay_source_fail(&reading->source,
                                  "words that another process has", "the words",
                                  error);
    return (words & ~CHUNK_RELAYED) <= CHUNK_WORDS
               ? MARGAY_OK
               : margay_source_fail(&reading->source, "a chunk of more words",
                                    "8192 at most", error);
}

/* The words of a chunk, up to `words`.  A cut is kept for later. */
static void read_words(struct reading *reading, size_t words)
{
    size_t bytes = words * sizeof(uint64_t), got;
    enum margay_status status = margay_intake_copy(
        reading->source.intake, reading->chunk, bytes, &got, &reading->error);
    if (status == MARGAY_OK && got < bytes)
        status = margay_source_fail(&reading->source, "the end", "more words",
                                    &reading->error);
    reading->cut = status;
    reading->from = reading->chunk;
    reading->words = (uint32_t)(got / sizeof(uint64_t));
    for (uint32_t i = 0; le64toh(1) != 1 && i < reading->words; i++)
        reading->chunk[i] = le64toh(reading->chunk[i]);
    if (reading->relay == NULL && reading->words == MARGAY_RELAY_OFFER_WORDS)
        reading->relay = margay_relay_take(
            reading->chunk, margay_input_pipe(reading->source.intake->input));
}

/* Read the next chunk.  A cut within it is reported once its whole words have
   been given. */
static enum margay_status read_chunk(struct reading *reading,
                                     struct margay_error *error)
{
    if (reading->cut != MARGAY_OK) {
        if (error != NULL)
            *error = reading->error;
        return reading->cut;
    }
    enum margay_status status = read_chunk_head(reading, error);
    if (status != MARGAY_OK)
        return status;
    uint32_t words = le32toh(reading->head.words);
    reading->thread = le32toh(reading->head.thread);
    reading->decoding = (struct margay_decoding){.slots = reading->sites};
    if (words & CHUNK_RELAYED) {
        reading->words = words & ~CHUNK_RELAYED;
        reading->from = margay_relay_next(reading->relay, reading->words);
    } else {
        read_words(reading, words);
    }
    return MARGAY_OK;
}

/* Decode words while there is room for them.  Columns that the trace does not
   have are not filled. */
static enum margay_status decode(struct reading *reading,
                                 struct margay_references *batch,
                                 struct margay_error *error)
{
    struct margay_references wanted = *batch;
    size_t first = batch->count;
    size_t room = batch->capacity - first;
    uint32_t left = reading->words - reading->decoding.words;
    if (batch->unfilled & MARGAY_COLUMN_SITES)
        wanted.sites = NULL;
    margay_decode_words(&reading->decoding, reading->from,
                        reading->decoding.words +
                            (uint32_t)(left < room ? left : room),
                        &wanted, reading->events);
    for (size_t i = first; batch->threads != NULL && i < wanted.count; i++)
        batch->threads[i] = reading->thread;
    if (wanted.extents != NULL &&
        margay_extents_pass(wanted.numbers + first, wanted.extents + first,
                            wanted.count - first))
        return margay_source_fail(&reading->source,
                                  "a chunk with other extents before",
                                  "extents within 64 bits", error);
    batch->count = wanted.count;
    if (reading->events == NULL)
        return MARGAY_OK;
    size_t count = reading->events->count;
    reading->events->count = 0;
    return margay_data_map_name(reading->source.data, reading->events->events,
                                count, batch, first, error);
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reading *reading = state;
    size_t first = batch->count;
    enum margay_status status = MARGAY_OK;
    batch->unfilled = reading->sites ? 0u : MARGAY_COLUMN_SITES;
    while (status == MARGAY_OK && batch->count == first)
        status = reading->decoding.words == reading->words
                     ? read_chunk(reading, error)
                     : decode(reading, batch, error);
    return status;
}

static const struct margay_blocks_reading reading_words = {
    .state_bytes = sizeof(struct reading),
    .open = open_words,
    .clear = clear_reading,
    .fill = fill,
};

/* --------------------------------------------------------------- writing -- */

struct writing {
    struct margay_block_target target;
    bool begun;
    /* The values of the last control words of the chunk. */
    uint64_t site, above;
    uint32_t words;
    struct {
        _Alignas(uint64_t) struct chunk_head head;
        uint64_t words[CHUNK_WORDS];
    } chunk; /* without padding, because it is written as it stands */
};

/* The most words of one reference. */
#define REFERENCE_WORDS 3

static enum margay_status emit(struct writing *writing, const void *bytes,
                               size_t count, struct margay_error *error)
{
    const struct margay_sink *sink = &writing->target.sink;
    return sink->write(sink->context, bytes, count, error);
}

static enum margay_status write_head(struct writing *writing, bool sites,
                                     struct margay_error *error)
{
    if (writing->begun)
        return MARGAY_OK;
    writing->begun = true;
    struct words_head head = {.flags = htole64(sites ? SITES_FLAG : 0)};
    memcpy(head.magic, magic, sizeof magic);
    return emit(writing, &head, sizeof head, error);
}

static enum margay_status write_chunk(struct writing *writing,
                                      struct margay_error *error)
{
    size_t bytes =
        sizeof writing->chunk.head + writing->words * sizeof(uint64_t);
    if (writing->words == 0)
        return MARGAY_OK;
    writing->chunk.head.words = htole32(writing->words);
    writing->words = 0;
    writing->site = writing->above = 0;
    return emit(writing, &writing->chunk, bytes, error);
}

static void add_word(struct writing *writing, uint64_t word)
{
    writing->chunk.words[writing->words++] = htole64(word);
}

/* Add the control words that a reference needs before its word. */
static void add_controls(struct writing *writing, uint64_t above, uint64_t site)
{
    if (above != writing->above)
        add_word(writing, margay_control_word(MARGAY_CONTROL_ABOVE, above));
    if (site != writing->site)
        add_word(writing, margay_control_word(MARGAY_CONTROL_SITE, site));
    writing->above = above;
    writing->site = site;
}

static enum margay_status put_data(void *state,
                                   const struct margay_data_event *event,
                                   struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, true, error);
    if (status == MARGAY_OK && writing->words > CHUNK_WORDS - MARGAY_DATA_WORDS)
        status = write_chunk(writing, error);
    if (status != MARGAY_OK)
        return status;
    add_controls(writing, writing->above, event->site & MARGAY_CONTROL_MASK);
    add_word(writing, margay_control_word(MARGAY_CONTROL_BYTES, event->bytes));
    add_word(writing, margay_control_word(MARGAY_CONTROL_ORDER, event->order));
    add_word(writing,
             margay_control_word(MARGAY_CONTROL_DATA,
                                 (event->address & MARGAY_WORD_ADDRESS_MASK) |
                                     (uint64_t)event->data
                                         << MARGAY_CONTROL_DATA_SHIFT));
    return MARGAY_OK;
}

static enum margay_status put_reference(struct writing *writing,
                                        const struct margay_batch *batch,
                                        size_t i, struct margay_error *error)
{
    uint64_t number = batch->numbers[i];
    uint64_t site = batch->sites == NULL ? 0 : batch->sites[i];
    uint32_t extent = batch->extents == NULL ? 1 : batch->extents[i];
    uint8_t kind = batch->kinds == NULL ? MARGAY_READ : batch->kinds[i];
    enum margay_status status = MARGAY_OK;
    if (extent == 0 || extent > MARGAY_WORD_MAX_BYTES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a reference of %u bytes does not fit the 1 to 64 "
                           "of a words record",
                           (unsigned)extent);
    if (margay_word(number, kind, extent) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a read of 64 bytes at %llu looks like an unused "
                           "word, so it has no words record",
                           (unsigned long long)number);
    if (writing->words > CHUNK_WORDS - REFERENCE_WORDS)
        status = write_chunk(writing, error);
    add_controls(writing, number >> MARGAY_SLOT_SHIFT,
                 site & MARGAY_CONTROL_MASK);
    add_word(writing, margay_word(number, kind, extent));
    return status;
}

static enum margay_status put(void *state, const struct margay_batch *batch,
                              struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status =
        write_head(writing, batch->sites != NULL, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        uint32_t thread = batch->threads == NULL ? 0 : batch->threads[i];
        if (htole32(thread) != writing->chunk.head.thread)
            status = write_chunk(writing, error);
        writing->chunk.head.thread = htole32(thread);
        if (status == MARGAY_OK)
            status = put_reference(writing, batch, i, error);
    }
    return status;
}

static enum margay_status put_words(void *state,
                                    const struct margay_words *words,
                                    struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, words->sites, error);
    if (status == MARGAY_OK)
        status = write_chunk(writing, error);
    uint64_t offer[MARGAY_RELAY_OFFER_WORDS];
    if (status == MARGAY_OK && words->relay != NULL &&
        margay_relay_describe(words->relay, offer)) {
        for (int i = 0; i < MARGAY_RELAY_OFFER_WORDS; i++)
            add_word(writing, offer[i]);
        status = write_chunk(writing, error);
    }
    bool relayed = status == MARGAY_OK && words->relay != NULL &&
                   margay_relay_put(words->relay, words->words, words->count);
    struct chunk_head head = {
        htole32(words->count | (relayed ? CHUNK_RELAYED : 0)),
        htole32(words->thread)};
    if (status == MARGAY_OK)
        status = emit(writing, &head, sizeof head, error);
    if (status == MARGAY_OK && !relayed)
        status = emit(writing, words->words,
                      words->count * sizeof *words->words, error);
    return status;
}

static enum margay_status flush(void *state, struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, false, error);
    return status == MARGAY_OK ? write_chunk(writing, error) : status;
}

static const struct margay_blocks_writing writing_words = {
    .state_bytes = sizeof(struct writing),
    .put = put,
    .put_data = put_data,
    .put_words = put_words,
    .flush = flush,
    .finish = flush,
};

const struct margay_format margay_format_words = {
    .info = {.name = "words",
             .description = "a word for each reference, quick, not small",
             .suffixes = "words",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true,
             .columns = MARGAY_ALL_COLUMNS & ~MARGAY_STORAGE_COLUMNS,
             .kinds = MARGAY_ALL_KINDS},
    .leaves_out = true,
    .is_magic = is_magic,
    .reading = &reading_words,
    .writing = &writing_words,
};
