/* histogram_csv.h - reading histograms from their tables */
#ifndef MARGAY_SIM_TABLES_HISTOGRAM_CSV_H
#define MARGAY_SIM_TABLES_HISTOGRAM_CSV_H

#include <stdint.h>
#include <stdio.h>

#include <margay/stackdist.h>

/* Take one of the table's histograms, of a trace at one block size (0 = empty
   field).  The arguments belong to the reader. */
typedef enum margay_status histogram_take(void *context, const char *trace,
                                          uint64_t block_bytes,
                                          const margay_histogram *histogram,
                                          struct margay_error *error);

/*
 * Read a table of exact histograms ("-": standard input) and pass each to
 * take().  MARGAY_BAD_INPUT names the line of what is wrong: other columns,
 * bins of more than one distance, shares that do not follow from the counts, a
 * bound that the trace exceeded, a missing end.
 */
enum margay_status histogram_csv_read(const char *path, histogram_take *take,
                                      void *context,
                                      struct margay_error *error);

/* Take one of the table's histograms in any bins, in any order; `infinite` is
   the number of references of its last row, inf,inf or beyond a bound. */
typedef enum margay_status bins_take(void *context, const char *trace,
                                     uint64_t block_bytes,
                                     const struct margay_bin *bins,
                                     size_t count, uint64_t infinite,
                                     struct margay_error *error);

/*
 * Read a table of histograms in any bins ("-": standard input) and pass each to
 * take().  Fails as histogram_csv_read() does, but does not check shares, bins,
 * bounds and the order of the rows.
 */
enum margay_status histogram_csv_read_bins(const char *path, bins_take *take,
                                           void *context,
                                           struct margay_error *error);

/* Whose references a histogram counts, where a table has a column of that
   before the others: a site, thread, region, tenant or op. */
struct histogram_place {
    char column[16];  /* its name; "" = the table has none */
    const char *text; /* of the histogram; belongs to the reader */
};

/* Both for a table that may have such a column: while take() is called, *place
   says of which histogram. */
enum margay_status histogram_csv_read_places(const char *path,
                                             histogram_take *take,
                                             void *context,
                                             struct histogram_place *place,
                                             struct margay_error *error);
enum margay_status histogram_csv_read_bins_places(const char *path,
                                                  bins_take *take,
                                                  void *context,
                                                  struct histogram_place *place,
                                                  struct margay_error *error);

/* The same for an open file, which messages call `name`. */
enum margay_status histogram_csv_read_stream(FILE *file, const char *name,
                                             histogram_take *take,
                                             void *context,
                                             struct margay_error *error);

enum margay_status histogram_csv_read_bins_stream(FILE *file, const char *name,
                                                  bins_take *take,
                                                  void *context,
                                                  struct margay_error *error);

#endif
