/*
 * receiver.h - the references that recorded programs send
 *
 * The user makes a receiver, leaves its descriptors open in a program that
 * finds their numbers in its environment, and asks for words, or batches of
 * references, until MARGAY_END.  stream.h defines the protocol of program and
 * receiver.
 *
 * The references of one thread come in their order.  Those of several threads
 * come in pieces of at most a buffer, in the order in which the pieces were
 * filled.
 *
 * Thread safety: one thread at a time uses an object.
 */
#ifndef MARGAY_TRACES_CAPTURE_RECEIVER_H
#define MARGAY_TRACES_CAPTURE_RECEIVER_H

#include "traces/capture/stream.h"
#include "traces/formats/data.h"
#include "traces/formats/words.h"

struct margay_receiver_options {
    /* Record the call site of each reference: the address of its code. */
    bool sites;
    /* Record events of data, too; needs `sites`. */
    bool data;
    /* Functions: record from the first entry of `start` to the first return
       from `stop`. */
    struct margay_code_range start, stop;
    /* All processes that come of the program are recorded, also before they
       have the memory. */
    bool records_all;
    /* Does a program, by the path of its file, record itself?  The receiver
       waits for those that are still being loaded.  NULL = none does. */
    bool (*records_itself)(const char *program);
};

typedef struct margay_receiver margay_receiver;

/* Fails with MARGAY_IO (no shared memory, or no descriptors) or
   MARGAY_NO_MEMORY.  The caller owns *receiver. */
enum margay_status margay_receiver_create(
    const struct margay_receiver_options *options, margay_receiver **receiver,
    struct margay_error *error);

/* "MARGAY_CAPTURE=...", for the environment of the program. */
const char *margay_receiver_environment(const margay_receiver *receiver);

/* In the child, before exec: leave the descriptors open. */
void margay_receiver_pass_on(const margay_receiver *receiver);

/* In the parent, once the program runs: close the end of a pipe that only the
   program uses. */
void margay_receiver_started(margay_receiver *receiver);

/* The next words, after a wait of up to `wait_ms` milliseconds (-1 = for ever).
   MARGAY_OK: *words has 0 or more words, which belong to the receiver and stay
   until the next call; the program may still write over them.  MARGAY_AGAIN: no
   words have come yet.  MARGAY_END: the recorded processes have ended, and all
   words have been given. */
enum margay_status margay_receiver_next(margay_receiver *receiver, int wait_ms,
                                        struct margay_words *words,
                                        struct margay_error *error);

/* True if the words just given can be decoded without earlier words. */
bool margay_receiver_words_stand_alone(const margay_receiver *receiver);

/* Decode the words just given, once, into a batch.  Returns the events of data
   among them, in their order, and their number in *events, which may be NULL.
   All arrays stay valid until the next call. */
const struct margay_data_event *margay_receiver_decode(
    margay_receiver *receiver, struct margay_batch *batch, size_t *events);

/* The program has ended.  The receiver now gives the words in the buffers of
   dead processes, waits for recorded processes that still run, and ends.
   `alone`: no process is left, or none is to be waited for. */
void margay_receiver_finish(margay_receiver *receiver, bool alone);

/* Stop recording; the programs go on. */
void margay_receiver_stop(margay_receiver *receiver);

/* The path of module `number`, of MARGAY_CAPTURED_PATH_BYTES bytes, as it is
   known so far: none where a process is naming the module, or was killed then.
   False: there are at most that many modules. */
bool margay_receiver_module(const margay_receiver *receiver, unsigned number,
                            char *path);

/* Facts about a recording, so far. */
struct margay_receiver_facts {
    /* Programs that began to record. */
    uint64_t programs;
    /* Processes that could not send all of their references. */
    uint64_t lost[MARGAY_LOSSES];
    /* Of the words in buffers that became full, how many have not come: after
       MARGAY_END, and unless a process is recorded still, words are lost where
       this is not 0. */
    uint64_t missing;
    /* Whether references are recorded, as the functions to start at and to stop
       at decide, and margay_receiver_stop(). */
    enum margay_quiet quiet;
    bool saw_end; /* the tool that ran the first program reported its end */
};
struct margay_receiver_facts margay_receiver_facts(
    const margay_receiver *receiver);

/* NULL is fine. */
void margay_receiver_free(margay_receiver *receiver);

#endif
