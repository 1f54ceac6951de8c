/* caches.c - all caches of a grid, for one trace: what the policies share */
#include "sim/caches.h"

#include <inttypes.h>

#include "traces/traces_internal.h"

void cache_grid_init(struct cache_grid *grid, const struct options *options)
{
    *grid = (struct cache_grid){.set_count = 0};
    for (unsigned shift = 0; shift <= MARGAY_MOST_SET_SHIFT; shift++) {
        if ((options->set_shifts >> shift & 1) != 0)
            grid->set_shifts[grid->set_count++] = shift;
    }
    uint64_t ways = options->ways;
    if (ways == 0)
        ways = options->policy.policy == MARGAY_PLRU ? UINT64_C(0x808b)
                                                     : UINT64_C(0xffff);
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++) {
        if ((ways >> i & 1) != 0)
            grid->ways[grid->way_count++] = grid->most_ways = i + 1;
    }
}

uint64_t cache_row_misses(const struct cache_row *row)
{
    return row->misses[MARGAY_READ] + row->misses[MARGAY_WRITE] +
           row->misses[MARGAY_FETCH];
}

static bool has_write_rules(const struct options *options)
{
    return options->write != WRITE_UNSAID || options->allocate != WRITE_UNSAID;
}

const struct caches_class *caches_choose(const struct options *options)
{
    if (options->policy.policy == MARGAY_OPT)
        return &caches_opt;
    if (options->policy.policy == MARGAY_LRU && !has_write_rules(options))
        return &caches_lru;
    return &caches_direct;
}

enum margay_status caches_check(const struct options *options,
                                struct margay_error *error)
{
    struct cache_grid grid;
    cache_grid_init(&grid, options);
    if (options->policy.policy == MARGAY_OPT && has_write_rules(options))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy opt: what is optimal takes no account of "
                           "writes (leave out --write and --allocate)");
    for (size_t i = 0; i < grid.way_count; i++) {
        if (options->policy.policy == MARGAY_PLRU &&
            !margay_is_power_of_two(grid.ways[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--ways: %u with --policy plru (expected "
                               "powers of two)",
                               grid.ways[i]);
    }
    return MARGAY_OK;
}

enum margay_status caches_check_bytes(const struct cache_grid *grid,
                                      const struct analysis_pass *pass,
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
