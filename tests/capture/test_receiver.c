/* test_receiver.c - what programs send, and what they must not send */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/capture/program.h"
#include "tests/tap.h"

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

/* What a thread writes after another one's buffer became full comes behind it,
   also where its own has become full since; what it wrote before, in front. */
static void test_marks(bool both_full)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 1, me, 0);
    program_own(&program, 2, me, 1);
    fill(&program, 1, 100, 3);
    fill(&program, 2, 103, 4);
    program_fill(&program, 2, 4, me);
    program.buffers[1][3] = margay_word(107, MARGAY_WRITE, 8);
    program.buffers[1][4] = margay_word(108, MARGAY_WRITE, 8);
    if (both_full)
        program_fill(&program, 1, 5, me);
    size_t count = drain(receiver, got, 64, &status);
    CHECK(count == 9 && is_sequence(got, 9, 100),
          "as they were made by two threads%s",
          both_full ? ", both buffers full" : "");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* Marks that a program wrote over: none is of a buffer that there is not, or of
   words that there are not. */
static void test_wrong_marks(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    struct margay_slot *slot = &program.capture->slots[2];
    program_own(&program, 2, me, 1);
    fill(&program, 2, 100, 4);
    program_fill(&program, 2, 4, me);
    memset(slot->marks, 0xff, sizeof slot->marks);
    atomic_store(&slot->marks[0].buffer, 2);
    atomic_store(&slot->marks[1].buffer, 3);
    atomic_store(&slot->mark_count, UINT32_MAX);
    size_t count = drain(receiver, got, 64, &status);
    CHECK(count == 4 && is_sequence(got, 4, 100), "whatever marks say");
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
    while (!margay_slots_take(program->capture, &owner, &buffer)) {
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
    const struct margay_slot_owner owner = {dead, 0, 0};
    margay_slots_take(program.capture, &owner, &taken);
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

/* While its thread lives, no other thread gets a buffer, also if it is free. */
static void test_keepers(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    const struct margay_slot_owner first = {(uint32_t)getpid(), 0, 0};
    uint32_t one = take(&program, first.process, first.thread);
    program_fill(&program, one, 0, first.process);
    drain(receiver, got, 64, &status);
    uint32_t two = take(&program, first.process, 1);
    CHECK(two != one, "another thread has another buffer");
    CHECK_U64(take(&program, first.process, 0), one, "the first has its own");
    program_fill(&program, one, 0, first.process);
    drain(receiver, got, 64, &status);
    margay_slots_end(program.capture, &first);
    CHECK_U64(take(&program, first.process, 2), one, "until it ends");
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
    const struct margay_slot_owner owner = {1, 0, 1};
    CHECK(margay_slots_take(program.capture, &owner, &buffer),
          "and their buffers are free");
    atomic_store(&program.capture->buffers, 0);
    atomic_store(&program.capture->waits, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(program.capture->buffers, CROWD,
              "also after their number was written over");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* A process that executes another program before the receiver hears that the
   first one has attached: the buffer of the second one is no remains. */
static void test_late_attach(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 3, me, 0);
    fill(&program, 3, 100, 10);
    program_own(&program, 5, me, 1);
    fill(&program, 5, 200, 4);
    atomic_store(&program.capture->slots[5].program, 1);
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 0);
    size_t count = drain(receiver, got, 64, &status);
    CHECK_U64(margay_slot_stage(program.capture->slots[5].state),
              MARGAY_SLOT_OPEN, "the later program keeps its buffer");
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 1);
    count += drain(receiver, got, 64, &status);
    CHECK_U64(margay_slot_stage(program.capture->slots[3].state),
              MARGAY_SLOT_FREE, "the earlier one has ended");
    fill(&program, 5, 200, 6);
    program_fill(&program, 5, 6, me);
    count += drain(receiver, got, 64, &status);
    CHECK_U64(count, 16, "no reference comes twice");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* A process that executes itself again and again needs no more buffers. */
static void test_renewed(void)
{
    enum { TIMES = 100 };
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    struct margay_slot_owner owner = {(uint32_t)getpid(), 0, 0};
    uint32_t buffer, most = 0;
    for (; owner.program < TIMES; owner.program++, owner.thread++) {
        for (int i = 0; i < 2; i++) { /* a full one, and one that it leaves */
            if (!margay_slots_take(program.capture, &owner, &buffer))
                break;
            most = buffer > most ? buffer : most;
            margay_slots_open(program.capture, buffer, &owner,
                              program.buffers[buffer]);
            if (i == 0)
                program_fill(&program, buffer, 0, owner.process);
        }
        program_send(&program, MARGAY_MESSAGE_ATTACH, owner.process,
                     owner.program + 1);
        drain(receiver, got, 64, &status);
    }
    CHECK(margay_slots_take(program.capture, &owner, &buffer) && most < 2,
          "the buffers of programs that ended by exec are for all");
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

/* A process that is about to be made when its maker is dead has some time to be
   heard of, but it may have been killed. */
static void test_unborn(void)
{
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    int looks = 0;
    program_send(&program, MARGAY_MESSAGE_FORK, (uint32_t)dead, 0);
    margay_receiver_finish(receiver, false);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "a child of a dead process may come");
    for (; looks < 600 && status == MARGAY_AGAIN; looks++) {
        usleep(10000);
        drain(receiver, got, 64, &status);
    }
    CHECK_U64(status, MARGAY_END, "or was killed before it said so");
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
    program_send(&program, MARGAY_MESSAGE_BORN, 0, me);
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

/* Words of full buffers that do not come are missed, and others are not. */
static void test_missing(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    uint32_t me = (uint32_t)getpid();
    for (uint32_t i = 0; i < 4; i++) {
        program_own(&program, i, me, i);
        fill(&program, i, 10 * i, 10);
    }
    program_fill(&program, 0, 10, me);
    program_fill(&program, 1, 10, me);
    CHECK_U64(drain(receiver, got, 64, &status), 40, "what is sent, and more");
    CHECK_U64(margay_receiver_missing(receiver), 0, "none of it is missed");
    program_fill(&program, 2, 10, me);
    program_own(&program, 2, 0, 0); /* a stray write */
    CHECK_U64(drain(receiver, got, 64, &status), 0, "a buffer that is lost");
    CHECK_U64(margay_receiver_missing(receiver), 10, "is missed");
    program_fill(&program, 3, 10, me);
    atomic_store(&program.capture->slots[3].state,
                 margay_slot_state(MARGAY_SLOT_FULL, me, 3));
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_missing(receiver), 17, "and so are words of one");
    program_release(&program);
    margay_receiver_free(receiver);
}

/* What a process does between the receiver's look at its buffer and the look at
   the process itself, which is dead then. */
static struct program *late;

int kill(pid_t process, int number)
{
    if (late != NULL)
        program_fill(late, 0, 10, (uint32_t)process);
    late = NULL;
    return (int)syscall(SYS_kill, process, number);
}

/* A buffer that its process has filled as its last deed. */
static void test_last_deed(void)
{
    struct program program;
    margay_receiver *receiver = make(&program, 0);
    enum margay_status status;
    static uint64_t got[64];
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    program_own(&program, 0, (uint32_t)dead, 0);
    fill(&program, 0, 0, 10);
    margay_receiver_finish(receiver, false);
    late = &program;
    CHECK_U64(drain(receiver, got, 64, &status), 10, "a last deed comes");
    CHECK_U64(margay_receiver_missing(receiver), 0, "and is not missed");
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
    test_order();
    test_marks(false);
    test_marks(true);
    test_wrong_marks();
    test_repeats();
    test_sited_repeats();
    test_keepers();
    test_the_dead();
    test_hurry();
    test_many_dead();
    test_late_attach();
    test_renewed();
    test_late_parent();
    test_members();
    test_unborn();
    test_messages();
    test_harm();
    test_missing();
    test_last_deed();
    return tap_done();
}
