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

/* ------------------------------------------------------ the best caches -- */

struct best_cache {
    const char *trace;
    const char *policy;               /* NULL where there is only one */
    uint64_t block_bytes, sets, ways; /* bytes 0 = unknown */
    uint64_t references, misses;
};

/* The best caches of one trace so far. */
struct best {
    const char *trace;
    size_t most; /* caches to keep */
    size_t count;
    struct best_cache *caches; /* the best first; owned */
};

/* In bytes; in blocks if their size is unknown. */
static uint64_t best_capacity(const struct best_cache *cache)
{
    uint64_t blocks = cache->sets * cache->ways;
    return cache->block_bytes == 0 ? blocks : blocks * cache->block_bytes;
}

static bool better(const struct best_cache *a, const struct best_cache *b)
{
    if (a->misses != b->misses)
        return a->misses < b->misses;
    if (best_capacity(a) != best_capacity(b))
        return best_capacity(a) < best_capacity(b);
    return a->ways < b->ways;
}

/* Keep the cache if it is among the best: those with the fewest misses, then
   the smallest, then those of the fewest ways. */
static enum margay_status best_add(struct best *best,
                                   const struct best_cache *cache,
                                   struct margay_error *error)
{
    size_t place = best->count;
    while (place > 0 && better(cache, &best->caches[place - 1]))
        place--;
    if (place == best->most)
        return MARGAY_OK;
    if (best->count < best->most) {
        struct best_cache *caches =
            reallocarray(best->caches, best->count + 1, sizeof *best->caches);
        if (caches == NULL)
            return margay_fail_memory(error, "the best caches");
        best->caches = caches;
        best->count++;
    }
    memmove(best->caches + place + 1, best->caches + place,
            (best->count - place - 1) * sizeof *best->caches);
    best->caches[place] = *cache;
    return MARGAY_OK;
}

static void print_one(size_t place, const struct best_cache *cache)
{
    char blocks[48] = "";
    if (cache->block_bytes != 0)
        snprintf(blocks, sizeof blocks, " in blocks of %" PRIu64,
                 cache->block_bytes);
    uint64_t capacity = best_capacity(cache);
    message_print(
        "%s: best %zu: %" PRIu64 " %s%s%s, %" PRIu64 " set%s, %" PRIu64
        " way%s%s%s: %" PRIu64 " miss%s, ratio %.6g",
        cache->trace, place, capacity,
        cache->block_bytes == 0 ? "block" : "byte",
        margay_plural(capacity, "s"), blocks, cache->sets,
        margay_plural(cache->sets, "s"), cache->ways,
        margay_plural(cache->ways, "s"), cache->policy == NULL ? "" : ", ",
        cache->policy == NULL ? "" : cache->policy, cache->misses,
        margay_plural(cache->misses, "es"),
        cache->references == 0
            ? 0
            : (double)cache->misses / (double)cache->references);
}

static void best_print(struct best *best)
{
    if (best->count == 0)
        message_print("%s: there is no cache to name", best->trace);
    for (size_t i = 0; i < best->count; i++)
        print_one(i + 1, &best->caches[i]);
}

/* -------------------------------------------------------------- reading -- */

struct assoc {
    const struct options *options;
    struct cache_grid grid;
    struct csv_writer csv;
    struct best *best; /* of each trace */
    size_t best_count;
};

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

static void write_counts(struct assoc *assoc,
                         const struct margay_cache_row *row,
                         uint64_t block_bytes)
{
    struct csv_writer *csv = &assoc->csv;
    for (unsigned kind = 0;
         assoc->options->caches.by_kind && kind < MARGAY_KINDS; kind++)
        csv_u64(csv, row->misses[kind]);
    if (!cache_grid_counts_writes(assoc->options))
        return;
    csv_u64(csv, row->writebacks);
    csv_bytes(csv, row->blocks_fetched, block_bytes);
    csv_bytes(csv, row->blocks_written, block_bytes);
}

static enum margay_status consider(struct assoc *assoc,
                                   const struct margay_pass *pass,
                                   const struct margay_cache_row *row,
                                   uint64_t sets, unsigned ways,
                                   const char *policy,
                                   struct margay_error *error)
{
    const struct options *options = assoc->options;
    const struct best_cache cache = {
        .trace = pass->trace,
        .policy = options->caches.policies.count > 1 ? policy : NULL,
        .block_bytes = pass->block_bytes,
        .sets = sets,
        .ways = ways,
        .references = row->references,
        .misses = cache_row_misses(row),
    };
    if (options->caches.best == 0 ||
        (options->caches.most_bytes != 0 &&
         best_capacity(&cache) > options->caches.most_bytes))
        return MARGAY_OK;
    return best_add(&assoc->best[assoc->best_count - 1], &cache, error);
}

static enum margay_status write_row(struct assoc *assoc,
                                    const struct margay_job *job,
                                    const struct margay_pass *pass, size_t set,
                                    size_t way, size_t policy,
                                    struct margay_error *error)
{
    const struct policy_list *policies = &assoc->options->caches.policies;
    const char *spec = policies->count == 0 ? "lru" : policies->specs[policy];
    uint64_t sets = assoc->grid.sets[set];
    unsigned ways = assoc->grid.ways[way];
    struct margay_cache_row row;
    margay_caches_analysis_row(job->analyses[pass->index], pass, set, way,
                               policy, &row);
    if (row.references == 0)
        return MARGAY_OK;
    table_cache(&assoc->csv, pass, sets, ways, &row);
    write_counts(assoc, &row, pass->block_bytes);
    csv_text(&assoc->csv, spec);
    csv_end_row(&assoc->csv);
    return consider(assoc, pass, &row, sets, ways, spec, error);
}

static enum margay_status begin_best(struct assoc *assoc, const char *trace,
                                     struct margay_error *error)
{
    if (assoc->options->caches.best == 0)
        return MARGAY_OK;
    struct best *best =
        realloc(assoc->best, (assoc->best_count + 1) * sizeof *assoc->best);
    if (best == NULL)
        return margay_fail_memory(error, "the best caches");
    assoc->best = best;
    best[assoc->best_count++] = (struct best){
        .trace = trace, .most = (size_t)assoc->options->caches.best};
    return MARGAY_OK;
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct assoc *assoc = context;
    enum margay_status status = MARGAY_OK;
    if (pass->index == 0)
        status = begin_best(assoc, pass->trace, error);
    if (status == MARGAY_OK)
        status =
            csv_set_key(&assoc->csv, pass->trace, pass->block_bytes, error);
    size_t policies = assoc->options->caches.policies.count;
    size_t ways = assoc->grid.way_count;
    policies = policies == 0 ? 1 : policies;
    for (size_t i = 0;
         i < assoc->grid.set_count * ways * policies && status == MARGAY_OK;
         i++)
        status = write_row(assoc, job, pass, i / policies / ways,
                           i / policies % ways, i % policies, error);
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
    for (size_t i = 0; i < assoc.best_count; i++) {
        if (exit_status != EXIT_TROUBLE)
            best_print(&assoc.best[i]);
        free(assoc.best[i].caches);
    }
    free(assoc.best);
    return exit_status;
}
