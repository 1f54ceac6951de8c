/* test_receiver.c - what programs send, and what they must not send */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/capture/program.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/base/random.h"
#include "traces/capture/decode.h"

/* A read or a write, and how often it is repeated. */
#define REPEATED(word, reads, writes) \
    ((word) | (uint64_t)(reads) << 48 | (uint64_t)(writes) << 52)

/* ---------------------------------------------------------------- decode -- */

static uint64_t numbers[256], sites[256];
static uint8_t kinds[256];
static uint32_t extents[256], counts[256], threads[256];
static struct margay_references references = {.numbers = numbers,
                                              .kinds = kinds,
                                              .extents = extents,
                                              .counts = counts,
                                              .threads = threads,
                                              .sites = sites,
                                              .capacity = 256};

/* More words than a piece; every third is what `odd` says. */
static void decode_many(uint64_t odd, struct margay_references *to)
{
    uint64_t words[130];
    struct margay_decoding decoding = {0};
    to->count = 0;
    for (uint32_t i = 0; i < 130; i++)
        words[i] = i % 3 == 2 ? odd : margay_word(i + 1, i % 3, 1 + i % 64);
    margay_decode_words(&decoding, words, 130, to, NULL);
}

/* Pieces of references only are decoded by other code. */
static void test_pieces(void)
{
    bool same = true;
    decode_many(margay_word(9, MARGAY_FETCH, 64), &references);
    for (size_t i = 0; i < 130; i++)
        same = same && counts[i] == 1 && sites[i] == 0 && kinds[i] == i % 3 &&
               numbers[i] == (i % 3 == 2 ? 9 : i + 1) &&
               extents[i] == (i % 3 == 2 ? 64 : 1 + i % 64);
    CHECK(same && references.count == 130, "many references");
    decode_many(0, &references);
    CHECK(references.count == 87 && numbers[86] == 130 && kinds[2] == 0,
          "and holes among them");
    decode_many(margay_control_word(MARGAY_CONTROL_SITE, 77), &references);
    CHECK(references.count == 87 && sites[1] == 0 && sites[2] == 77,
          "and words about others");
    decode_many(REPEATED(margay_word(9, MARGAY_WRITE, 1), 2, 3), &references);
    CHECK(references.count == 173 && counts[2] == 4 && kinds[2] == 1 &&
              counts[3] == 2 && kinds[3] == 0 && numbers[3] == 9,
          "and repeats of another kind");
    struct margay_references bare = {
        .numbers = numbers, .counts = counts, .capacity = 256};
    decode_many(REPEATED(margay_word(9, MARGAY_WRITE, 1), 2, 3), &bare);
    CHECK(bare.count == 130 && counts[2] == 6 && counts[3] == 1 &&
              numbers[5] == 9,
          "which are one where kinds do not matter");
}

/* Sites in slots: a slot holds what was last stated for it.  References with
   few slots, so that whole pieces of them come without a site. */
#define SLOT_WORDS 200

struct slot_case {
    uint64_t words[SLOT_WORDS];
    uint64_t sites[SLOT_WORDS]; /* of the references, as expected */
    uint32_t first;             /* references before word `cut` */
    uint32_t cut, references;
};

static void make_slot_case(struct slot_case *test, struct margay_random *random)
{
    uint64_t held[MARGAY_SITE_SLOTS] = {0};
    uint64_t few = 1 + margay_random_below(random, MARGAY_SITE_SLOTS);
    uint64_t rare = 1 + margay_random_below(random, 300);
    test->cut = (uint32_t)margay_random_below(random, SLOT_WORDS + 1);
    test->first = test->references = 0;
    for (uint32_t i = 0; i < SLOT_WORDS; i++) {
        uint64_t slot = margay_random_below(random, few);
        if (i == test->cut)
            test->first = test->references;
        if (i + 1 < SLOT_WORDS && margay_random_below(random, rare) == 0) {
            bool event = margay_random_below(random, 4) == 0;
            if (event)
                slot = 0;
            held[slot] = margay_random_below(random, 1 << 20);
            test->words[i++] =
                margay_control_word(MARGAY_CONTROL_SITE, held[slot]);
            if (i == test->cut)
                test->first = test->references;
            if (event) {
                test->words[i] = margay_control_word(MARGAY_CONTROL_DATA, 5);
                continue;
            }
        }
        test->sites[test->references++] = held[slot];
        test->words[i] =
            margay_word(i, MARGAY_READ, 4) | slot << MARGAY_SLOT_SHIFT;
    }
    if (test->cut == SLOT_WORDS)
        test->first = test->references;
}

static void test_slots(void)
{
    struct margay_references bare = {
        .numbers = numbers, .sites = sites, .capacity = 256};
    struct margay_random random;
    struct slot_case test;
    uint64_t wrong = 0;
    margay_random_seed(&random, 5);
    for (uint64_t round = 0; round < rounds(4000); round++) {
        struct margay_decoding decoding = {.slots = true};
        make_slot_case(&test, &random);
        bare.count = 0;
        if (round % 2 == 0)
            margay_decode_words(&decoding, test.words, test.cut, &bare, NULL);
        else
            margay_decode_controls(&decoding, test.words, test.cut);
        uint32_t from = round % 2 == 0 ? 0 : test.first;
        margay_decode_words(&decoding, test.words, SLOT_WORDS, &bare, NULL);
        wrong +=
            bare.count != test.references - from ||
            memcmp(sites, test.sites + from, bare.count * sizeof *sites) != 0;
    }
    CHECK_U64(wrong, 0, "sites are found in their slots");
}

static void test_decode(void)
{
    const uint64_t words[] = {
        margay_word(0x1000, MARGAY_READ, 4),
        0, /* a hole */
        REPEATED(margay_word(0xffffffffffff, MARGAY_WRITE, 64), 0, 7),
        margay_control_word(MARGAY_CONTROL_SITE, 0x400123),
        REPEATED(margay_word(1, MARGAY_FETCH, 63), 5, 5), /* has none */
        margay_control_word(9, 99),                       /* means nothing */
        REPEATED(margay_word(0x2000, MARGAY_READ, 8), 2, 3),
        margay_control_word(MARGAY_CONTROL_ABOVE, 0x1ffff),
        margay_word(0x2000, MARGAY_READ, 8),
    };
    struct margay_decoding decoding = {0};
    references.count = 0;
    margay_decode_words(&decoding, words, 9, &references, NULL);
    CHECK_U64(references.count, 6, "references, and repeats of another kind");
    CHECK(numbers[0] == 0x1000 && kinds[0] == MARGAY_READ && extents[0] == 4 &&
              counts[0] == 1 && sites[0] == 0,
          "a read");
    CHECK(numbers[1] == 0xffffffffffff && kinds[1] == MARGAY_WRITE &&
              extents[1] == 64 && counts[1] == 8,
          "a write at the highest address, and its repeats");
    CHECK(kinds[2] == MARGAY_FETCH && extents[2] == 63 && counts[2] == 1 &&
              sites[2] == 0x400123,
          "a fetch by known code");
    CHECK(numbers[3] == 0x2000 && counts[3] == 3, "a read, and repeats of it");
    CHECK(numbers[4] == 0x2000 && kinds[4] == MARGAY_WRITE && counts[4] == 3,
          "writes of the same block");
    CHECK(numbers[5] == UINT64_C(0xffff000000002000), "a higher address");
    margay_decode_words(&decoding, words, 9, &references, NULL);
    CHECK_U64(references.count, 6, "nothing twice");
    test_pieces();
    test_slots();
}

/* --------------------------------------------------------------- receiver --
 */

static margay_receiver *make_with(struct program *program,
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

static margay_receiver *make(struct program *program, uint64_t collapse_bytes)
{
    return make_with(program, (struct margay_receiver_options){
                                  .collapse_bytes = collapse_bytes});
}

/* The addresses that come until none does, in their order. */
static size_t drain(margay_receiver *receiver, uint64_t *addresses, size_t most,
                    enum margay_status *status)
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

static void fill(struct program *program, uint32_t buffer, uint64_t first,
                 uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        program->buffers[buffer][i] = margay_word(first + i, MARGAY_READ, 8);
}

static bool is_sequence(const uint64_t *addresses, size_t count, uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        if (addresses[i] != first + i)
            return false;
    }
    return true;
}

/* The second buffer of a thread must not be read while a message about the
   first one is on its way, whichever of them has the lower number. */
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
    program_fill(&program, 3, 10, me);
    size_t count = drain(receiver, got, 64, &status);
    CHECK_U64(count, 17, "all that was written");
    CHECK(is_sequence(got, 2, 900), "another thread comes first");
    CHECK(is_sequence(got + 2, 15, 100), "a thread's buffers in their order");
    CHECK_U64(status, MARGAY_AGAIN, "more may come");
    fill(&program, 1, 110, 8);
    program_fill(&program, 1, 8, me);
    CHECK(drain(receiver, got, 64, &status) == 3 && is_sequence(got, 3, 115),
          "only what is new of a buffer that was looked into");
    program_close(&program);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "who has closed the pipe may come back");
    margay_receiver_finish(receiver, true);
    count = drain(receiver, got, 64, &status);
    CHECK(count == 0 && status == MARGAY_END, "the end");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* References in one block become one word, with counts. */
static void test_repeats(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 64);
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 0, me, 0);
    fill(&program, 0, 5, 2);
    program.buffers[0][2] = margay_word(8, MARGAY_WRITE, 4);
    program_fill(&program, 0, 3, me);
    struct margay_words words;
    struct margay_batch batch;
    struct margay_error error;
    enum margay_status status =
        margay_receiver_next(receiver, 1, &words, &error);
    CHECK(status == MARGAY_OK && words.count == 1 && words.repeats &&
              margay_words_references(&words) == 3,
          "as a word");
    margay_receiver_decode(receiver, &batch);
    CHECK(batch.references == 2 && batch.counts[0] == 2 &&
              batch.counts[1] == 1 && batch.kinds[1] == MARGAY_WRITE,
          "with all its repeats");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* Two places in a loop, so that each reference is told with its site. */
static void test_sited_repeats(void)
{
    struct program program;
    margay_receiver *receiver = make_with(
        &program,
        (struct margay_receiver_options){.collapse_bytes = 64, .sites = true});
    uint32_t me = (uint32_t)getpid(), count = 0;
    uint64_t *words = program.buffers[0];
    program_own(&program, 0, me, 0);
    for (uint64_t i = 0; count < MARGAY_BUFFER_WORDS; i++) {
        if (i < 2)
            words[count++] = margay_control_word(MARGAY_CONTROL_SITE, 70 + i);
        words[count++] = margay_word(64 * i, MARGAY_READ, 8) |
                         (1 + i % 2) << MARGAY_SLOT_SHIFT;
    }
    program_fill(&program, 0, count, me);
    struct margay_words given;
    struct margay_batch batch;
    struct margay_error error;
    uint64_t found = 0, wrong = 0;
    while (margay_receiver_next(receiver, 0, &given, &error) == MARGAY_OK) {
        margay_receiver_decode(receiver, &batch);
        wrong += given.count > MARGAY_BUFFER_WORDS;
        for (size_t i = 0; i < batch.references; i++, found++)
            wrong += batch.numbers[i] != 64 * found || batch.counts[i] != 1 ||
                     batch.sites[i] != 70 + found % 2;
    }
    CHECK(found == MARGAY_BUFFER_WORDS - 2 && wrong == 0,
          "no reference is lost among the sites of a full buffer");
    program_release(&program);
    margay_receiver_free(receiver);
}

#define HURRIED_BUFFERS 30000
#define HURRIED_WORDS   3

/* Take a buffer, as the runtime does; the test makes as many as there are at
   first. */
static uint32_t take(struct program *program, uint32_t process, uint32_t thread)
{
    const struct margay_slot_owner owner = {process, 0, thread};
    uint32_t buffer;
    while (!margay_slots_take(program->capture, process, &buffer)) {
        if (margay_slots_wakes(program->capture, true))
            program_send(program, MARGAY_MESSAGE_LOOK, process, 0);
        sched_yield();
    }
    margay_slots_open(program->capture, buffer, &owner,
                      program->buffers[buffer]);
    return buffer;
}

/* A program's thread, which changes buffers all the time. */
static void *hurry(void *argument)
{
    struct program *program = argument;
    uint32_t me = (uint32_t)getpid();
    for (uint64_t n = 0; n < HURRIED_BUFFERS; n++) {
        uint32_t buffer = take(program, me, 0);
        for (uint64_t i = 0; i < HURRIED_WORDS; i++) {
            atomic_signal_fence(memory_order_seq_cst);
            *(volatile uint64_t *)&program->buffers[buffer][i] =
                margay_word(1 + n * HURRIED_WORDS + i, MARGAY_READ, 8);
        }
        program_fill(program, buffer, HURRIED_WORDS, me);
    }
    program_close(program);
    return NULL;
}

/* Whenever it is looked into buffers, none is before the thread's last one. */
static void test_hurry(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    struct margay_words words;
    struct margay_error error;
    enum margay_status status;
    uint64_t next = 1, wrong = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, hurry, &program);
    while ((status = margay_receiver_next(receiver, 1, &words, &error)) ==
               MARGAY_OK ||
           status == MARGAY_AGAIN) {
        for (uint32_t i = 0; i < words.count; i++)
            wrong += (words.words[i] & MARGAY_WORD_ADDRESS_MASK) != next++;
        if (next - 1 >= HURRIED_BUFFERS * HURRIED_WORDS)
            margay_receiver_finish(receiver, true);
    }
    pthread_join(thread, NULL);
    CHECK_U64(wrong, 0, "in order while buffers change");
    CHECK_U64(next - 1, HURRIED_BUFFERS * HURRIED_WORDS, "and all of them");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* What is left of a process that died between any two steps, and what another
   one finds in the buffer after it. */
static void test_steps(uint32_t dead)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid(), full = take(&program, dead, 0), taken = 0;
    fill(&program, full, 20, 6);
    program_fill(&program, full, 6, dead);
    drain(receiver, got, 64, &status);
    margay_slots_take(program.capture, dead, &taken);
    CHECK_U64(taken, full, "the first free buffer is taken again");
    CHECK(program.buffers[taken][5] != 0 &&
              drain(receiver, got, 64, &status) == 0,
          "before it is cleared nothing in it counts");
    margay_receiver_finish(receiver, false);
    CHECK(drain(receiver, got, 64, &status) == 0 && status == MARGAY_END,
          "nor when the process is dead");
    CHECK_U64(take(&program, me, 0), taken, "then another one has it");
    CHECK_U64(program.buffers[taken][5], 0, "cleared");
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
    program.buffers[4][12] = margay_word(59, MARGAY_READ, 8);
    program_own(&program, 5, (uint32_t)getpid(), 1);
    waitpid(child, NULL, 0);
    margay_receiver_finish(receiver, false);
    size_t count = drain(receiver, got, 64, &status);
    CHECK(count == 10 && is_sequence(got, 10, 50),
          "what a dead process left, holes included");
    CHECK_U64(status, MARGAY_AGAIN, "others are waited for");
    program_own(&program, 5, 0, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "until there are none");
    program_release(&program);
    margay_receiver_free(receiver);
    test_steps((uint32_t)child);
}

/* More processes than there are buffers, each of which dies with one: while the
   program runs, others get them. */
static void test_many_dead(void)
{
    enum { CROWD = 64 };
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    size_t count = 0;
    uint32_t buffer;
    for (uint32_t i = 0; i < CROWD; i++) {
        program_own(&program, i, (uint32_t)child, i);
        if (i == CROWD - 1)
            fill(&program, 3, 50, 9);
        if (i + 1 < program.capture->buffers)
            continue;
        atomic_store(&program.capture->waits, 1);
        count = drain(receiver, got, 64, &status);
    }
    CHECK(count == 9 && is_sequence(got, 9, 50),
          "what the dead left, when others wait");
    CHECK_U64(program.capture->buffers, CROWD, "before there are many");
    CHECK(margay_slots_take(program.capture, 1, &buffer),
          "and their buffers are free");
    atomic_store(&program.capture->buffers, 0);
    atomic_store(&program.capture->waits, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(program.capture->buffers, CROWD,
              "also after their number was written over");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* A program that attaches before its parent says that it started it, is waited
   for. */
static void test_late_parent(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t parent = (uint32_t)getppid();
    program_send(&program, MARGAY_MESSAGE_ATTACH, parent, 0);
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    margay_receiver_finish(receiver, false);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "a child that came before its parent");
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "until it leaves");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* Whether a program comes before or after the message that it was started. */
static void test_members(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid(), parent = (uint32_t)getppid();
    margay_receiver_expect(receiver, me);
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 0);
    program_send(&program, MARGAY_MESSAGE_ATTACH, parent, 0);
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_left_out(receiver), 0, "all have come");
    program_send(&program, MARGAY_MESSAGE_LEAVE, me, 0);
    program_send(&program, MARGAY_MESSAGE_STAY, me, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_left_out(receiver), 0, "one that could not go");
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 1);
    for (uint32_t i = 1; i <= 300; i++)
        program_send(&program, MARGAY_MESSAGE_LEAVE, INT32_MAX + i, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_left_out(receiver), 301, "many have left");
    CHECK_U64(margay_receiver_processes(receiver), 2, "two have come");

    margay_receiver_finish(receiver, false);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "one is waited for");
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    program_send(&program, MARGAY_MESSAGE_LEAVE, me, 0);
    program_send(&program, MARGAY_MESSAGE_FORK, me, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "and so is one to be born");
    program_send(&program, MARGAY_MESSAGE_BORN, 0, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "but none that is not recorded");
    program_release(&program);
    margay_receiver_free(receiver);
}

static void test_harm(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    program_fill(&program, 99, 8, 1);
    program_fill(&program, UINT32_MAX, 8, 1);
    program_fill(&program, 0, MARGAY_BUFFER_WORDS + 1, 1);
    program_send(&program, 77, 0, 0);
    program_own(&program, MARGAY_MAX_BUFFERS - 1, 1, 1);
    CHECK_U64(drain(receiver, got, 64, &status), 0, "senseless messages");
    for (int i = 0; i < 40; i++) {
        atomic_store(&program.capture->waits, 1);
        drain(receiver, got, 64, &status);
    }
    CHECK_U64(status, MARGAY_AGAIN, "wanting what is there");
    CHECK_U64(program.capture->buffers, PROGRAM_BUFFERS,
              "brings no more than there are");
    for (uint32_t i = 0; i < PROGRAM_BUFFERS; i++)
        program_own(&program, i, 1, i);
    atomic_store(&program.capture->waits, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(program.capture->buffers, PROGRAM_BUFFERS + 1,
              "one more when there are none");
    uint8_t bells[64];
    CHECK(read(program.free_end, bells, sizeof bells) == 41 &&
              program.capture->waits == 0,
          "and who waits is told");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* A message waits for what was full before it was sent. */
static void test_messages(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    struct margay_words words;
    struct margay_error error;
    uint32_t me = (uint32_t)getpid();
    for (uint64_t i = 0; i < 3; i++) {
        uint32_t buffer = take(&program, me, 0);
        fill(&program, buffer, 10 * i, 10);
        program_fill(&program, buffer, 10, me);
    }
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 1);
    bool before = true;
    for (int i = 0; i < 3; i++)
        before =
            margay_receiver_next(receiver, 0, &words, &error) == MARGAY_OK &&
            words.count > 0 && margay_receiver_processes(receiver) == 0 &&
            before;
    CHECK(before, "full buffers come before a message");
    uint32_t later = take(&program, me, 0);
    fill(&program, later, 30, 10);
    program_fill(&program, later, 10, me);
    margay_receiver_next(receiver, 0, &words, &error);
    CHECK(margay_receiver_processes(receiver) == 1 && words.count == 0,
          "and then it is heard, before later ones");
    program_release(&program);
    margay_receiver_free(receiver);
}

int main(void)
{
    test_decode();
    test_order();
    test_repeats();
    test_sited_repeats();
    test_the_dead();
    test_hurry();
    test_many_dead();
    test_late_parent();
    test_members();
    test_messages();
    test_harm();
    return tap_done();
}
