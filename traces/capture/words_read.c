/* words_read.c - the format `words`, read */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/capture/decode.h"
#include "traces/capture/relay.h"
#include "traces/capture/words_format.h"
#include "traces/formats/data.h"

static const char magic[8] = MARGAY_WORDS_MAGIC;

#define OLDER_VERSION 2

/* More than the heads of all chunks that a relay holds, and little to copy. */
#define EARLY_BYTES 512

struct reading {
    struct margay_block_source source;
    uint64_t offset; /* of the byte that comes next */
    uint32_t flags;
    uint32_t thread, words; /* of the chunk */
    struct margay_decoding decoding;
    struct margay_data_events *events; /* NULL = they are not followed */
    enum margay_status cut; /* why nothing can be read after the chunk */
    struct margay_error error;
    struct margay_chunk_head head;
    struct margay_relay_end *relay; /* NULL: all words are in the trace */
    const uint64_t *from;           /* where the words of the chunk are */
    uint64_t chunk[MARGAY_CHUNK_WORDS + 1]; /* and the head behind them */
    /* Bytes that have been read already, and are yet to be given.  The heads of
       relayed chunks stand one behind the other. */
    size_t early_begin, early_end;
    unsigned char early[EARLY_BYTES];
};

static size_t take_early(struct reading *reading, void *bytes, size_t most)
{
    size_t left = reading->early_end - reading->early_begin;
    size_t taken = left < most ? left : most;
    memcpy(bytes, reading->early + reading->early_begin, taken);
    reading->early_begin += taken;
    return taken;
}

/* Fewer bytes than early[] has: all that are there are read. */
static enum margay_status read_few(struct reading *reading, char *bytes,
                                   size_t count, size_t *got,
                                   struct margay_error *error)
{
    enum margay_status status = margay_block_source_read(
        &reading->source, reading->early, count, sizeof reading->early,
        &reading->early_end, error);
    reading->early_begin = 0;
    *got = take_early(reading, bytes, count);
    return status;
}

/* Many bytes, behind which there is room for the next head. */
static enum margay_status read_many(struct reading *reading, char *bytes,
                                    size_t count, size_t *got,
                                    struct margay_error *error)
{
    enum margay_status status =
        margay_block_source_read(&reading->source, bytes, count,
                                 count + sizeof reading->head, got, error);
    reading->early_begin = reading->early_end = 0;
    if (*got > count) {
        reading->early_end = *got - count;
        memcpy(reading->early, bytes + count, reading->early_end);
        *got = count;
    }
    return status;
}

/* Read `count` bytes, fewer only at the end. */
static enum margay_status read_bytes(struct reading *reading, void *bytes,
                                     size_t count, size_t *got,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t taken = take_early(reading, bytes, count);
    size_t left = count - taken, more = 0;
    if (left >= sizeof reading->early)
        status = read_many(reading, (char *)bytes + taken, left, &more, error);
    else if (left > 0)
        status = read_few(reading, (char *)bytes + taken, left, &more, error);
    *got = taken + more;
    reading->offset += *got;
    return status;
}

static enum margay_status fail(const struct reading *reading, const char *found,
                               const char *expected, struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s (read as words; "
                       "%s)",
                       reading->source.name,
                       (unsigned long long)reading->offset, found, expected,
                       reading->source.evidence);
}

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
    struct margay_words_head head;
    size_t got;
    enum margay_status status =
        read_bytes(reading, &head, sizeof head, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got < sizeof head || !is_magic(&head, sizeof head))
        return fail(reading, "another beginning", "mgwords, version 2 or 3",
                    error);
    uint32_t collapsed = le32toh(head.collapsed_bytes);
    if (collapsed != 0 && !margay_is_power_of_two(collapsed))
        return fail(reading, "repeats collapsed within a strange length",
                    "a power of two", error);
    reading->flags = le32toh(head.flags);
    if (reading->flags & MARGAY_WORDS_SAMPLE)
        return fail(reading, "a sample of the references",
                    "a whole trace, as record writes it now", error);
    if (reading->flags > (MARGAY_WORDS_SITES | MARGAY_WORDS_REPEATS))
        return fail(reading, "unknown flags", "0 to 3", error);
    facts->collapsed_bytes = collapsed;
    if ((reading->flags & MARGAY_WORDS_SITES) == 0)
        facts->columns &= ~(unsigned)MARGAY_COLUMN_SITES;
    if ((reading->flags & MARGAY_WORDS_REPEATS) == 0)
        facts->columns &= ~(unsigned)MARGAY_COLUMN_COUNTS;
    facts->shift = reading->source.shift;
    return MARGAY_OK;
}

static void free_reading(void *state)
{
    struct reading *reading = state;
    if (reading != NULL) {
        free(reading->events);
        margay_relay_leave(reading->relay);
    }
    free(reading);
}

static enum margay_status open_words(const struct margay_block_source *source,
                                     void **state,
                                     struct margay_trace_facts *facts,
                                     struct margay_error *error)
{
    struct reading *reading = calloc(1, sizeof *reading);
    *state = NULL;
    if (reading == NULL)
        return margay_fail_memory(error, "a reader of words");
    reading->source = *source;
    enum margay_status status = read_head(reading, facts, error);
    if (status == MARGAY_OK && source->data != NULL) {
        reading->events = calloc(1, sizeof *reading->events);
        if (reading->events == NULL)
            status = margay_fail_memory(error, "a reader of words");
    }
    if (status == MARGAY_OK)
        *state = reading;
    else
        free_reading(reading);
    return status;
}

static enum margay_status skip(void *state, uint64_t skip_refs,
                               uint64_t *skipped_refs, bool *known,
                               uint64_t *refs, struct margay_error *error)
{
    (void)state, (void)skip_refs, (void)skipped_refs, (void)refs, (void)error;
    *known = false;
    return MARGAY_OK;
}

/* The trace ends where `got` bytes of a head are.  A writer that shares memory
   says when it has put all words. */
static enum margay_status end_at_head(const struct reading *reading, size_t got,
                                      struct margay_error *error)
{
    if (got > 0)
        return fail(reading, "the end", "the rest of 8 bytes", error);
    return reading->relay == NULL || margay_relay_has_ended(reading->relay)
               ? MARGAY_END
               : fail(reading, "the end", "more words of who writes them",
                      error);
}

/* Read the head of the next chunk, or return MARGAY_END. */
static enum margay_status read_chunk_head(struct reading *reading,
                                          struct margay_error *error)
{
    size_t got;
    enum margay_status status =
        read_bytes(reading, &reading->head, sizeof reading->head, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got < sizeof reading->head)
        return end_at_head(reading, got, error);
    uint32_t words = le32toh(reading->head.words);
    if ((words & MARGAY_CHUNK_RELAYED) != 0 && reading->relay == NULL)
        return fail(reading, "words that another process has", "the words",
                    error);
    return (words & ~MARGAY_CHUNK_RELAYED) <= MARGAY_CHUNK_WORDS
               ? MARGAY_OK
               : fail(reading, "a chunk of more words", "8192 at most", error);
}

/* The words of a chunk, up to `words`.  A cut is kept for later. */
static void read_words(struct reading *reading, size_t words)
{
    size_t bytes = words * sizeof(uint64_t), got;
    enum margay_status status =
        read_bytes(reading, reading->chunk, bytes, &got, &reading->error);
    if (status == MARGAY_OK && got < bytes)
        status = fail(reading, "the end", "more words", &reading->error);
    reading->cut = status;
    reading->from = reading->chunk;
    reading->words = (uint32_t)(got / sizeof(uint64_t));
    for (uint32_t i = 0; le64toh(1) != 1 && i < reading->words; i++)
        reading->chunk[i] = le64toh(reading->chunk[i]);
    if (reading->relay == NULL && reading->source.pipe != NULL &&
        reading->words == MARGAY_RELAY_OFFER_WORDS)
        reading->relay = margay_relay_take(
            reading->chunk, reading->source.pipe(reading->source.context));
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
    reading->decoding = (struct margay_decoding){
        .shift = reading->source.shift,
        .slots = reading->flags == MARGAY_WORDS_SITES,
    };
    if (words & MARGAY_CHUNK_RELAYED) {
        reading->words = words & ~MARGAY_CHUNK_RELAYED;
        reading->from = margay_relay_next(reading->relay, reading->words);
    } else {
        read_words(reading, words);
    }
    return MARGAY_OK;
}

/* A word with repeats of both kinds has two, where kinds are told apart. */
static size_t entries_of_word(const struct margay_references *batch)
{
    const unsigned both = MARGAY_COLUMN_COUNTS | MARGAY_COLUMN_KINDS;
    return (margay_references_columns(batch) & both) == both ? 2 : 1;
}

/* Decode words while there is room for all entries of each.  Columns that the
   trace does not have are not filled. */
static enum margay_status decode(struct reading *reading,
                                 struct margay_references *batch,
                                 struct margay_error *error)
{
    struct margay_references wanted = *batch;
    size_t first = batch->count;
    size_t room = (batch->capacity - first) / entries_of_word(batch);
    uint32_t left = reading->words - reading->decoding.words;
    if (batch->unfilled & MARGAY_COLUMN_COUNTS)
        wanted.counts = NULL;
    if (batch->unfilled & MARGAY_COLUMN_SITES)
        wanted.sites = NULL;
    margay_decode_words(&reading->decoding, reading->from,
                        reading->decoding.words +
                            (uint32_t)(left < room ? left : room),
                        &wanted, reading->events);
    for (size_t i = first; batch->threads != NULL && i < wanted.count; i++)
        batch->threads[i] = reading->thread;
    batch->count = wanted.count;
    if (reading->flags & MARGAY_WORDS_REPEATS)
        batch->repeats = wanted.repeats;
    if (reading->events == NULL)
        return MARGAY_OK;
    size_t count = reading->events->count;
    reading->events->count = 0;
    return margay_data_map_name(reading->source.data, reading->events->events,
                                count, batch, first, error);
}

/* The words of another chunk have come, and there is room for all of them.
   Those that are not relayed are more than there is room for. */
static bool has_more(const struct reading *reading,
                     const struct margay_references *batch)
{
    struct margay_chunk_head head;
    if (reading->relay == NULL || reading->events != NULL ||
        reading->decoding.words < reading->words ||
        reading->early_end - reading->early_begin < sizeof head)
        return false;
    memcpy(&head, reading->early + reading->early_begin, sizeof head);
    uint32_t words = le32toh(head.words) ^ MARGAY_CHUNK_RELAYED;
    return words > 0 &&
           words <= (batch->capacity - batch->count) / entries_of_word(batch);
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reading *reading = state;
    size_t first = batch->count;
    batch->unfilled =
        (reading->flags & MARGAY_WORDS_REPEATS ? 0u : MARGAY_COLUMN_COUNTS) |
        (reading->flags & MARGAY_WORDS_SITES ? 0u : MARGAY_COLUMN_SITES);
    while (batch->count == first || has_more(reading, batch)) {
        while (reading->decoding.words == reading->words) {
            enum margay_status status = read_chunk(reading, error);
            if (status != MARGAY_OK)
                return status;
        }
        enum margay_status status = decode(reading, batch, error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

const struct margay_blocks_reading margay_words_reading = {
    .is_magic = is_magic,
    .open = open_words,
    .free_state = free_reading,
    .skip = skip,
    .fill = fill,
};
