/*
 * simulation.c - every set-associative LRU cache from one pass
 *
 * Algorithm: a level is one block size with one number of sets.  It keeps the
 *   blocks of each set in recency order, up to the most ways.  A reference that
 *   finds its block at recency i hits in sets of more than i ways, so that one
 *   count per recency serves all ways.  With 2S sets, a set holds a part of the
 *   blocks of a set of S sets.  So a block that is the most recent of its set
 *   at one level is the most recent at all levels of more sets, and the
 *   reference need not visit those.
 * Source: Mattson, Gecsei, Slutz, Traiger 1970, for the recency order; Hill
 *   and Smith, "Evaluating associativity in CPU caches", IEEE Trans.
 *   Computers 38(12), 1989, for the refinement; Sugumar and Abraham's Cheetah,
 *   1993, did both in one pass.
 * Guarantee: exact, for any 64-bit numbers.
 * Cost: O(levels) cache lines per reference at worst; margay_grid_bytes() of
 *   memory.
 *
 * Tags are 32 bits wide while the numbers fall into few regions (regions.h).
 * When there are too many regions, all tags are widened once, to 64 bits.
 */
#include <stdlib.h>
#include <string.h>

#include "assoc/one_pass/simulation.h"

/* A narrow number has at least this many low bits, so that regions are few. */
#define LEAST_LOW_BITS 20

/* -------------------------------------------------------------- kernels -- */

const struct margay_levels_kernel *margay_levels_kernel_for(
    enum margay_target target, bool wide)
{
#if defined(__x86_64__)
    if (target == MARGAY_TARGET_V4)
        return wide ? &margay_levels_kernel_v4_64 : &margay_levels_kernel_v4_32;
    if (target == MARGAY_TARGET_V3)
        return wide ? &margay_levels_kernel_v3_64 : &margay_levels_kernel_v3_32;
#endif
    (void)target;
    return wide ? &margay_levels_kernel_portable_64
                : &margay_levels_kernel_portable_32;
}

static enum margay_status choose_target(const char *name,
                                        enum margay_target *target,
                                        struct margay_error *error)
{
    *target = margay_target_best();
    if (name == NULL)
        return MARGAY_OK;
    for (int i = MARGAY_TARGET_PORTABLE; i <= MARGAY_TARGET_V4; i++) {
        *target = (enum margay_target)i;
        if (strcmp(name, margay_target_name(*target)) == 0 &&
            margay_target_available(*target))
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "target '%s': unknown, or not for this processor (the "
                       "best that is: %s)",
                       name, margay_target_name(margay_target_best()));
}

/* ------------------------------------------------------- making objects -- */

static enum margay_status make_work(struct margay_work *work, bool by_kind,
                                    struct margay_error *error)
{
    work->blocks =
        calloc(MARGAY_LIST_REFS + MARGAY_FETCH_AHEAD, sizeof(uint64_t));
    work->kinds = by_kind ? calloc(MARGAY_LIST_REFS, 1) : NULL;
    if (work->blocks == NULL || (by_kind && work->kinds == NULL))
        return margay_fail_memory(error, "a list of references");
    return MARGAY_OK;
}

static void free_work(struct margay_work *work)
{
    free(work->blocks);
    free(work->kinds);
}

/* Divide the levels into units, at least one for each thread if possible. */
static enum margay_status make_units(margay_assoc *assoc,
                                     const struct margay_grid *grid,
                                     unsigned threads,
                                     struct margay_error *error)
{
    size_t parts = (threads + grid->block_count - 1) / grid->block_count;
    if (parts > grid->set_count)
        parts = grid->set_count;
    assoc->units = calloc(parts * grid->block_count, sizeof *assoc->units);
    if (assoc->units == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < grid->block_count * parts; i++) {
        struct margay_unit *unit = &assoc->units[i];
        size_t part = i % parts;
        unit->block_index = i / parts;
        unit->shift =
            grid->block_shifts[unit->block_index] - grid->block_shifts[0];
        size_t first = part * grid->set_count / parts;
        unit->level_count = (part + 1) * grid->set_count / parts - first;
        unit->first_level = unit->block_index * grid->set_count + first;
        assoc->unit_count++;
        enum margay_status status =
            make_work(&unit->work, assoc->by_kind, error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/*
 * The number of a set consists of low bits of a block.  The largest blocks are
 * shifted from the smallest, so that all bits up to the number of their set
 * must stay in a narrow number.
 */
static enum margay_status make_regions(margay_assoc *assoc,
                                       const struct margay_grid *grid,
                                       struct margay_error *error)
{
    unsigned low_bits = grid->block_shifts[grid->block_count - 1] -
                        grid->block_shifts[0] +
                        grid->set_shifts[grid->set_count - 1];
    assoc->wide = low_bits > 31;
    if (assoc->wide)
        return MARGAY_OK;
    assoc->regions = malloc(sizeof *assoc->regions);
    if (assoc->regions == NULL)
        return margay_fail_memory(error, "the table of regions");
    margay_regions_init(assoc->regions,
                        low_bits < LEAST_LOW_BITS ? LEAST_LOW_BITS : low_bits);
    return MARGAY_OK;
}

static enum margay_status make_parts(margay_assoc *assoc,
                                     const struct margay_grid *grid,
                                     unsigned threads,
                                     struct margay_error *error)
{
    enum margay_status status = make_regions(assoc, grid, error);
    assoc->kernel = margay_levels_kernel_for(assoc->target, assoc->wide);
    if (status == MARGAY_OK)
        status = margay_caches_create(assoc, &assoc->caches, error);
    if (status == MARGAY_OK)
        status = make_units(assoc, grid, threads, error);
    for (int i = 0; i < 2 && status == MARGAY_OK; i++)
        status = make_work(&assoc->lists[i], assoc->by_kind, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(threads, &assoc->crew, error);
    return status;
}

enum margay_status margay_assoc_create(
    const struct margay_grid *grid, const struct margay_assoc_options *options,
    margay_assoc **result, struct margay_error *error)
{
    *result = NULL;
    enum margay_status status = margay_grid_check(grid, error);
    if (status != MARGAY_OK)
        return status;
    margay_assoc *assoc = calloc(1, sizeof *assoc);
    if (assoc == NULL)
        return margay_fail_memory(error, "the caches");
    assoc->block_count = grid->block_count;
    assoc->set_count = grid->set_count;
    memcpy(assoc->set_shifts, grid->set_shifts,
           grid->set_count * sizeof *grid->set_shifts);
    assoc->first_shift = grid->block_shifts[0];
    assoc->most_ways = grid->most_ways;
    assoc->by_kind = options->by_kind;
    status = choose_target(options->target, &assoc->target, error);
    if (status == MARGAY_OK)
        status = make_parts(assoc, grid, options->threads, error);
    if (status == MARGAY_OK)
        *result = assoc;
    else
        margay_assoc_free(assoc);
    return status;
}

void margay_assoc_free(margay_assoc *assoc)
{
    if (assoc == NULL)
        return;
    if (assoc->crew != NULL)
        margay_crew_finish(assoc->crew);
    margay_crew_free(assoc->crew);
    margay_caches_destroy(&assoc->caches);
    for (size_t i = 0; i < assoc->unit_count; i++)
        free_work(&assoc->units[i].work);
    for (int i = 0; i < 2; i++)
        free_work(&assoc->lists[i]);
    free(assoc->units);
    free(assoc->regions);
    free(assoc);
}
