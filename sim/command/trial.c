/* trial.c - an engine on trial: see trial.h */
#define _GNU_SOURCE
#include "sim/command/trial.h"

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

const char *trial_spec(const struct options *options, size_t index)
{
    const struct policy_list *only = &options->trials.only;
    const struct margay_engine_info *engine = margay_engine_at(index);
    if (only->count > 0)
        return index < only->count ? only->specs[index] : NULL;
    return engine == NULL ? NULL : engine->name;
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

void *trial_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* On one thread, the processor's time, which does not depend on other
   processes. */
static double now_seconds(const struct trial *trial)
{
    return margay_clock_seconds(trial->options.threads > 1
                                    ? CLOCK_MONOTONIC
                                    : CLOCK_PROCESS_CPUTIME_ID);
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

/* The bytes of the pages that this process has alone, of those that it shares,
   and of those written since it began. */
struct memory {
    uint64_t own, shared, written;
};

static struct memory look_at_memory(void)
{
    unsigned long long all = 0, common = 0;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*u %llu %llu", &all, &common) != 2)
            all = common = 0;
        fclose(file);
    }
    return (struct memory){
        (all - common) * page, common * page,
        trial_system_bytes("/proc/self/smaps_rollup", "Private_Dirty: %llu")};
}

/* The most memory that the engine needed beyond that of the process before it.
   The system counts the most pages of a process at a time, but only to some
   hundred pages, and misses those that the parent released and the engine got
   again.  The bytes written are exact, but only measured now and then.  The
   larger of the two numbers is reported. */
static uint64_t peak_bytes(const struct memory *before,
                           const struct memory *fed)
{
    const struct memory now = look_at_memory();
    uint64_t written = now.written > fed->written ? now.written : fed->written;
    uint64_t less = now.shared + before->own;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t most = (uint64_t)usage.ru_maxrss * 1024;
    most = most > less ? most - less : 0;
    written -= written > before->written ? before->written : written;
    return most > written ? most : written;
}

/* The misses at each size; an engine without them does not fail. */
static void ask_sizes(const struct trial *trial,
                      const struct margay_result *found, struct report *report)
{
    report->knows_sizes = trial->grids != NULL;
    for (int i = 0; i < GRIDS && report->knows_sizes; i++) {
        const struct grid *grid = &trial->grids[i];
        const struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                           .list_blocks = grid->sizes,
                                           .list_count = grid->count};
        struct margay_point *points = NULL;
        size_t count = 0;
        report->knows_sizes = margay_result_curve(found, &sizes, &points,
                                                  &count, NULL) == MARGAY_OK &&
                              count == grid->count;
        for (size_t k = 0; report->knows_sizes && k < count; k++)
            report->misses[i][k] = points[k].misses;
        free(points);
    }
}

/* In the child. */
static enum margay_status run(const struct trial *trial, struct report *report)
{
    struct margay_error *error = &report->error;
    struct margay_result found = {0};
    margay_engine *engine;
    const uint64_t *blocks;
    size_t count;
    const struct memory before = look_at_memory();
    enum margay_status status =
        margay_engine_create(trial->spec, &trial->options, &engine, error);
    while (status == MARGAY_OK &&
           (count = trial->next(trial->context, &blocks)) != 0) {
        double begin = now_seconds(trial);
        status = margay_engine_feed(engine, blocks, count, NULL, error);
        report->seconds += now_seconds(trial) - begin;
        report->references += count;
    }
    const struct memory fed = look_at_memory();
    double begin = now_seconds(trial);
    if (status == MARGAY_OK)
        status = margay_engine_finish(engine, &found, error);
    report->seconds += now_seconds(trial) - begin;
    report->peak_bytes = peak_bytes(&before, &fed);
    report->nodes = found.nodes;
    if (status == MARGAY_OK)
        ask_sizes(trial, &found, report);
    margay_engine_free(engine);
    margay_result_clear(&found);
    return status;
}

/* The child ends without cleaning up after its parent. */
enum margay_status trial_run(const struct trial *trial, struct report *report,
                             struct margay_error *error)
{
    int state = 0;
    *report = (struct report){.status = MARGAY_OK};
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
