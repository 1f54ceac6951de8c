/* receiving.h - a receiver, what it gets, and a program's buffers by hand */
#ifndef MARGAY_TESTS_CAPTURE_RECEIVING_H
#define MARGAY_TESTS_CAPTURE_RECEIVING_H

#include <sched.h>
#include <stdlib.h>

#include "tests/capture/program.h"

static inline margay_receiver *make_with(struct program *program,
                                         struct margay_receiver_options options)
{
    margay_receiver *receiver;
    struct margay_error error;
    if (margay_receiver_create(&options, &receiver, &error) != MARGAY_OK ||
        !program_attach(program, receiver)) {
        printf("Bail out! no receiver: %s\n", error.message);
        exit(1);
    }
    margay_receiver_started(receiver);
    return receiver;
}

static inline margay_receiver *make(struct program *program)
{
    return make_with(program, (struct margay_receiver_options){.sites = false});
}

/* The addresses that come until none does, in their order. */
static inline size_t drain(margay_receiver *receiver, uint64_t *addresses,
                           size_t most, enum margay_status *status)
{
    struct margay_words words;
    struct margay_batch batch;
    struct margay_error error;
    size_t count = 0;
    while ((*status = margay_receiver_next(receiver, 1, &words, &error)) ==
           MARGAY_OK) {
        margay_receiver_decode(receiver, &batch);
        for (size_t i = 0; i < batch.references && count < most; i++)
            addresses[count++] = batch.numbers[i];
    }
    return count;
}

static inline void fill(struct program *program, uint32_t buffer,
                        uint64_t first, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        program->buffers[buffer][i] = margay_word(first + i, MARGAY_READ, 8);
}

static inline bool is_sequence(const uint64_t *addresses, size_t count,
                               uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        if (addresses[i] != first + i)
            return false;
    }
    return true;
}

/* Take a buffer, as the runtime does; the test makes as many as there are at
   first. */
static inline uint32_t take(struct program *program, uint32_t process,
                            uint32_t thread)
{
    const struct margay_slot_owner owner = {process, 0, thread};
    uint32_t buffer;
    while (!margay_slots_take(program->capture, &owner, &buffer)) {
        if (margay_slots_wakes(program->capture, true))
            program_send(program, MARGAY_MESSAGE_LOOK, process, 0);
        sched_yield();
    }
    margay_slots_open(program->capture, buffer, &owner,
                      program->buffers[buffer]);
    return buffer;
}

/* What a test works with: a program, its receiver, what came of it last. */
static struct program program;
static margay_receiver *receiver;
static enum margay_status status;
static uint64_t got[2 * MARGAY_BUFFER_WORDS];

static inline void begin(void)
{
    receiver = make(&program);
}

static inline void end(void)
{
    program_release(&program);
    margay_receiver_free(receiver);
}

/* Do `count` addresses come now, from `first` on? */
static inline bool come(size_t count, uint64_t first)
{
    return drain(receiver, got, sizeof got / sizeof *got, &status) == count &&
           is_sequence(got, count, first);
}

#endif
