/* cmd_assoc.c - margay assoc */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/csv.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct best_cache {
    size_t trace;                     /* of the operands */
    const char *policy;               /* NULL where there is only one */
    uint64_t block_bytes, sets, ways; /* bytes 0 = unknown */
    uint64_t references, misses;
    size_t place; /* in the order of the rows */
};

struct assoc {
    const struct options *options;
    struct cache_grid grid;
    struct csv_writer csv;
    size_t trace_count;        /* so far */
    struct best_cache *caches; /* for --best; owned */
    size_t cache_count, cache_capacity;
};

/* ------------------------------------------------------ the best caches -- */

/* In bytes; in blocks if their size is unknown. */
static uint64_t best_capacity(const struct best_cache *cache)
{
    uint64_t blocks = cache->sets * cache->ways;
    return cache->block_bytes == 0 ? blocks : blocks * cache->block_bytes;
}

/* Of each trace those with the fewest misses, then the smallest, then those of
   the fewest ways. */
static int by_merit(const void *a, const void *b)
{
    const struct best_cache *one = a, *other = b;
    const uint64_t keys[][2] = {
        {one->trace, other->trace},
        {one->misses, other->misses},
        {best_capacity(one), best_capacity(other)},
        {one->ways, other->ways},
        {one->place, other->place},
    };
    size_t i = 0;
    while (i < 4 && keys[i][0] == keys[i][1])
        i++;
    return keys[i][0] < keys[i][1] ? -1 : 1;
}

static void print_one(const char *trace, size_t place,
                      const struct best_cache *cache)
{
    char blocks[48] = "";
    if (cache->block_bytes != 0)
        snprintf(blocks, sizeof blocks, " in blocks of %" PRIu64,
                 cache->block_bytes);
    uint64_t capacity = best_capacity(cache);
    message_print(
        "%s: best %zu: %" PRIu64 " %s%s%s, %" PRIu64 " set%s, %" PRIu64
        " way%s%s%s: %" PRIu64 " miss%s, ratio %.6g",
        trace, place, capacity, cache->block_bytes == 0 ? "block" : "byte",
        margay_plural(capacity, "s"), blocks, cache->sets,
        margay_plural(cache->sets, "s"), cache->ways,
        margay_plural(cache->ways, "s"), cache->policy == NULL ? "" : ", ",
        cache->policy == NULL ? "" : cache->policy, cache->misses,
        margay_plural(cache->misses, "es"),
        cache->references == 0
            ? 0
            : (double)cache->misses / (double)cache->references);
}

static void print_best(struct assoc *assoc)
{
    const struct options *options = assoc->options;
    const struct best_cache *cache = assoc->caches;
    const struct best_cache *end = cache + assoc->cache_count;
    if (assoc->cache_count > 0)
        qsort(assoc->caches, assoc->cache_count, sizeof *cache, by_merit);
    for (size_t i = 0; options->caches.best != 0 && i < assoc->trace_count;
         i++) {
        const char *trace =
            options->operand_count == 0 ? "-" : options->operands[i];
        uint64_t place = 0;
        for (; cache < end && cache->trace == i; cache++) {
            if (place < options->caches.best)
                print_one(trace, (size_t)++place, cache);
        }
        if (place == 0)
            message_print("%s: there is no cache to name", trace);
    }
}

/* -------------------------------------------------------------- reading -- */

static enum margay_status open_caches(void *context, margay_question **question,
                                      struct margay_error *error)
{
    const struct assoc *assoc = context;
    const struct margay_caches_request request =
        cache_grid_request(&assoc->grid, assoc->options);
    return margay_caches_question(&request, question, error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    struct assoc *assoc = context;
    enum margay_status status = MARGAY_OK;
    if (assoc->options->caches.most_bytes != 0 &&
        job->passes[0].block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --max-bytes, but nothing says what a block id "
                           "of this trace stands for (see --unit)",
                           job->trace);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = cache_grid_check(&assoc->grid, &job->passes[i], error);
    return status;
}

/* ------------------------------------------------------------- the rows -- */

/* Keep a cache that --best may name. */
static enum margay_status consider(struct assoc *assoc,
                                   const struct best_cache *cache,
                                   struct margay_error *error)
{
    uint64_t most_bytes = assoc->options->caches.most_bytes;
    if (assoc->options->caches.best == 0 ||
        (most_bytes != 0 && best_capacity(cache) > most_bytes))
        return MARGAY_OK;
    struct best_cache *caches =
        margay_grow(assoc->caches, assoc->cache_count, &assoc->cache_capacity,
                    sizeof *caches);
    if (caches == NULL)
        return margay_fail_memory(error, "the best caches");
    assoc->caches = caches;
    caches[assoc->cache_count] = *cache;
    caches[assoc->cache_count].place = assoc->cache_count;
    assoc->cache_count++;
    return MARGAY_OK;
}

static enum margay_status write_row(struct assoc *assoc,
                                    const struct margay_job *job,
                                    const struct margay_pass *pass, size_t set,
                                    size_t way, size_t policy, uint64_t sets,
                                    struct margay_error *error)
{
    const struct options *options = assoc->options;
    const struct policy_list *policies = &options->caches.policies;
    const char *spec = policies->count == 0 ? "lru" : policies->specs[policy];
    unsigned ways = assoc->grid.ways[way];
    struct csv_writer *csv = &assoc->csv;
    struct margay_cache_row row;
    margay_caches_analysis_row(job->analyses[pass->index], pass, set, way,
                               policy, &row);
    if (row.references == 0)
        return MARGAY_OK;
    table_cache(csv, pass, sets, ways, &row);
    for (unsigned i = 0; options->caches.by_kind && i < MARGAY_KINDS; i++)
        csv_u64(csv, row.misses[i]);
    if (cache_grid_counts_writes(options)) {
        csv_u64(csv, row.writebacks);
        csv_bytes(csv, row.blocks_fetched, pass->block_bytes);
        csv_bytes(csv, row.blocks_written, pass->block_bytes);
    }
    csv_text(csv, spec);
    csv_end_row(csv);
    const struct best_cache cache = {
        .trace = assoc->trace_count - 1,
        .policy = policies->count > 1 ? spec : NULL,
        .block_bytes = pass->block_bytes,
        .sets = sets,
        .ways = ways,
        .references = row.references,
        .misses = cache_row_misses(&row),
    };
    return consider(assoc, &cache, error);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct assoc *assoc = context;
    assoc->trace_count += pass->index == 0;
    enum margay_status status =
        csv_set_key(&assoc->csv, pass->trace, pass->block_bytes, error);
    size_t policies = assoc->options->caches.policies.count, set_count;
    size_t ways = assoc->grid.way_count;
    const uint64_t *sets =
        margay_caches_analysis_sets(job->analyses[pass->index], &set_count);
    policies = policies == 0 ? 1 : policies;
    for (size_t i = 0; i < set_count * ways * policies && status == MARGAY_OK;
         i++)
        status = write_row(assoc, job, pass, i / policies / ways,
                           i / policies % ways, i % policies,
                           sets[i / policies / ways], error);
    return status;
}

/* Indexed by whether misses are told apart by kind, and writes are counted. */
static const char *const columns[2][2] = {
    {ASSOC_COLUMNS POLICY_COLUMN,
     ASSOC_COLUMNS ASSOC_WRITE_COLUMNS POLICY_COLUMN},
    {ASSOC_COLUMNS ASSOC_KIND_COLUMNS POLICY_COLUMN,
     ASSOC_COLUMNS ASSOC_KIND_COLUMNS ASSOC_WRITE_COLUMNS POLICY_COLUMN},
};

int cmd_assoc(const struct options *options)
{
    struct assoc assoc = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &assoc,
        .csv = &assoc.csv,
        .columns =
            columns[options->caches.by_kind][cache_grid_counts_writes(options)],
        .open = open_caches,
        .begun = begun,
        .ended = write_pass,
    };
    struct margay_error error;
    cache_grid_init(&assoc.grid, options);
    int exit_status = drive_table(&drive, MARGAY_OK, &error);
    if (exit_status != EXIT_TROUBLE)
        print_best(&assoc);
    free(assoc.caches);
    return exit_status;
}
