/*
 * measure.c - run a command and say what it took
 *
 *     measure [-o FILE] COMMAND ARGUMENT...
 *
 * Prints one line: user seconds, system seconds, wall seconds, peak resident
 * bytes and page faults that read nothing, of the command and what it waited
 * for; its standard output is thrown away.  With -o the line goes to FILE, and
 * the output where it always goes. Exits as the command did.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static pid_t start(char **command, bool silent)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || (silent && dup2(null, STDOUT_FILENO) < 0))
            _exit(127);
        close(null);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return child;
}

int main(int argc, char **argv)
{
    char **command = argv + 1;
    FILE *report = stdout;
    if (argc > 2 && strcmp(argv[1], "-o") == 0) {
        report = fopen(argv[2], "we");
        command += 2;
    }
    if (report == NULL || command >= argv + argc) {
        fprintf(stderr, "usage: measure [-o FILE] COMMAND ARGUMENT...\n");
        return 2;
    }
    double started = now();
    pid_t child = start(command, report == stdout);
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
    fprintf(report, "%.6f %.6f %.6f %lld %ld\n", seconds(usage.ru_utime),
            seconds(usage.ru_stime), now() - started,
            (long long)usage.ru_maxrss * 1024, usage.ru_minflt);
    if (fclose(report) != 0) {
        perror("measure");
        return 2;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}
