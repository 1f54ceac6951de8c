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

#include "sim/record/record.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/signals.h"

#define LAUNCH_RECEIVER_BYTES 128

void launch_put_before(struct launch *launch, const char *argument)
{
    if (launch->prefix_count < LAUNCH_MAX_PREFIX)
        launch->prefix[launch->prefix_count++] = argument;
}

void launch_put_all_before(struct launch *launch, const char *const *arguments,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        launch_put_before(launch, arguments[i]);
}

enum margay_status launch_check(const char *program, int *exit_status,
                                struct margay_error *error)
{
    struct margay_scripts scripts;
    const char *path = program;
    (void)margay_find_binary(program, &scripts);
    for (size_t i = 0; i <= scripts.count; i++) {
        if (!search_can_run(path)) {
            int reason = errno;
            *exit_status = reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
            return margay_fail(
                error, MARGAY_IO, "%s: cannot run: %s%s%s", program,
                i == 0 ? "" : path,
                i == 0 ? "" : ", its interpreter: ", strerror(reason));
        }
        if (i < scripts.count)
            path = scripts.list[i].interpreter;
    }
    return MARGAY_OK;
}

/* The place of the receiver as an option of a tool, in `argument`. */
static void tell_receiver(struct launch *launch, char *argument, size_t bytes)
{
    const char *place = margay_receiver_environment(launch->receiver);
    snprintf(argument, bytes, "%s%s", launch->receiver_option,
             strchr(place, '='));
    launch_put_before(launch, argument);
}

/* The prefix, then the program and its arguments. */
static char **make_arguments(struct launch *launch)
{
    static char receiver[LAUNCH_RECEIVER_BYTES];
    if (launch->receiver_option != NULL)
        tell_receiver(launch, receiver, sizeof receiver);
    const struct options *options = launch->options;
    size_t count = launch->prefix_count + options->operand_count;
    char **arguments = calloc(count + 1, sizeof *arguments);
    if (arguments == NULL)
        return NULL;
    memcpy(arguments, launch->prefix, launch->prefix_count * sizeof *arguments);
    memcpy(arguments + launch->prefix_count, options->operands,
           options->operand_count * sizeof *arguments);
    /* A tool gets the path of the program and need not search PATH. */
    if (launch->prefix_count > 0)
        arguments[launch->prefix_count] = launch->program;
    return arguments;
}

/* Make addresses the same in each run, if the system permits it. */
static void fix_addresses(void)
{
#ifdef __linux__
    int now = personality(0xffffffff);
    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
#endif
}

/* In the child: prepare descriptors and environment, then run the program;
   returns only if it cannot, and errno says why. */
static void become_program(const struct launch *launch, char **arguments,
                           bool trace_is_output)
{
    signals_reset();
    fix_addresses();
    if (trace_is_output && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return;
    margay_receiver_pass_on(launch->receiver);
    if (launch->receiver_option == NULL &&
        putenv((char *)margay_receiver_environment(launch->receiver)) != 0)
        return;
    execvp(arguments[0], arguments);
}

/* Wait until the child becomes the program; returns 0, or the errno of the
   failure. */
static int await_exec(int pipe)
{
    int reason = 0;
    ssize_t got;
    do
        got = read(pipe, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof reason ? reason : 0;
}

enum margay_status launch_start(struct launch *launch, bool trace_is_output,
                                int *exit_status, struct margay_error *error)
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
        become_program(launch, arguments, trace_is_output);
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
