/* test_receiver.c - what programs send, and what they had better not */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "tests/capture/program.h"
#include "tests/tap.h"
#include "traces/capture/decode.h"

#define CONTROL(what, payload)                                 \
    ((uint64_t)MARGAY_WORD_CONTROL << MARGAY_WORD_KIND_SHIFT | \
     (uint64_t)(what) << MARGAY_WORD_BYTES_SHIFT | (uint64_t)(payload))
#define WORD(kind, bytes, address)                \
    ((uint64_t)(kind) << MARGAY_WORD_KIND_SHIFT | \
     (uint64_t)(bytes) << MARGAY_WORD_BYTES_SHIFT | (uint64_t)(address))
#define REPEATS(reads, writes)      \
    CONTROL(MARGAY_CONTROL_REPEATS, \
            (uint64_t)(reads) | (uint64_t)(writes) << MARGAY_REPEATS_BITS)

/* ---------------------------------------------------------------- decode -- */

static uint64_t numbers[64], sites[64];
static uint8_t kinds[64];
static uint32_t extents[64], counts[64], threads[64];
static struct margay_references references = {.numbers = numbers,
                                              .kinds = kinds,
                                              .extents = extents,
                                              .counts = counts,
                                              .threads = threads,
                                              .sites = sites,
                                              .capacity = 64};

static void test_decode(void)
{
    static const uint64_t words[] = {
        REPEATS(5, 5), /* of nothing */
        WORD(MARGAY_READ, 4, 0x1000),
        0, /* a hole */
        WORD(MARGAY_WRITE, 0, 0xffffffffffffff),
        REPEATS(0, 7),
        CONTROL(MARGAY_CONTROL_SITE, 0x400123),
        WORD(MARGAY_FETCH, 63, 1),
        CONTROL(9, 99), /* means nothing */
        WORD(MARGAY_READ, 8, 0x2000),
        REPEATS(2, 3),
        REPEATS(1, 0),
    };
    struct margay_decoding decoding = {0};
    references.count = 0;
    margay_decode_words(&decoding, words, 11, &references);
    CHECK_U64(references.count, 6, "references, and repeats of another kind");
    CHECK(numbers[0] == 0x1000 && kinds[0] == MARGAY_READ && extents[0] == 4 &&
              counts[0] == 1 && sites[0] == 0,
          "a read");
    CHECK(numbers[1] == 0xffffffffffffff && kinds[1] == MARGAY_WRITE &&
              extents[1] == 64 && counts[1] == 8,
          "a write at the highest address, and its repeats");
    CHECK(kinds[2] == MARGAY_FETCH && extents[2] == 63 && sites[2] == 0x400123,
          "a fetch by known code");
    CHECK(numbers[3] == 0x2000 && counts[3] == 3, "a read, and repeats of it");
    CHECK(numbers[4] == 0x2000 && kinds[4] == MARGAY_WRITE && counts[4] == 3,
          "writes of the same block");
    CHECK(kinds[5] == MARGAY_READ && counts[5] == 1, "and a read once more");
    margay_decode_words(&decoding, words, 11, &references);
    CHECK_U64(references.count, 6, "nothing twice");
}

/* --------------------------------------------------------------- receiver --
 */

static margay_receiver *make(struct program *program, uint64_t collapse_bytes)
{
    struct margay_receiver_options options = {.collapse_bytes = collapse_bytes};
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

/* The addresses that come until nothing does, in their order. */
static size_t drain(margay_receiver *receiver, uint64_t *addresses, size_t most,
                    enum margay_status *status)
{
    struct margay_batch batch;
    struct margay_error error;
    size_t count = 0;
    while ((*status = margay_receiver_next(receiver, 1, &batch, &error)) ==
           MARGAY_OK) {
        for (size_t i = 0; i < batch.references && count < most; i++)
            addresses[count++] = batch.numbers[i];
    }
    return count;
}

static void fill(struct program *program, uint32_t buffer, uint64_t first,
                 uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        program->buffers[buffer][i] = WORD(MARGAY_READ, 8, first + i);
}

static bool is_sequence(const uint64_t *addresses, size_t count, uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        if (addresses[i] != first + i)
            return false;
    }
    return true;
}

/* A thread's second buffer must not be looked into while its first one is on
   its way, whichever of them has the lower number. */
static void test_order(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 3, me, 0);
    program_own(&program, 1, me, 0);
    program_own(&program, 2, me, 7);
    fill(&program, 3, 100, 10);
    fill(&program, 1, 110, 5);
    fill(&program, 2, 900, 2);
    program_send(&program, MARGAY_MESSAGE_FULL, 3, 10, me);
    size_t count = drain(receiver, got, 64, &status);
    CHECK_U64(count, 17, "all that was written");
    CHECK(is_sequence(got, 2, 900), "another thread comes first");
    CHECK(is_sequence(got + 2, 15, 100), "a thread's buffers in their order");
    CHECK_U64(status, MARGAY_AGAIN, "more may come");
    fill(&program, 1, 110, 8);
    program_send(&program, MARGAY_MESSAGE_FULL, 1, 8, me);
    CHECK(drain(receiver, got, 64, &status) == 3 && is_sequence(got, 3, 115),
          "only what is new of a buffer that was looked into");
    program_close(&program);
    count = drain(receiver, got, 64, &status);
    CHECK(count == 0 && status == MARGAY_END, "the end");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* A repeat may still be added to the last reference. */
static void test_repeats(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 64);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 0, me, 0);
    fill(&program, 0, 5, 2);
    program.buffers[0][2] = REPEATS(1, 0);
    CHECK_U64(drain(receiver, got, 64, &status), 1, "the last one is left");
    program.buffers[0][2] = REPEATS(1, 2);
    program_send(&program, MARGAY_MESSAGE_FULL, 0, 3, me);
    struct margay_batch batch;
    struct margay_error error;
    status = margay_receiver_next(receiver, 1, &batch, &error);
    CHECK(status == MARGAY_OK && batch.references == 2 &&
              batch.counts[0] == 2 && batch.counts[1] == 2 &&
              batch.kinds[1] == MARGAY_WRITE,
          "with all its repeats");
    program_release(&program);
    margay_receiver_free(receiver);
}

static void test_the_dead(void)
{
    /* Before there is anything that the child would seem to have lost. */
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    program_own(&program, 4, (uint32_t)child, 0);
    fill(&program, 4, 50, 9);
    program.buffers[4][12] = WORD(MARGAY_READ, 8, 59);
    program_own(&program, 5, (uint32_t)getpid(), 1);
    waitpid(child, NULL, 0);
    margay_receiver_finish(receiver);
    size_t count = drain(receiver, got, 64, &status);
    CHECK(count == 10 && is_sequence(got, 10, 50),
          "what a dead process left, whatever holes are in it");
    CHECK_U64(status, MARGAY_AGAIN, "others are waited for");
    program_own(&program, 5, 0, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "until there are none");
    program_release(&program);
    margay_receiver_free(receiver);
}

static void test_harm(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    program_send(&program, MARGAY_MESSAGE_FULL, 99, 8, 1);
    program_send(&program, MARGAY_MESSAGE_FULL, UINT32_MAX, 8, 1);
    program_send(&program, MARGAY_MESSAGE_FULL, 0, MARGAY_BUFFER_WORDS + 1, 1);
    program_send(&program, 77, 0, 0, 0);
    program_own(&program, MARGAY_MAX_BUFFERS - 1, 1, 1);
    CHECK_U64(drain(receiver, got, 64, &status), 0, "senseless messages");
    for (int i = 0; i < 40; i++)
        program_send(&program, MARGAY_MESSAGE_WANT, 0, 0, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "wanting what is there");
    uint32_t number;
    int count = 0;
    while (read(program.free_end, &number, sizeof number) > 0)
        count++;
    CHECK_U64(count, 16, "brings no more than there are");
    program_send(&program, MARGAY_MESSAGE_WANT, 0, 0, 1);
    drain(receiver, got, 64, &status);
    CHECK(read(program.free_end, &number, sizeof number) == sizeof number &&
              number == 16,
          "one more when there are none");
    program_release(&program);
    margay_receiver_free(receiver);
}

int main(void)
{
    test_decode();
    test_order();
    test_repeats();
    test_the_dead();
    test_harm();
    return tap_done();
}
