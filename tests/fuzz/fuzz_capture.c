/* fuzz_capture.c - a program that writes what it likes into the recorder */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

#include "tests/capture/program.h"
#include "tests/fuzz/fuzz.h"

/* A step: a byte says what, eight are a number. */
#define STEP_BYTES 9

static void take(margay_receiver *receiver)
{
    struct margay_words words;
    struct margay_batch batch;
    struct margay_error error;
    if (margay_receiver_next(receiver, 0, &words, &error) != MARGAY_OK)
        return;
    if (words.count > MARGAY_BUFFER_WORDS)
        fuzz_fail("%u words of a buffer", (unsigned)words.count);
    uint64_t references = margay_words_references(&words);
    margay_receiver_decode(receiver, &batch, NULL);
    if (batch.references != references)
        fuzz_fail("references that were counted otherwise");
    for (size_t i = 0; i < batch.references; i++) {
        if (batch.kinds[i] >= MARGAY_KINDS || batch.extents[i] == 0 ||
            batch.extents[i] > MARGAY_WORD_MAX_BYTES)
            fuzz_fail("reference %zu makes no sense", i);
    }
}

/* Processes 1 and 2^31 + something: one that lives, some that cannot be. */
static void step(struct program *program, margay_receiver *receiver,
                 unsigned what, uint64_t number, uint32_t *at)
{
    uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32);
    switch (what % 8) {
    case 0:
        program->buffers[*at / MARGAY_BUFFER_WORDS % PROGRAM_BUFFERS]
                        [*at % MARGAY_BUFFER_WORDS] = number;
        ++*at;
        break;
    case 1:
        *at = low % (PROGRAM_BUFFERS * MARGAY_BUFFER_WORDS);
        break;
    case 2:
        program_own(program, low % 20, high % 3 == 0 ? 0 : high | 0x80000000,
                    high >> 8);
        break;
    case 3:
        program_own(program, low % 20, 1, high);
        break;
    case 4:
        program_ring(program);
        break;
    case 6:
        program_fill(program, low % 20, high, 1);
        break;
    case 7: /* any word of what both sides share */
        ((volatile uint8_t *)
             program->capture)[offsetof(struct margay_capture, buffers) +
                               low % (20 * sizeof(struct margay_slot))] =
            (uint8_t)high;
        break;
    default:
        take(receiver);
        break;
    }
}

void fuzz_capture(const char *name, const uint8_t *data, size_t bytes)
{
    struct program program;
    margay_receiver *receiver;
    struct margay_error error;
    const struct margay_receiver_options options = {
        .sites = bytes % 3 == 0,
    };
    uint32_t at = 0;
    (void)name;
    if (margay_receiver_create(&options, &receiver, &error) != MARGAY_OK ||
        !program_attach(&program, receiver))
        fuzz_fail("no receiver");
    margay_receiver_started(receiver);
    /* Fewer than the pipe has room for. */
    for (size_t i = 0; i + STEP_BYTES <= bytes && i < 2000 * STEP_BYTES;
         i += STEP_BYTES) {
        uint64_t number;
        memcpy(&number, data + i + 1, sizeof number);
        step(&program, receiver, data[i], number, &at);
    }
    program_close(&program);
    margay_receiver_finish(receiver, false);
    enum margay_status status = MARGAY_OK;
    struct margay_words words;
    for (int i = 0; status != MARGAY_END; i++) {
        status = margay_receiver_next(receiver, 0, &words, &error);
        if (i == 1000)
            margay_receiver_finish(receiver, true);
        if (i > 100000)
            fuzz_fail("it does not end");
    }
    program_release(&program);
    margay_receiver_free(receiver);
}
