/*
 * handlers.c - handlers of signals that record, in the midst of what they
 * interrupt
 *
 *     handlers nest WORDS   each handler writes WORDS words, and two kinds of
 *                           them interrupt each other
 *     handlers jump WORDS   one jumps out of what it interrupts every time
 *
 * Prints how many words the program, and its handlers, have written.  All of
 * them lie at addresses that are known: each word of the program is written
 * once, in their order.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define OWN    ((uint32_t *)0x100000000000)
#define THEIRS ((uint64_t *)0x200000000000)
#define WORDS  (UINT32_C(1) << 18)

static volatile unsigned handled;
static unsigned words;
static bool jumps;
static volatile sig_atomic_t may_jump;
static sigjmp_buf back;

static void handle(int number)
{
    (void)number;
    unsigned now = handled;
    for (unsigned i = 0; i < words; i++)
        THEIRS[i] = now;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    if (jumps && may_jump)
        siglongjmp(back, 1);
}

static void map(void *at, size_t bytes)
{
    if (mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
        exit(2);
}

/* Write eight words at once. */
__attribute__((noinline)) static void write_some(uint32_t *at, uint32_t value)
{
    at[0] = value;
    at[1] = value * 3;
    at[2] = value ^ 5;
    at[3] = value;
    at[4] = value / 7;
    at[5] = value;
    at[6] = value;
    at[7] = value;
}

int main(int count, char **arguments)
{
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0}, {0}};
    if (count != 3)
        return 2;
    jumps = strcmp(arguments[1], "jump") == 0;
    words = (unsigned)strtoul(arguments[2], NULL, 10);
    map(OWN, WORDS * sizeof *OWN);
    map(THEIRS, words * sizeof *THEIRS + 1);
    signal(SIGALRM, handle);
    signal(SIGPROF, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    if (strcmp(arguments[1], "nest") == 0)
        setitimer(ITIMER_PROF, &often, NULL);
    volatile uint32_t at = 0;
    sigsetjmp(back, 1);
    may_jump = 1;
    for (; at < WORDS && handled < 100;) {
        uint32_t now = at;
        at = now + 8; /* a jump leaves some of these unwritten */
        write_some(OWN + now, now);
    }
    may_jump = 0;
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    printf("%u %u\n", (unsigned)at, handled * words);
    return 0;
}
