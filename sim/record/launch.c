/* launch.c - starting the program that is recorded */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/record/record.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/signals.h"

#define LAUNCH_RECEIVER_BYTES 128

/* The most bytes of the first line of a script, and the most scripts that
   interpret each other. */
#define SCRIPT_BYTES 256
#define MOST_SCRIPTS 4

/* The beginning of a file; 0: it cannot be read. */
static size_t read_beginning(const char *path, void *bytes, size_t most)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = file < 0 ? -1 : read(file, bytes, most);
    if (file >= 0)
        close(file);
    return got < 0 ? 0 : (size_t)got;
}

/* Read the first line of a script.  False: the file is no script, or names no
   interpreter. */
static bool read_script(const char *path, char *interpreter)
{
    char line[SCRIPT_BYTES] = "";
    if (read_beginning(path, line, sizeof line - 1) < 2 ||
        strncmp(line, "#!", 2) != 0)
        return false;
    const char *name = line + 2 + strspn(line + 2, " \t");
    const size_t bytes = strcspn(name, " \t\n");
    memcpy(interpreter, name, bytes);
    interpreter[bytes] = '\0';
    return *interpreter != '\0';
}

bool launch_find_binary(const char *program, char *path)
{
    char interpreter[SCRIPT_BYTES];
    snprintf(path, PATH_MAX, "%s", program);
    for (int scripts = 0; search_can_run(path); scripts++) {
        if (!read_script(path, interpreter))
            return true;
        if (scripts == MOST_SCRIPTS) {
            errno = ELOOP;
            return false;
        }
        snprintf(path, PATH_MAX, "%s", interpreter);
    }
    return false;
}

bool launch_is_native(const char *binary)
{
    Elf64_Ehdr own, other;
    return read_beginning("/proc/self/exe", &own, sizeof own) == sizeof own &&
           read_beginning(binary, &other, sizeof other) == sizeof other &&
           memcmp(own.e_ident, other.e_ident, EI_VERSION) == 0 &&
           own.e_machine == other.e_machine;
}

bool launch_is_static(const char *binary)
{
    char bytes[4096];
    ElfW(Ehdr) header = {.e_phnum = 0};
    ElfW(Phdr) segment;
    const size_t count = read_beginning(binary, bytes, sizeof bytes);
    if (count >= sizeof header)
        memcpy(&header, bytes, sizeof header);
    bool is_static = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     header.e_phnum > 0 && header.e_phentsize == sizeof segment;
    for (uint64_t i = 0; is_static && i < header.e_phnum; i++) {
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > count || count - at < sizeof segment)
            break;
        memcpy(&segment, bytes + at, sizeof segment);
        is_static = segment.p_type != PT_INTERP;
    }
    return is_static;
}

enum margay_status launch_check(const char *program, int *exit_status,
                                struct margay_error *error)
{
    char path[PATH_MAX];
    if (launch_find_binary(program, path))
        return MARGAY_OK;
    const int reason = errno;
    const bool is_own = strcmp(path, program) == 0;
    *exit_status = reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    return margay_fail(error, MARGAY_IO, "%s: cannot run: %s%s%s", program,
                       is_own ? "" : path,
                       is_own ? "" : ", its interpreter: ", strerror(reason));
}

/* The prefix, then the program and its arguments. */
static char **make_arguments(struct launch *launch)
{
    static char receiver[LAUNCH_RECEIVER_BYTES];
    const char *place = margay_receiver_environment(launch->receiver);
    if (launch->receiver_option != NULL) {
        snprintf(receiver, sizeof receiver, "%s%s", launch->receiver_option,
                 strchr(place, '='));
        launch->prefix[launch->prefix_count++] = receiver;
    }
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

/* In the child: prepare descriptors and environment, make addresses the same in
   each run, if the system permits it, then run the program; returns only if it
   cannot, and errno says why. */
static void become_program(const struct launch *launch, char **arguments,
                           bool trace_is_output)
{
    int now = personality(0xffffffff);
    signals_reset();
    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    if (trace_is_output && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return;
    margay_receiver_pass_on(launch->receiver);
    if (launch->receiver_option == NULL &&
        putenv((char *)margay_receiver_environment(launch->receiver)) != 0)
        return;
    execvp(arguments[0], arguments);
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
    /* Processes that outlive their parents become children of this process. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    signals_finish_gracefully(true);
    signals_keep_hangup();
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
        /* Until the child becomes the program, or says why it does not. */
        while (read(report[0], &reason, sizeof reason) < 0 && errno == EINTR)
            ;
        *exit_status = reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    close(report[0]);
    margay_receiver_started(launch->receiver);
    const char *name = arguments[0];
    free(arguments);
    return reason == 0 ? MARGAY_OK
                       : margay_fail(error, MARGAY_IO, "%s: cannot run: %s",
                                     name, strerror(reason));
}

/* Reap children, and note the end of the program.  Its orphans are children of
   this process, too, and the trace ends with the last of them that is
   recorded. */
static void reap(struct launch *launch)
{
    int state;
    pid_t process;
    while ((process = waitpid(-1, &state, WNOHANG)) > 0 ||
           (process < 0 && errno == EINTR)) {
        if (process != launch->process)
            continue;
        launch->ended = true;
        launch->state = state;
    }
    if (launch->ended)
        margay_receiver_finish(launch->receiver, process < 0);
}

/* Is the program in the terminal's foreground?  Then the terminal's interrupt
   reaches it directly; any other signal has to be forwarded. */
static bool has_terminals_attention(void)
{
    int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool attention = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0)
        close(terminal);
    return attention;
}

/* After the program, a signal ends the wait for processes that it left; one
   that the program got before is done with. */
static void forward_signal(struct launch *launch)
{
    int number = signals_interrupted();
    if (number == 0 || launch->cut)
        return;
    if (launch->ended && launch->forwarded) {
        launch->forwarded = false;
        signals_forget();
    } else if (launch->ended) {
        launch->cut = true;
        margay_receiver_finish(launch->receiver, true);
    } else if (!launch->forwarded) {
        launch->forwarded = true;
        if (number != SIGINT || !has_terminals_attention())
            kill(launch->process, number);
    }
}

void launch_watch(struct launch *launch)
{
    reap(launch);
    forward_signal(launch);
}
