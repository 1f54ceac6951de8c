/*
 * thread.h - the start of every thread of the library
 */
#ifndef MARGAY_TRACES_BASE_THREAD_H
#define MARGAY_TRACES_BASE_THREAD_H

#include <pthread.h>

/*
 * pthread_create(3), with all signals blocked in the new thread: they are for
 * the program's own threads, whose masks say who meets them.  Returns 0 or an
 * error number.  Any thread may call it.
 */
int margay_thread_start(pthread_t *thread, void *(*run)(void *),
                        void *argument);

#endif
