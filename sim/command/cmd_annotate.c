/*
 * cmd_annotate.c - margay annotate
 *
 * The misses of each line of a program, as a table and as a profile that
 * kcachegrind shows.
 *
 * Source: "Callgrind Format Specification", valgrind's manual, version 1 of the
 *   format of profiles.  Files and functions are numbered, "fn=(2) name", so
 *   that a name may begin with a parenthesis; control characters are replaced.
 */
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

/* The most cache sizes of an annotation. */
#define ANNOTATION_SIZES 64

/* A line of a function. */
struct annotated_line {
    char *file;     /* "" = unknown */
    unsigned line;  /* 0 = unknown */
    char *function; /* after the file's name, in its memory */
    uint64_t references;
    uint64_t *misses; /* at each size */
};

struct annotate {
    const struct options *options;
    struct csv_writer csv;
    struct output *profile; /* NULL = none */
    struct places *places;
    struct annotated_line *lines;
    size_t line_count, line_capacity;
    struct data_names *data;          /* of --data */
    const margay_trace *trace;        /* of the pass that ends */
    uint64_t sizes[ANNOTATION_SIZES]; /* in blocks */
    size_t size_count;
    const char *changed; /* a file of code since the trace; NULL = none */
};

/* ----------------------------------------------------------------- lines -- */

static void free_line(struct annotated_line *line)
{
    free(line->file);
    free(line->misses);
}

/* Add references at a place, and their misses at each size. */
static enum margay_status add_line(struct annotate *annotate,
                                   const struct place *place,
                                   uint64_t references, const uint64_t *misses,
                                   struct margay_error *error)
{
    size_t file_bytes = strlen(place->file) + 1;
    size_t function_bytes = strlen(place->function) + 1;
    if (!MARGAY_MAKE_ROOM(annotate->lines, annotate->line_count, 1,
                          annotate->line_capacity))
        return margay_fail_memory(error, "the lines of a program");
    struct annotated_line line = {
        .file = malloc(file_bytes + function_bytes),
        .line = place->line,
        .references = references,
        .misses = malloc((1 + annotate->size_count) * sizeof *line.misses),
    };
    if (line.file == NULL || line.misses == NULL) {
        free_line(&line);
        return margay_fail_memory(error, "the lines of a program");
    }
    line.function = line.file + file_bytes;
    memcpy(line.file, place->file, file_bytes);
    memcpy(line.function, place->function, function_bytes);
    memcpy(line.misses, misses, annotate->size_count * sizeof *misses);
    annotate->lines[annotate->line_count++] = line;
    return MARGAY_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct annotated_line *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order == 0 ? strcmp(x->function, y->function) : order;
}

/* Put what was added to the same place together, and the lines in order: by
   file, line and function. */
static void sort_lines(struct annotate *annotate)
{
    struct annotated_line *lines = annotate->lines;
    size_t kept = 0;
    if (annotate->line_count > 1)
        qsort(lines, annotate->line_count, sizeof *lines, by_place);
    for (size_t i = 1; i < annotate->line_count; i++) {
        if (by_place(&lines[kept], &lines[i]) != 0) {
            lines[++kept] = lines[i];
            continue;
        }
        lines[kept].references += lines[i].references;
        for (size_t k = 0; k < annotate->size_count; k++)
            lines[kept].misses[k] += lines[i].misses[k];
        free_line(&lines[i]);
    }
    annotate->line_count = annotate->line_count == 0 ? 0 : kept + 1;
}

/* ------------------------------------------------ callgrind's profiles -- */

static void put_name(struct output *output, const char *key, const char *name)
{
    output_text(output, "%s", key);
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool replaced = (unsigned char)name[i] < ' ' || name[i] == 127;
        output_bytes(output, replaced ? "_" : &name[i], 1);
    }
    output_text(output, "%s\n", *name == '\0' ? "???" : "");
}

static void put_numbered(struct output *output, const char *key, size_t number,
                         const char *name)
{
    output_text(output, "%s=(%zu) ", key, number);
    put_name(output, "", name);
}

/* Names of events are such as "Misses32KiB", or "Misses512blocks" where bytes
   are unknown: they have letters and digits only. */
static void put_events(struct output *output, const struct annotate *annotate,
                       uint64_t block_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    output_text(output, "events:");
    for (size_t i = 0; i < annotate->size_count; i++) {
        uint64_t size = annotate->sizes[i] * (block_bytes ? block_bytes : 1);
        size_t unit = 0;
        for (; block_bytes != 0 && size % 1024 == 0 && unit < 3; unit++)
            size /= 1024;
        output_text(output, " Misses%" PRIu64 "%s", size,
                    block_bytes == 0 ? "blocks" : units[unit]);
    }
    output_text(output, " References\n");
}

static void put_counts(struct output *output, const uint64_t *misses,
                       size_t sizes, uint64_t references)
{
    for (size_t i = 0; i < sizes; i++)
        output_text(output, " %" PRIu64, misses[i]);
    output_text(output, " %" PRIu64 "\n", references);
}

static void put_summary(struct output *output, const struct annotate *annotate)
{
    uint64_t misses[ANNOTATION_SIZES] = {0}, references = 0;
    for (size_t i = 0; i < annotate->line_count; i++) {
        references += annotate->lines[i].references;
        for (size_t k = 0; k < annotate->size_count; k++)
            misses[k] += annotate->lines[i].misses[k];
    }
    output_text(output, "summary:");
    put_counts(output, misses, annotate->size_count, references);
}

/* Write the lines as a profile in callgrind's format, for callgrind_annotate
   and KCachegrind: an event for the misses at each size, and one for the
   references. */
static void write_profile(struct annotate *annotate,
                          const struct margay_pass *pass)
{
    struct output *output = annotate->profile;
    const char *file = NULL, *function = NULL;
    size_t files = 0, functions = 0;
    output_text(output, "# callgrind format\nversion: 1\ncreator: margay-%s\n",
                MARGAY_VERSION);
    put_name(output, "cmd: ", pass->trace);
    output_text(output, "positions: line\n");
    put_events(output, annotate, pass->block_bytes);
    put_summary(output, annotate);
    for (size_t i = 0; i < annotate->line_count; i++) {
        const struct annotated_line line = annotate->lines[i];
        if (file == NULL || strcmp(file, line.file) != 0)
            put_numbered(output, "fl", ++files, line.file);
        if (file == NULL || strcmp(file, line.file) != 0 ||
            strcmp(function, line.function) != 0)
            put_numbered(output, "fn", ++functions, line.function);
        file = line.file;
        function = line.function;
        output_text(output, "%u", line.line);
        put_counts(output, line.misses, annotate->size_count, line.references);
    }
}

/* ----------------------------------------------------------- the command -- */

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
    size_t count = 0;
    status = margay_result_curve(result, &sizes, &points, &count, error);
    if (count > ANNOTATION_SIZES)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--sizes: found %zu cache sizes, expected %d at "
                             "most",
                             count, ANNOTATION_SIZES);
    for (size_t i = 0; status == MARGAY_OK && i < count; i++)
        annotate->sizes[i] = points[i].cache_blocks;
    annotate->size_count = count;
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
    return add_line(annotate, &place, margay_histogram_references(part), misses,
                    error);
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
    annotate->trace = job->reader;
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
            add_site, annotate, error);
    if (status == MARGAY_OK)
        status = places_check(annotate->places, error);
    if (status != MARGAY_OK)
        return status;
    sort_lines(annotate);
    for (size_t i = 0; i < annotate->line_count; i++) {
        const struct annotated_line line = annotate->lines[i];
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
    if (annotate->profile != NULL)
        write_profile(annotate, pass);
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
    for (size_t i = 0; i < annotate.line_count; i++)
        free_line(&annotate.lines[i]);
    free(annotate.lines);
    data_names_free(annotate.data);
    places_free(annotate.places);
    return exit_status;
}
