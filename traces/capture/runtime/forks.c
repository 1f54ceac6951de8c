/*
 * forks.c - processes that the recorded one makes
 *
 * pthread_atfork() tells of fork().  Two functions of libc of which it does not
 * tell are defined here, before libc's: _Fork() and clone().  Calls of the
 * system in assembly, or by syscall(), are not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

/* Earlier C libraries do not have it. */
HOOK pid_t _Fork(void);

/* libc's functions.  They are looked up before there is a second thread, as
   the dynamic linker has locks that a child of fork() may find taken; only
   constructors of shared libraries may come before that. */
static struct {
    __typeof__(&_Fork) fork;
    __typeof__(&clone) clone;
} libc;

__attribute__((constructor(101))) static void find_functions(void)
{
    libc.fork = (__typeof__(libc.fork))(uintptr_t)dlsym(RTLD_NEXT, "_Fork");
    libc.clone = (__typeof__(libc.clone))(uintptr_t)dlsym(RTLD_NEXT, "clone");
}

pid_t _Fork(void)
{
    bool recorded = margay_process_attach();
    if (libc.clone == NULL)
        find_functions();
    if (libc.fork == NULL) {
        errno = ENOSYS;
        return -1;
    }
    if (recorded)
        margay_recorder_before_fork();
    pid_t child = libc.fork();
    if (recorded && child == 0)
        margay_process_after_fork();
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
    if (libc.clone == NULL)
        find_functions();
    if (recorded && !copies && (flags & CLONE_VFORK) == 0)
        margay_process_lose(MARGAY_LOSS_SHARED);
    if (!copies)
        return libc.clone(begin, stack, flags, argument, parent, locals, child);
    margay_recorder_before_fork();
    return libc.clone(begin_child, stack, flags, &now, parent, locals, child);
}
