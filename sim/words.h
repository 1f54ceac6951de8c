/*
 * words.h - files of 64-bit words that are read back by margay alone
 *
 * Little-endian: a magic number, a version, whatever the writer puts, and a
 * checksum of all that.  A file that is damaged, cut short or of another kind
 * is told as such before anything in it is believed.
 */
#ifndef MARGAY_SIM_WORDS_H
#define MARGAY_SIM_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/output.h"

/* A kind of such files. */
struct word_kind {
    uint64_t magic, version;
    const char *what;   /* "state" */
    const char *option; /* that writes them: "--save" */
};

struct word_writer {
    struct output *output;
    uint64_t sum;
};

/* Begin such a file: the magic number and the version. */
void words_begin(struct word_writer *writer, struct output *output,
                 const struct word_kind *kind);
void words_put(struct word_writer *writer, uint64_t word);
void words_end(struct word_writer *writer);

/*
 * All of a file but the checksum, in this machine's order, in a new array that
 * the caller frees with free().  There are two words at least.  MARGAY_IO,
 * MARGAY_NO_MEMORY, MARGAY_BAD_INPUT; MARGAY_BAD_ARGUMENT for another version.
 */
enum margay_status words_read(const char *path, const struct word_kind *kind,
                              uint64_t **words, size_t *count,
                              struct margay_error *error);

/* The same, of a file that is open; `name` is what messages call it. */
enum margay_status words_read_stream(FILE *file, const char *name,
                                     const struct word_kind *kind,
                                     uint64_t **words, size_t *count,
                                     struct margay_error *error);

#endif
