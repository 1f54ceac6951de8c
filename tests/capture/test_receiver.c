/* test_receiver.c - what programs send, and what they must not send */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/capture/receiving.h"
#include "tests/tap.h"

/* What is left of a process that died between any two steps, and what another
   one finds in the buffer after it. */
static void test_steps(uint32_t dead)
{
    begin();
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
    end();
}

/* While its thread lives, no other thread gets a buffer, also if it is free. */
static void test_keepers(void)
{
    begin();
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
    end();
}

static void test_the_dead(void)
{
    /* Before there is anything that the child would seem to have lost. */
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    begin();
    program_own(&program, 4, (uint32_t)child, 0);
    fill(&program, 4, 50, 9);
    program.buffers[4][12] = margay_word(59, MARGAY_READ, 8);
    program_own(&program, 5, (uint32_t)getpid(), 1);
    waitpid(child, NULL, 0);
    margay_receiver_finish(receiver, false);
    CHECK(come(10, 50), "what a dead process left, holes included");
    CHECK_U64(status, MARGAY_AGAIN, "others are waited for");
    program_own(&program, 5, 0, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "until there are none");
    end();
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
    const struct margay_slot_owner owner = {1, 0, 1};
    CHECK(margay_slots_take(program.capture, &owner, &buffer),
          "and their buffers are free");
    atomic_store(&program.capture->buffers, 0);
    atomic_store(&program.capture->waits, 1);
    drain(receiver, got, 64, &status);
    CHECK_U64(program.capture->buffers, CROWD,
              "also after their number was written over");
    end();
}

/* A process that executes another program before the receiver hears that the
   first one has attached: the buffer of the second one is no remains. */
static void test_late_attach(void)
{
    begin();
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
    end();
}

/* A process that executes itself again and again needs no more buffers. */
static void test_renewed(void)
{
    enum { TIMES = 100 };
    begin();
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
    end();
}

/* A program that attaches before its parent says that it started it, is waited
   for. */
static void test_late_parent(void)
{
    begin();
    uint32_t parent = (uint32_t)getppid();
    program_send(&program, MARGAY_MESSAGE_ATTACH, parent, 0);
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    margay_receiver_finish(receiver, false);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "a child that came before its parent");
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_END, "until it leaves");
    end();
}

/* A process that is about to be made when its maker is dead has some time to be
   heard of, but it may have been killed. */
static void test_unborn(void)
{
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    begin();
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
    end();
}

/* Whether a program comes before or after the message that it was started. */
static void test_members(void)
{
    begin();
    uint32_t me = (uint32_t)getpid(), parent = (uint32_t)getppid();
    margay_receiver_expect(receiver, me);
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 0);
    program_send(&program, MARGAY_MESSAGE_ATTACH, parent, 0);
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_facts(receiver).left_out, 0, "all have come");
    program_send(&program, MARGAY_MESSAGE_LEAVE, me, 0);
    program_send(&program, MARGAY_MESSAGE_STAY, me, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_facts(receiver).left_out, 0,
              "one that could not go");
    program_send(&program, MARGAY_MESSAGE_LEAVE, parent, 1);
    for (uint32_t i = 1; i <= 300; i++)
        program_send(&program, MARGAY_MESSAGE_LEAVE, INT32_MAX + i, 0);
    drain(receiver, got, 64, &status);
    CHECK_U64(margay_receiver_facts(receiver).left_out, 301, "many have left");
    CHECK_U64(margay_receiver_facts(receiver).processes, 2, "two have come");

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
    end();
}

static void test_harm(void)
{
    begin();
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
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
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

int main(void)
{
    test_environment();
    test_keepers();
    test_the_dead();
    test_many_dead();
    test_late_attach();
    test_renewed();
    test_late_parent();
    test_members();
    test_unborn();
    test_harm();
    test_missing();
    test_last_deed();
    return tap_done();
}
