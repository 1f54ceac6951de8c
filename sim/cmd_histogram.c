/* cmd_histogram.c - margay histogram */
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/snapshot.h"
#include "sim/summary.h"
#include "sim/tables.h"

struct histogram {
    const struct options *options;
    struct csv_writer csv;
    struct summary summary;
};

static enum margay_status write_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct histogram *histogram = context;
    enum margay_status status = table_histogram(
        &histogram->csv, pass, &histogram->options->bins, error);
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

int cmd_histogram(const struct options *options)
{
    static const struct analysis_hooks hooks = {.needs = MARGAY_LACKS_HISTOGRAM,
                                                .end = write_pass,
                                                .snapshot = write_snapshot};
    struct histogram histogram = {.options = options};
    struct output *output;
    struct margay_error error;
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&histogram.csv, output, HISTOGRAM_COLUMNS);
        status = analysis_run(options, &hooks, &histogram, &error);
        csv_end(&histogram.csv);
    }
    int exit_status = conclude(status, &output, 1, &error);
    summary_end(&histogram.summary,
                options->quiet || exit_status == EXIT_TROUBLE);
    return exit_status;
}
