/* words.c - files of 64-bit words that are read back by margay alone */
#define _DEFAULT_SOURCE
#include "sim/run/words.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* Every bit of a word reaches every bit of the sum. */
static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

/* -------------------------------------------------------------- writing -- */

#define WORDS_HELD \
    (sizeof((struct margay_word_writer *)0)->words / sizeof(uint64_t))

static void write_held(struct margay_word_writer *writer)
{
    const struct margay_sink *sink = &writer->sink;
    if (writer->status == MARGAY_OK)
        writer->status =
            sink->write(sink->context, writer->words,
                        writer->count * sizeof(uint64_t), &writer->error);
    writer->count = 0;
}

void margay_words_begin(struct margay_word_writer *writer,
                        const struct margay_sink *sink,
                        const struct margay_word_kind *kind)
{
    writer->sink = *sink;
    writer->sum = 0;
    writer->status = MARGAY_OK;
    writer->count = 0;
    margay_words_put(writer, kind->magic);
    margay_words_put(writer, kind->version);
}

void margay_words_put(struct margay_word_writer *writer, uint64_t word)
{
    writer->words[writer->count++] = htole64(word);
    writer->sum = mix(writer->sum, word);
    if (writer->count == WORDS_HELD)
        write_held(writer);
}

enum margay_status margay_words_end(struct margay_word_writer *writer,
                                    struct margay_error *error)
{
    margay_words_put(writer, writer->sum);
    write_held(writer);
    if (writer->status != MARGAY_OK)
        *error = writer->error;
    return writer->status;
}

/* -------------------------------------------------------------- reading -- */

#define WORD_BYTES sizeof(uint64_t)

/* Room for the first words; it doubles while there are more of them. */
#define FIRST_ROOM ((uint64_t)1 << 10)

struct word_reader {
    FILE *file;
    const char *name;
    const struct margay_word_kind *kind;
    uint64_t *words; /* owned; in this machine's order */
    uint64_t count, room;
    size_t cut_bytes; /* of a word that the file ends within */
    struct margay_error *error;
};

enum margay_status margay_words_fail(const char *name,
                                     const struct margay_word_kind *kind,
                                     uint64_t at, struct margay_error *error,
                                     const char *format, ...)
{
    char how[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(how, sizeof how, format, arguments);
    va_end(arguments);
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: the %s is damaged or cut short: byte %" PRIu64
                       ": %s",
                       name, kind->what, at * WORD_BYTES, how);
}

/* Read until there are `wanted` words, or the file ends.  Memory grows with the
   real length of the file, not the claimed one. */
static enum margay_status read_up_to(struct word_reader *reader,
                                     uint64_t wanted)
{
    while (reader->count < wanted && reader->cut_bytes == 0 &&
           !feof(reader->file)) {
        if (reader->count == reader->room) {
            uint64_t room = reader->room == 0 ? FIRST_ROOM : 2 * reader->room;
            room = room < wanted ? room : wanted;
            uint64_t *grown =
                reallocarray(reader->words, (size_t)room, sizeof *grown);
            if (grown == NULL)
                return margay_fail(reader->error, MARGAY_NO_MEMORY,
                                   "%s: out of memory (a saved %s)",
                                   reader->name, reader->kind->what);
            reader->words = grown;
            reader->room = room;
        }
        uint64_t most = reader->room < wanted ? reader->room : wanted;
        char *to = (char *)(reader->words + reader->count);
        size_t asked = (size_t)(most - reader->count) * WORD_BYTES;
        size_t got = fread(to, 1, asked, reader->file);
        for (size_t i = 0; i < got / WORD_BYTES; i++, reader->count++)
            reader->words[reader->count] =
                le64toh(reader->words[reader->count]);
        reader->cut_bytes = got % WORD_BYTES;
        if (ferror(reader->file))
            return margay_fail(reader->error, MARGAY_IO, "%s: %s", reader->name,
                               strerror(errno));
    }
    return MARGAY_OK;
}

static enum margay_status fail_early(const struct word_reader *reader,
                                     uint64_t wanted)
{
    return margay_fail(reader->error, MARGAY_BAD_INPUT,
                       "%s: the %s is damaged or cut short: byte %" PRIu64
                       ": found the end, expected %" PRIu64 " bytes or more",
                       reader->name, reader->kind->what,
                       reader->count * WORD_BYTES + reader->cut_bytes,
                       wanted * WORD_BYTES);
}

/* The beginning is checked first, so that no more is read of another kind of
   file. */
static enum margay_status read_ahead(struct word_reader *reader)
{
    const struct margay_word_kind *kind = reader->kind;
    enum margay_status status = read_up_to(reader, MARGAY_WORDS_AHEAD);
    if (status != MARGAY_OK)
        return status;
    if (reader->count < 1 || reader->words[0] != kind->magic)
        return margay_fail(reader->error, MARGAY_BAD_INPUT,
                           "%s: not a %s that %s wrote", reader->name,
                           kind->what, kind->option);
    if (reader->count < MARGAY_WORDS_AHEAD)
        return fail_early(reader, MARGAY_WORDS_AHEAD + 1);
    if (reader->words[1] < kind->oldest || reader->words[1] > kind->version)
        return margay_fail(
            reader->error, MARGAY_BAD_ARGUMENT,
            "%s: a %s of version %" PRIu64 ", expected version %" PRIu64,
            reader->name, kind->what, reader->words[1], kind->version);
    return MARGAY_OK;
}

/* The number of words by the first ones; more of them may be needed. */
static enum margay_status read_words(struct word_reader *reader)
{
    uint64_t wanted;
    enum margay_status status = MARGAY_OK;
    while ((wanted = reader->kind->extent(reader->words, reader->count)) !=
           reader->count) {
        if (wanted > SIZE_MAX / WORD_BYTES - 1)
            return margay_words_fail(
                reader->name, reader->kind, reader->count, reader->error,
                "what stands before it is not what a %s has",
                reader->kind->what);
        status = read_up_to(reader, wanted);
        if (status == MARGAY_OK && reader->count < wanted)
            status = fail_early(reader, wanted + 1);
        if (status != MARGAY_OK)
            return status;
    }
    return status;
}

/* The checksum is the last word, and leaves with this. */
static enum margay_status check_sum(struct word_reader *reader)
{
    uint64_t sum = 0, words = reader->count;
    enum margay_status status = read_up_to(reader, words + 1);
    if (status != MARGAY_OK)
        return status;
    if (reader->count == words)
        return fail_early(reader, words + 1);
    for (uint64_t i = 0; i < words; i++)
        sum = mix(sum, reader->words[i]);
    reader->count = words;
    if (reader->words[words] != sum)
        return margay_words_fail(
            reader->name, reader->kind, words, reader->error,
            "found the checksum %016" PRIx64 ", expected %016" PRIx64,
            reader->words[words], sum);
    if (fgetc(reader->file) != EOF)
        return margay_words_fail(reader->name, reader->kind, words + 1,
                                 reader->error, "found more, expected the end");
    return MARGAY_OK;
}

enum margay_status margay_words_read(const char *path,
                                     const struct margay_word_kind *kind,
                                     uint64_t **words, size_t *count,
                                     struct margay_error *error)
{
    struct word_reader reader = {
        .file = fopen(path, "re"), .name = path, .kind = kind, .error = error};
    *words = NULL;
    if (reader.file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: %s", path, strerror(errno));
    enum margay_status status = read_ahead(&reader);
    if (status == MARGAY_OK)
        status = read_words(&reader);
    if (status == MARGAY_OK)
        status = check_sum(&reader);
    if (status == MARGAY_OK)
        *words = reader.words;
    else
        free(reader.words);
    *count = (size_t)reader.count;
    fclose(reader.file);
    return status;
}
