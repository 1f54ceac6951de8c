/* trial.c - an engine on trial, in a process of its own */
#define _GNU_SOURCE
#include "sim/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/signals.h"
#include "traces/traces_internal.h"

/* What the child leaves in memory that it shares with its parent. */
struct report {
    enum margay_status status;
    struct margay_error error;
    struct trial_result result;
    uint64_t misses[]; /* size_count of them */
};

/* On one thread, the processor's time: what else the machine does is no
   merit of the engine, nor its fault. */
static double now_seconds(const struct trial *trial)
{
    struct timespec now;
    clock_gettime(trial->options.threads > 1 ? CLOCK_MONOTONIC
                                             : CLOCK_PROCESS_CPUTIME_ID,
                  &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Pages that are this process's alone, and all of them, in bytes. */
static void resident(uint64_t *own, uint64_t *shared)
{
    unsigned long long all = 0, common = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*u %llu %llu", &all, &common) != 2)
            all = common = 0;
        fclose(file);
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *own = (all - common) * page;
    *shared = common * page;
}

/* Pages that this process has written to since it began, in bytes; 0 where the
   system does not say. */
static uint64_t written(void)
{
    unsigned long long kibibytes = 0;
    char line[128];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "Private_Dirty: %llu", &kibibytes) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return kibibytes * 1024;
}

/*
 * What an engine needs at most beyond what is there at the beginning.  The
 * system knows the most pages there were at a time, but to some hundred only,
 * and not that the engine was given again what its parent had released; what
 * has been written to is exact, but known only when we look.
 */
struct memory {
    uint64_t own, written; /* at the beginning */
    uint64_t most_written;
};

static struct memory begin_memory(void)
{
    struct memory memory = {0};
    uint64_t shared;
    resident(&memory.own, &shared);
    memory.written = memory.most_written = written();
    return memory;
}

static void look_at_memory(struct memory *memory)
{
    uint64_t now = written();
    if (now > memory->most_written)
        memory->most_written = now;
}

static uint64_t peak_of(const struct memory *memory)
{
    struct rusage usage;
    uint64_t own, shared, grown = memory->most_written - memory->written;
    resident(&own, &shared);
    getrusage(RUSAGE_SELF, &usage);
    uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
    peak = peak > shared + memory->own ? peak - shared - memory->own : 0;
    return peak > grown ? peak : grown;
}

static enum margay_status feed_all(const struct trial *trial,
                                   margay_engine *engine,
                                   struct trial_result *result,
                                   struct margay_error *error)
{
    const uint64_t *blocks;
    size_t count;
    while ((count = trial->source.next(trial->source.context, &blocks)) != 0) {
        double begin = now_seconds(trial);
        enum margay_status status =
            margay_engine_feed(engine, blocks, count, NULL, error);
        result->seconds += now_seconds(trial) - begin;
        result->references += count;
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* Ask for the sizes; an engine may not know them, which is no failure. */
static void ask_sizes(const struct trial *trial,
                      const struct margay_result *found, struct report *report)
{
    struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                 .list_blocks = trial->sizes,
                                 .list_count = trial->size_count};
    struct margay_point *points;
    size_t count;
    if (margay_result_curve(found, &sizes, &points, &count, NULL) != MARGAY_OK)
        return;
    for (size_t i = 0; i < count; i++)
        report->misses[i] = points[i].misses;
    report->result.knows_sizes = count == trial->size_count;
    free(points);
}

static enum margay_status run(const struct trial *trial, struct report *report)
{
    struct margay_error *error = &report->error;
    struct trial_result *result = &report->result;
    struct margay_result found = {0};
    margay_engine *engine;
    struct memory memory = begin_memory();
    enum margay_status status =
        margay_engine_create(trial->spec, &trial->options, &engine, error);
    if (status != MARGAY_OK)
        return status;
    status = feed_all(trial, engine, result, error);
    look_at_memory(&memory);
    double begin = now_seconds(trial);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &found, error);
    result->seconds += now_seconds(trial) - begin;
    look_at_memory(&memory);
    result->peak_bytes = peak_of(&memory);
    result->nodes = found.nodes;
    if (status == MARGAY_OK)
        ask_sizes(trial, &found, report);
    margay_engine_free(engine);
    margay_result_clear(&found);
    return status;
}

/* Fork, and wait for the child, which ends without cleaning up after its
   parent. */
static enum margay_status run_in_child(const struct trial *trial,
                                       struct report *report,
                                       struct margay_error *error)
{
    int state = 0;
    pid_t child = fork();
    if (child < 0)
        return margay_fail(error, MARGAY_IO, "%s: no process: %s", trial->spec,
                           strerror(errno));
    if (child == 0) {
        signals_reset();
        report->status = run(trial, report);
        _exit(0);
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "%s: ended by signal %d (9 is the system's where "
                           "memory runs out; --only leaves engines out)",
                           trial->spec,
                           WIFSIGNALED(state) ? WTERMSIG(state) : 0);
    if (report->status != MARGAY_OK)
        return margay_fail(error, report->status, "%s", report->error.message);
    return MARGAY_OK;
}

enum margay_status trial_run(const struct trial *trial,
                             struct trial_result *result,
                             struct margay_error *error)
{
    size_t misses_bytes = trial->size_count * sizeof(uint64_t);
    size_t bytes = sizeof(struct report) + misses_bytes;
    struct report *report = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return margay_fail_memory(error, "the result of a trial");
    uint64_t *misses = result->misses;
    enum margay_status status = run_in_child(trial, report, error);
    *result = report->result;
    result->misses = misses;
    if (misses_bytes != 0)
        memcpy(misses, report->misses, misses_bytes);
    munmap(report, bytes);
    return status;
}
