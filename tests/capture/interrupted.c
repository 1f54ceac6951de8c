/*
 * interrupted.c - code that is left in its middle
 *
 * usage: interrupted HOW
 *
 * Prints where `array` lies, and how many stores to it there were.
 * jump: faults among stores that stand together, and leaves by siglongjmp();
 * mend: the handler of the fault makes it right, and the store is repeated;
 * timer: a timer's handler stores, too, wherever it comes;
 * long: longjmp() out of calls.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 16
#define WORDS (PAGE / 8)

static volatile uint64_t array[PAGES * WORDS] __attribute__((aligned(PAGE)));
static sigjmp_buf place;
static volatile unsigned long in_handler;

static void on_fault(int number, siginfo_t *information, void *context)
{
    (void)number, (void)context;
    (void)information;
    siglongjmp(place, 1);
}

/* Three stores, a fault, and two that are not reached. */
static __attribute__((noinline)) unsigned long fault(volatile uint64_t *bad)
{
    if (sigsetjmp(place, 1) == 0) {
        array[0] = 1;
        array[1] = 1;
        array[2] = 1;
        *bad = 1;
        array[3] = 1;
        array[4] = 1;
    }
    return 3;
}

static void on_hidden_page(int number, siginfo_t *information, void *context)
{
    (void)number, (void)context;
    uintptr_t at = (uintptr_t)information->si_addr / PAGE * PAGE;
    mprotect((void *)at, PAGE, PROT_READ | PROT_WRITE);
}

static unsigned long mend(void)
{
    mprotect((void *)array, sizeof array, PROT_NONE);
    for (unsigned i = 0; i < PAGES * WORDS; i++)
        array[i] = i;
    return PAGES * WORDS;
}

static void on_timer(int number)
{
    (void)number;
    for (int i = 0; i < 10; i++)
        array[i] = 2;
    in_handler += 10;
}

static unsigned long await_timers(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct itimerval never = {{0, 0}, {0, 0}};
    unsigned long stores = 0;
    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; in_handler < 100; stores++)
        array[stores % WORDS] = 3;
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN); /* Valgrind may still hold one back */
    return stores + in_handler;
}

static __attribute__((noinline)) void descend(int depth)
{
    array[depth] = 1;
    if (depth == 0)
        siglongjmp(place, 1);
    descend(depth - 1);
    array[depth] = 2;
}

int main(int argument_count, char **arguments)
{
    const char *how = argument_count > 1 ? arguments[1] : "";
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    unsigned long stores = 0;
    action.sa_sigaction = strcmp(how, "mend") == 0 ? on_hidden_page : on_fault;
    sigaction(SIGSEGV, &action, NULL);
    if (strcmp(how, "jump") == 0) {
        for (int i = 0; i < 1000; i++)
            stores += fault(NULL);
    } else if (strcmp(how, "mend") == 0) {
        stores = mend();
    } else if (strcmp(how, "timer") == 0) {
        stores = await_timers();
    } else if (sigsetjmp(place, 1) == 0) {
        descend(100);
    } else {
        stores = 101;
    }
    printf("%08lx %08lx %lu\n", (unsigned long)(uintptr_t)array,
           (unsigned long)(uintptr_t)(array + PAGES * WORDS), stores);
    return 0;
}
