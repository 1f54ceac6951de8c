/* cmd_distances.c - margay distances */
#include <stdlib.h>

#include "sim/command/objects.h"
#include "sim/options/commands.h"
#include "sim/tables/csv.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

/*
 * A consumer of distances that writes rows.  The trace is read once for all
 * block sizes, but the rows of each block size stand together in the table:
 * those of the first go straight to the output, and the others wait in parts.
 */
struct listing {
    margay_consumer consumer;
    const struct csv_writer *whole; /* the table of the command */
    struct output *parts[MARGAY_MOST_BLOCK_SIZES];
    struct csv_writer tables[MARGAY_MOST_BLOCK_SIZES];
    size_t count;
};

static struct listing *self(margay_consumer *consumer)
{
    return (struct listing *)consumer;
}

static enum margay_status begin_table(struct listing *listing,
                                      const struct margay_pass *pass,
                                      struct margay_error *error)
{
    struct csv_writer *table = &listing->tables[pass->index];
    struct output **part = &listing->parts[pass->index];
    enum margay_status status = MARGAY_OK;
    listing->count = pass->index + 1;
    if (pass->index > 0)
        status = output_open(NULL, OUTPUT_HELD, part, error);
    if (status != MARGAY_OK)
        return status;
    csv_begin_part(table, pass->index > 0 ? *part : listing->whole->output,
                   listing->whole);
    return csv_set_key(table, pass->trace, pass->block_bytes, error);
}

static enum margay_status begin(margay_consumer *consumer,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    (void)share;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = begin_table(self(consumer), &passes[i], error);
    return status;
}

static enum margay_status feed(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct csv_writer *table = &self(consumer)->tables[pass->index];
    if (span->warmup)
        return MARGAY_OK;
    csv_distance_rows(table, span->first_index, span->blocks, span->distances,
                      span->count);
    return output_status(table->output, error);
}

static void free_listing(margay_consumer *consumer)
{
    struct listing *listing = self(consumer);
    for (size_t i = 0; i < listing->count; i++) {
        output_free(listing->parts[i]);
        csv_end(&listing->tables[i]);
    }
    free(listing);
}

enum margay_status distances_open(void *context, margay_consumer **consumer,
                                  struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = begin,
        .feed = feed,
        .free = free_listing,
    };
    *consumer = drive_consumer(sizeof(struct listing), &functions,
                               "the distances", error);
    if (*consumer == NULL)
        return MARGAY_NO_MEMORY;
    (*consumer)->can = (struct margay_abilities){
        .needs = MARGAY_COLUMN_DISTANCES,
        .passes = true,
    };
    self(*consumer)->whole = context;
    return MARGAY_OK;
}

static enum margay_status end_pass(void *context, const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct listing *listing = self(margay_engine_consumer_next(job->consumer));
    struct output *output = ((struct csv_writer *)context)->output;
    if (pass->index > 0)
        output_append(output, listing->parts[pass->index]);
    return output_status(output, error);
}

int cmd_distances(const struct options *options)
{
    struct csv_writer csv = {0};
    const struct drive drive = {
        .options = options,
        .context = &csv,
        .measures = true,
        .needs = MARGAY_CAN_TELL_DISTANCES,
        .csv = &csv,
        .columns = DISTANCES_COLUMNS,
        .open = distances_open,
        .ended = end_pass,
    };
    struct margay_error error;
    return options->results.objects
               ? objects_distances(options)
               : drive_table(&drive, objects_refuse(options, &error), &error);
}
