/* histogram_csv.h - histograms, read back from their table */
#ifndef MARGAY_SIM_HISTOGRAM_CSV_H
#define MARGAY_SIM_HISTOGRAM_CSV_H

#include <stdint.h>
#include <stdio.h>

#include <margay/stackdist.h>

/* One of the table's histograms: a trace at one block size (0 = empty).  All
   belongs to the reader. */
typedef enum margay_status histogram_take(void *context, const char *trace,
                                          uint64_t block_bytes,
                                          const margay_histogram *histogram,
                                          struct margay_error *error);

/*
 * Read a table of exact histograms ("-": standard input) and hand out each.
 * MARGAY_BAD_INPUT says in which line the table is something else: other
 * columns, bins of more than one distance, shares that are not those of the
 * counts, the trace of a bound that was exceeded, a missing end.
 */
enum margay_status histogram_csv_read(const char *path, histogram_take *take,
                                      void *context,
                                      struct margay_error *error);

/* The same of any bins, in any order; `infinite` are the references of the last
   row, be it inf,inf or that of a bound that was exceeded. */
typedef enum margay_status bins_take(void *context, const char *trace,
                                     uint64_t block_bytes,
                                     const struct margay_bin *bins,
                                     size_t count, uint64_t infinite,
                                     struct margay_error *error);

/*
 * Read a table of histograms ("-": standard input) and hand out each.  Fails
 * as histogram_csv_read() does, but for what only exact ones must be: shares,
 * and the order of the rows, are not looked at.
 */
enum margay_status histogram_csv_read_bins(const char *path, bins_take *take,
                                           void *context,
                                           struct margay_error *error);

/* Both of a file that is open; `name` is what messages call it. */
enum margay_status histogram_csv_read_stream(FILE *file, const char *name,
                                             histogram_take *take,
                                             void *context,
                                             struct margay_error *error);

enum margay_status histogram_csv_read_bins_stream(FILE *file, const char *name,
                                                  bins_take *take,
                                                  void *context,
                                                  struct margay_error *error);

#endif
