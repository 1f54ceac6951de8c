/*
 * words.h - recorded words, written to a trace as they are
 *
 * The format `words` takes the words of a recorder without decoding them, which
 * makes it the fastest format for a pipe.
 */
#ifndef MARGAY_TRACES_FORMATS_WORDS_H
#define MARGAY_TRACES_FORMATS_WORDS_H

#include <margay/traces.h>

struct margay_relay; /* traces/capture/relay.h */

/* Consecutive words of one thread, as traces/capture/stream.h defines them. */
struct margay_words {
    const uint64_t *words;
    uint32_t count;  /* at most MARGAY_BUFFER_WORDS */
    uint32_t thread; /* numbered from 0 on */
    bool sites;      /* some words are call sites */
    /* Where the reader of the trace may find them; NULL = in the trace.  The
       same for all words of a trace. */
    struct margay_relay *relay;
};

/* True if the format of the writer consists of such words. */
bool margay_writer_takes_words(const margay_writer *writer);

/* Write the words.  Only for a writer that takes words. */
enum margay_status margay_writer_put_words(margay_writer *writer,
                                           const struct margay_words *words,
                                           struct margay_error *error);

/* The number of references among the words. */
uint64_t margay_words_references(const struct margay_words *words);

#endif
