/* cache_grid.c - the caches of the command line */
#include "sim/command/cache_grid.h"

#include <inttypes.h>
#include <string.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* The caches simulated without --sets and --ways: powers of two and, unless a
   policy wants them too, all numbers. */
#define USUAL_WAYS 16

/* The fewest sets of which drrip has some lead, see its source. */
#define LEAST_LED 8

bool tell_few_sets(const char *cache, const char *policy, uint64_t sets)
{
    bool tells =
        policy != NULL && strcmp(policy, "drrip") == 0 && sets < LEAST_LED;
    if (tells)
        message_keep("%s%sdrrip: of %" PRIu64 " sets none leads (expected %d "
                     "or more): blocks come in as by srrip",
                     cache, *cache == '\0' ? "" : ": ", sets, LEAST_LED);
    return tells;
}

void cache_grid_init(struct cache_grid *grid)
{
    const struct options *options = &grid->drive.options;
    const struct policy_list *policies = &options->caches.policies;
    const struct number_list *sets = &options->caches.sets;
    const struct number_list *ways = &options->caches.ways;
    bool powers = (policies->abilities & MARGAY_POLICY_EVEN_WAYS) != 0;
    for (size_t i = 0; i < sets->count; i++)
        grid->sets[grid->set_count++] = sets->numbers[i];
    for (uint64_t i = 1; sets->count == 0 && options->caches.bytes.count == 0 &&
                         i <= USUAL_SETS;
         i *= 2)
        grid->sets[grid->set_count++] = i;
    for (size_t i = 0; grid->set_count > 0 && i < policies->count; i++)
        tell_few_sets("", policies->specs[i], grid->sets[0]);
    for (size_t i = 0; i < ways->count; i++)
        grid->ways[grid->way_count++] = (unsigned)ways->numbers[i];
    for (unsigned i = 1; ways->count == 0 && i <= USUAL_WAYS;
         i = powers ? 2 * i : i + 1)
        grid->ways[grid->way_count++] = i;
    grid->most_ways = grid->ways[grid->way_count - 1];
}

bool cache_grid_counts_writes(const struct options *options)
{
    return options->caches.write != WRITE_UNSAID ||
           options->caches.allocate != WRITE_UNSAID;
}

enum margay_status cache_grid_question(struct drive *drive,
                                       margay_question **question,
                                       struct margay_error *error)
{
    const struct cache_grid *grid = (struct cache_grid *)drive;
    const struct options *options = &drive->options;
    const struct margay_caches_request request = {
        .sets = grid->sets,
        .set_count = grid->set_count,
        .capacity_bytes = options->caches.bytes.numbers,
        .capacity_count = options->caches.bytes.count,
        .ways = grid->ways,
        .way_count = grid->way_count,
        .index = options->caches.index,
        .policies = (const char *const *)options->caches.policies.specs,
        .policy_count = options->caches.policies.count,
        .by_kind = options->caches.by_kind,
        .counts_writes = cache_grid_counts_writes(options),
        .write_through = options->caches.write == WRITE_THROUGH,
        .no_allocate = options->caches.allocate == WRITE_AROUND,
        .seed = options->seed,
        .half_life_refs = options->engine.half_life_refs,
    };
    return margay_caches_question(&request, question, error);
}

enum margay_status cache_grid_begun(struct drive *drive,
                                    const struct margay_job *job,
                                    struct margay_error *error)
{
    const struct cache_grid *grid = (struct cache_grid *)drive;
    uint64_t bytes, blocks = 0;
    if (drive->options.caches.most_bytes != 0 &&
        job->passes[0].block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --max-bytes, but nothing says what a block id "
                           "of this trace stands for (see --unit)",
                           job->trace);
    if (grid->set_count > 0)
        blocks = grid->most_ways * grid->sets[grid->set_count - 1];
    for (size_t i = 0; i < job->pass_count; i++) {
        uint64_t block_bytes = job->passes[i].block_bytes;
        if (!margay_multiply_u64(blocks, block_bytes, &bytes))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: a cache of %" PRIu64 " blocks of %" PRIu64
                               " bytes is over 64 bits",
                               job->trace, blocks, block_bytes);
    }
    return MARGAY_OK;
}
