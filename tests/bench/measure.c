/*
 * measure.c - run a command and say what it took
 *
 *     measure COMMAND ARGUMENT...
 *
 * The command's standard output is thrown away.  Prints one line: user
 * seconds, system seconds, wall seconds and peak resident bytes.  Exits as the
 * command did.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static pid_t start(char **command)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
            _exit(127);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return child;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND ARGUMENT...\n");
        return 2;
    }
    double started = now();
    pid_t child = start(argv + 1);
    if (child < 0) {
        perror("fork");
        return 2;
    }

    struct rusage usage;
    int state;
    if (wait4(child, &state, 0, &usage) < 0) {
        perror("wait4");
        return 2;
    }
    printf("%.6f %.6f %.6f %lld\n", seconds(usage.ru_utime),
           seconds(usage.ru_stime), now() - started,
           (long long)usage.ru_maxrss * 1024);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}
