/*
 * clones.c - processes and threads that are made without the usual functions
 *
 * usage: clones HOW
 *
 * copy: by clone(), with a copy of the memory; they write to memory at the same
 * time as their parents, which print how many words both have written, and
 * where.
 * share: by clone(), with the same memory and variables.
 * wait: by vfork(), and the parents wait.
 * crowd THREADS: as many threads at a time, each of which writes once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ELEMENTS 4096
#define TIMES    20
#define WORDS    3000
#define MANY     20000 /* more than a buffer has */

static volatile uint64_t array[ELEMENTS];
static pthread_barrier_t all;

static void write_some(long words)
{
    for (long i = 0; i < words; i++)
        array[i % ELEMENTS] = 1;
}

static int begin(void *unused)
{
    (void)unused;
    write_some(WORDS);
    return 0;
}

static int begin_many(void *unused)
{
    (void)unused;
    write_some(MANY);
    return 0;
}

static void *write_with_all(void *unused)
{
    write_some(1);
    pthread_barrier_wait(&all);
    pause();
    return unused;
}

static int crowd(unsigned count)
{
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        if (pthread_create(&thread, &small, write_with_all, NULL) != 0)
            _exit(9);
    }
    pthread_barrier_wait(&all);
    return 0;
}

static pid_t make_process(const char *how)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    if (strcmp(how, "wait") == 0) {
        pid_t made = vfork();
        if (made == 0)
            _exit(begin_many(NULL));
        return made;
    }
    return clone(begin, stack + sizeof stack,
                 strcmp(how, "share") == 0 ? SIGCHLD | CLONE_VM : SIGCHLD,
                 NULL);
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    if (strcmp(how, "crowd") == 0)
        return crowd((unsigned)atoi(arguments[2]));
    for (int i = 0; i < TIMES; i++) {
        pid_t child = make_process(how);
        if (child < 0)
            return 9;
        write_some(WORDS);
        waitpid(child, NULL, 0);
    }
    printf("%08lx %08lx %d\n", (unsigned long)(uintptr_t)array,
           (unsigned long)(uintptr_t)(array + ELEMENTS), 2 * TIMES * WORDS);
    return 0;
}
