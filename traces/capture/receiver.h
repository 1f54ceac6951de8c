/*
 * receiver.h - what recorded programs send
 *
 * A receiver is made, its descriptors are left open in a program that finds
 * their numbers in its environment, and it is asked for words, or batches of
 * references, until MARGAY_END.  stream.h tells what passes between them.
 *
 * The references of one thread come in their order.  Those of several come in
 * pieces of a buffer or less, in the order in which the pieces were filled.
 *
 * Thread safety: one thread at a time per object.
 */
#ifndef MARGAY_TRACES_CAPTURE_RECEIVER_H
#define MARGAY_TRACES_CAPTURE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/traces.h>

#include "traces/capture/stream.h"
#include "traces/capture/words.h"

struct margay_receiver_options {
    /* Immediate repeats within blocks of so many bytes, a power of two, become
       counts; 0 = none do. */
    uint64_t collapse_bytes;
    bool sites; /* the address of the code of each reference */
    /* Functions: record from the first entry of the one to the first return
       from the other. */
    struct margay_code_range start, stop;
};

typedef struct margay_receiver margay_receiver;

/* MARGAY_IO or MARGAY_NO_MEMORY: no memory to share, or no descriptors.  The
   caller owns *receiver. */
enum margay_status margay_receiver_create(
    const struct margay_receiver_options *options, margay_receiver **receiver,
    struct margay_error *error);

/* "MARGAY_CAPTURE=...", for the environment of the program. */
const char *margay_receiver_environment(const margay_receiver *receiver);

/* In the child, before exec: leave the descriptors open. */
void margay_receiver_pass_on(const margay_receiver *receiver);

/* In the parent, once the program runs: the program's ends are its own. */
void margay_receiver_started(margay_receiver *receiver);

/*
 * Words that have come, waiting for them up to `wait_ms` milliseconds (-1 = for
 * ever).  MARGAY_OK: *words has 0 or more, which belong to the receiver and
 * stay valid until the next call; the program may yet write over them.
 * MARGAY_AGAIN: none yet.  MARGAY_END: the recorded processes have ended, and
 * all has been given.
 */
enum margay_status margay_receiver_next(margay_receiver *receiver, int wait_ms,
                                        struct margay_words *words,
                                        struct margay_error *error);

/* Whether they can be read without those that have come before. */
bool margay_receiver_words_stand_alone(const margay_receiver *receiver);

/* The same as a batch, once: its arrays stay valid until the next call. */
void margay_receiver_decode(margay_receiver *receiver,
                            struct margay_batch *batch);

/* The program has ended: what lies in the buffers of processes that are no
   more is given, those that still run are waited for, then comes the end. */
void margay_receiver_finish(margay_receiver *receiver);

/* No more is wanted: the programs go on unrecorded. */
void margay_receiver_stop(margay_receiver *receiver);

/* Processes that began to record, each exec anew. */
uint64_t margay_receiver_processes(const margay_receiver *receiver);

/* NULL is fine. */
void margay_receiver_free(margay_receiver *receiver);

#endif
