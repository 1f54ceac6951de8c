/* histogram_csv.h - exact histograms, read back from their table */
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

/* The same, of a file that is open; `name` is what messages call it. */
enum margay_status histogram_csv_read_stream(FILE *file, const char *name,
                                             histogram_take *take,
                                             void *context,
                                             struct margay_error *error);

#endif
