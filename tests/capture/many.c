/*
 * many.c - a program of several threads and processes
 *
 * usage: many THREADS REFERENCES
 *
 * Each thread writes its own array, 8 bytes each time, REFERENCES times; then a
 * child process writes another array, and becomes `true` where that exists.
 * Prints "FROM TO" of each array, in hex, the child's last.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ELEMENTS     512
#define MOST_THREADS 64

static volatile uint64_t arrays[MOST_THREADS + 1][ELEMENTS];
static long references;

static void *fill(void *array)
{
    volatile uint64_t *elements = array;
    for (long i = 0; i < references; i++)
        elements[i % ELEMENTS] = (uint64_t)i;
    return NULL;
}

int main(int argument_count, char **arguments)
{
    pthread_t threads[MOST_THREADS];
    int count = argument_count > 1 ? atoi(arguments[1]) : 2;
    references = argument_count > 2 ? atol(arguments[2]) : 1000;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, fill, (void *)arrays[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        fill((void *)arrays[MOST_THREADS]);
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    for (int i = 0; i < count + 1; i++) {
        volatile uint64_t *array = arrays[i < count ? i : MOST_THREADS];
        printf("%lx %lx\n", (unsigned long)(uintptr_t)array,
               (unsigned long)(uintptr_t)(array + ELEMENTS));
    }
    return 0;
}
