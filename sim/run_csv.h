/* run_csv.h - a run's one exact histogram, read from its table */
#ifndef MARGAY_SIM_RUN_CSV_H
#define MARGAY_SIM_RUN_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/stackdist.h>

struct run_csv {
    char *path;                  /* owned */
    const char *name;            /* how the command line has it */
    margay_histogram *histogram; /* owned */
    uint64_t block_bytes;        /* 0 = unknown */
    double size;                 /* of its input; 0 = not said */
};

/*
 * Read RUN.csv=SIZE, split at the last '=', or RUN.csv alone without
 * `has_size`.  MARGAY_BAD_ARGUMENT if it is none; MARGAY_BAD_INPUT if the
 * table is not that of one exact histogram with finite distances.  Clear it in
 * any case.
 */
enum margay_status run_csv_read(struct run_csv *run, const char *text,
                                bool has_size, struct margay_error *error);

/* Zeroed and cleared ones are fine. */
void run_csv_clear(struct run_csv *run);

/* MARGAY_BAD_INPUT unless both are of the same blocks. */
enum margay_status run_csv_check_blocks(const struct run_csv *run,
                                        const char *other_name,
                                        uint64_t other_bytes,
                                        struct margay_error *error);

#endif
