/* crew.c - threads: the start of one, and crews that work through tasks */
#define _GNU_SOURCE
#include "traces/base/crew.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "traces/base/clock.h"
#include "traces/base/error.h"
#include "traces/base/grow.h"

int margay_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return reason;
}

/* The seconds that this thread has spent on finished tasks. */
static _Thread_local double task_seconds;

double margay_thread_seconds(void)
{
    return margay_clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double margay_thread_serial_seconds(void)
{
    return margay_thread_seconds() - task_seconds;
}

struct margay_crew {
    pthread_mutex_t mutex;
    pthread_cond_t work_came, work_done;
    void (*run)(void *context, size_t i);
    void *context;
    size_t tasks, taken, done;
    bool leaving;
    unsigned most_helpers, helpers;
    size_t capacity;
    pthread_t *threads; /* of the helpers */
};

/* The task of a thread of a crew. */
struct turn {
    bool runs; /* task i */
    size_t i;
    double began, before; /* seconds of the thread, and of its tasks */
};

/* End the current task, if there is one, and take the next.  False: none is
   left. */
static bool take_task(margay_crew *crew, struct turn *turn)
{
    /* A task may have a crew of its own, whose tasks are part of it. */
    if (turn->runs)
        task_seconds = turn->before + (margay_thread_seconds() - turn->began);
    pthread_mutex_lock(&crew->mutex);
    if (turn->runs && ++crew->done == crew->tasks)
        pthread_cond_signal(&crew->work_done);
    turn->runs = crew->taken < crew->tasks;
    if (turn->runs)
        turn->i = crew->taken++;
    pthread_mutex_unlock(&crew->mutex);
    turn->before = task_seconds;
    turn->began = turn->runs ? margay_thread_seconds() : 0;
    return turn->runs;
}

static void *help(void *argument)
{
    margay_crew *crew = argument;
    struct turn turn = {.runs = false};
    bool leaving = false;
    while (!leaving) {
        while (take_task(crew, &turn))
            crew->run(crew->context, turn.i);
        pthread_mutex_lock(&crew->mutex);
        while (!crew->leaving && crew->taken == crew->tasks)
            pthread_cond_wait(&crew->work_came, &crew->mutex);
        leaving = crew->leaving;
        pthread_mutex_unlock(&crew->mutex);
    }
    return NULL;
}

enum margay_status margay_crew_create(unsigned threads, margay_crew **crew,
                                      struct margay_error *error)
{
    margay_crew *made = calloc(1, sizeof *made);
    *crew = made;
    if (made == NULL)
        return margay_fail_memory(error, "a crew of threads");
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->work_came, NULL);
    pthread_cond_init(&made->work_done, NULL);
    made->most_helpers = threads > 1 ? threads - 1 : 0;
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
    free(crew->threads);
    free(crew);
}

/* Start threads, no more than there are tasks.  After a refusal the crew asks
   for no more. */
static void call_helpers(margay_crew *crew, size_t tasks)
{
    size_t wanted = tasks < crew->most_helpers ? tasks : crew->most_helpers;
    while (crew->helpers < wanted) {
        if (!MARGAY_MAKE_ROOM(crew->threads, crew->helpers, 1,
                              crew->capacity) ||
            margay_thread_start(&crew->threads[crew->helpers], help, crew) !=
                0) {
            crew->most_helpers = crew->helpers;
            return;
        }
        crew->helpers++;
    }
}

static void give_tasks(margay_crew *crew, void (*run)(void *context, size_t i),
                       void *context, size_t tasks)
{
    call_helpers(crew, tasks);
    pthread_mutex_lock(&crew->mutex);
    crew->run = run;
    crew->context = context;
    crew->tasks = tasks;
    crew->taken = crew->done = 0;
    if (crew->helpers > 0)
        pthread_cond_broadcast(&crew->work_came);
    pthread_mutex_unlock(&crew->mutex);
}

void margay_crew_start(margay_crew *crew, void (*run)(void *context, size_t i),
                       void *context, size_t tasks)
{
    give_tasks(crew, run, context, tasks);
    if (crew->helpers == 0)
        margay_crew_finish(crew);
}

void margay_crew_finish(margay_crew *crew)
{
    struct turn turn = {.runs = false};
    while (take_task(crew, &turn))
        crew->run(crew->context, turn.i);
    pthread_mutex_lock(&crew->mutex);
    while (crew->done < crew->tasks)
        pthread_cond_wait(&crew->work_done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

void margay_crew_run(margay_crew *crew, void (*run)(void *context, size_t i),
                     void *context, size_t tasks)
{
    for (size_t i = 0; crew == NULL && i < tasks; i++)
        run(context, i);
    if (crew == NULL)
        return;
    give_tasks(crew, run, context, tasks);
    margay_crew_finish(crew);
}
