/* thread.c - the start of every thread of the library */
#define _GNU_SOURCE
#include "traces/base/thread.h"

#include <signal.h>

int margay_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return reason;
}
