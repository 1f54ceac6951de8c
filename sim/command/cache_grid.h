/* cache_grid.h - the caches of the command line */
#ifndef MARGAY_SIM_COMMAND_CACHE_GRID_H
#define MARGAY_SIM_COMMAND_CACHE_GRID_H

#include "sim/command/drive.h"

/* The most sets of a usual grid, and of the map of a report. */
#define USUAL_SETS 16384

/* The sets and ways of the caches, as ascending lists. */
struct cache_grid {
    struct drive drive;
    uint64_t sets[MARGAY_MOST_LISTED];
    size_t set_count;
    unsigned ways[MARGAY_MOST_LISTED];
    size_t way_count;
    unsigned most_ways;
};

/* Find the sets and ways that the options of its drive ask for. */
void cache_grid_init(struct cache_grid *grid);

/* For the drive of a grid: ask for its caches, */
enum margay_status cache_grid_question(struct drive *drive,
                                       margay_question **question,
                                       struct margay_error *error);

/* and fail if a capacity is over 64 bits of bytes, or the bytes of a
   cache, which --max-bytes needs, are unknown. */
enum margay_status cache_grid_begun(struct drive *drive,
                                    const struct margay_job *job,
                                    struct margay_error *error);

/* Say on standard error, once the command has succeeded, if a cache of that
   name ("" = none) has too few sets for its policy to choose; returns
   whether. */
bool tell_few_sets(const char *cache, const char *policy, uint64_t sets);

/* Do the options ask for counts of the memory traffic? */
bool cache_grid_counts_writes(const struct options *options);

#endif
