/*
 * alone.h - parts of the recorder that no handler of a signal interrupts
 *
 * Where a thread hands a buffer over and gets the next one, a handler in the
 * midst would hand over its own first.  So signals wait there, which costs two
 * calls of the system for a buffer.  Those that faults raise do not wait: the
 * system would end the program.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_ALONE_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_ALONE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* What the program had, which it gets back: its mask of signals, whether it may
   be cancelled, and errno. */
struct margay_alone {
    sigset_t signals;
    int cancel, reason;
};

static inline void margay_alone_keep_out(struct margay_alone *alone)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGILL,
                                 SIGFPE,  SIGTRAP, SIGSYS};
    sigset_t signals;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_BLOCK, &signals, &alone->signals);
}

static inline void margay_alone_let_in(const struct margay_alone *alone)
{
    pthread_sigmask(SIG_SETMASK, &alone->signals, NULL);
}

static inline void margay_alone_begin(struct margay_alone *alone)
{
    alone->reason = errno;
    margay_alone_keep_out(alone);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &alone->cancel);
}

static inline void margay_alone_end(const struct margay_alone *alone)
{
    pthread_setcancelstate(alone->cancel, NULL);
    margay_alone_let_in(alone);
    errno = alone->reason;
}

#endif
