/* run_csv.h - histograms, read from their tables */
#ifndef MARGAY_SIM_RESULT_RUN_CSV_H
#define MARGAY_SIM_RESULT_RUN_CSV_H

#include <margay/stackdist.h>

/* Which bins a histogram may have. */
enum run_bins {
    RUN_EXACT,  /* one distance in each row, as --bins exact has them */
    RUN_BINNED, /* those, log2 or log-linear ones, or any that no power of two
                   divides: each counts at its first distance, so that the
                   histogram is right in log2 bins */
    RUN_ANY, /* any, in any order: there is no histogram, but a list of bins */
};

/* A histogram, of a trace at one block size. */
struct run_csv {
    char *path;                  /* owned, as the other texts are */
    const char *name;            /* on the command line; not owned */
    char *trace;                 /* as the table has it */
    uint64_t block_bytes;        /* 0 = unknown */
    double size;                 /* of the run's input; 0 = not given */
    char *place;                 /* whose references these are; NULL = all */
    margay_histogram *histogram; /* owned; NULL for RUN_ANY, */
    struct margay_bin *bins;     /* which has these; owned */
    size_t bin_count;            /* without the last row, */
    uint64_t infinite;           /* which counts these references */
};

/* The histograms of one table. */
struct run_places {
    /* "site", "thread", "region", "tenant", "op"; "" = no places */
    char column[16];
    struct run_csv *runs; /* owned; of the same path */
    size_t count, capacity;
};

/* Read all histograms of a table ("-": standard input).  MARGAY_BAD_INPUT names
   the line of a fault: other columns, a missing end, bins that `bins` does not
   allow, and of RUN_EXACT shares that do not follow from the counts, a bound
   that the trace exceeded, and distances that do not ascend.  Clear them in any
   case. */
enum margay_status run_table_read(struct run_places *places, const char *path,
                                  enum run_bins bins, bool may_have_places,
                                  struct margay_error *error);

/* Read RUN.csv=SIZE, split at the last '=', or without `has_size` RUN.csv
   alone. MARGAY_BAD_ARGUMENT if the size is missing or wrong; MARGAY_BAD_INPUT
   if the table does not hold exactly one exact histogram with finite distances.
   Clear the run in any case. */
enum margay_status run_csv_read(struct run_csv *run, const char *text,
                                bool has_size, struct margay_error *error);

/* Read RUN.csv=SIZE, or RUN.csv, where may_have_places, with a column of
   places; of one trace at one block size.  MARGAY_BAD_INPUT where a place comes
   twice, there is no histogram or, without places, another one.  Clear them in
   any case. */
enum margay_status run_places_read(struct run_places *places, const char *text,
                                   bool has_size, enum run_bins bins,
                                   bool may_have_places,
                                   struct margay_error *error);
void run_places_clear(struct run_places *places);

/* Has the histogram a finite distance?  MARGAY_BAD_INPUT. */
enum margay_status run_csv_check_finite(const struct run_csv *run,
                                        struct margay_error *error);

/* A zeroed or cleared run may be cleared, too. */
void run_csv_clear(struct run_csv *run);

/* MARGAY_BAD_INPUT unless the block size is that of another run or trace. */
enum margay_status run_csv_check_blocks(const struct run_csv *run,
                                        const char *other_name,
                                        uint64_t other_bytes,
                                        struct margay_error *error);

#endif
