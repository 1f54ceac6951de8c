/*
 * stepped.c - a handler of a signal after each single instruction of what
 * records
 *
 *     stepped fill     handlers fill buffers
 *     stepped few      handlers write a few words
 *     stepped end      and come at the end of a buffer
 *     stepped edge     and come where the next words are its last ones
 *     stepped same     handlers write by the same function
 *     stepped many     handlers write from many places
 *     stepped order    one fills buffers while a buffer is handed over
 *     stepped look T   one comes in the first reference, after 64 T
 * instructions
 *
 * The processor stops after each instruction (the flag TF of x86) of a function
 * that writes eight words.  Where it is its turn, the handler of that signal
 * fills its thread's buffer, and another thread then takes the buffers that are
 * free; or the handler writes a few words.  The last two let a handler of
 * another signal write, one that code may hold back.  Prints how many words the
 * function, the handler and the other thread have written, each of them at
 * addresses that are known; those of `order` say how many the function had
 * written.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "stepping.h"

#define OWN    ((uint32_t *)0x100000000000)
#define THEIRS ((volatile uint64_t *)0x200000000000)
#define OTHERS ((volatile uint64_t *)0x300000000000)
#define FILL   ((volatile uint64_t *)0x400000000000)
#define BYTES  (1 << 20)

#define STEPS        60
#define FEW_STEPS    400  /* from the end of a buffer on, until it is sent */
#define WORDS        8    /* of the function, each time */
#define FEW_WORDS    3    /* of a handler, fewer than of the function */
#define BUFFER_WORDS 9000 /* more than a buffer has */
#define ROOM_WORDS   8120 /* from where on none begin in it */

#define ORDER_STEPS 6
#define ORDER_FIRST 700  /* beyond the search for a place, */
#define ORDER_EVERY 2900 /* and some way through the rest */
#define ORDER_WORDS (1 << 14)
#define LOOK_EVERY  64

static volatile sig_atomic_t step, turn, few, same, many, over, handled;
static unsigned written; /* by the function */
static sem_t wanted, done;

static void *write_others(void *unused)
{
    (void)unused;
    while (sem_wait(&wanted) == 0) {
        for (unsigned i = 0; i < BUFFER_WORDS; i++)
            OTHERS[i] = i;
        sem_post(&done);
    }
    return NULL;
}

__attribute__((noinline)) static void write_some(uint32_t *at, uint32_t value)
{
    at[0] = value;
    at[1] = value * 3;
    at[2] = value ^ 5;
    for (int i = 3; i < 8; i++)
        *(volatile uint32_t *)&at[i] = value;
}

#define EIGHT(x) x x x x x x x x

/* From more places than a buffer knows at a time. */
__attribute__((noinline)) static void write_from_many(void)
{
    EIGHT(EIGHT(EIGHT(FILL[0] = 0;)))
}

__attribute__((noinline)) static void take_turn(void)
{
    if (many)
        write_from_many();
    if (same)
        write_some((uint32_t *)THEIRS, 0);
    if (same || many)
        return;
    if (few) {
        for (unsigned i = 0; i < FEW_WORDS; i++)
            THEIRS[i] = i;
        return;
    }
    for (unsigned i = 0; i < BUFFER_WORDS; i++)
        THEIRS[i] = i;
    usleep(500); /* the recorder frees what it has read */
    sem_post(&wanted);
    while (sem_wait(&done) != 0) {
    }
}

UNRECORDED static void on_step(int number, siginfo_t *information,
                               void *context)
{
    (void)number, (void)information;
    ucontext_t *interrupted = context;
    if (++step < turn && !over)
        return;
    if (!over) {
        take_turn();
        handled++;
        if (few && step == turn)
            return; /* after the next instruction, too */
    }
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
}

/* What the function writes is older than these, except what it is about to. */
static void on_signal(int number)
{
    (void)number;
    const unsigned words = few ? FEW_WORDS : ORDER_WORDS;
    volatile uint64_t *at =
        THEIRS + (few ? 0 : (uint64_t)written * ORDER_WORDS);
    for (unsigned i = 0; i < words; i++)
        at[i] = i;
    handled++;
}

UNRECORDED static void on_step_of_signal(int number, siginfo_t *information,
                                         void *context)
{
    (void)number, (void)information;
    ucontext_t *interrupted = context;
    if (++step < turn && !over)
        return;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
    if (!over)
        raise(SIGUSR1);
}

__attribute__((noinline)) static void fill_one(void)
{
    FILL[0] = 0;
}

/* Write until `left` words may begin in the thread's buffer, a new one. */
UNRECORDED static void come_to_end(ptrdiff_t left)
{
    const volatile uint64_t *begin, *next = next_word();
    do {
        begin = next;
        fill_one();
        next = next_word();
    } while (next - begin == 1 || next - begin == 2); /* with its site */
    begin = (const void *)((uintptr_t)next & ~(uintptr_t)4095);
    while (next_word() - begin < ROOM_WORDS - left)
        fill_one();
}

/* Write from here on, at each instruction what is due. */
UNRECORDED static void write_pieces(int pieces)
{
    step = over = 0;
    step_from_here();
    for (int i = 0; i < pieces; i++) {
        write_some(OWN + written, written);
        written += WORDS;
    }
    over = 1;
}

static void interrupt_changes(void)
{
    for (int i = 0; i < ORDER_STEPS; i++) {
        come_to_end(2 * WORDS - 1);
        turn = ORDER_FIRST + i * ORDER_EVERY;
        write_pieces(3);
    }
    printf("%u %u 0\n", written, (unsigned)handled * ORDER_WORDS);
}

UNRECORDED static void interrupt_first(const char *number)
{
    turn = LOOK_EVERY * (1 + atoi(number));
    write_pieces(1);
    printf("%u %u 0\n", written, (unsigned)handled * FEW_WORDS);
}

/* With `left` words left in the thread's buffer, unless that is 0. */
static void interrupt_all(ptrdiff_t left)
{
    const int turns = few ? FEW_STEPS : STEPS;
    pthread_t other;
    sem_init(&wanted, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&other, NULL, write_others, NULL);
    /* Sites change less often than words. */
    for (turn = 1; turn <= turns; turn += same || many ? 3 : 1) {
        if (left > 0)
            come_to_end(left);
        if (same || many)
            write_from_many();
        write_pieces(few && left != WORDS ? 3 : 1);
    }
    printf("%u %u %u\n", written,
           (unsigned)handled * (many   ? 0
                                : same ? WORDS / 2
                                : few  ? FEW_WORDS
                                       : BUFFER_WORDS),
           few ? 0u : STEPS * BUFFER_WORDS);
}

UNRECORDED int main(int count, char **arguments)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    const char *mode = count > 1 ? arguments[1] : "fill";
    bool signals = strcmp(mode, "order") == 0 || strcmp(mode, "look") == 0;
    action.sa_sigaction = signals ? on_step_of_signal : on_step;
    map(OWN, BYTES);
    map(THEIRS, (size_t)1 << 30);
    map(OTHERS, BYTES);
    map(FILL, BYTES);
    sigaction(SIGTRAP, &action, NULL);
    signal(SIGUSR1, on_signal);
    const bool at_end = strcmp(mode, "end") == 0;
    const bool at_edge = strcmp(mode, "edge") == 0;
    same = strcmp(mode, "same") == 0;
    many = strcmp(mode, "many") == 0;
    few = strcmp(mode, "fill") != 0 && strcmp(mode, "order") != 0;
    if (strcmp(mode, "order") == 0)
        interrupt_changes();
    else if (count > 2)
        interrupt_first(arguments[2]);
    else
        interrupt_all(at_end ? 2 * WORDS - 1 : at_edge ? WORDS : 0);
    return 0;
}
