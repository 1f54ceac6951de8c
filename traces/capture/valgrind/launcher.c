/*
 * launcher.c - starts the tool of Valgrind
 *
 * Valgrind executes its launcher for each program that a recorded program
 * becomes, so the launcher says where it is itself, and finds the tool next to
 * it.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argument_count, char **arguments)
{
    char own[PATH_MAX], tool[PATH_MAX + sizeof MARGAY_TOOL];
    (void)argument_count;
    ssize_t bytes = readlink("/proc/self/exe", own, sizeof own - 1);
    if (bytes <= 0)
        return 126;
    own[bytes] = '\0';
    if (setenv("VALGRIND_LAUNCHER", own, 1) != 0)
        return 126;
    *strrchr(own, '/') = '\0';
    if (setenv("VALGRIND_LIB", own, 1) != 0)
        return 126;
    snprintf(tool, sizeof tool, "%s/" MARGAY_TOOL, own);
    execv(tool, arguments);
    perror(tool);
    return 126;
}
