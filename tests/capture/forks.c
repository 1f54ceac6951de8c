/*
 * forks.c - a thread that waits while another one forks, and a thread of the
 * child: neither may write where the other does
 *
 * Prints where `array` lies, and how many stores to it there were.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STORES = 3000 };

static volatile int array[3][STORES];
static int begun[2], go_on[2];

static void fill(volatile int *places)
{
    for (int i = 0; i < STORES; i++)
        places[i] = i;
}

static void *wait_between(void *argument)
{
    char byte = 0;
    fill(array[0]);
    if (write(begun[1], &byte, 1) != 1 || read(go_on[0], &byte, 1) != 1)
        return NULL;
    fill(array[1]);
    return argument;
}

static void *fill_last(void *argument)
{
    fill(array[2]);
    return argument;
}

static void run(void *(*work)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        _exit(3);
}

int main(void)
{
    pthread_t thread;
    char byte = 0;
    int status = 1;
    if (pipe(begun) != 0 || pipe(go_on) != 0 ||
        pthread_create(&thread, NULL, wait_between, NULL) != 0 ||
        read(begun[0], &byte, 1) != 1)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        run(fill_last);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        write(go_on[1], &byte, 1) != 1 || pthread_join(thread, NULL) != 0)
        return 2;
    printf("%08lx %08lx %d\n", (unsigned long)(uintptr_t)array,
           (unsigned long)(uintptr_t)(array + 3), 3 * STORES);
    return 0;
}
