/* cmd_assoc.c - margay assoc */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/best.h"
#include "sim/caches.h"
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/csv.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/tables.h"
#include "traces/traces_internal.h"

struct assoc {
    const struct options *options;
    const struct caches_class *class;
    struct cache_grid grid;
    struct output *output;
    struct csv_writer csv;
    struct caches_setup setup; /* of the trace being read */
    void *caches;              /* NULL until they are needed */
    bool finished;
    struct best *best; /* of each trace */
    size_t best_count;
};

static bool writes_count(const struct options *options)
{
    return options->write != WRITE_UNSAID || options->allocate != WRITE_UNSAID;
}

static enum margay_status open_output(struct assoc *assoc,
                                      struct margay_error *error)
{
    const struct options *options = assoc->options;
    char columns[256] = ASSOC_COLUMNS;
    if (options->by_kind)
        strcat(columns, ASSOC_KIND_COLUMNS);
    if (writes_count(options))
        strcat(columns, ASSOC_WRITE_COLUMNS);
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, &assoc->output, error);
    if (status == MARGAY_OK)
        csv_begin(&assoc->csv, assoc->output, columns);
    return status;
}

/* -------------------------------------------------------------- reading -- */

static enum margay_status begin(void *context, const struct analysis_pass *pass,
                                struct margay_error *error)
{
    struct assoc *assoc = context;
    if (assoc->options->most_bytes != 0 && pass->block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --max-bytes, but nothing says what a block id "
                           "of this trace stands for (see --unit)",
                           pass->trace);
    assoc->setup.shifts[pass->index] = pass->shift;
    assoc->setup.pass_count = pass->index + 1;
    assoc->setup.numbers = assoc->class->takes_numbers && !pass->split;
    return caches_check_bytes(&assoc->grid, pass, error);
}

/* All passes have begun when the first references come, or the end. */
static enum margay_status make_caches(struct assoc *assoc,
                                      struct margay_error *error)
{
    if (assoc->caches != NULL)
        return MARGAY_OK;
    assoc->finished = false;
    return assoc->class->create(&assoc->setup, &assoc->caches, error);
}

static enum margay_status feed_batch(void *context,
                                     const struct analysis_pass *pass,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct assoc *assoc = context;
    enum margay_status status = make_caches(assoc, error);
    if (status != MARGAY_OK || !assoc->setup.numbers || pass->index != 0)
        return status;
    return assoc->class->feed(assoc->caches, 0, batch->numbers, batch->kinds,
                              batch->references, error);
}

static enum margay_status feed_chunk(void *context,
                                     const struct analysis_pass *pass,
                                     const struct analysis_chunk *chunk,
                                     struct margay_error *error)
{
    struct assoc *assoc = context;
    return assoc->class->feed(assoc->caches, pass->index, chunk->blocks,
                              chunk->kinds, chunk->count, error);
}

static enum margay_status end_warmup(void *context, struct margay_error *error)
{
    struct assoc *assoc = context;
    (void)error;
    if (assoc->caches != NULL)
        assoc->class->reset_counts(assoc->caches);
    return MARGAY_OK;
}

/* ------------------------------------------------------------- the rows -- */

static void write_counts(struct assoc *assoc, const struct cache_row *row,
                         uint64_t block_bytes)
{
    struct csv_writer *csv = &assoc->csv;
    for (unsigned kind = 0; assoc->options->by_kind && kind < MARGAY_KINDS;
         kind++)
        csv_u64(csv, row->misses[kind]);
    if (!writes_count(assoc->options))
        return;
    csv_u64(csv, row->writebacks);
    csv_bytes(csv, row->blocks_fetched, block_bytes);
    csv_bytes(csv, row->blocks_written, block_bytes);
}

static enum margay_status consider(struct assoc *assoc,
                                   const struct analysis_pass *pass,
                                   const struct cache_row *row, uint64_t sets,
                                   unsigned ways, struct margay_error *error)
{
    const struct options *options = assoc->options;
    const struct best_cache cache = {
        .trace = pass->trace,
        .block_bytes = pass->block_bytes,
        .sets = sets,
        .ways = ways,
        .references = row->references,
        .misses = cache_row_misses(row),
    };
    if (options->best == 0 || (options->most_bytes != 0 &&
                               best_capacity(&cache) > options->most_bytes))
        return MARGAY_OK;
    return best_add(&assoc->best[assoc->best_count - 1], &cache, error);
}

static enum margay_status write_row(struct assoc *assoc,
                                    const struct analysis_pass *pass,
                                    size_t set, size_t way,
                                    struct margay_error *error)
{
    uint64_t sets = UINT64_C(1) << assoc->grid.set_shifts[set];
    unsigned ways = assoc->grid.ways[way];
    struct cache_row row = {0};
    assoc->class->get(assoc->caches, pass->index, set, way, &row);
    if (row.references == 0)
        return MARGAY_OK;
    table_cache(&assoc->csv, pass, sets, ways, &row);
    write_counts(assoc, &row, pass->block_bytes);
    csv_end_row(&assoc->csv);
    return consider(assoc, pass, &row, sets, ways, error);
}

static enum margay_status begin_best(struct assoc *assoc, const char *trace,
                                     struct margay_error *error)
{
    if (assoc->options->best == 0)
        return MARGAY_OK;
    struct best *best =
        realloc(assoc->best, (assoc->best_count + 1) * sizeof *assoc->best);
    if (best == NULL)
        return margay_fail_memory(error, "the best caches");
    assoc->best = best;
    best[assoc->best_count++] =
        (struct best){.trace = trace, .most = (size_t)assoc->options->best};
    return MARGAY_OK;
}

static void free_caches(struct assoc *assoc)
{
    if (assoc->caches != NULL)
        assoc->class->free_state(assoc->caches);
    assoc->caches = NULL;
}

static enum margay_status write_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct assoc *assoc = context;
    enum margay_status status = make_caches(assoc, error);
    if (status == MARGAY_OK && !assoc->finished)
        status = assoc->class->finish(assoc->caches, error);
    if (status == MARGAY_OK && !assoc->finished)
        status = begin_best(assoc, pass->trace, error);
    assoc->finished = true;
    if (status == MARGAY_OK)
        status =
            csv_set_key(&assoc->csv, pass->trace, pass->block_bytes, error);
    for (size_t set = 0; set < assoc->grid.set_count; set++) {
        for (size_t way = 0; way < assoc->grid.way_count && status == MARGAY_OK;
             way++)
            status = write_row(assoc, pass, set, way, error);
    }
    if (pass->index + 1 == assoc->setup.pass_count)
        free_caches(assoc);
    return status;
}

static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    if (options->most_bytes != 0 && options->best == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--max-bytes goes with --best N");
    return caches_check(options, error);
}

int cmd_assoc(const struct options *options)
{
    struct assoc assoc = {
        .options = options,
        .class = caches_choose(options),
        .setup = {.options = options},
    };
    const struct analysis_hooks hooks = {
        .no_engine = true,
        .takes_numbers = assoc.class->takes_numbers,
        .begin = begin,
        .batch = feed_batch,
        .chunk = feed_chunk,
        .end_warmup = end_warmup,
        .end = write_pass,
    };
    struct margay_error error;
    cache_grid_init(&assoc.grid, options);
    assoc.setup.grid = &assoc.grid;
    enum margay_status status = check(options, &error);
    if (status == MARGAY_OK)
        status = open_output(&assoc, &error);
    if (status == MARGAY_OK)
        status = analysis_run(options, &hooks, &assoc, &error);
    free_caches(&assoc);
    csv_end(&assoc.csv);
    int exit_status = conclude(status, &assoc.output, 1, &error);
    for (size_t i = 0; i < assoc.best_count; i++) {
        if (exit_status != EXIT_TROUBLE)
            best_print(&assoc.best[i]);
        best_free(&assoc.best[i]);
    }
    free(assoc.best);
    return exit_status;
}
