/* run_csv.h - the exact histogram of a run, read from its table */
#ifndef MARGAY_SIM_RESULT_RUN_CSV_H
#define MARGAY_SIM_RESULT_RUN_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/stackdist.h>

struct run_csv {
    char *path;                  /* owned */
    const char *name;            /* on the command line */
    margay_histogram *histogram; /* owned */
    uint64_t block_bytes;        /* 0 = unknown */
    double size;                 /* of the run's input; 0 = not given */
    char *place;                 /* whose references these are; NULL = all;
                                    owned */
};

/* The histograms of one table: one, or one for each place. */
struct run_places {
    /* "site", "thread", "region", "tenant", "op"; "" = no places */
    char column[16];
    struct run_csv *runs; /* owned; of the same path, name, blocks and size */
    size_t count, capacity;
};

/*
 * Read RUN.csv=SIZE, split at the last '=', or without `has_size` RUN.csv
 * alone. MARGAY_BAD_ARGUMENT if the size is missing or wrong; MARGAY_BAD_INPUT
 * if the table does not hold exactly one exact histogram with finite distances.
 * Clear the run in any case.
 */
enum margay_status run_csv_read(struct run_csv *run, const char *text,
                                bool has_size, struct margay_error *error);

/*
 * Read RUN.csv=SIZE, or RUN.csv, which may have a column of places; of one
 * trace at one block size.  In exact bins, or `binned` in exact, log2 or
 * log-linear bins, or any that no power of two divides: each counts at its
 * first distance, so that the histogram is right in log2 bins. MARGAY_BAD_INPUT
 * where a place comes twice, there is no histogram or, without places, another
 * one.  Clear them in any case.
 */
enum margay_status run_places_read(struct run_places *places, const char *text,
                                   bool has_size, bool binned,
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
