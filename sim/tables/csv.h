/*
 * csv.h - the one place that writes CSV
 *
 * Numbers are written without quotes; libcsv writes a field that needs quotes.
 * The output (output.h) keeps failures.
 */
#ifndef MARGAY_SIM_TABLES_CSV_H
#define MARGAY_SIM_TABLES_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#include "sim/terminal/output.h"

/* The tables, by their columns; docs/using/csv-schema.md explains them. */
#define CURVE_COLUMNS \
    "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio"
#define CURVE_WRITE_COLUMNS   ",writebacks"
#define CURVE_REQUEST_COLUMNS ",requests,missed_requests"
#define CURVE_OBJECT_COLUMNS  ",reference_bytes,missed_bytes,byte_miss_ratio"
#define HISTOGRAM_COLUMNS \
    "trace,block_bytes,distance_from,distance_to,references,share"
#define DISTANCES_COLUMNS "trace,block_bytes,index,block,distance"
#define ASSOC_COLUMNS \
    "trace,block_bytes,sets,ways,cache_bytes,references,misses,miss_ratio"
#define ASSOC_KIND_COLUMNS  ",read_misses,write_misses,fetch_misses"
#define ASSOC_WRITE_COLUMNS ",writebacks,bytes_in,bytes_out"
#define POLICY_COLUMN       ",policy"
#define COMPARE_COLUMNS                                   \
    ASSOC_COLUMNS                                         \
    ",predicted_fully_associative,predicted_binomial,"    \
    "error_fully_associative,error_binomial,cold_misses," \
    "capacity_misses,conflict_misses"
#define COMPARE_PREDICTION_COLUMNS                     \
    ",signature_fully_associative,signature_binomial," \
    "error_signature,error_total"
#define SAMPLE_COLUMNS                                                         \
    "trace,block_bytes,sample,block,peak,index,known_index,coverage,distance," \
    "size"
#define INFO_COLUMNS    "key,value"
#define ENGINES_COLUMNS "name,exact,guarantee,parameters,time,space,source"
#define ENGINES_RUN_COLUMNS                      \
    "engine,references,seconds,refs_per_second," \
    "peak_bytes,nodes,accuracy,max_error_log2,"  \
    "mean_abs_error_log2,max_error_linear,mean_abs_error_linear"
#define ENGINES_SWEEP_COLUMNS \
    "engine,distinct_blocks,references,seconds,refs_per_second"

/* The column that --window puts in front of a table's columns, */
#define WINDOW_COLUMN "window,"

/* and the one that --with-runs puts there. */
#define ROLE_COLUMN "role,"

struct csv_writer {
    struct output *output;
    bool has_window; /* each row begins with `window` */
    uint64_t window;
    const char *label; /* each row begins with this text; NULL = it does not */
    char *key;         /* the text of the first fields of each row; owned */
    size_t key_bytes;
    size_t fields; /* of the row so far */
};

/* Begin a table: write its header row. */
void csv_begin(struct csv_writer *csv, struct output *output,
               const char *columns);

/*
 * Set the two fields that all further rows begin with, behind the window or the
 * label if there is one; a block size of 0 is an empty field. MARGAY_NO_MEMORY.
 * Call csv_end() in any case.
 */
enum margay_status csv_set_key(struct csv_writer *csv, const char *trace,
                               uint64_t block_bytes,
                               struct margay_error *error);

/* Begin a row with the key. */
void csv_key(struct csv_writer *csv);

void csv_u64(struct csv_writer *csv, uint64_t value);
void csv_i64(struct csv_writer *csv, int64_t value);
/* The bytes of `blocks` blocks; an empty field if block_bytes is 0, unknown. */
void csv_bytes(struct csv_writer *csv, uint64_t blocks, uint64_t block_bytes);
void csv_hexadecimal(struct csv_writer *csv, uint64_t value);
void csv_share(struct csv_writer *csv, uint64_t part, uint64_t whole);
void csv_decimal(struct csv_writer *csv, double value);
void csv_text(struct csv_writer *csv, const char *text);
/* An empty field. */
void csv_nothing(struct csv_writer *csv);
void csv_end_row(struct csv_writer *csv);

/*
 * Write whole rows of DISTANCES_COLUMNS, each behind the key: blocks[i] and
 * distances[i] (MARGAY_INFINITE: inf) with the index index + i.  It is faster
 * than field by field.
 */
void csv_distance_rows(struct csv_writer *csv, uint64_t index,
                       const uint64_t *blocks, const uint64_t *distances,
                       size_t count);

void csv_end(struct csv_writer *csv);

/* The version of libcsv that this was compiled with. */
const char *csv_library_version(void);

#endif
