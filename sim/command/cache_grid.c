/* cache_grid.c - the caches that the command line asks for */
#include "sim/command/cache_grid.h"

#include <inttypes.h>

#include "traces/traces_internal.h"

/* The ways that are simulated without --ways: bit i is i + 1 ways. */
#define USUAL_WAYS          UINT64_C(0xffff)
#define USUAL_POWERS_OF_TWO UINT64_C(0x808b)

void cache_grid_init(struct cache_grid *grid, const struct options *options)
{
    *grid = (struct cache_grid){.set_count = 0};
    for (unsigned shift = 0; shift <= MARGAY_MOST_SET_SHIFT; shift++) {
        if ((options->caches.set_shifts >> shift & 1) != 0)
            grid->set_shifts[grid->set_count++] = shift;
    }
    uint64_t ways = options->caches.ways;
    if (ways == 0)
        ways =
            options->caches.policy.info->abilities & MARGAY_POLICY_POWERS_OF_TWO
                ? USUAL_POWERS_OF_TWO
                : USUAL_WAYS;
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++) {
        if ((ways >> i & 1) != 0)
            grid->ways[grid->way_count++] = grid->most_ways = i + 1;
    }
}

bool cache_grid_counts_writes(const struct options *options)
{
    return options->caches.write != WRITE_UNSAID ||
           options->caches.allocate != WRITE_UNSAID;
}

struct margay_caches_request cache_grid_request(const struct cache_grid *grid,
                                                const struct options *options)
{
    return (struct margay_caches_request){
        .set_shifts = grid->set_shifts,
        .set_count = grid->set_count,
        .ways = grid->ways,
        .way_count = grid->way_count,
        .policy = options->caches.policy.spec,
        .bypass = options->caches.policy.bypass,
        .by_kind = options->caches.by_kind,
        .counts_writes = cache_grid_counts_writes(options),
        .write_through = options->caches.write == WRITE_THROUGH,
        .no_allocate = options->caches.allocate == WRITE_AROUND,
        .seed = options->seed,
    };
}

enum margay_status cache_grid_check(const struct cache_grid *grid,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    uint64_t bytes, blocks = (uint64_t)grid->most_ways
                             << grid->set_shifts[grid->set_count - 1];
    if (margay_multiply_u64(blocks, pass->block_bytes, &bytes))
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: a cache of %" PRIu64 " blocks of %" PRIu64
                       " bytes is over 64 bits",
                       pass->trace, blocks, pass->block_bytes);
}
