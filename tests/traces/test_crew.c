/*
 * test_crew.c - crews do every task once, and serial time is that outside them
 *
 * Times are of the processor, so they do not depend on other processes.
 */
#include "tests/tap.h"
#include "traces/traces_internal.h"

#include <stdatomic.h>

#define WORK  0.03 /* seconds of the processor */
#define TASKS 6

static atomic_uint done[TASKS];

static void work(void)
{
    double until = margay_thread_seconds() + WORK;
    while (margay_thread_seconds() < until)
        ;
}

static void do_task(void *context, size_t i)
{
    (void)context;
    work();
    atomic_fetch_add(&done[i], 1);
}

static margay_crew *make_crew(unsigned threads)
{
    margay_crew *crew;
    if (margay_crew_create(threads, &crew, NULL) != MARGAY_OK)
        abort();
    return crew;
}

/* A task whose work is shared by a crew of its own. */
static void share_task(void *context, size_t i)
{
    margay_crew *crew = make_crew(2);
    double before = margay_thread_serial_seconds();
    (void)i;
    margay_crew_run(crew, do_task, NULL, TASKS);
    *(double *)context = margay_thread_serial_seconds() - before;
    margay_crew_free(crew);
}

static void test_tasks(unsigned threads)
{
    margay_crew *crew = make_crew(threads);
    double before = margay_thread_serial_seconds();
    unsigned wrong = 0;
    for (size_t i = 0; i < TASKS; i++)
        atomic_store(&done[i], 0);
    margay_crew_run(crew, do_task, NULL, TASKS);
    double serial = margay_thread_serial_seconds() - before;
    for (size_t i = 0; i < TASKS; i++)
        wrong += atomic_load(&done[i]) != 1;
    CHECK_U64(wrong, 0, "%u threads do each task once", threads);
    CHECK(serial < WORK, "%u threads: tasks are not serial (%.3f s)", threads,
          serial);
    margay_crew_free(crew);
}

/* A task in a task is taken off once. */
static void test_nested(void)
{
    margay_crew *crew = make_crew(1);
    double within = -1, before = margay_thread_serial_seconds();
    margay_crew_run(crew, share_task, &within, 1);
    double after = margay_thread_serial_seconds() - before;
    CHECK(within >= 0 && within < WORK, "nor are tasks of tasks (%.3f s)",
          within);
    CHECK(after > -WORK / 2 && after < WORK,
          "which are taken off once (%.3f s)", after);
    margay_crew_free(crew);
}

int main(void)
{
    double before = margay_thread_serial_seconds();
    work();
    CHECK(margay_thread_serial_seconds() - before >= WORK,
          "what is no task is serial");
    test_tasks(1);
    test_tasks(3);
    test_nested();
    return tap_done();
}
