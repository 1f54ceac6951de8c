/* starts.c - a program that starts or becomes another: starts HOW FILE
 *
 * The program FILE gets the words one and two, and X=3 in its environment where
 * HOW can give it one.  Ends with 1 where it could not be started.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
extern int execveat(int directory, const char *path, char *const words[],
                    char *const environment[], int flags);
static int values[100];

static int starts(const char *how, const char *file)
{
    char *words[] = {(char *)file, "one", "two", NULL}, *own[] = {"X=3", NULL};
    char command[256];
    pid_t child = 0;
    snprintf(command, sizeof command, "%s one two", file);
    if (strcmp(how, "posix_spawn") == 0)
        return posix_spawn(&child, file, NULL, NULL, words, environ);
    if (strcmp(how, "posix_spawnp") == 0)
        return posix_spawnp(&child, file, NULL, NULL, words, own);
    if (strcmp(how, "system") == 0)
        return system(command);
    if (strcmp(how, "popen") == 0)
        return pclose(popen(command, "w"));
    if (strcmp(how, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            execv(file, words);
            _exit(1);
        }
        return child < 0;
    }
    if (strcmp(how, "execve") == 0)
        execve(file, words, own);
    else if (strcmp(how, "execv") == 0)
        execv(file, words);
    else if (strcmp(how, "execvp") == 0)
        execvp(file, words);
    else if (strcmp(how, "execvpe") == 0)
        execvpe(file, words, own);
    else if (strcmp(how, "fexecve") == 0)
        fexecve(open(file, O_RDONLY), words, own);
    else if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, file, words, own, 0);
    else if (strcmp(how, "execl") == 0)
        execl(file, file, "one", "two", NULL);
    else if (strcmp(how, "execlp") == 0)
        execlp(file, file, "one", "two", NULL);
    else if (strcmp(how, "execle") == 0)
        execle(file, file, "one", "two", NULL, own);
    return 1;
}

int main(int count, char **arguments)
{
    for (int i = 0; i < 100; i++)
        values[i] = i;
    int status = count < 3 ? 2 : starts(arguments[1], arguments[2]);
    for (int ended; wait(&ended) > 0;)
        status |= ended;
    return status != 0;
}
