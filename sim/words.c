/* words.c - files of 64-bit words that are read back by margay alone */
#define _DEFAULT_SOURCE
#include "sim/words.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
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

void words_begin(struct word_writer *writer, struct output *output,
                 const struct word_kind *kind)
{
    *writer = (struct word_writer){.output = output};
    words_put(writer, kind->magic);
    words_put(writer, kind->version);
}

void words_put(struct word_writer *writer, uint64_t word)
{
    uint64_t bytes = htole64(word);
    memcpy(output_room(writer->output, sizeof bytes), &bytes, sizeof bytes);
    output_add(writer->output, sizeof bytes);
    writer->sum = mix(writer->sum, word);
}

void words_end(struct word_writer *writer)
{
    words_put(writer, writer->sum);
}

/* -------------------------------------------------------------- reading -- */

/* All of the file, in a new array; *bytes may not be whole words. */
static enum margay_status read_bytes(FILE *file, const char *name,
                                     const struct word_kind *kind,
                                     uint64_t **words, size_t *bytes,
                                     struct margay_error *error)
{
    size_t capacity = (size_t)1 << 16, got;
    char *buffer = NULL, *grown;
    *bytes = 0;
    do {
        grown = realloc(buffer, capacity *= 2);
        if (grown == NULL)
            break;
        buffer = grown;
        got = fread(buffer + *bytes, 1, capacity - *bytes, file);
        *bytes += got;
    } while (got > 0);
    *words = (uint64_t *)(void *)buffer;
    if (grown == NULL)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "%s: out of memory (a saved %s)", name, kind->what);
    if (ferror(file))
        return margay_fail(error, MARGAY_IO, "%s: %s", name, strerror(errno));
    return MARGAY_OK;
}

static enum margay_status check_sum(const char *name,
                                    const struct word_kind *kind,
                                    uint64_t *words, size_t bytes,
                                    size_t *count, struct margay_error *error)
{
    uint64_t sum = 0;
    if (bytes < 8 || le64toh(words[0]) != kind->magic)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: not a %s that %s wrote", name, kind->what,
                           kind->option);
    if (bytes >= 16 && le64toh(words[1]) != kind->version)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a %s of version %" PRIu64
                           ", expected version %" PRIu64,
                           name, kind->what, le64toh(words[1]), kind->version);
    *count = bytes / 8;
    for (size_t i = 0; i < *count; i++) {
        words[i] = le64toh(words[i]);
        if (i + 1 < *count)
            sum = mix(sum, words[i]);
    }
    if (bytes % 8 == 0 && *count > 2 && sum == words[--*count])
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: the %s is damaged or cut short: the checksum at "
                       "the end of its %zu bytes is wrong",
                       name, kind->what, bytes);
}

enum margay_status words_read_stream(FILE *file, const char *name,
                                     const struct word_kind *kind,
                                     uint64_t **words, size_t *count,
                                     struct margay_error *error)
{
    size_t bytes;
    enum margay_status status =
        read_bytes(file, name, kind, words, &bytes, error);
    if (status == MARGAY_OK)
        status = check_sum(name, kind, *words, bytes, count, error);
    if (status != MARGAY_OK) {
        free(*words);
        *words = NULL;
    }
    return status;
}

enum margay_status words_read(const char *path, const struct word_kind *kind,
                              uint64_t **words, size_t *count,
                              struct margay_error *error)
{
    FILE *file = fopen(path, "re");
    *words = NULL;
    if (file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: %s", path, strerror(errno));
    enum margay_status status =
        words_read_stream(file, path, kind, words, count, error);
    fclose(file);
    return status;
}
