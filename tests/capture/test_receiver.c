/*
 * test_receiver.c - the words of programs, their order, and hostile ones
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it, headers define a poll() of their own */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/capture/program.h"
#include "tests/tap.h"

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
        margay_receiver_decode(receiver, &batch, NULL);
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

/* Take a buffer, as the runtime does; the test makes as many as there are at
   first. */
static uint32_t take(struct program *program, uint32_t process, uint32_t thread)
{
    const struct margay_slot_owner owner = {process, thread};
    uint32_t buffer;
    while (!margay_slots_take(program->capture, &owner, &buffer)) {
        if (margay_slots_wakes(program->capture, true))
            program_ring(program);
        sched_yield();
    }
    margay_slots_open(program->capture, buffer, &owner,
                      program->buffers[buffer]);
    return buffer;
}

/* What a test works with: a program, its receiver, the last words. */
static struct program program;
static margay_receiver *receiver;
static enum margay_status status;
static uint64_t got[2 * MARGAY_BUFFER_WORDS];

static void begin(void)
{
    const struct margay_receiver_options options = {.sites = false};
    struct margay_error error;
    if (margay_receiver_create(&options, &receiver, &error) != MARGAY_OK ||
        !program_attach(&program, receiver)) {
        printf("Bail out! no receiver: %s\n", error.message);
        exit(1);
    }
    margay_receiver_started(receiver);
}

static void end(void)
{
    program_release(&program);
    margay_receiver_free(receiver);
}

/* Do `count` addresses come now, from `first` on? */
static bool come(size_t count, uint64_t first)
{
    return drain(receiver, got, sizeof got / sizeof *got, &status) == count &&
           is_sequence(got, count, first);
}
/* The rest of a process that died between any two steps, and the buffer that
   another one gets after it. */
static void test_steps(uint32_t dead)
{
    begin();
    uint32_t me = (uint32_t)getpid(), full = take(&program, dead, 0), taken = 0;
    fill(&program, full, 20, 6);
    program_fill(&program, full, 6, dead);
    drain(receiver, got, 64, &status);
    const struct margay_slot_owner owner = {dead, 0};
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
    end();
}

/* While its thread lives, no other thread gets a buffer, also if it is free. */
static void test_keepers(void)
{
    begin();
    const struct margay_slot_owner first = {(uint32_t)getpid(), 0};
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
    end();
}

/* A process that has the memory and waits until it is killed, or none. */
static pid_t child_of(bool lives)
{
    pid_t child = fork();
    if (child == 0 && lives)
        pause();
    if (child == 0)
        _exit(0);
    if (!lives)
        waitpid(child, NULL, 0);
    return child;
}

static void test_the_dead(void)
{
    /* Before there is anything that the child would seem to have lost. */
    pid_t child = child_of(false);
    begin();
    program_own(&program, 4, (uint32_t)child, 0);
    fill(&program, 4, 50, 9);
    program.buffers[4][12] = margay_word(59, MARGAY_READ, 8);
    pid_t living = child_of(true);
    program_own(&program, 5, (uint32_t)living, 1);
    fill(&program, 5, 70, 3);
    margay_receiver_finish(receiver, false);
    CHECK(drain(receiver, got, 64, &status) == 13 && is_sequence(got, 10, 50) &&
              is_sequence(got + 10, 3, 70),
          "what a dead process left, holes included");
    CHECK_U64(status, MARGAY_AGAIN, "others are waited for");
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
    fill(&program, 5, 70, 5);
    CHECK(come(2, 73) && status == MARGAY_END, "until there are none");
    end();
    test_steps((uint32_t)child);
}

/* More processes than there are buffers, each of which dies with one: while the
   program runs, others get them. */
static void test_many_dead(void)
{
    enum { CROWD = 64 };
    pid_t child = child_of(false);
    begin();
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
    const struct margay_slot_owner owner = {1, 1};
    CHECK(margay_slots_take(program.capture, &owner, &buffer),
          "and their buffers are free");
    atomic_store(&program.capture->buffers, 0);
    atomic_store(&program.capture->waits, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(program.capture->buffers, CROWD,
              "also after their number was written over");
    end();
}

/* A process that executes itself again and again needs no more buffers, and
   what each program left comes before what the next one writes. */
static void test_renewed(void)
{
    enum { TIMES = 100 };
    begin();
    struct margay_slot_owner owner = {(uint32_t)getpid(), 0};
    uint32_t buffer, most = 0;
    uint64_t next = 1;
    bool in_order = true;
    for (; owner.thread < TIMES; owner.thread++) {
        for (int i = 0; i < 2; i++) { /* a full one, and one that it leaves */
            if (!margay_slots_take(program.capture, &owner, &buffer))
                break;
            most = buffer > most ? buffer : most;
            margay_slots_open(program.capture, buffer, &owner,
                              program.buffers[buffer]);
            fill(&program, buffer, next + 2 * (uint64_t)i, 2);
            if (i == 0)
                program_fill(&program, buffer, 2, owner.process);
        }
        margay_slots_inherit(program.capture, owner.process);
        in_order = come(4, next) && in_order;
        next += 4;
    }
    CHECK(in_order, "the words of programs that ended by exec");
    CHECK(margay_slots_take(program.capture, &owner, &buffer) && most < 2,
          "and their buffers are for all");
    CHECK_U64(margay_receiver_facts(receiver).missing, 0, "nothing is missed");
    end();
}

/* The buffers of a program that ended by exec, in the order in which its
   threads opened them; one that was taken only is free. */
static void test_inherited(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 5, me, 0);
    program_own(&program, 2, me, 1);
    program_own(&program, 3, me + 1, 0);
    fill(&program, 5, 100, 4);
    fill(&program, 2, 104, 3);
    atomic_store(&program.capture->slots[4].state,
                 margay_slot_state(MARGAY_SLOT_TAKEN, me, 0));
    atomic_store(&program.capture->slots[6].keeper, (uint64_t)me << 32 | 1);
    margay_slots_inherit(program.capture, me);
    CHECK(come(7, 100), "what another program has left");
    CHECK(atomic_load(&program.capture->slots[4].state) == 0 &&
              atomic_load(&program.capture->slots[6].keeper) == 0,
          "a buffer that it had not opened is free, and none is kept for it");
    CHECK_U64(margay_slot_stage(program.capture->slots[3].state),
              MARGAY_SLOT_OPEN, "those of others stay as they are");
    end();
}

static void test_harm(void)
{
    begin();
    program_fill(&program, 99, 8, 1);
    program_fill(&program, UINT32_MAX, 8, 1);
    program_fill(&program, 0, MARGAY_BUFFER_WORDS + 1, 1);
    program_ring(&program);
    program_own(&program, MARGAY_MAX_BUFFERS - 1, 1, 1);
    CHECK_U64(drain(receiver, got, 64, &status), 0, "buffers that are none");
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
    end();
}

/* Words of full buffers that do not come are missed, and others are not. */
static void test_missing(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    for (uint32_t i = 0; i < 4; i++) {
        program_own(&program, i, me, i);
        fill(&program, i, 10 * i, 10);
    }
    program_fill(&program, 0, 10, me);
    program_fill(&program, 1, 10, me);
    CHECK_U64(drain(receiver, got, 64, &status), 40, "what is sent, and more");
    CHECK_U64(margay_receiver_facts(receiver).missing, 0,
              "none of it is missed");
    program_fill(&program, 2, 10, me);
    program_own(&program, 2, 0, 0); /* a stray write */
    CHECK_U64(drain(receiver, got, 64, &status), 0, "a buffer that is lost");
    CHECK_U64(margay_receiver_facts(receiver).missing, 10, "is missed");
    program_fill(&program, 3, 10, me);
    atomic_store(&program.capture->slots[3].state,
                 margay_slot_state(MARGAY_SLOT_FULL, me, 3));
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_facts(receiver).missing, 17,
              "and so are words of one");
    end();
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
    begin();
    pid_t dead = child_of(false);
    program_own(&program, 0, (uint32_t)dead, 0);
    fill(&program, 0, 0, 10);
    margay_receiver_finish(receiver, false);
    late = &program;
    CHECK_U64(drain(receiver, got, 64, &status), 10, "a last deed comes");
    CHECK_U64(margay_receiver_facts(receiver).missing, 0, "and is not missed");
    end();
}

/* Programs get the same addresses for each number of the recorder. */
static void test_environment(void)
{
    begin();
    int from = 0, to = 0;
    sscanf(margay_receiver_environment(receiver), "%*[^=]=%*d,%*d,%*d,%n%*d%n",
           &from, &to);
    CHECK(from > 0 && to - from == 10, "the number of a process has %d digits",
          to - from);
    end();
}

/* ---------------------------------------------------------------- sleeps -- */

/* How long a receiver asks to sleep: no time is measured. */
static int sleeps[64];
static size_t sleep_count;
static bool counts_sleeps;

int poll(struct pollfd *files, nfds_t count, int wait_ms)
{
    if (counts_sleeps && count == 0) {
        if (sleep_count < sizeof sleeps / sizeof *sleeps)
            sleeps[sleep_count++] = wait_ms;
        return 0;
    }
    const struct timespec most = {0, counts_sleeps ? 0 : wait_ms * 1000000L};
    return ppoll(files, count, &most, NULL);
}

static void look(int times)
{
    struct margay_words words;
    struct margay_error error;
    sleep_count = 0;
    for (int i = 0; i < times; i++)
        margay_receiver_next(receiver, 100, &words, &error);
}

/* Once no program has its pipe, a receiver sleeps a while each time. */
static void test_waits(void)
{
    begin();
    counts_sleeps = true;
    program_own(&program, 0, (uint32_t)getpid(), 0);
    program.buffers[0][0] = margay_word(8, MARGAY_WRITE, 4);
    program_fill(&program, 0, 1, (uint32_t)getpid());
    look(5);
    CHECK_U64(sleep_count, 0, "it waits at a pipe that a program has");
    program_close(&program);
    look(5);
    CHECK(sleep_count == 5 && sleeps[0] == 5 && sleeps[4] == 5,
          "a program that closes it ends at once, most likely");
    counts_sleeps = false;
    end();
}

/* ----------------------------------------------------------------- order -- */

/* The second buffer of a thread must not be read while a message about the
   first one is on its way, whichever of them has the lower number. */
static void test_order(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 2, me, 7);
    program_own(&program, 3, me, 0);
    program_own(&program, 1, me, 0);
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
    CHECK(come(3, 115), "only what is new of a buffer that was looked into");
    program_close(&program);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "who has closed the pipe may come back");
    margay_receiver_finish(receiver, true);
    count = drain(receiver, got, 64, &status);
    CHECK(count == 0 && status == MARGAY_END, "the end");
    end();
}

/* Thread 0 has three words in buffer 1, and thread 1 the four next in buffer 2.
   Returns their process. */
static uint32_t own_two(void)
{
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 1, me, 0);
    program_own(&program, 2, me, 1);
    fill(&program, 1, 100, 3);
    fill(&program, 2, 103, 4);
    return me;
}

/* Words of a thread after another one's buffer became full come after that,
   even if its own has become full since; earlier words come before. */
static void test_marks(bool both_full)
{
    begin();
    uint32_t me = own_two();
    program_fill(&program, 2, 4, me);
    program.buffers[1][3] = margay_word(107, MARGAY_WRITE, 8);
    program.buffers[1][4] = margay_word(108, MARGAY_WRITE, 8);
    if (both_full)
        program_fill(&program, 1, 5, me);
    CHECK(come(9, 100), "as they were made by two threads%s",
          both_full ? ", both buffers full" : "");
    end();
}

/* Words of a thread that was made while the full buffer was open come after
   that. */
static void test_later_opening(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 4, me, 0);
    program_own(&program, 1, me, 1);
    fill(&program, 4, 100, 6);
    fill(&program, 1, 106, 2);
    program_fill(&program, 4, 6, me);
    CHECK(come(8, 100), "what was opened later comes after it");
    end();
}

/* Marks that a program wrote over: of a buffer that there is not, of the full
   one, of more words than there are, and of what a buffer held before. */
static void test_wrong_marks(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    struct margay_slot *slots = program.capture->slots;
    for (uint32_t i = 1; i <= 3; i++)
        program_own(&program, i, me, i);
    fill(&program, 1, 1, MARGAY_BUFFER_WORDS);
    fill(&program, 2, 1 + MARGAY_BUFFER_WORDS, 4);
    fill(&program, 3, 5 + MARGAY_BUFFER_WORDS, 4);
    program_fill(&program, 2, 4, me);
    memset(slots[2].marks, 0xff, sizeof slots[2].marks);
    atomic_store(&slots[2].marks[0].buffer, 2);
    atomic_store(&slots[2].marks[0].opening, slots[2].opening);
    atomic_store(&slots[2].marks[1].buffer, 1);
    atomic_store(&slots[2].marks[1].opening, slots[1].opening);
    atomic_store(&slots[2].marks[2].buffer, 3);
    atomic_store(&slots[2].marks[2].opening, slots[3].opening - 1);
    atomic_store(&slots[2].mark_count, UINT32_MAX);
    size_t count =
        drain(receiver, got, 2 * (size_t)MARGAY_BUFFER_WORDS, &status);
    CHECK(count == MARGAY_BUFFER_WORDS + 8 && is_sequence(got, count, 1),
          "marks that mean nothing do no harm");
    end();
}

/* A buffer that was read before the turn of one that has a mark of it. */
static void test_marks_of_free(void)
{
    begin();
    uint32_t me = own_two();
    program_now = &program;
    margay_slots_mark(program.capture, 2, program_words);
    margay_slots_fill(program.capture, 1, me, 3, 3);
    margay_slots_fill(program.capture, 2, me, 4, 4);
    CHECK(come(7, 100), "words of a buffer that has been read come once");
    end();
}

/* Words of open buffers come in the order in which these were opened, also
   those that a dead process has left. */
static void test_openings(void)
{
    begin();
    pid_t child = child_of(false);
    program_own(&program, 5, (uint32_t)child, 0);
    program_own(&program, 2, (uint32_t)child, 1);
    fill(&program, 5, 100, 4);
    fill(&program, 2, 104, 3);
    CHECK(come(7, 100), "the buffer that was opened first is read first");
    program.buffers[5][4] = margay_word(200, MARGAY_WRITE, 8);
    program.buffers[2][3] = margay_word(201, MARGAY_WRITE, 8);
    margay_receiver_finish(receiver, false);
    CHECK(come(2, 200), "also of a dead process");
    end();
}

#define HURRIED_BUFFERS 30000
#define HURRIED_WORDS   3

/* A program's thread, which changes buffers all the time. */
static void *hurry(void *argument)
{
    (void)argument;
    uint32_t me = (uint32_t)getpid();
    for (uint64_t n = 0; n < HURRIED_BUFFERS; n++) {
        uint32_t buffer = take(&program, me, 0);
        for (uint64_t i = 0; i < HURRIED_WORDS; i++) {
            atomic_signal_fence(memory_order_seq_cst);
            *(volatile uint64_t *)&program.buffers[buffer][i] =
                margay_word(1 + n * HURRIED_WORDS + i, MARGAY_READ, 8);
        }
        program_fill(&program, buffer, HURRIED_WORDS, me);
    }
    program_close(&program);
    return NULL;
}

/* Whenever it is looked into buffers, none is before the thread's last one. */
static void test_hurry(void)
{
    begin();
    struct margay_words words;
    struct margay_error error;
    uint64_t next = 1, wrong = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, hurry, NULL);
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
    end();
}

int main(void)
{
    test_environment();
    test_keepers();
    test_the_dead();
    test_many_dead();
    test_renewed();
    test_inherited();
    test_harm();
    test_missing();
    test_last_deed();
    test_order();
    test_marks(false);
    test_marks(true);
    test_later_opening();
    test_wrong_marks();
    test_marks_of_free();
    test_openings();
    test_hurry();
    test_waits();
    return tap_done();
}
