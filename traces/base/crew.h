/*
 * crew.h - threads that work through a list of tasks together
 */
#ifndef MARGAY_TRACES_BASE_CREW_H
#define MARGAY_TRACES_BASE_CREW_H

#include <stddef.h>

#include <margay/status.h>

typedef struct margay_crew margay_crew;

/*
 * `threads` in all, the caller's among them: 1 starts none.  Where the system
 * refuses some, the crew is smaller.  MARGAY_NO_MEMORY on failure.
 */
enum margay_status margay_crew_create(unsigned threads, margay_crew **crew,
                                      struct margay_error *error);

/* No task may be left.  NULL is fine. */
void margay_crew_free(margay_crew *crew);

/*
 * Have run(context, i) called for every i below `tasks`, lower ones first, on
 * any thread.  Returns at once unless the caller is the only thread.  The
 * tasks given before must be finished.
 */
void margay_crew_start(margay_crew *crew, void (*run)(void *context, size_t i),
                       void *context, size_t tasks);

/* Take part in the tasks until all are done. */
void margay_crew_finish(margay_crew *crew);

#endif
