/* cmd_annotate.c - margay annotate: the misses of each line of a program */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* The files of the command. */
enum { TABLE, PROFILE };

struct annotate {
    struct drive drive;
    struct places *places;
    struct line_counts lines;
    struct data_names *data;   /* of --data */
    const margay_trace *trace; /* of the pass that ends */
    const char *changed;       /* a file of code since the trace; NULL = none */
};

/* The number of a datum for the attribution. */
static uint32_t number_of(void *context, uint64_t datum)
{
    return data_names_number(((struct annotate *)context)->data, datum);
}

static enum margay_status begin_data(struct drive *drive,
                                     const struct margay_job *job,
                                     struct margay_error *error)
{
    struct annotate *annotate = (struct annotate *)drive;
    data_names_free(annotate->data);
    annotate->data = NULL;
    if (!drive->options.annotate.data)
        return MARGAY_OK;
    return data_names_create(annotate->places, job->reader,
                             drive->options.annotate.program, &annotate->data,
                             error);
}

/* The sizes in blocks, as those of a curve. */
static enum margay_status find_sizes(struct annotate *annotate,
                                     const struct margay_pass *pass,
                                     const struct margay_result *result,
                                     struct margay_error *error)
{
    struct margay_sizes sizes;
    struct margay_point *points = NULL;
    enum margay_status status =
        margay_cache_sizes_resolve(&annotate->drive.options.results.sizes,
                                   pass->block_bytes, &sizes, error);
    if (status != MARGAY_OK)
        return status;
    if (sizes.kind == MARGAY_SIZES_USUAL)
        sizes.kind = MARGAY_SIZES_POW2;
    size_t count = 0;
    status = margay_result_curve(result, &sizes, &points, &count, error);
    if (count > ANNOTATION_SIZES)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--sizes: found %zu cache sizes, expected %d at "
                             "most",
                             count, ANNOTATION_SIZES);
    for (size_t i = 0; status == MARGAY_OK && i < count; i++)
        annotate->lines.sizes[i] = points[i].cache_blocks;
    annotate->lines.size_count = count;
    free(points);
    free((void *)sizes.list_blocks);
    return status;
}

static enum margay_status add_site(void *context, uint64_t site,
                                   const margay_histogram *part,
                                   struct margay_error *error)
{
    struct annotate *annotate = context;
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST,
        .list_blocks = annotate->lines.sizes,
        .list_count = annotate->lines.size_count,
    };
    struct margay_point *points;
    struct place place;
    size_t count;
    enum margay_status status =
        margay_histogram_curve(part, &sizes, &points, &count, error);
    if (status != MARGAY_OK)
        return status;
    if (annotate->data != NULL)
        data_names_find(annotate->data, site, &place);
    else
        places_find_site(annotate->places, annotate->trace,
                         annotate->drive.options.annotate.program, site,
                         &place);
    status = line_counts_add(&annotate->lines, &place,
                             margay_histogram_references(part), points, error);
    free(points);
    return status;
}

/* A file of code that is younger than the trace, and so need not be the one
   that was recorded; NULL = none is, or the trace is no file. */
static const char *find_changed(const struct annotate *annotate,
                                const char *trace)
{
    struct stat status;
    int found = strcmp(trace, "-") == 0 ? fstat(STDIN_FILENO, &status)
                                        : stat(trace, &status);
    return found == 0 && S_ISREG(status.st_mode)
               ? places_changed_since(annotate->places, &status.st_mtim)
               : NULL;
}

static void write_rows(struct annotate *annotate,
                       const struct margay_pass *pass)
{
    struct csv_writer *csv = &annotate->drive.csvs[TABLE];
    const struct line_counts *lines = &annotate->lines;
    for (size_t i = 0; i < lines->count * lines->size_count; i++) {
        const struct counted_line *line = lines->list[i / lines->size_count];
        size_t size = i % lines->size_count;
        csv_text(csv, pass->trace);
        csv_text(csv, line->file);
        csv_known(csv, line->number != 0, line->number);
        csv_text(csv, line->function);
        csv_bytes(csv, lines->sizes[size], pass->block_bytes);
        csv_u64(csv, line->references);
        csv_u64(csv, line->misses[size]);
        csv_end_row(csv);
    }
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct annotate *annotate = (struct annotate *)drive;
    margay_analysis *analysis = job->analyses[pass->index];
    const struct margay_result *result =
        margay_engine_analysis_result(analysis);
    annotate->trace = job->reader;
    line_counts_clear(&annotate->lines);
    enum margay_status status = MARGAY_OK;
    if (annotate->data != NULL &&
        margay_histogram_references(result->histogram) > 0 &&
        !margay_trace_tells_data(job->reader))
        status = margay_fail(
            error, MARGAY_BAD_INPUT,
            "%s: --data: the trace does not tell what addresses hold; record "
            "--data does, and convert leaves it out",
            pass->trace);
    else if (annotate->data != NULL)
        status = data_names_check(annotate->data, pass->trace, error);
    if (status == MARGAY_OK)
        status = find_sizes(annotate, pass, result, error);
    if (status == MARGAY_OK)
        status = margay_attribution_visit(
            analysis->next, margay_histogram_exceeded_bound(result->histogram),
            0, add_site, annotate, error);
    if (status == MARGAY_OK)
        status = places_check(annotate->places, error);
    if (status != MARGAY_OK)
        return status;
    line_counts_sort(&annotate->lines);
    write_rows(annotate, pass);
    if (drive->csvs[PROFILE].output != NULL)
        profile_write(drive->csvs[PROFILE].output, &annotate->lines,
                      pass->trace, pass->block_bytes);
    places_tell_unread(annotate->places);
    if (annotate->changed == NULL)
        annotate->changed = find_changed(annotate, pass->trace);
    const struct margay_series all = margay_result_describe(result);
    table_summarise(pass, &all, false);
    return MARGAY_OK;
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct annotate *annotate = (struct annotate *)drive;
    const bool data = drive->options.annotate.data;
    enum margay_status status = places_open(&annotate->places, error);
    return status == MARGAY_OK ? margay_attribution_question(
                                     data ? MARGAY_BY_DATUM : MARGAY_BY_SITE,
                                     number_of, annotate, 0, question, error)
                               : status;
}

int cmd_annotate(const struct options *options)
{
    struct annotate annotate = {
        .drive = {
            .options = *options,
            .measures = true,
            .needs = MARGAY_CAN_GIVE_HISTOGRAM,
            .ask = ask,
            .begun = begin_data,
            .ended = write_pass,
            .files = {[TABLE] = {.columns = options->annotate.data
                                                ? ANNOTATE_DATA_COLUMNS
                                                : ANNOTATE_COLUMNS},
                      [PROFILE] = {.path = options->annotate.callgrind}},
        }};
    int exit_status = drive_command(&annotate.drive);
    if (exit_status == EXIT_DONE && annotate.changed != NULL)
        message_print("%s: it is younger than the trace; if another build of "
                      "it was recorded, %s are wrong: record again",
                      annotate.changed,
                      options->annotate.data ? "names of data"
                                             : "lines and functions");
    line_counts_clear(&annotate.lines);
    data_names_free(annotate.data);
    places_free(annotate.places);
    return exit_status;
}
