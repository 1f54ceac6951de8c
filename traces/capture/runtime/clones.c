/*
 * clones.c - processes that the program makes by clone(), and what it makes or
 * becomes by the system's own calls
 *
 * A process that has its own copy of the memory is like the child of a fork.
 * One that has this memory, and with it the variables of the thread that made
 * it, would write where that thread writes: the recorder is told that
 * references are lost.  Calls in assembly are noticed later, where a buffer is
 * handed over (recorder.c).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traces/capture/runtime/observe.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

typedef int clone_function(int (*begin)(void *), void *stack, int flags,
                           void *argument, ...);
typedef long syscall_function(long number, ...);

static clone_function *next_clone;
static syscall_function *next_syscall;

__attribute__((constructor(101))) static void find_functions(void)
{
    next_clone = (clone_function *)(uintptr_t)dlsym(RTLD_NEXT, "clone");
    next_syscall = (syscall_function *)(uintptr_t)dlsym(RTLD_NEXT, "syscall");
}

/* A process is about to be made; true: it is to be told that it is. */
static bool prepare(uint64_t flags)
{
    bool recorded = margay_process_attach();
    bool shares = (flags & CLONE_VM) != 0;
    if (recorded && shares && (flags & CLONE_VFORK) == 0)
        margay_process_lose(MARGAY_LOSS_SHARED);
    if (recorded && !shares)
        margay_process_before_fork();
    return recorded && !shares;
}

static void conclude(bool tells, long child)
{
    if (tells && child == 0)
        margay_process_after_fork();
    else if (tells && child < 0)
        margay_process_fork_failed();
}

struct beginning {
    int (*begin)(void *);
    void *argument;
};

static int begin_child(void *beginning)
{
    const struct beginning *now = beginning;
    conclude(true, 0);
    return now->begin(now->argument);
}

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
    if (next_clone == NULL)
        find_functions();
    if (!prepare((uint64_t)(unsigned)flags))
        return next_clone(begin, stack, flags, argument, parent, locals, child);
    int made =
        next_clone(begin_child, stack, flags, &now, parent, locals, child);
    if (made < 0)
        conclude(true, made);
    return made;
}

/* Whether a call makes a process, and its flags. */
static bool makes_process(long number, long first, uint64_t *flags)
{
    *flags = 0;
    switch (number) {
#ifdef SYS_fork
    case SYS_fork:
        return true;
#endif
    case SYS_clone:
        *flags = (uint64_t)first;
        return true;
#ifdef SYS_clone3
    case SYS_clone3: /* they stand first among its arguments */
        *flags = first == 0 ? 0 : *(const uint64_t *)(uintptr_t)first;
        return true;
#endif
    default:
        return false;
    }
}

static bool executes(long number)
{
    return number == SYS_execve || number == SYS_execveat;
}

HOOK long syscall(long number, ...)
{
    long arguments[6];
    uint64_t flags;
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (next_syscall == NULL)
        find_functions();
    bool tells = makes_process(number, arguments[0], &flags) && prepare(flags);
    if (executes(number))
        margay_process_leave((uint32_t)getpid(), false);
    if (number == SYS_exit)
        margay_recorder_leave(); /* libc does not tell of this thread's end */
    long result = next_syscall(number, arguments[0], arguments[1], arguments[2],
                               arguments[3], arguments[4], arguments[5]);
    if (tells)
        conclude(true, result);
    if (executes(number))
        margay_process_stay();
    return result;
}
