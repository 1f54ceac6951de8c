/* engines_trial.c - an engine on trial, in a process of its own */
#define _GNU_SOURCE
#include "sim/command/engines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* Steps through the naive engine's stack, one per reference and block. */
#define MOST_NAIVE_STEPS 4e10

bool trial_is_too_slow(const char *spec, double references, double blocks)
{
    bool is_naive =
        strcmp(spec, "naive") == 0 || strncmp(spec, "naive:", 6) == 0;
    return is_naive && references * blocks > MOST_NAIVE_STEPS;
}

struct trial trial_of(const char *spec, const struct options *options,
                      uint64_t bound_blocks)
{
    struct trial trial = {.spec = spec,
                          .options = MARGAY_ENGINE_OPTIONS_DEFAULT};
    struct margay_engine_abilities engine;
    trial.options.seed = options->seed;
    trial.options.threads = options->run.threads;
    if (margay_engine_abilities(spec, MARGAY_REUSE_DISTANCES, &engine, NULL) ==
            MARGAY_OK &&
        engine.needs_bound)
        trial.options.bound_blocks = bound_blocks;
    return trial;
}

/* What the child leaves in memory that it shares with its parent. */
struct report {
    enum margay_status status;
    struct margay_error error;
    struct trial_result result;
    uint64_t misses[]; /* size_count of them */
};

/* On one thread, the processor's time, which does not depend on what else the
   machine does. */
static double now_seconds(const struct trial *trial)
{
    return margay_clock_seconds(trial->options.threads > 1
                                    ? CLOCK_MONOTONIC
                                    : CLOCK_PROCESS_CPUTIME_ID);
}

/* The bytes of the pages that this process has alone, and of those it shares.
 */
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

uint64_t trial_system_bytes(const char *path, const char *format)
{
    unsigned long long kibibytes = 0;
    char line[128];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, format, &kibibytes) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return (uint64_t)kibibytes * 1024;
}

/* Pages that this process has written to since it began, in bytes. */
static uint64_t written(void)
{
    return trial_system_bytes("/proc/self/smaps_rollup", "Private_Dirty: %llu");
}

/*
 * The most memory that an engine needs beyond that of the process before it.
 * The system counts the most pages of a process at a time, but only to some
 * hundred pages, and misses those that the parent released and the engine got
 * again.  The bytes written are exact, but known only when they are asked for.
 * The larger of the two numbers is reported.
 */
struct memory {
    uint64_t own, written; /* at the beginning */
    uint64_t most_written;
};

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

/* The misses at each size; an engine that cannot tell them does not fail. */
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
    struct memory memory = {.most_written = 0};
    uint64_t shared;
    resident(&memory.own, &shared);
    memory.written = memory.most_written = written();
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
