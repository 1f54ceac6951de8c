/*
 * signals_mmu.c - faults of the recorder, and faults of the program
 *
 * A program may install a handler for SIGSEGV, and may block the signal.  The
 * linker redirects its calls to these functions (--wrap): the handler of the
 * recorder stays, and calls that of the program for all other faults.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#define HOOK __attribute__((visibility("default")))

int __real_sigaction(int number, const struct sigaction *action,
                     struct sigaction *before);
int __real_pthread_sigmask(int how, const sigset_t *signals, sigset_t *before);
int __real_sigprocmask(int how, const sigset_t *signals, sigset_t *before);

HOOK int __wrap_sigaction(int number, const struct sigaction *action,
                          struct sigaction *before);
HOOK void (*__wrap_signal(int number, void (*handler)(int)))(int);
HOOK int __wrap_pthread_sigmask(int how, const sigset_t *signals,
                                sigset_t *before);
HOOK int __wrap_sigprocmask(int how, const sigset_t *signals, sigset_t *before);

static bool (*is_ours)(const void *address);
static struct sigaction theirs; /* of the program */
static atomic_flag taken = ATOMIC_FLAG_INIT;

/* Treat a fault as the system would have without the recorder. */
static void pass_on(int number, siginfo_t *information, void *context)
{
    if (theirs.sa_flags & SA_SIGINFO) {
        theirs.sa_sigaction(number, information, context);
    } else if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) {
        theirs.sa_handler(number);
    } else {
        /* The instruction faults again, which ends the program. */
        struct sigaction usual = {.sa_handler = SIG_DFL};
        __real_sigaction(number, &usual, NULL);
    }
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    if (information->si_code <= 0 || !is_ours(information->si_addr))
        pass_on(number, information, context);
}

void margay_signals_take_faults(bool (*ours)(const void *address))
{
    if (atomic_flag_test_and_set(&taken))
        return;
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    is_ours = ours;
    __real_sigaction(SIGSEGV, &action, &theirs);
}

int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *before)
{
    if (number != SIGSEGV || is_ours == NULL)
        return __real_sigaction(number, action, before);
    struct sigaction now = theirs;
    if (action != NULL)
        theirs = *action;
    if (before != NULL)
        *before = now;
    return 0;
}

void (*__wrap_signal(int number, void (*handler)(int)))(int)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    return __wrap_sigaction(number, &action, &before) == 0 ? before.sa_handler
                                                           : SIG_ERR;
}

/* All of the signals except SIGSEGV. */
static const sigset_t *without_faults(const sigset_t *signals, sigset_t *copy)
{
    if (signals == NULL)
        return NULL;
    *copy = *signals;
    sigdelset(copy, SIGSEGV);
    return copy;
}

int __wrap_pthread_sigmask(int how, const sigset_t *signals, sigset_t *before)
{
    sigset_t copy;
    return __real_pthread_sigmask(how, without_faults(signals, &copy), before);
}

int __wrap_sigprocmask(int how, const sigset_t *signals, sigset_t *before)
{
    sigset_t copy;
    return __real_sigprocmask(how, without_faults(signals, &copy), before);
}
