/* cmd_share.c - margay share: programs in one cache, mixed and divided */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"
#include <margay/sharing.h>

struct share {
    const struct options *options;
    struct run_places tables[MARGAY_MOST_SHARERS];
    size_t table_count;
    const struct run_csv *runs[MARGAY_MOST_SHARERS]; /* of the tables */
    size_t count;
    margay_sharing *sharing;
    struct margay_point *sizes; /* of the cache; their misses mean nothing */
    size_t size_count;
    struct csv_writer csv;
};

/* Histograms of objects, which look like others in a table.  A cache of objects
   hits up to a distance of its size, one of blocks below it: each distance is
   lowered by 1.  Objects without bytes need a cache of 1. */
static enum margay_status take_objects(const struct run_places *table,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (table->runs[0].block_bytes != 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found blocks of %" PRIu64
                           " bytes, expected distances in bytes (histogram "
                           "--objects)",
                           table->runs[0].path, table->runs[0].block_bytes);
    for (size_t i = 0; i < table->count && status == MARGAY_OK; i++) {
        struct run_csv *run = &table->runs[i];
        margay_histogram *bytes = run->histogram;
        uint64_t from = 0, distance, count;
        status = margay_histogram_create(&run->histogram, error);
        for (; status == MARGAY_OK &&
               margay_histogram_next(bytes, from, &distance, &count);
             from = distance + 1)
            status = margay_histogram_add(
                run->histogram, distance == 0 ? 0 : distance - 1, count, error);
        if (status == MARGAY_OK)
            status =
                margay_histogram_add(run->histogram, MARGAY_INFINITE,
                                     margay_histogram_infinite(bytes), error);
        margay_histogram_free(bytes);
    }
    return status;
}

/* The programs of a table: one, or tenants who make their parts of its
   references. */
static enum margay_status add_programs(struct share *share,
                                       const struct run_places *table,
                                       struct margay_sharer *programs,
                                       struct margay_error *error)
{
    double references = 0, rate = table->runs[0].size;
    if (table->count > MARGAY_MOST_SHARERS - share->count)
        return margay_fail(
            error, MARGAY_BAD_INPUT,
            "%s: found %zu programs or tenants, expected at most "
            "%d in all",
            table->runs[0].path, table->count, MARGAY_MOST_SHARERS);
    for (size_t i = 0; i < table->count; i++)
        references +=
            (double)margay_histogram_references(table->runs[i].histogram);
    for (size_t i = 0; i < table->count; i++) {
        const margay_histogram *histogram = table->runs[i].histogram;
        double part = (double)margay_histogram_references(histogram);
        programs[share->count] = (struct margay_sharer){
            histogram,
            (rate == 0 ? 1 : rate) * (references == 0 ? 1 : part / references)};
        share->runs[share->count++] = &table->runs[i];
    }
    return run_csv_check_blocks(&table->runs[0], share->runs[0]->path,
                                share->runs[0]->block_bytes, error);
}

static enum margay_status read_runs(struct share *share,
                                    struct margay_error *error)
{
    const struct options *options = share->options;
    struct margay_sharer programs[MARGAY_MOST_SHARERS];
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < options->operand_count && status == MARGAY_OK; i++) {
        struct run_places *table = &share->tables[share->table_count++];
        const char *operand = options->operands[i];
        /* RUN.csv=RATE, unless that is the name of a file. */
        bool has_rate =
            strrchr(operand, '=') != NULL && access(operand, F_OK) != 0;
        status =
            run_places_read(table, operand, has_rate, RUN_EXACT, true, error);
        if (status == MARGAY_OK && options->results.objects)
            status = take_objects(table, error);
        if (status == MARGAY_OK)
            status = add_programs(share, table, programs, error);
    }
    return status == MARGAY_OK ? margay_sharing_create(programs, share->count,
                                                       &share->sharing, error)
                               : status;
}

/* A grid goes up to the blocks that all programs together can use. */
static enum margay_status find_sizes(struct share *share,
                                     struct margay_error *error)
{
    struct margay_sizes resolved;
    margay_histogram *grid = NULL;
    bool objects = share->options->results.objects;
    uint64_t largest, last = 0;
    /* The size beyond which more blocks are useless: 64 times 2^56 at most. */
    for (size_t i = 0; objects && i < share->count; i++) {
        if (margay_histogram_largest(share->runs[i]->histogram, &largest))
            last += largest + 1;
    }
    if (objects)
        last = last == 0 ? 1 : last;
    else
        last = margay_sharing_last(share->sharing);
    if (share->options->results.sizes.kind == MARGAY_SIZES_ALL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--sizes all: a shared cache has no steps, expected "
                           "pow2, octave:N or a list");
    enum margay_status status = margay_cache_sizes_resolve(
        &share->options->results.sizes,
        objects ? 1 : share->runs[0]->block_bytes, &resolved, error);
    if (status == MARGAY_BAD_ARGUMENT && share->runs[0]->block_bytes == 0)
        return margay_fail(error, status,
                           "--sizes: %s does not say how many bytes a block "
                           "has, expected numbers of blocks, or --objects if "
                           "its distances are bytes",
                           share->runs[0]->path);
    if (status != MARGAY_OK)
        return status;
    status = margay_histogram_create(&grid, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(grid, last - 1, 1, error);
    if (status == MARGAY_OK)
        status = margay_histogram_curve(grid, &resolved, &share->sizes,
                                        &share->size_count, error);
    margay_histogram_free(grid);
    free((void *)resolved.list_blocks);
    return status;
}

static enum margay_status write_size(struct share *share, uint64_t blocks,
                                     struct margay_error *error)
{
    struct margay_sharer_result shared[MARGAY_MOST_SHARERS];
    struct margay_sharer_result divided[MARGAY_MOST_SHARERS];
    struct csv_writer *csv = &share->csv;
    bool objects = share->options->results.objects;
    uint64_t bytes, block_bytes = share->runs[0]->block_bytes;
    if (!margay_multiply_u64(blocks, block_bytes, &bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%" PRIu64 " blocks of %" PRIu64
                           " bytes are over 64 bits",
                           blocks, block_bytes);
    enum margay_status status = margay_sharing_divided(
        share->sharing, blocks, share->options->results.fair, divided, error);
    if (status != MARGAY_OK)
        return status;
    /* The blocks that others bring in follow from their footprints, and these
       from misses in blocks, not in bytes. */
    if (!objects)
        margay_sharing_shared(share->sharing, blocks, shared);
    for (size_t i = 0; i < share->count; i++) {
        const struct run_csv *run = share->runs[i];
        /* Without bytes to a block these are empty. */
        csv_bytes(csv, blocks, !objects);
        csv_bytes(csv, blocks, objects ? 1 : run->block_bytes);
        csv_text(csv, run->place == NULL ? run->path : run->place);
        csv_u64(csv, margay_histogram_references(run->histogram));
        csv_bytes(csv, objects ? 0 : shared[i].misses, !objects);
        csv_bytes(csv, (uint64_t)divided[i].blocks, !objects);
        csv_u64(csv, divided[i].misses);
        if (objects)
            csv_u64(csv, (uint64_t)divided[i].blocks);
        csv_end_row(csv);
    }
    return MARGAY_OK;
}

int cmd_share(const struct options *options)
{
    struct share share = {.options = options};
    struct margay_error error;
    enum margay_status status = read_runs(&share, &error);
    if (status == MARGAY_OK)
        status = find_sizes(&share, &error);
    if (status == MARGAY_OK)
        status = csv_open(&share.csv, options->output, options->json, CSV_ROWS,
                          options->results.objects
                              ? SHARE_COLUMNS SHARE_OBJECT_COLUMNS
                              : SHARE_COLUMNS,
                          &error);
    for (size_t i = 0; i < share.size_count && status == MARGAY_OK; i++)
        status = write_size(&share, share.sizes[i].cache_blocks, &error);
    for (size_t i = 0; i < share.table_count; i++)
        run_places_clear(&share.tables[i]);
    margay_sharing_free(share.sharing);
    free(share.sizes);
    return csv_conclude(status, &share.csv, 1, &error);
}
