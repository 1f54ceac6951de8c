/* curve_files.h - the files that curve writes */
#ifndef MARGAY_SIM_COMMAND_CURVE_FILES_H
#define MARGAY_SIM_COMMAND_CURVE_FILES_H

#include "sim/options/options.h"
#include "sim/result/tables.h"
#include "sim/terminal/output.h"

/* In the order in which conclude() has them. */
enum { CURVE_TABLE, CURVE_HISTOGRAM, CURVE_PROMETHEUS, CURVE_OUTPUTS };

struct curve_files {
    struct output *outputs[CURVE_OUTPUTS]; /* NULL: not asked for */
    struct csv_writer csv, histogram_csv;
    char columns[SERIES_COLUMNS_TEXT];          /* of csv, */
    char snapshot_columns[SERIES_COLUMNS_TEXT]; /* and these but a window */
};

/* Open the files that the options ask for, and begin their tables.  What is
   open is closed by curve_files_close(), after a failure as well. */
enum margay_status curve_files_open(struct curve_files *files,
                                    const struct options *options,
                                    struct margay_error *error);

/* Publish the files, or say what failed.  Returns the exit status. */
int curve_files_close(struct curve_files *files, enum margay_status status,
                      struct margay_error *error);

/* The table of the histogram; NULL = it is not asked for. */
struct csv_writer *curve_files_histogram(struct curve_files *files);

/* Where rows of a series go; NULL is nowhere. */
struct curve_sinks {
    struct csv_writer *csv, *histogram_csv;
    const struct margay_bins *bins; /* of the histogram */
    struct prometheus *prometheus;
    bool tiers; /* the rows of csv are of these */
};

enum margay_status curve_write(const struct curve_sinks *sinks,
                               const struct series_labels *labels,
                               const struct margay_series *series,
                               struct margay_error *error);

/* The sizes at which rows are: those of the options, or the sums of tiers.  The
   caller frees sizes->list_blocks. */
enum margay_status curve_sizes(const struct options *options,
                               uint64_t block_bytes, struct margay_sizes *sizes,
                               struct margay_error *error);

#endif
