/* cache_grid.h - the caches that the command line asks for */
#ifndef MARGAY_SIM_COMMAND_CACHE_GRID_H
#define MARGAY_SIM_COMMAND_CACHE_GRID_H

#include "sim/options/options.h"
#include <margay/run.h>

/* The sets and ways of the caches, as ascending lists. */
struct cache_grid {
    uint64_t sets[MARGAY_MOST_LISTED];
    size_t set_count;
    unsigned ways[MARGAY_MOST_LISTED];
    size_t way_count;
    unsigned most_ways;
};

void cache_grid_init(struct cache_grid *grid, const struct options *options);

/* The request for these caches; the grid must outlive it. */
struct margay_caches_request cache_grid_request(const struct cache_grid *grid,
                                                const struct options *options);

/* Fail if a capacity of the grid is over 64 bits of bytes. */
enum margay_status cache_grid_check(const struct cache_grid *grid,
                                    const struct margay_pass *pass,
                                    struct margay_error *error);

/* Say on standard error, once the command has succeeded, if a cache of that
   name
   ("" = none) has too few sets for its policy to choose; returns whether. */
bool tell_few_sets(const char *cache, const char *policy, uint64_t sets);

/* Do the options ask for counts of the memory traffic? */
bool cache_grid_counts_writes(const struct options *options);

#endif
