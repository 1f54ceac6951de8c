/* cmd_histogram.c - margay histogram */
#include <string.h>

#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/places.h"
#include "sim/snapshot.h"
#include "sim/summary.h"
#include "sim/tables.h"
#include "sim/trace_run.h"
#include "traces/traces_internal.h"

/* Block sizes are passes, and no more than these (trace_run.h). */
#define MAX_PLACES MAX_PASSES

struct histogram {
    const struct options *options;
    struct csv_writer csv;
    struct summary summary;
    /* With --by: */
    struct regions *regions; /* NULL unless by region */
    struct places *places[MAX_PLACES];
    const struct analysis_pass *pass; /* that ends */
};

/* ------------------------------------------------------------- by place -- */

static enum margay_status begin_places(void *context,
                                       const struct analysis_pass *pass,
                                       struct margay_error *error)
{
    struct histogram *histogram = context;
    return places_create(histogram->options->place.kind, histogram->regions,
                         &histogram->places[pass->index], error);
}

static enum margay_status add_places(void *context,
                                     const struct analysis_pass *pass,
                                     const struct analysis_chunk *chunk,
                                     struct margay_error *error)
{
    struct histogram *histogram = context;
    return places_add(histogram->places[pass->index], pass, chunk, error);
}

static enum margay_status write_place(void *context, const char *label,
                                      const margay_histogram *part,
                                      struct margay_error *error)
{
    struct histogram *histogram = context;
    struct analysis_pass pass = *histogram->pass;
    pass.result.histogram = (margay_histogram *)part; /* only read */
    histogram->csv.label = label;
    return table_histogram(&histogram->csv, &pass, &histogram->options->bins,
                           error);
}

static enum margay_status write_places(struct histogram *histogram,
                                       const struct analysis_pass *pass,
                                       struct margay_error *error)
{
    struct places *places = histogram->places[pass->index];
    histogram->pass = pass;
    histogram->places[pass->index] = NULL;
    enum margay_status status =
        places_visit(places, pass, write_place, histogram, error);
    places_free(places);
    return status;
}

/* A state, or a snapshot of one, knows nothing of places. */
static enum margay_status prepare_places(struct histogram *histogram,
                                         struct margay_error *error)
{
    const struct options *options = histogram->options;
    const char *other =
        options->save != NULL                                     ? "--save"
        : options->resume != NULL                                 ? "--resume"
        : options->every.refs != 0 || options->every.seconds != 0 ? "--every"
                                                                  : NULL;
    if (options->place.kind == BY_NOTHING)
        return MARGAY_OK;
    if (other != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--by does not go with %s: a state has no places",
                           other);
    return options->place.kind == BY_REGION
               ? regions_read(options->place.map, &histogram->regions, error)
               : MARGAY_OK;
}

/* ------------------------------------------------------------ the table -- */

static enum margay_status write_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct histogram *histogram = context;
    enum margay_status status =
        histogram->options->place.kind != BY_NOTHING
            ? write_places(histogram, pass, error)
            : table_histogram(&histogram->csv, pass, &histogram->options->bins,
                              error);
    if (status == MARGAY_OK)
        status = summary_add(&histogram->summary, pass, error);
    return status;
}

static enum margay_status write_snapshot(void *context,
                                         const struct analysis_pass *passes,
                                         size_t count, uint64_t references,
                                         struct margay_error *error)
{
    const struct options *options = ((struct histogram *)context)->options;
    struct snapshot snapshot;
    enum margay_status status =
        snapshot_begin(&snapshot, options, HISTOGRAM_COLUMNS, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status =
            table_histogram(&snapshot.csv, &passes[i], &options->bins, error);
    return snapshot_end(&snapshot, status, references, error);
}

static void begin_table(struct histogram *histogram, struct output *output)
{
    enum place_kind kind = histogram->options->place.kind;
    char columns[sizeof HISTOGRAM_COLUMNS + 16] = "";
    if (kind != BY_NOTHING) {
        strcat(columns, place_column(kind));
        strcat(columns, ",");
    }
    strcat(columns, HISTOGRAM_COLUMNS);
    csv_begin(&histogram->csv, output, columns);
}

static void end_table(struct histogram *histogram)
{
    csv_end(&histogram->csv);
    for (size_t i = 0; i < MAX_PLACES; i++)
        places_free(histogram->places[i]);
    regions_free(histogram->regions);
}

int cmd_histogram(const struct options *options)
{
    bool by_place = options->place.kind != BY_NOTHING;
    const struct analysis_hooks hooks = {
        .needs =
            MARGAY_LACKS_HISTOGRAM | (by_place ? MARGAY_LACKS_DISTANCES : 0),
        .wants_distances = by_place,
        .wants_origins = by_place,
        .begin = by_place ? begin_places : NULL,
        .chunk = by_place ? add_places : NULL,
        .end = write_pass,
        .snapshot = write_snapshot,
    };
    struct histogram histogram = {.options = options};
    struct output *output = NULL;
    struct margay_error error;
    enum margay_status status = prepare_places(&histogram, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        begin_table(&histogram, output);
        status = analysis_run(options, &hooks, &histogram, &error);
    }
    end_table(&histogram);
    int exit_status = conclude(status, &output, 1, &error);
    summary_end(&histogram.summary,
                options->quiet || exit_status == EXIT_TROUBLE);
    return exit_status;
}
