/* cmd_distances.c - margay distances */
#include <stdlib.h>

#include "sim/command/curve.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "traces/traces_internal.h"

/* Writes a row for each distance.  The trace is read once for all block sizes,
   but the rows of each block size stand together in the table: those of the
   first go straight to the output, and the others wait in parts. */
struct listing {
    margay_analysis analysis;
    struct output *part; /* NULL: the rows go straight to the output */
    struct csv_writer table;
};

static struct listing *self(margay_analysis *analysis)
{
    return (struct listing *)analysis;
}

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct csv_writer *table = &self(analysis)->table;
    if (span->warmup)
        return MARGAY_OK;
    csv_distance_rows(table, span->first_index, span->blocks, span->distances,
                      span->count);
    return output_status(table->output, error);
}

static void free_listing(margay_analysis *analysis)
{
    output_free(self(analysis)->part);
    csv_end(&self(analysis)->table);
}

static enum margay_status begin_listing(margay_analysis *analysis,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    const struct csv_writer *whole = analysis->question->context;
    const struct margay_pass *pass = analysis->pass;
    struct listing *listing = self(analysis);
    enum margay_status status = MARGAY_OK;
    (void)share;
    if (pass->index > 0)
        status = output_open(NULL, OUTPUT_HELD, &listing->part, error);
    if (status != MARGAY_OK)
        return status;
    csv_begin(&listing->table, pass->index > 0 ? listing->part : whole->output,
              whole->json, CSV_PART, whole->columns);
    return csv_set_key(&listing->table, pass->trace, pass->block_bytes, error);
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct listing),
        .begin = begin_listing,
        .feed = feed,
        .free = free_listing,
    };
    static const margay_question kind = {
        .functions = &functions,
        .can = {.needs = MARGAY_COLUMN_DISTANCES, .passes = true},
        .name = "the distances",
    };
    margay_question *listing;
    enum margay_status status =
        margay_question_create(&kind, drive->csvs, 0, &listing, error);
    const struct objects_wanted wanted = {.distances = true, .next = listing};
    if (status == MARGAY_OK && drive->options.results.objects)
        return objects_question(&drive->options, &wanted, question, error);
    *question = listing;
    return status;
}

static enum margay_status end_pass(struct drive *drive,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct output *output = drive->csvs[0].output;
    struct listing *listing = self(job->analyses[pass->index]->next);
    if (listing->part != NULL)
        output_append(output, listing->part);
    return output_status(output, error);
}

int cmd_distances(const struct options *options)
{
    struct drive drive = {
        .options = *options,
        .measures = !options->results.objects,
        .needs = MARGAY_CAN_TELL_DISTANCES,
        .files = {{.columns = DISTANCES_COLUMNS}},
        .ask = ask,
        .ended = end_pass,
    };
    return drive_command(&drive);
}
