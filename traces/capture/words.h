/*
 * words.h - recorded words on their way into a trace, as they are
 *
 * What a recorder has written, the format `words` takes without a look: that
 * is what makes it the quickest for a pipe.
 */
#ifndef MARGAY_TRACES_CAPTURE_WORDS_H
#define MARGAY_TRACES_CAPTURE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/traces.h>

/* Words of one thread, MARGAY_BUFFER_WORDS at most. */
struct margay_words {
    const uint64_t *words;
    uint32_t count;
    uint32_t thread;
    bool sites;   /* there are words that tell them */
    bool repeats; /* words may have some */
};

/* Whether a writer's format is made of such words. */
bool margay_writer_takes_words(const margay_writer *writer);

/* Write them; only if it does. */
enum margay_status margay_writer_put_words(margay_writer *writer,
                                           const struct margay_words *words,
                                           struct margay_error *error);

/* The references that they stand for, repeats included. */
uint64_t margay_words_references(const struct margay_words *words);

#endif
