/*
 * caches.h - all caches of a grid, for one trace
 *
 * What margay assoc and margay compare simulate with.  How it is done depends
 * on the policy: all LRU caches at once, all ways of OPT at once when the
 * trace has been read, or every cache by itself.
 */
#ifndef MARGAY_SIM_CACHES_H
#define MARGAY_SIM_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/analysis.h"
#include "sim/options.h"
#include <margay/assoc.h>

/* What the command line says about caches, as lists. */
struct cache_grid {
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    size_t set_count;
    unsigned ways[MARGAY_MOST_WAYS];
    size_t way_count;
    unsigned most_ways;
};

void cache_grid_init(struct cache_grid *grid, const struct options *options);

/* What is known about a cache in the end. */
struct cache_row {
    uint64_t references;
    uint64_t misses[MARGAY_KINDS];
    /* Only of caches that are simulated by themselves: */
    uint64_t writebacks, blocks_fetched, blocks_written;
};

uint64_t cache_row_misses(const struct cache_row *row);

/* What a trace's caches are made from. */
struct caches_setup {
    const struct options *options;
    const struct cache_grid *grid; /* outlives the caches */
    size_t pass_count;             /* block sizes */
    unsigned shifts[64];           /* from numbers to blocks, by pass */
    bool numbers; /* pass 0 is fed the numbers, for all passes; otherwise each
                     pass is fed its blocks */
};

struct caches_class {
    bool takes_numbers; /* setup.numbers may be true */
    enum margay_status (*create)(const struct caches_setup *setup, void **state,
                                 struct margay_error *error);
    enum margay_status (*feed)(void *state, size_t pass_index,
                               const uint64_t *blocks, const uint8_t *kinds,
                               size_t count, struct margay_error *error);
    void (*reset_counts)(void *state);
    enum margay_status (*finish)(void *state, struct margay_error *error);
    void (*get)(void *state, size_t pass_index, size_t set_index,
                size_t way_index, struct cache_row *row);
    void (*free_state)(void *state);
};

extern const struct caches_class caches_lru, caches_opt, caches_direct;

/* How the command line's caches are simulated. */
const struct caches_class *caches_choose(const struct options *options);

/* MARGAY_BAD_ARGUMENT if some of the command line's caches cannot be. */
enum margay_status caches_check(const struct options *options,
                                struct margay_error *error);

/*
 * Fail if a capacity of the grid is over 64 bits of bytes.
 */
enum margay_status caches_check_bytes(const struct cache_grid *grid,
                                      const struct analysis_pass *pass,
                                      struct margay_error *error);

#endif
