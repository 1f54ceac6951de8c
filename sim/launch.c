/* launch.c - starting the program that is recorded */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/personality.h>
#endif

#include "sim/record.h"
#include "sim/signals.h"

void launch_put_before(struct launch *launch, const char *argument)
{
    if (launch->prefix_count < LAUNCH_MAX_PREFIX)
        launch->prefix[launch->prefix_count++] = argument;
}

/* Whether that may be run, and is a file; else errno says why not. */
static bool can_run(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        errno = EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

/* The interpreter that a script's first line names, as the system reads it;
   false: it is no script, or names none. */
static bool read_interpreter(const char *path, char *name, size_t bytes)
{
    char line[256] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0)
        close(file);
    if (got < 2 || line[0] != '#' || line[1] != '!')
        return false;
    const char *begin = line + 2 + strspn(line + 2, " \t");
    snprintf(name, bytes, "%.*s", (int)strcspn(begin, " \t\n"), begin);
    return *name != '\0';
}

/* Scripts may be the interpreters of others, so many deep. */
#define MOST_INTERPRETERS 5

enum margay_status launch_check(const char *program, int *exit_status,
                                struct margay_error *error)
{
    char names[2][256];
    const char *path = program;
    for (int i = 0; i < MOST_INTERPRETERS; i++) {
        if (!can_run(path)) {
            int reason = errno;
            *exit_status = reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
            return margay_fail(
                error, MARGAY_IO, "%s: cannot run: %s%s%s", program,
                i == 0 ? "" : path,
                i == 0 ? "" : ", its interpreter: ", strerror(reason));
        }
        if (!read_interpreter(path, names[i % 2], sizeof names[0]))
            break;
        path = names[i % 2];
    }
    return MARGAY_OK;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *launch_find(const char *name)
{
    const char *path = getenv("PATH");
    char *denied = NULL;
    if (strchr(name, '/') != NULL || path == NULL)
        return strdup(name);
    while (*path != '\0') {
        size_t bytes = strcspn(path, ":");
        char *file = NULL;
        if (asprintf(&file, "%.*s%s%s", (int)bytes, path, bytes > 0 ? "/" : "",
                     name) < 0) {
            free(denied);
            return NULL;
        }
        if (can_run(file)) {
            free(denied);
            return file;
        }
        if (denied == NULL && errno == EACCES && !is_directory(file))
            denied = file;
        else
            free(file);
        path += bytes + (path[bytes] == ':');
    }
    return denied;
}

/* Everything in front, then the program and its arguments. */
static char **make_arguments(const struct launch *launch)
{
    const struct options *options = launch->options;
    size_t count = launch->prefix_count + options->operand_count;
    char **arguments = calloc(count + 1, sizeof *arguments);
    if (arguments == NULL)
        return NULL;
    memcpy(arguments, launch->prefix, launch->prefix_count * sizeof *arguments);
    memcpy(arguments + launch->prefix_count, options->operands,
           options->operand_count * sizeof *arguments);
    /* Who runs a program need not look along PATH. */
    if (launch->prefix_count > 0)
        arguments[launch->prefix_count] = launch->program;
    return arguments;
}

/* The same addresses each time, where the system lets us. */
static void fix_addresses(void)
{
#ifdef __linux__
    int now = personality(0xffffffff);
    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
#endif
}

/* In the child: what it is to find, and then the program. */
static void become_program(const struct launch *launch, char **arguments,
                           int text, bool trace_is_output)
{
    signals_reset();
    fix_addresses();
    if (trace_is_output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (text >= 0)
        dup2(text, LAUNCH_TEXT_DESCRIPTOR);
    if (launch->receiver != NULL) {
        margay_receiver_pass_on(launch->receiver);
        putenv((char *)margay_receiver_environment(launch->receiver));
    }
    execvp(arguments[0], arguments);
}

/* Waits for the child to become the program; 0, or why it could not. */
static int await_exec(int pipe)
{
    int reason = 0;
    ssize_t got;
    do
        got = read(pipe, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof reason ? reason : 0;
}

enum margay_status launch_start(struct launch *launch, int text,
                                bool trace_is_output, int *exit_status,
                                struct margay_error *error)
{
    int report[2];
    char **arguments = make_arguments(launch);
    if (arguments == NULL)
        return margay_fail_memory(error, "the program's arguments");
    if (pipe2(report, O_CLOEXEC) != 0) {
        free(arguments);
        return margay_fail(error, MARGAY_IO, "no pipe: %s", strerror(errno));
    }
    launch->process = fork();
    int reason = launch->process < 0 ? errno : 0;
    if (launch->process == 0) {
        become_program(launch, arguments, text, trace_is_output);
        reason = errno;
        (void)!write(report[1], &reason, sizeof reason);
        _exit(EXIT_NOT_FOUND);
    }
    close(report[1]);
    if (launch->process > 0) {
        reason = await_exec(report[0]);
        *exit_status = reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    close(report[0]);
    const char *name = arguments[0];
    free(arguments);
    return reason == 0 ? MARGAY_OK
                       : margay_fail(error, MARGAY_IO, "%s: cannot run: %s",
                                     name, strerror(reason));
}
