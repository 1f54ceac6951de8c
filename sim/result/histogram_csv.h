/* histogram_csv.h - reading histograms from their tables */
#ifndef MARGAY_SIM_RESULT_HISTOGRAM_CSV_H
#define MARGAY_SIM_RESULT_HISTOGRAM_CSV_H

#include <stdint.h>

#include <margay/stackdist.h>

/* Take one of the table's histograms, of a trace at one block size (0 = empty
   field).  The arguments belong to the reader. */
typedef enum margay_status histogram_take(void *context, const char *trace,
                                          uint64_t block_bytes,
                                          const margay_histogram *histogram,
                                          struct margay_error *error);

/* Take one of the table's histograms in any bins, in any order; `infinite` is
   the number of references of its last row, inf,inf or beyond a bound. */
typedef enum margay_status bins_take(void *context, const char *trace,
                                     uint64_t block_bytes,
                                     const struct margay_bin *bins,
                                     size_t count, uint64_t infinite,
                                     struct margay_error *error);

/* Whose references a histogram counts, where a table has a column of that
   before the others: a site, thread, region, tenant or op. */
struct histogram_place {
    char column[16];  /* its name; "" = the table has none */
    const char *text; /* of the histogram; belongs to the reader */
};

/* How a table is read. */
struct histogram_reading {
    histogram_take *take; /* called where the next one is NULL */
    bins_take *take_bins;
    void *context;
    /* Says whose histogram is taken, while it is; NULL: a table that has such a
       column is refused. */
    struct histogram_place *place;
};

/*
 * Read a table of histograms ("-": standard input) and take each.
 * MARGAY_BAD_INPUT names the line of what is wrong: other columns, a missing
 * end and, where they are to be exact, bins of more than one distance, shares
 * that do not follow from the counts, a bound that the trace exceeded, and
 * distances that do not ascend.
 */
enum margay_status histogram_csv_read_as(
    const char *path, const struct histogram_reading *reading,
    struct margay_error *error);

/* The same of exact histograms without places. */
enum margay_status histogram_csv_read(const char *path, histogram_take *take,
                                      void *context,
                                      struct margay_error *error);

#endif
