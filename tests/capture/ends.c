/*
 * ends.c - a program that comes to an end, one way or another
 *
 * usage: ends HOW [REFERENCES]
 *
 * Writes REFERENCES elements of an array (1000), and then ends as HOW says: by
 * return, exit, _exit, abort, a fault, a fault that its own handler gets first,
 * kill, or exec of itself with `return`; or it waits for a signal.  `more`:
 * after a function that writes as many in one that it calls, and then 500.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ELEMENTS 4096

static _Alignas(64) volatile uint64_t array[ELEMENTS];
static volatile uint32_t handled;

static void on_fault(int number)
{
    handled = 1;
    _exit(40 + (number == SIGSEGV));
}

static void fault(void)
{
    *(volatile int *)(uintptr_t)8 = 1;
}

static __attribute__((noinline)) void write_some(long references)
{
    for (long i = 0; i < references; i++)
        array[i % ELEMENTS] = 1;
}

static __attribute__((noinline)) void write_more(long references)
{
    write_some(references);
    for (long i = 0; i < 500; i++)
        array[i] = 2;
}

int main(int argument_count, char **arguments)
{
    const char *how = argument_count > 1 ? arguments[1] : "return";
    write_some(argument_count > 2 ? atol(arguments[2]) : 1000);
    if (strcmp(how, "more") == 0) {
        write_more(argument_count > 2 ? atol(arguments[2]) : 1000);
        write_some(10);
    }
    if (strcmp(how, "exit") == 0)
        exit(7);
    if (strcmp(how, "_exit") == 0)
        _exit(8);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fault") == 0)
        fault();
    if (strcmp(how, "handler") == 0) {
        signal(SIGSEGV, on_fault);
        fault();
    }
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "exec") == 0)
        execl(arguments[0], arguments[0], "return", "500", (char *)NULL);
    if (strcmp(how, "wait") == 0)
        pause();
    if (strcmp(how, "say") == 0)
        puts("said");
    if (strcmp(how, "close") == 0) {
        for (int i = 3; i < 1024; i++)
            close(i);
        write_some(100000);
    }
    return 0;
}
