/*
 * words.h - files of 64-bit words that are read back by margay alone
 *
 * Little-endian: a magic number, a version, the words of the writer, and a
 * checksum.  A file that is damaged, cut short or of another kind is refused
 * before any of it is used.
 */
#ifndef MARGAY_SIM_RUN_WORDS_H
#define MARGAY_SIM_RUN_WORDS_H

#include <stdio.h>

#include <margay/traces.h>

/* The magic number and the version. */
#define MARGAY_WORDS_AHEAD 2

/* What no file's words can be. */
#define MARGAY_WORDS_IMPOSSIBLE UINT64_MAX

/* A kind of such files. */
struct margay_word_kind {
    uint64_t magic, version;
    uint64_t oldest;    /* the first version that is still read */
    const char *what;   /* "state" */
    const char *option; /* that writes them: "--save" */
    /* How many words a file has, without its checksum, by its first `count`
       words, MARGAY_WORDS_AHEAD of them at least: `count` when these are all,
       and MARGAY_WORDS_IMPOSSIBLE when they hold what no such file does.  A
       reader reads no more than that. */
    uint64_t (*extent)(const uint64_t *words, uint64_t count);
};

/* The first failure of the sink is kept, and nothing is written after it. */
struct margay_word_writer {
    struct margay_sink sink;
    uint64_t sum;
    enum margay_status status;
    struct margay_error error;
    size_t count; /* of `words`, not yet written */
    uint64_t words[1024];
};

/* Begin such a file: the magic number and the version. */
void margay_words_begin(struct margay_word_writer *writer,
                        const struct margay_sink *sink,
                        const struct margay_word_kind *kind);
void margay_words_put(struct margay_word_writer *writer, uint64_t word);
/* The checksum, and the first failure. */
enum margay_status margay_words_end(struct margay_word_writer *writer,
                                    struct margay_error *error);

/* All of a file but the checksum, in this machine's order, in a new array that
   the caller frees with free().  There are as many words as kind->extent()
   says.  MARGAY_IO, MARGAY_NO_MEMORY, MARGAY_BAD_INPUT; MARGAY_BAD_ARGUMENT for
   another version. */
enum margay_status margay_words_read(const char *path,
                                     const struct margay_word_kind *kind,
                                     uint64_t **words, size_t *count,
                                     struct margay_error *error);

/* MARGAY_BAD_INPUT, in a message with the file, the byte of word `at`, and the
   fault. */
enum margay_status margay_words_fail(const char *name,
                                     const struct margay_word_kind *kind,
                                     uint64_t at, struct margay_error *error,
                                     const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
