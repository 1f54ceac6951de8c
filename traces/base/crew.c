/* crew.c - threads that work through a list of tasks together */
#include "traces/base/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/thread.h"

struct margay_crew {
    pthread_mutex_t mutex;
    pthread_cond_t work_came, work_done;
    void (*run)(void *context, size_t i);
    void *context;
    size_t tasks, taken, done;
    bool leaving;
    unsigned helpers;
    pthread_t threads[];
};

/* With the mutex held: run a task if there is one left. */
static bool run_one(margay_crew *crew)
{
    if (crew->taken == crew->tasks)
        return false;
    size_t i = crew->taken++;
    pthread_mutex_unlock(&crew->mutex);
    crew->run(crew->context, i);
    pthread_mutex_lock(&crew->mutex);
    if (++crew->done == crew->tasks)
        pthread_cond_signal(&crew->work_done);
    return true;
}

static void *help(void *argument)
{
    margay_crew *crew = argument;
    pthread_mutex_lock(&crew->mutex);
    while (!crew->leaving) {
        if (!run_one(crew))
            pthread_cond_wait(&crew->work_came, &crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

enum margay_status margay_crew_create(unsigned threads, margay_crew **crew,
                                      struct margay_error *error)
{
    unsigned helpers = threads > 1 ? threads - 1 : 0;
    margay_crew *made =
        calloc(1, sizeof *made + helpers * sizeof *made->threads);
    *crew = made;
    if (made == NULL)
        return margay_fail_memory(error, "a crew of threads");
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->work_came, NULL);
    pthread_cond_init(&made->work_done, NULL);
    while (made->helpers < helpers &&
           margay_thread_start(&made->threads[made->helpers], help, made) == 0)
        made->helpers++;
    return MARGAY_OK;
}

void margay_crew_free(margay_crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->leaving = true;
    pthread_cond_broadcast(&crew->work_came);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 0; i < crew->helpers; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->work_done);
    pthread_cond_destroy(&crew->work_came);
    pthread_mutex_destroy(&crew->mutex);
    free(crew);
}

void margay_crew_start(margay_crew *crew, void (*run)(void *context, size_t i),
                       void *context, size_t tasks)
{
    pthread_mutex_lock(&crew->mutex);
    crew->run = run;
    crew->context = context;
    crew->tasks = tasks;
    crew->taken = crew->done = 0;
    if (crew->helpers > 0)
        pthread_cond_broadcast(&crew->work_came);
    pthread_mutex_unlock(&crew->mutex);
    if (crew->helpers == 0)
        margay_crew_finish(crew);
}

void margay_crew_finish(margay_crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    while (run_one(crew))
        ;
    while (crew->done < crew->tasks)
        pthread_cond_wait(&crew->work_done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}
