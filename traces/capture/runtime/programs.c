/*
 * programs.c - other programs that the recorded one starts
 *
 * A program that this one becomes or starts is recorded if it has a runtime,
 * which then attaches.  The functions of libc that start programs are defined
 * here, before those of libc: each says to the recorder that a program is to
 * attach, and calls libc's.  The recorder reports programs that have not
 * attached in the end, and are missing from the trace.
 *
 * Three functions that make processes are defined here, too: _Fork() and
 * clone(), which call nothing that pthread_atfork() was given, and fork(),
 * which calls its first handler even if it then fails.  Calls of the system in
 * assembly, or by syscall(), are noticed later, where a buffer is handed over
 * (process.c).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

/* libc's functions.  They are looked up before there is a second thread, as the
   dynamic linker has locks that a child of fork() may find taken; only
   constructors of shared libraries may come before that. */
#define FUNCTIONS(OF) \
    OF(execve);       \
    OF(execv);        \
    OF(execvp);       \
    OF(execvpe);      \
    OF(fexecve);      \
    OF(posix_spawn);  \
    OF(posix_spawnp); \
    OF(system);       \
    OF(popen);        \
    OF(fork);         \
    OF(clone);        \
    OF(_Fork);

/* Earlier C libraries do not have these two. */
HOOK pid_t _Fork(void);
HOOK int execveat(int directory, const char *path, char *const arguments[],
                  char *const environment[], int flags);

#define MEMBER(name) __typeof__(&name) name
static struct {
    FUNCTIONS(MEMBER)
} libc;

#define FIND(name) \
    libc.name = (__typeof__(libc.name))(uintptr_t)dlsym(RTLD_NEXT, #name)

__attribute__((constructor(101))) static void find_functions(void)
{
    FUNCTIONS(FIND)
}

#define NEXT(name) (libc.name != NULL ? (void)0 : find_functions(), libc.name)

/* This process becomes another program, or, after a failure, does not.  The
   recorder does not wait for a program that may never attach.  The process may
   be the child of vfork(), which has this one's memory. */
static void leave(void)
{
    margay_process_leave((uint32_t)getpid(), false);
}

static int stay(void)
{
    margay_process_stay();
    return -1;
}

/* This process has started another program, whose number may be unknown. */
static void start(pid_t child)
{
    margay_process_leave((uint32_t)(child > 0 ? child : getpid()), child <= 0);
}

/* ---------------------------------------------------------------- fork -- */

pid_t _Fork(void)
{
    bool recorded = margay_process_attach();
    if (NEXT(_Fork) == NULL) {
        errno = ENOSYS;
        return -1;
    }
    if (recorded)
        margay_process_before_fork();
    pid_t child = libc._Fork();
    if (recorded && child == 0)
        margay_process_after_fork();
    else if (recorded && child < 0)
        margay_process_fork_failed();
    return child;
}

HOOK pid_t fork(void)
{
    bool recorded = margay_process_attach();
    pid_t child = NEXT(fork)();
    if (recorded && child < 0)
        margay_process_fork_failed();
    return child;
}

struct beginning {
    int (*begin)(void *);
    void *argument;
};

static int begin_child(void *beginning)
{
    const struct beginning *now = beginning;
    margay_process_after_fork();
    return now->begin(now->argument);
}

/* A process that has its own copy of the memory is like the child of a fork.
   One that has this memory, and with it the variables of the thread that made
   it, would write where that thread writes. */
HOOK int clone(int (*begin)(void *), void *stack, int flags, void *argument,
               ...)
{
    va_list list;
    va_start(list, argument);
    pid_t *parent = va_arg(list, pid_t *);
    void *locals = va_arg(list, void *);
    pid_t *child = va_arg(list, pid_t *);
    va_end(list);
    struct beginning now = {begin, argument};
    bool recorded = margay_process_attach();
    bool copies = recorded && (flags & CLONE_VM) == 0;
    if (recorded && !copies && (flags & CLONE_VFORK) == 0)
        margay_process_lose(MARGAY_LOSS_SHARED);
    if (copies)
        margay_process_before_fork();
    int made = copies ? NEXT(clone)(begin_child, stack, flags, &now, parent,
                                    locals, child)
                      : NEXT(clone)(begin, stack, flags, argument, parent,
                                    locals, child);
    if (copies && made < 0)
        margay_process_fork_failed();
    return made;
}

/* ---------------------------------------------------------------- exec -- */

#define EXEC(name, parameters, values) \
    HOOK int name parameters           \
    {                                  \
        leave();                       \
        NEXT(name) values;             \
        return stay();                 \
    }

EXEC(execve,
     (const char *path, char *const arguments[], char *const environment[]),
     (path, arguments, environment))
EXEC(execv, (const char *path, char *const arguments[]), (path, arguments))
EXEC(execvp, (const char *file, char *const arguments[]), (file, arguments))
EXEC(execvpe,
     (const char *file, char *const arguments[], char *const environment[]),
     (file, arguments, environment))
EXEC(fexecve,
     (int descriptor, char *const arguments[], char *const environment[]),
     (descriptor, arguments, environment))

int execveat(int directory, const char *path, char *const arguments[],
             char *const environment[], int flags)
{
    leave();
    syscall(SYS_execveat, directory, path, arguments, environment, flags);
    return stay();
}

/* The arguments of execl() and the like, up to NULL; returns their number.
   `arguments` is NULL where they are only counted. */
static size_t take_arguments(const char *first, va_list *list, char **arguments)
{
    size_t count = 0;
    const char *one = first;
    for (; one != NULL; one = va_arg(*list, char *), count++) {
        if (arguments != NULL)
            arguments[count] = (char *)one;
    }
    if (arguments != NULL)
        arguments[count] = NULL;
    return count;
}

/* `after` reads what follows the arguments. */
#define EXEC_LIST(name, after, call)                             \
    HOOK int name(const char *path, const char *first, ...)      \
    {                                                            \
        va_list list;                                            \
        va_start(list, first);                                   \
        char *arguments[take_arguments(first, &list, NULL) + 1]; \
        va_end(list);                                            \
        va_start(list, first);                                   \
        take_arguments(first, &list, arguments);                 \
        after;                                                   \
        va_end(list);                                            \
        return call;                                             \
    }

EXEC_LIST(execl, (void)0, execv(path, arguments))
EXEC_LIST(execlp, (void)0, execvp(path, arguments))
EXEC_LIST(execle, char *const *environment = va_arg(list, char *const *),
          execve(path, arguments, environment))

/* --------------------------------------------------------------- spawn -- */

#define SPAWN(name)                                                   \
    HOOK int name(pid_t *child, const char *path,                     \
                  const posix_spawn_file_actions_t *actions,          \
                  const posix_spawnattr_t *attributes,                \
                  char *const arguments[], char *const environment[]) \
    {                                                                 \
        pid_t started = 0;                                            \
        int reason = NEXT(name)(&started, path, actions, attributes,  \
                                arguments, environment);              \
        if (reason == 0)                                              \
            start(started);                                           \
        if (reason == 0 && child != NULL)                             \
            *child = started;                                         \
        return reason;                                                \
    }

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* A shell is no program of ours, though it may start some. */
HOOK int system(const char *command)
{
    if (command != NULL)
        start(0);
    return NEXT(system)(command);
}

HOOK FILE *popen(const char *command, const char *mode)
{
    FILE *pipe = NEXT(popen)(command, mode);
    if (pipe != NULL)
        start(0);
    return pipe;
}
