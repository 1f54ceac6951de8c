/* engines_sweep.c - margay engines --sweep: speed over the number of blocks */
#include <stdlib.h>

#include "sim/command/engines.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/*
 * M blocks in a hundred parts; the references go through each part twice.  Half
 * of them are cold, and the others have a distance of M / 100 - 1.  After
 * Zhong, Shen, Ding, "Program locality analysis using reuse distance", 2009,
 * Fig. 7.
 */
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
    uint64_t piece[TRIAL_PIECE_REFS];
};

static size_t next_swept(void *context, const uint64_t **blocks)
{
    struct sweep *sweep = context;
    uint64_t left = sweep->references - sweep->next;
    size_t count = left < TRIAL_PIECE_REFS ? (size_t)left : TRIAL_PIECE_REFS;
    uint64_t part = sweep->next / (2 * sweep->part_blocks);
    uint64_t at = sweep->next % (2 * sweep->part_blocks);
    for (size_t i = 0; i < count; i++) {
        sweep->piece[i] = part * sweep->part_blocks + at % sweep->part_blocks;
        if (++at == 2 * sweep->part_blocks) {
            at = 0;
            part++;
        }
    }
    sweep->next += count;
    *blocks = sweep->piece;
    return count;
}

/* Is so much memory available without swapping, as far as is known? */
static bool fits_memory(uint64_t blocks)
{
    uint64_t bytes =
        trial_system_bytes("/proc/meminfo", "MemAvailable: %llu kB");
    return bytes == 0 || blocks <= bytes / BLOCK_BYTES;
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
        struct trial_result result = {0};
        sweep->next = 0;
        status = trial_run(trial, &result, error);
        sum += result.seconds;
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
         blocks <= most && seconds < SLOW_SECONDS && fits_memory(blocks) &&
         status == MARGAY_OK && !signals_interrupted();
         blocks *= 10) {
        if (trial_is_too_slow(spec, (double)blocks, (double)blocks))
            break;
        struct trial trial = trial_of(spec, options, blocks);
        trial.source = (struct trial_source){next_swept, sweep};
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

enum margay_status engines_sweep(const struct options *options,
                                 const struct policy_list *specs,
                                 struct csv_writer *csv,
                                 struct margay_error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (sweep == NULL)
        return margay_fail_memory(error, "the sweep");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++)
        status = sweep_engine(options, specs->specs[i], sweep, csv, error);
    free(sweep);
    return status;
}
