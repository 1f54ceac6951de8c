/*
 * format.c - the words of the recorder as a format: quick to write and to read
 *
 *     8 bytes   "mgwords" and the version, 1
 *     4 bytes   block size within which repeats were collapsed, 0 = none were
 *     4 bytes   1 = the code that made each reference is known
 *     then, as often as there are
 *     4 bytes   words that follow, up to MARGAY_BUFFER_WORDS
 *     4 bytes   number of the thread
 *     words     of 8 bytes, as stream.h has them
 *
 * All numbers are little-endian.  A trace that is cut gives its whole words.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/capture/decode.h"
#include "traces/formats/blocks_format.h"

static const char magic[8] = {'m', 'g', 'w', 'o', 'r', 'd', 's', 1};

struct file_head {
    char magic[8];
    uint32_t collapsed_bytes, sites;
};

struct part_head {
    uint32_t words, thread;
};

/* Of the file, whatever a buffer in memory has. */
#define PART_WORDS 8192

/* --------------------------------------------------------------- reading -- */

struct reading {
    struct margay_block_source source;
    uint64_t offset; /* of the byte that comes next */
    bool collapsed, sites;
    uint32_t thread, words; /* of the part; `decoding` says which are done */
    struct margay_decoding decoding;
    enum margay_status cut; /* why no more can be read behind the part */
    struct margay_error error;
    uint64_t part[PART_WORDS];
};

/* As many of the bytes as there are. */
static enum margay_status read_bytes(struct reading *reading, void *bytes,
                                     size_t count, size_t *all,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t got = 1;
    for (*all = 0; *all < count && got > 0 && status == MARGAY_OK;
         *all += got) {
        got = 0;
        status =
            reading->source.read(reading->source.context, (char *)bytes + *all,
                                 count - *all, &got, error);
    }
    reading->offset += *all;
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
    return bytes >= sizeof magic && memcmp(window, magic, sizeof magic) == 0;
}

static enum margay_status read_head(struct reading *reading,
                                    struct margay_trace_facts *facts,
                                    struct margay_error *error)
{
    struct file_head head;
    size_t got;
    enum margay_status status =
        read_bytes(reading, &head, sizeof head, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got < sizeof head || !is_magic(&head, sizeof head))
        return fail(reading, "another beginning", "mgwords, version 1", error);
    uint32_t collapsed = le32toh(head.collapsed_bytes);
    if (collapsed != 0 && !margay_is_power_of_two(collapsed))
        return fail(reading, "repeats collapsed within a strange length",
                    "a power of two", error);
    facts->collapsed_bytes = collapsed;
    reading->collapsed = collapsed != 0;
    reading->sites = le32toh(head.sites) != 0;
    return MARGAY_OK;
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
    if (status == MARGAY_OK)
        *state = reading;
    else
        free(reading);
    return status;
}

static bool skip(void *state, uint64_t skip_refs, uint64_t *skipped_refs,
                 uint64_t *refs)
{
    (void)state, (void)skip_refs, (void)skipped_refs, (void)refs;
    return false;
}

/* The next part.  What is cut off is reported when the rest has been given. */
static enum margay_status read_part(struct reading *reading,
                                    struct margay_error *error)
{
    struct part_head head;
    size_t got;
    if (reading->cut != MARGAY_OK) {
        if (error != NULL)
            *error = reading->error;
        return reading->cut;
    }
    enum margay_status status =
        read_bytes(reading, &head, sizeof head, &got, error);
    if (status != MARGAY_OK || got == 0)
        return status == MARGAY_OK ? MARGAY_END : status;
    if (got < sizeof head)
        return fail(reading, "the end", "the rest of 8 bytes", error);
    uint32_t words = le32toh(head.words);
    if (words > PART_WORDS)
        return fail(reading, "a part of more words", "8192 at most", error);
    reading->thread = le32toh(head.thread);
    reading->decoding = (struct margay_decoding){0};
    status = read_bytes(reading, reading->part, words * sizeof(uint64_t), &got,
                        &reading->error);
    reading->words = (uint32_t)(got / sizeof(uint64_t));
    if (status == MARGAY_OK && reading->words < words)
        status = fail(reading, "the end", "more words", &reading->error);
    reading->cut = status;
    for (uint32_t i = 0; le64toh(1) != 1 && i < reading->words; i++)
        reading->part[i] = le64toh(reading->part[i]);
    return MARGAY_OK;
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reading *reading = state;
    size_t first = batch->count;
    batch->counted = reading->collapsed;
    batch->sited = reading->sites;
    batch->threaded = true;
    while (batch->count == first) {
        while (reading->decoding.words == reading->words) {
            enum margay_status status = read_part(reading, error);
            if (status != MARGAY_OK)
                return status;
        }
        size_t room = (batch->capacity - batch->count) / 2;
        uint32_t left = reading->words - reading->decoding.words;
        margay_decode_words(&reading->decoding, reading->part,
                            reading->decoding.words +
                                (uint32_t)(left < room ? left : room),
                            batch);
    }
    for (size_t i = first; i < batch->count; i++)
        batch->threads[i] = reading->thread;
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading_words = {
    .is_magic = is_magic,
    .open = open_words,
    .free_state = free,
    .skip = skip,
    .fill = fill,
};

/* --------------------------------------------------------------- writing -- */

struct writing {
    struct margay_sink sink;
    uint32_t collapsed_bytes;
    bool begun;
    uint64_t site;
    uint32_t words;
    struct {
        _Alignas(uint64_t) struct part_head head;
        uint64_t words[PART_WORDS];
    } part; /* without a hole, as it is written as it lies here */
};

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

static enum margay_status write_head(struct writing *writing, bool sites,
                                     struct margay_error *error)
{
    struct file_head head = {
        .collapsed_bytes = htole32(writing->collapsed_bytes),
        .sites = htole32(sites),
    };
    memcpy(head.magic, magic, sizeof magic);
    if (writing->begun)
        return MARGAY_OK;
    writing->begun = true;
    return writing->sink.write(writing->sink.context, &head, sizeof head,
                               error);
}

static enum margay_status write_part(struct writing *writing,
                                     struct margay_error *error)
{
    size_t bytes =
        sizeof writing->part.head + writing->words * sizeof(uint64_t);
    if (writing->words == 0)
        return MARGAY_OK;
    writing->part.head.words = htole32(writing->words);
    writing->words = 0;
    writing->site = 0;
    return writing->sink.write(writing->sink.context, &writing->part, bytes,
                               error);
}

static void add_word(struct writing *writing, uint64_t word)
{
    writing->part.words[writing->words++] = htole64(word);
}

static uint64_t make_word(uint64_t address, unsigned kind, unsigned bytes)
{
    return address |
           (uint64_t)(bytes % MARGAY_WORD_MAX_BYTES)
               << MARGAY_WORD_BYTES_SHIFT |
           (uint64_t)kind << MARGAY_WORD_KIND_SHIFT;
}

/* So many more references as the one before. */
static enum margay_status add_repeats(struct writing *writing, uint64_t word,
                                      uint32_t count,
                                      struct margay_error *error)
{
    unsigned kind = (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
    enum margay_status status = MARGAY_OK;
    while (count > 0 && status == MARGAY_OK) {
        uint32_t some =
            count < MARGAY_REPEATS_MASK ? count : (uint32_t)MARGAY_REPEATS_MASK;
        some = kind == MARGAY_FETCH ? 1 : some;
        if (writing->words == PART_WORDS) {
            /* In another part, it begins with a reference. */
            status = write_part(writing, error);
            add_word(writing, word);
            some = 1;
        } else if (kind == MARGAY_FETCH) {
            add_word(writing, word);
        } else {
            add_word(writing,
                     make_word((uint64_t)some << (kind * MARGAY_REPEATS_BITS),
                               MARGAY_WORD_CONTROL, MARGAY_CONTROL_REPEATS));
        }
        count -= some;
    }
    return status;
}

static enum margay_status put_reference(struct writing *writing,
                                        const struct margay_batch *batch,
                                        size_t i, struct margay_error *error)
{
    uint32_t extent = batch->extents == NULL ? 1 : batch->extents[i];
    uint8_t kind = batch->kinds == NULL ? MARGAY_READ : batch->kinds[i];
    enum margay_status status = MARGAY_OK;
    if (batch->numbers[i] > MARGAY_WORD_ADDRESS_MASK || extent == 0 ||
        extent > MARGAY_WORD_MAX_BYTES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%llu, over %u, does not fit the 56 bits of an "
                           "address and the 64 bytes of a words record",
                           (unsigned long long)batch->numbers[i],
                           (unsigned)extent);
    if (writing->words > PART_WORDS - 2)
        status = write_part(writing, error);
    if (batch->sites != NULL && batch->sites[i] != writing->site) {
        writing->site = batch->sites[i];
        add_word(writing, make_word(writing->site & MARGAY_WORD_ADDRESS_MASK,
                                    MARGAY_WORD_CONTROL, MARGAY_CONTROL_SITE));
    }
    uint64_t word = make_word(batch->numbers[i], kind, extent);
    add_word(writing, word);
    if (status == MARGAY_OK && batch->counts != NULL && batch->counts[i] > 1)
        status = add_repeats(writing, word, batch->counts[i] - 1, error);
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
        if (htole32(thread) != writing->part.head.thread)
            status = write_part(writing, error);
        writing->part.head.thread = htole32(thread);
        if (status == MARGAY_OK)
            status = put_reference(writing, batch, i, error);
    }
    return status;
}

/* An entry may need a part, a site and itself; and words for its count, of
   fetches one each. */
static uint64_t most_bytes(const void *state, const struct margay_batch *batch)
{
    const struct writing *writing = state;
    uint64_t words = writing->words + 1;
    for (size_t i = 0; i < batch->references; i++) {
        uint64_t count = batch->counts == NULL ? 1 : batch->counts[i];
        bool fetched = batch->kinds != NULL && batch->kinds[i] == MARGAY_FETCH;
        words += 3 + (fetched ? 2 * count : 2 + 2 * (count >> 27));
    }
    return (writing->begun ? 0 : sizeof(struct file_head)) +
           words * sizeof(uint64_t);
}

static enum margay_status flush(void *state, struct margay_error *error)
{
    struct writing *writing = state;
    enum margay_status status = write_head(writing, false, error);
    return status == MARGAY_OK ? write_part(writing, error) : status;
}

static const struct margay_blocks_writing writing_words = {
    .create = create,
    .free_state = free,
    .describe = describe,
    .put = put,
    .most_bytes = most_bytes,
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
             .has_kinds = true,
             .has_extents = true,
             .has_counts = true,
             .has_threads = true,
             .has_sites = true},
    .reading = &reading_words,
    .writing = &writing_words,
};
