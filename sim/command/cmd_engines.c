/* cmd_engines.c - margay engines: the list of engines, and engines on trial */
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/command/trial.h"
#include "sim/options/commands.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* -------------------------------------- --sweep: more and more blocks -- */

/* M blocks in a hundred parts; the references go through each part twice.  Half
   of them are cold, and the others have a distance of M / 100 - 1.  After
   Zhong, Shen, Ding, "Program locality analysis using reuse distance", 2009,
   Fig. 7. */
#define PARTS          100
#define SMALLEST_SWEEP 1000
#define LARGEST_SWEEP  100000000
#define SLOW_SECONDS   10
/* Trials are repeated until they take this long together. */
#define LEAST_SECONDS 0.1
/* The memory that the largest engine needs per block. */
#define BLOCK_BYTES 200

struct sweep {
    uint64_t part_blocks;
    uint64_t references, next;
    uint64_t piece[TRIAL_PIECE_REFS]; /* the child's */
    struct report report;
};

static size_t next_swept(void *context, const uint64_t **blocks)
{
    struct sweep *sweep = context;
    size_t count =
        margay_minimum(sweep->references - sweep->next, TRIAL_PIECE_REFS);
    const uint64_t blocks_of_part = sweep->part_blocks;
    for (size_t i = 0; i < count; i++, sweep->next++)
        sweep->piece[i] = sweep->next / (2 * blocks_of_part) * blocks_of_part +
                          sweep->next % blocks_of_part;
    *blocks = sweep->piece;
    return count;
}

/* The mean time of enough runs to measure one. */
static enum margay_status time_sweep(struct trial *trial, struct sweep *sweep,
                                     double *seconds,
                                     struct margay_error *error)
{
    double sum = 0;
    unsigned runs = 0;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && sum < LEAST_SECONDS && runs < 20) {
        sweep->next = 0;
        status = trial_run(trial, &sweep->report, error);
        sum += sweep->report.seconds;
        runs++;
    }
    *seconds = sum / runs;
    return status;
}

static enum margay_status sweep_engine(const struct options *options,
                                       const char *spec, struct sweep *sweep,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    uint64_t most = options->trials.most_blocks == 0
                        ? LARGEST_SWEEP
                        : options->trials.most_blocks;
    enum margay_status status = MARGAY_OK;
    double seconds = 0;
    for (uint64_t blocks = SMALLEST_SWEEP;
         blocks <= most && seconds < SLOW_SECONDS && status == MARGAY_OK &&
         !signals_interrupted();
         blocks *= 10) {
        /* The memory available without swapping; 0 = unknown. */
        uint64_t memory =
            trial_system_bytes("/proc/meminfo", "MemAvailable: %llu kB");
        if ((memory != 0 && blocks > memory / BLOCK_BYTES) ||
            trial_is_too_slow(spec, (double)blocks, (double)blocks))
            break;
        struct trial trial = trial_of(spec, options, blocks);
        trial.next = next_swept;
        trial.context = sweep;
        sweep->part_blocks = blocks / PARTS;
        sweep->references = 2 * blocks;
        status = time_sweep(&trial, sweep, &seconds, error);
        if (status != MARGAY_OK)
            break;
        csv_text(csv, spec);
        csv_u64(csv, blocks);
        csv_u64(csv, sweep->references);
        csv_decimal(csv, seconds);
        csv_decimal(csv, (double)sweep->references / seconds);
        csv_end_row(csv);
    }
    return status;
}

/* ---------------------------------------------------------- the command -- */

static void list_engines(struct csv_writer *csv)
{
    const struct margay_engine_info *engine;
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++) {
        csv_text(csv, engine->name);
        csv_text(csv, engine->exact ? "yes" : "no");
        csv_text(csv, engine->guarantee);
        csv_text(csv, engine->parameters);
        csv_text(csv, engine->time);
        csv_text(csv, engine->space);
        csv_text(csv, engine->source);
        csv_end_row(csv);
    }
}

static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    const char *spec;
    /* A misspelt spec fails before the first trial. */
    for (size_t i = 0;
         status == MARGAY_OK && (spec = trial_spec(options, i)) != NULL; i++) {
        struct margay_engine_abilities engine;
        status = margay_engine_abilities(spec, MARGAY_REUSE_DISTANCES, &engine,
                                         error);
    }
    if (status != MARGAY_OK || !options->trials.sweep)
        return status == MARGAY_OK ? trials_on_trace(options, csv, error)
                                   : status;
    struct sweep *sweep = trial_share(sizeof *sweep);
    if (sweep == NULL)
        return margay_fail_memory(error, "the sweep");
    for (size_t i = 0;
         status == MARGAY_OK && (spec = trial_spec(options, i)) != NULL; i++)
        status = sweep_engine(options, spec, sweep, csv, error);
    munmap(sweep, sizeof *sweep);
    return status;
}

int cmd_engines(const struct options *options)
{
    struct csv_writer csv = {0};
    struct margay_error error;
    bool trials = options->trials.trace != NULL || options->trials.sweep;
    enum margay_status status =
        csv_open(&csv, options->output, options->json, CSV_ROWS,
                 options->trials.sweep ? ENGINES_SWEEP_COLUMNS
                 : trials              ? ENGINES_RUN_COLUMNS
                                       : ENGINES_COLUMNS,
                 &error);
    if (status == MARGAY_OK && trials)
        status = write_trials(options, &csv, &error);
    else if (status == MARGAY_OK)
        list_engines(&csv);
    return csv_conclude(status, &csv, 1, &error);
}
