/*
 * forked.c - a handler that forks after single instructions of the recorder,
 * and returns in the child, too
 *
 *     forked EVERY
 *
 * The processor stops after each instruction (the flag TF of x86) of a function
 * that writes eight words.  At turn N, the handler forks after N times EVERY
 * instructions.  The child writes what is left of the words, and ends.  For
 * each turn, prints which of the words had been recorded before, as a number
 * with a bit for each: the recorder's memory says so.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "stepping.h"

#define OWN    ((volatile uint32_t *)0x100000000000)
#define THEIRS ((volatile uint32_t *)0x200000000000)
#define BYTES  (1 << 20)

#define TURNS 200
#define WORDS 8

static volatile sig_atomic_t step, turn, over, every, is_child;
static unsigned recorded[TURNS + 1]; /* a bit for each word */

__attribute__((noinline)) static void write_some(volatile uint32_t *at)
{
    for (unsigned i = 0; i < WORDS; i += 4) {
        at[i] = i;
        at[i + 1] = i;
        at[i + 2] = i;
        at[i + 3] = i;
    }
}

/* A bit for each word of this turn that lies in front of the next one. */
UNRECORDED __attribute__((noinline)) static unsigned find_recorded(void)
{
    const volatile uint64_t *next = next_word();
    unsigned found = 0;
    for (int i = 1; i <= 4 * WORDS; i++) {
        uint64_t address = next[-i] & ((1ull << 48) - 1);
        uint64_t number =
            (address - (uint64_t)(uintptr_t)(OWN + turn * WORDS)) / sizeof *OWN;
        if (next[-i] >> 62 != 3 && number < WORDS)
            found |= 1u << number;
    }
    return found;
}

UNRECORDED static void on_step(int number, siginfo_t *information,
                               void *context)
{
    (void)number, (void)information;
    ucontext_t *interrupted = context;
    if (++step < turn * every && !over)
        return;
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
    if (over)
        return;
    recorded[turn] = find_recorded();
    pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
    is_child = child == 0;
}

UNRECORDED int main(int count, char **arguments)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = on_step;
    sigaction(SIGTRAP, &action, NULL);
    every = count > 1 ? atoi(arguments[1]) : 1;
    map(OWN, BYTES);
    map(THEIRS, BYTES);
    for (turn = 1; turn <= TURNS; turn++) {
        /* The thread handed its buffer over when it forked. */
        for (unsigned i = 0; i < WORDS; i++)
            write_some(THEIRS);
        step = over = 0;
        recorded[turn] = (1u << WORDS) - 1;
        step_from_here();
        write_some(OWN + turn * WORDS);
        over = 1;
        if (is_child)
            _exit(0);
    }
    for (unsigned i = 1; i <= TURNS; i++)
        printf("%u ", recorded[i]);
    puts("");
    return 0;
}
