/* cmd_assoc.c - margay assoc */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* A cache that --best may name. */
struct best_cache {
    const char *policy;
    uint64_t block_bytes, sets; /* bytes 0 = unknown */
    unsigned ways;
    uint64_t references, misses;
    unsigned fraction_bits; /* of these */
    size_t place;           /* in the order of the rows */
};

struct assoc {
    struct cache_grid grid;
    struct best_cache *caches; /* of the trace, for --best; owned */
    size_t cache_count, cache_capacity;
};

/* ------------------------------------------------------ the best caches -- */

/* In bytes; in blocks if their size is unknown. */
static uint64_t best_capacity(const struct best_cache *cache)
{
    uint64_t blocks = cache->sets * cache->ways;
    return cache->block_bytes == 0 ? blocks : blocks * cache->block_bytes;
}

/* Those with the fewest misses, then the smallest, then those of the fewest
   ways. */
static int by_merit(const void *a, const void *b)
{
    const struct best_cache *one = a, *other = b;
    double misses = ldexp((double)one->misses, -(int)one->fraction_bits);
    double others = ldexp((double)other->misses, -(int)other->fraction_bits);
    const uint64_t keys[][2] = {
        {misses > others, others > misses},
        {best_capacity(one), best_capacity(other)},
        {one->ways, other->ways},
        {one->place, other->place},
    };
    size_t i = 0;
    while (i < 3 && keys[i][0] == keys[i][1])
        i++;
    return keys[i][0] < keys[i][1] ? -1 : 1;
}

/* Keep a cache that --best may name. */
static enum margay_status keep_cache(struct assoc *assoc,
                                     const struct best_cache *cache,
                                     struct margay_error *error)
{
    const struct options *options = &assoc->grid.drive.options;
    uint64_t most_bytes = options->caches.most_bytes;
    if (options->caches.best == 0 ||
        (most_bytes != 0 && best_capacity(cache) > most_bytes))
        return MARGAY_OK;
    if (!MARGAY_MAKE_ROOM(assoc->caches, assoc->cache_count, 1,
                          assoc->cache_capacity))
        return margay_fail_memory(error, "the best caches");
    assoc->caches[assoc->cache_count++] = *cache;
    return MARGAY_OK;
}

/* Name the best caches of a trace, and forget all. */
static void name_best(struct assoc *assoc, const char *trace)
{
    const struct options *options = &assoc->grid.drive.options;
    size_t count = assoc->cache_count;
    bool names_policy = options->caches.policies.count > 1;
    if (count == 0)
        message_keep("%s: there is no cache to name", trace);
    else
        qsort(assoc->caches, count, sizeof *assoc->caches, by_merit);
    for (size_t i = 0; i < count && i < options->caches.best; i++) {
        const struct best_cache *cache = &assoc->caches[i];
        uint64_t capacity = best_capacity(cache);
        uint64_t misses =
            margay_round_count(cache->misses, cache->fraction_bits);
        char blocks[48] = "";
        if (cache->block_bytes != 0)
            snprintf(blocks, sizeof blocks, " in blocks of %" PRIu64,
                     cache->block_bytes);
        message_keep(
            "%s: best %zu: %" PRIu64 " %s%s%s, %" PRIu64 " set%s, %u way%s%s%s"
            ": %" PRIu64 " miss%s, ratio %.6g",
            trace, i + 1, capacity, cache->block_bytes == 0 ? "block" : "byte",
            margay_plural(capacity, "s"), blocks, cache->sets,
            margay_plural(cache->sets, "s"), cache->ways,
            margay_plural(cache->ways, "s"), names_policy ? ", " : "",
            names_policy ? cache->policy : "", misses,
            margay_plural(misses, "es"),
            (double)cache->misses / (double)cache->references);
    }
    assoc->cache_count = 0;
}

/* ------------------------------------------------------------- the rows -- */

static void write_row(struct drive *drive, const struct margay_pass *pass,
                      const struct margay_cache_row *row,
                      const struct best_cache *cache)
{
    const struct options *options = &drive->options;
    struct csv_writer *csv = drive->csvs;
    table_cache(csv, pass, cache->sets, cache->ways, row);
    for (unsigned i = 0; options->caches.by_kind && i < MARGAY_KINDS; i++)
        csv_count(csv, row->misses[i], 1);
    if (cache_grid_counts_writes(options)) {
        csv_count(csv, row->writebacks, 1);
        csv_count(csv, row->blocks_fetched, pass->block_bytes);
        csv_count(csv, row->blocks_written, pass->block_bytes);
    }
    csv_text(csv, cache->policy);
    csv_end_row(csv);
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct assoc *assoc = (struct assoc *)drive;
    const struct policy_list *policies = &drive->options.caches.policies;
    const margay_analysis *analysis = job->analyses[pass->index];
    size_t ways = assoc->grid.way_count, set_count;
    size_t policy_count = policies->count == 0 ? 1 : policies->count;
    const uint64_t *sets = margay_caches_analysis_sets(analysis, &set_count);
    enum margay_status status =
        csv_set_key(drive->csvs, pass->trace, pass->block_bytes, error);
    drive->csvs->fraction_bits = analysis->fraction_bits;
    for (size_t i = 0;
         i < set_count * ways * policy_count && status == MARGAY_OK; i++) {
        size_t policy = i % policy_count, cache = i / policy_count;
        struct margay_cache_row row;
        margay_caches_analysis_row(analysis, pass, cache / ways, cache % ways,
                                   policy, &row);
        const struct best_cache found = {
            .policy = policies->count == 0 ? "lru" : policies->specs[policy],
            .block_bytes = pass->block_bytes,
            .sets = sets[cache / ways],
            .ways = assoc->grid.ways[cache % ways],
            .references = row.references,
            .misses = of_all_kinds(row.misses),
            .fraction_bits = analysis->fraction_bits,
            .place = assoc->cache_count,
        };
        if (row.references == 0)
            continue;
        write_row(drive, pass, &row, &found);
        status = keep_cache(assoc, &found, error);
    }
    if (status == MARGAY_OK && drive->options.caches.best != 0 &&
        pass->index + 1 == job->pass_count)
        name_best(assoc, pass->trace);
    return status;
}

/* Indexed by whether misses are counted by kind, and writes are counted. */
static const char *const columns[2][2] = {
    {ASSOC_COLUMNS POLICY_COLUMN,
     ASSOC_COLUMNS ASSOC_WRITE_COLUMNS POLICY_COLUMN},
    {ASSOC_COLUMNS ASSOC_KIND_COLUMNS POLICY_COLUMN,
     ASSOC_COLUMNS ASSOC_KIND_COLUMNS ASSOC_WRITE_COLUMNS POLICY_COLUMN},
};

int cmd_assoc(const struct options *options)
{
    struct assoc assoc = {
        .grid.drive = {
            .options = *options,
            .ask = cache_grid_question,
            .files = {{.columns = columns[options->caches.by_kind]
                                         [cache_grid_counts_writes(options)]}},
            .begun = cache_grid_begun,
            .ended = write_pass,
        }};
    cache_grid_init(&assoc.grid);
    int exit_status = drive_command(&assoc.grid.drive);
    free(assoc.caches);
    return exit_status;
}
