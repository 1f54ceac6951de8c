/*
 * sampled.c - a program whose references lie where they lie in each run
 *
 *     sampled HOW
 *
 * Multiplies matrices and counts in a table, all of static storage, and ends
 * as HOW says: by return, by kill, or in a child and two threads.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIDE 100

static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static volatile unsigned char table[1 << 22];

static void multiply(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++)
                c[i][j] += a[i][k] * b[k][j];
}

static void count(uint32_t number, int times)
{
    for (int i = 0; i < times; i++) {
        number = number * 1664525 + 1013904223;
        table[number >> 10]++;
    }
}

static void *count_some(void *number)
{
    count(*(uint32_t *)number, 100000);
    return NULL;
}

static void count_elsewhere(void)
{
    static uint32_t numbers[] = {1, 2};
    pthread_t threads[2];
    if (fork() == 0) {
        count(3, 50000);
        _exit(0);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count_some, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    wait(NULL);
}

int main(int argument_count, char **arguments)
{
    multiply();
    count(1, 300000);
    if (argument_count > 1 && strcmp(arguments[1], "kill") == 0)
        raise(SIGKILL);
    if (argument_count > 1 && strcmp(arguments[1], "threads") == 0)
        count_elsewhere();
    return 0;
}
