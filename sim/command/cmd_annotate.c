/* cmd_annotate.c - margay annotate */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct annotate {
    const struct options *options;
    struct csv_writer csv;
    struct output *profile; /* NULL = none */
    struct places *places;
    struct annotation *annotation;
    struct data_names *data;   /* of --data */
    const margay_trace *trace; /* of the pass that ends */
    uint64_t *sizes;           /* in blocks */
    size_t size_count;
    const char *changed; /* a file of code since the trace; NULL = none */
};

/* The datum of a reference, as the attribution counts it. */
static uint32_t number_of(void *context, uint64_t datum)
{
    return data_names_number(((struct annotate *)context)->data, datum);
}

static enum margay_status open_attribution(void *context,
                                           margay_question **question,
                                           struct margay_error *error)
{
    const struct annotate *annotate = context;
    return margay_attribution_question(
        annotate->options->annotate.data ? MARGAY_BY_DATUM : MARGAY_BY_SITE,
        number_of, context, question, error);
}

static enum margay_status begin_data(void *context,
                                     const struct margay_job *job,
                                     struct margay_error *error)
{
    struct annotate *annotate = context;
    if (!annotate->options->annotate.data)
        return MARGAY_OK;
    return data_names_create(annotate->places, job->reader,
                             annotate->options->annotate.program,
                             &annotate->data, error);
}

static enum margay_status check_data(const struct annotate *annotate,
                                     const struct margay_result *result,
                                     const char *trace,
                                     struct margay_error *error)
{
    if (annotate->data == NULL)
        return MARGAY_OK;
    if (margay_histogram_references(result->histogram) > 0 &&
        !margay_trace_tells_data(annotate->trace))
        return margay_fail(
            error, MARGAY_BAD_INPUT,
            "%s: --data: the trace does not tell what addresses "
            "hold; record --data does, and convert leaves it out",
            trace);
    return data_names_check(annotate->data, trace, error);
}

/* The sizes in blocks, as those of a curve. */
static enum margay_status find_sizes(struct annotate *annotate,
                                     const struct margay_pass *pass,
                                     const struct margay_result *result,
                                     struct margay_error *error)
{
    struct margay_sizes sizes;
    struct margay_point *points = NULL;
    enum margay_status status = margay_cache_sizes_resolve(
        &annotate->options->results.sizes, pass->block_bytes, &sizes, error);
    if (status != MARGAY_OK)
        return status;
    if (sizes.kind == MARGAY_SIZES_USUAL)
        sizes.kind = MARGAY_SIZES_POW2;
    status = margay_result_curve(result, &sizes, &points, &annotate->size_count,
                                 error);
    if (status == MARGAY_OK && annotate->size_count > ANNOTATION_SIZES)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--sizes: found %zu cache sizes, expected %d at "
                             "most",
                             annotate->size_count, ANNOTATION_SIZES);
    if (status == MARGAY_OK) {
        annotate->sizes = calloc(annotate->size_count + 1, sizeof(uint64_t));
        if (annotate->sizes == NULL)
            status = margay_fail_memory(error, "the cache sizes");
    }
    for (size_t i = 0; status == MARGAY_OK && i < annotate->size_count; i++)
        annotate->sizes[i] = points[i].cache_blocks;
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
        .list_blocks = annotate->sizes,
        .list_count = annotate->size_count,
    };
    uint64_t misses[ANNOTATION_SIZES];
    struct margay_point *points = NULL;
    struct place place;
    size_t count = 0;
    enum margay_status status =
        margay_histogram_curve(part, &sizes, &points, &count, error);
    for (size_t i = 0; status == MARGAY_OK && i < count; i++)
        misses[i] = points[i].misses;
    free(points);
    if (status != MARGAY_OK)
        return status;
    if (annotate->data != NULL)
        data_names_find(annotate->data, site, &place);
    else
        places_find_site(annotate->places, annotate->trace,
                         annotate->options->annotate.program, site, &place);
    return annotation_add(annotate->annotation, &place,
                          margay_histogram_references(part), misses, error);
}

/* A file of code that is younger than the trace, and so need not be what was
   recorded; NULL = none is, or the trace is no file. */
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

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct annotate *annotate = context;
    margay_analysis *analysis = job->analyses[pass->index];
    const struct margay_result *result =
        margay_engine_analysis_result(analysis);
    struct csv_writer *csv = &annotate->csv;
    const char *path, *why;
    size_t count;
    annotate->trace = job->reader;
    enum margay_status status =
        check_data(annotate, result, pass->trace, error);
    if (status == MARGAY_OK)
        status = find_sizes(annotate, pass, result, error);
    if (status == MARGAY_OK)
        status = annotation_create(annotate->size_count, &annotate->annotation,
                                   error);
    if (status == MARGAY_OK)
        status = margay_attribution_visit(
            analysis->next, margay_histogram_exceeded_bound(result->histogram),
            add_site, annotate, error);
    if (status == MARGAY_OK)
        status = places_check(annotate->places, error);
    if (status != MARGAY_OK)
        return status;
    annotation_finish(annotate->annotation);
    const struct annotated_line *lines =
        annotation_lines(annotate->annotation, &count);
    for (size_t i = 0; i < count; i++) {
        const struct annotated_line line = lines[i];
        for (size_t k = 0; k < annotate->size_count; k++) {
            csv_text(csv, pass->trace);
            csv_text(csv, line.file);
            csv_known(csv, line.line != 0, line.line);
            csv_text(csv, line.function); /* or the name of data */
            csv_bytes(csv, annotate->sizes[k], pass->block_bytes);
            csv_u64(csv, line.references);
            csv_u64(csv, line.misses[k]);
            csv_end_row(csv);
        }
    }
    const struct profile profile = {pass->trace, annotate->sizes,
                                    annotate->size_count, pass->block_bytes};
    if (annotate->profile != NULL)
        annotation_write_profile(annotate->annotation, &profile,
                                 annotate->profile);
    path = places_unread(annotate->places, &why);
    if (path != NULL)
        message_keep("%s: no lines of it: %s", path, why);
    annotate->changed = find_changed(annotate, pass->trace);
    return MARGAY_OK;
}

static enum margay_status run(struct annotate *annotate,
                              struct margay_error *error)
{
    const struct options *options = annotate->options;
    const struct drive drive = {
        .options = options,
        .context = annotate,
        .measures = true,
        .needs = MARGAY_CAN_GIVE_HISTOGRAM,
        .summarises = true,
        .open = open_attribution,
        .begun = begin_data,
        .ended = write_pass,
    };
    enum margay_status status = places_open(&annotate->places, error);
    if (status == MARGAY_OK)
        status = csv_open(&annotate->csv, options->output, options->json,
                          options->annotate.data ? ANNOTATE_DATA_COLUMNS
                                                 : ANNOTATE_COLUMNS,
                          error);
    if (status == MARGAY_OK && options->annotate.callgrind != NULL)
        status = output_open(options->annotate.callgrind, OUTPUT_HELD,
                             &annotate->profile, error);
    return status == MARGAY_OK ? drive_run(&drive, error) : status;
}

int cmd_annotate(const struct options *options)
{
    struct annotate annotate = {.options = options};
    struct margay_error error;
    enum margay_status status = run(&annotate, &error);
    struct output *outputs[] = {annotate.csv.output, annotate.profile};
    csv_end(&annotate.csv);
    int exit_status = conclude(status, outputs, 2, &error);
    if (exit_status == EXIT_DONE && annotate.changed != NULL)
        message_print("%s: it is younger than the trace; if another build of "
                      "it was recorded, %s are wrong: record again",
                      annotate.changed,
                      options->annotate.data ? "names of data"
                                             : "lines and functions");
    annotation_free(annotate.annotation);
    data_names_free(annotate.data);
    places_free(annotate.places);
    free(annotate.sizes);
    return exit_status;
}
