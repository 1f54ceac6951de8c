/*
 * stepped.c - a handler of a signal after each single instruction of what
 * records
 *
 *     stepped fill    handlers fill buffers
 *     stepped end     handlers come at the end of a buffer
 *
 * The processor stops after each instruction (the flag TF of x86) of a function
 * that writes eight words.  Where it is its turn, the handler of that signal
 * fills its thread's buffer, and another thread then takes the buffers that are
 * free; or, where the function comes to the end of a buffer, the handler writes
 * a few words.  Prints how many words the function, the handler and the other
 * thread have written, each of them at addresses that are known.
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

#define OWN    ((uint32_t *)0x100000000000)
#define THEIRS ((volatile uint64_t *)0x200000000000)
#define OTHERS ((volatile uint64_t *)0x300000000000)
#define FILL   ((volatile uint64_t *)0x400000000000)
#define BYTES  (1 << 20)

#define STEPS        60
#define END_STEPS    400  /* from the end of a buffer on, until it is sent */
#define WORDS        8    /* of the function, each time */
#define FEW_WORDS    3    /* of a handler, fewer than of the function */
#define BUFFER_WORDS 9000 /* more than a buffer has */
#define ROOM_WORDS   8000 /* nearly as many as it has */

static volatile sig_atomic_t step, turn, at_end;
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

__attribute__((noinline)) static void take_turn(void)
{
    if (at_end) {
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

/* The compilers leave it as it is. */
#ifdef __clang__
#define UNRECORDED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNRECORDED __attribute__((no_sanitize_thread))
#endif

UNRECORDED static void on_step(int number, siginfo_t *information,
                               void *context)
{
    (void)number, (void)information;
    ucontext_t *interrupted = context;
    if (++step < turn)
        return;
    take_turn();
    if (at_end && step == turn)
        return; /* after the next instruction, too */
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
}

__attribute__((noinline)) static void step_from_here(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n"
                     "popfq\n lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}

__attribute__((noinline)) static void write_some(uint32_t *at, uint32_t value)
{
    at[0] = value;
    at[1] = value * 3;
    at[2] = value ^ 5;
    for (int i = 3; i < 8; i++)
        *(volatile uint32_t *)&at[i] = value;
}

/* True if the thread's buffer has room for two pieces: its next words, at
   margay_recorder.next of the runtime, are 0. */
UNRECORDED __attribute__((noinline)) static bool has_room(void)
{
    const volatile uint64_t *next;
    __asm__ volatile("movq margay_recorder@gottpoff(%%rip), %0\n"
                     "movq %%fs:(%0), %0"
                     : "=r"(next));
    return next[2 * WORDS - 1] == 0;
}

/* Write until few words are left in the thread's buffer. */
static void come_to_end(void)
{
    for (unsigned i = 0; i < ROOM_WORDS; i++)
        FILL[i] = i;
    while (has_room())
        FILL[0] = 0;
}

static void map(volatile void *at)
{
    if (mmap((void *)(uintptr_t)at, BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
        exit(2);
}

int main(int count, char **arguments)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = on_step;
    pthread_t other;
    map(OWN);
    map(THEIRS);
    map(OTHERS);
    map(FILL);
    sem_init(&wanted, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&other, NULL, write_others, NULL);
    sigaction(SIGTRAP, &action, NULL);
    at_end = count > 1 && strcmp(arguments[1], "end") == 0;
    const int turns = at_end ? END_STEPS : STEPS;
    const int pieces = at_end ? 3 : 1;
    for (turn = 1; turn <= turns; turn++) {
        if (at_end)
            come_to_end();
        step = 0;
        step_from_here();
        for (int i = 0; i < pieces; i++) {
            write_some(OWN + written, written);
            written += WORDS;
        }
    }
    printf("%u %u %u\n", written,
           (unsigned)turns * (at_end ? 2 * FEW_WORDS : BUFFER_WORDS),
           at_end ? 0 : STEPS * BUFFER_WORDS);
    return 0;
}
