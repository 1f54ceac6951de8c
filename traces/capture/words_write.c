/* words_write.c - the format `words`, written, and its row in the table */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/capture/relay.h"
#include "traces/capture/stream.h"
#include "traces/capture/words_format.h"
#include "traces/formats/data.h"
#include "traces/formats/words.h"

static const char magic[8] = MARGAY_WORDS_MAGIC;

struct writing {
    struct margay_sink sink;
    uint32_t collapsed_bytes;
    bool begun;
    uint32_t flags; /* valid once it has begun */
    /* What the last control words of the chunk say. */
    uint64_t site, above;
    uint32_t words;
    struct {
        _Alignas(uint64_t) struct margay_chunk_head head;
        uint64_t words[MARGAY_CHUNK_WORDS];
    } chunk; /* without padding, because it is written as it stands */
};

/* The most words of one reference. */
#define REFERENCE_WORDS 3

static enum margay_status create(const struct margay_sink *sink, void **state,
                                 struct margay_error *error)
{
    struct writing *writing = calloc(1, sizeof *writing);
    *state = writing;
    if (writing == NULL)
        return margay_fail_memory(error, "a writer of words");
    writing->sink = *sink;
    return MARGAY_OK;
}

static void describe(void *state, const struct margay_trace_facts *facts)
{
    struct writing *writing = state;
    writing->collapsed_bytes = (uint32_t)facts->collapsed_bytes;
}

static uint32_t choose_flags(const struct writing *writing, bool sites,
                             bool counts)
{
    return (sites ? MARGAY_WORDS_SITES : 0) |
           (counts || writing->collapsed_bytes != 0 ? MARGAY_WORDS_REPEATS : 0);
}

static enum margay_status write_head(struct writing *writing, bool sites,
                                     bool counts, struct margay_error *error)
{
    if (writing->begun)
        return MARGAY_OK;
    writing->begun = true;
    writing->flags = choose_flags(writing, sites, counts);
    struct margay_words_head head = {
        .collapsed_bytes = htole32(writing->collapsed_bytes),
        .flags = htole32(writing->flags),
    };
    memcpy(head.magic, magic, sizeof magic);
    return writing->sink.write(writing->sink.context, &head, sizeof head,
                               error);
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
    return writing->sink.write(writing->sink.context, &writing->chunk, bytes,
                               error);
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
    enum margay_status status = write_head(writing, true, false, error);
    if (status == MARGAY_OK &&
        writing->words > MARGAY_CHUNK_WORDS - MARGAY_DATA_WORDS)
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

/* True if entry `i` is written once with its repeats, and not as often as its
   count says. */
static bool may_repeat(const struct writing *writing,
                       const struct margay_batch *batch, size_t i)
{
    uint32_t flags = writing->begun
                         ? writing->flags
                         : choose_flags(writing, false, batch->counts != NULL);
    return flags & MARGAY_WORDS_REPEATS &&
           (batch->kinds == NULL || batch->kinds[i] != MARGAY_FETCH);
}

static enum margay_status put_reference(struct writing *writing,
                                        const struct margay_batch *batch,
                                        size_t i, struct margay_error *error)
{
    uint64_t number = batch->numbers[i];
    uint64_t site = batch->sites == NULL ? 0 : batch->sites[i];
    uint32_t extent = batch->extents == NULL ? 1 : batch->extents[i];
    uint8_t kind = batch->kinds == NULL ? MARGAY_READ : batch->kinds[i];
    uint32_t left = batch->counts == NULL ? 1 : batch->counts[i];
    uint32_t most = /* repeats of a word */
        may_repeat(writing, batch, i) ? MARGAY_WORD_MAX_REPEATS : 0;
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
    while (left > 0 && status == MARGAY_OK) {
        uint64_t repeats = left - 1 < most ? left - 1 : most;
        if (writing->words > MARGAY_CHUNK_WORDS - REFERENCE_WORDS)
            status = write_chunk(writing, error);
        add_controls(writing, number >> MARGAY_WORD_REPEATS_SHIFT,
                     site & MARGAY_CONTROL_MASK);
        add_word(writing, margay_word(number, kind, extent) |
                              repeats << (MARGAY_WORD_REPEATS_SHIFT +
                                          kind * MARGAY_WORD_REPEATS_BITS));
        left -= 1 + (uint32_t)repeats;
    }
    return status;
}

static enum margay_status put(void *state, const struct margay_batch *batch,
                              struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status =
        write_head(writing, batch->sites != NULL, batch->counts != NULL, error);
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

/* An entry may need a chunk, control words for its address and its site, and
   several words for its count. */
static uint64_t most_bytes(const void *state, const struct margay_batch *batch)
{
    const struct writing *writing = state;
    uint64_t words = writing->words + 1;
    for (size_t i = 0; i < batch->references; i++) {
        uint64_t own = batch->counts == NULL ? 1 : batch->counts[i];
        if (may_repeat(writing, batch, i))
            own =
                (own + MARGAY_WORD_MAX_REPEATS) / (MARGAY_WORD_MAX_REPEATS + 1);
        words += (own / (MARGAY_CHUNK_WORDS - REFERENCE_WORDS) + 1) *
                     REFERENCE_WORDS +
                 own;
    }
    return (writing->begun ? 0 : sizeof(struct margay_words_head)) +
           words * sizeof(uint64_t);
}

/* Tell the reader where words may be. */
static enum margay_status offer(struct writing *writing,
                                const struct margay_relay *relay,
                                struct margay_error *error)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    margay_relay_describe(relay, words);
    for (int i = 0; i < MARGAY_RELAY_OFFER_WORDS; i++)
        add_word(writing, words[i]);
    return write_chunk(writing, error);
}

static enum margay_status put_words(void *state,
                                    const struct margay_words *words,
                                    struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, words->sites, false, error);
    if (status == MARGAY_OK)
        status = write_chunk(writing, error);
    if (status == MARGAY_OK && words->relay != NULL &&
        margay_relay_is_due(words->relay))
        status = offer(writing, words->relay, error);
    bool relayed = status == MARGAY_OK && words->relay != NULL &&
                   margay_relay_put(words->relay, words->words, words->count);
    struct margay_chunk_head head = {
        htole32(words->count | (relayed ? MARGAY_CHUNK_RELAYED : 0)),
        htole32(words->thread)};
    if (status == MARGAY_OK)
        status = writing->sink.write(writing->sink.context, &head, sizeof head,
                                     error);
    if (status == MARGAY_OK && !relayed)
        status =
            writing->sink.write(writing->sink.context, words->words,
                                words->count * sizeof *words->words, error);
    return status;
}

static enum margay_status flush(void *state, struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, false, false, error);
    return status == MARGAY_OK ? write_chunk(writing, error) : status;
}

static const struct margay_blocks_writing writing_words = {
    .most_collapsed_bytes = UINT64_C(1) << 31, /* a field of 4 bytes */
    .create = create,
    .free_state = free,
    .describe = describe,
    .put = put,
    .most_bytes = most_bytes,
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
    .reading = &margay_words_reading,
    .writing = &writing_words,
};
