/*
 * crew.h - threads: the start of one, and crews that work through tasks
 */
#ifndef MARGAY_TRACES_BASE_CREW_H
#define MARGAY_TRACES_BASE_CREW_H

#include <pthread.h>
#include <stddef.h>

#include <margay/status.h>

/* Every thread of the library starts here: pthread_create(3), with all signals
   blocked in the new thread, because signals are for the threads of the program
   itself.  Returns 0 or an error number.  Any thread may call it. */
int margay_thread_start(pthread_t *thread, void *(*run)(void *),
                        void *argument);

/* Seconds of the processor that the calling thread has used. */
double margay_thread_seconds(void);

/* Of these, the seconds of work that no other thread could have done: all but
   tasks of crews.  Within a task that has no crew of its own nothing is
   subtracted.  Only differences of the same thread have a meaning. */
double margay_thread_serial_seconds(void);

/* Threads that work through a list of tasks together. */
typedef struct margay_crew margay_crew;

/* Make a crew of at most `threads` threads, the caller among them.  A thread is
   started when there is a task for it; where the system refuses some, the crew
   is smaller.  Fails with MARGAY_NO_MEMORY. */
enum margay_status margay_crew_create(unsigned threads, margay_crew **crew,
                                      struct margay_error *error);

/* All tasks must be done.  NULL is fine. */
void margay_crew_free(margay_crew *crew);

/* Have run(context, i) called for every i below `tasks`, in ascending order, on
   any thread.  Returns at once, unless the caller is the only thread.  The
   tasks given before must be done. */
void margay_crew_start(margay_crew *crew, void (*run)(void *context, size_t i),
                       void *context, size_t tasks);

/* Work on the tasks until all are done. */
void margay_crew_finish(margay_crew *crew);

/* Both; a crew of NULL is the caller alone. */
void margay_crew_run(margay_crew *crew, void (*run)(void *context, size_t i),
                     void *context, size_t tasks);

#endif
