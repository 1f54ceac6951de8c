/*
 * csv.h - the one place that writes tables: as CSV, or as JSON lines
 *
 * CSV has numbers without quotes; libcsv writes a field that needs quotes.
 * JSON has an object for each row, whose names are the columns', and no header;
 * an empty field is null there, and a hexadecimal number a decimal one.  The
 * output (output.h) keeps failures.
 */
#ifndef MARGAY_SIM_RESULT_CSV_H
#define MARGAY_SIM_RESULT_CSV_H

#include <stdint.h>

#include <margay/status.h>

#include "sim/terminal/output.h"

/* The tables, by their columns; docs/using/csv-schema.md explains them. */
#define CURVE_COLUMNS \
    "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio"
#define CURVE_WRITE_COLUMNS ",writebacks"
#define CURVE_REQUEST_COLUMNS                              \
    ",requests,missed_requests,request_tokens,hit_tokens," \
    "token_hit_ratio"
#define SPLIT_COLUMN "split,"
#define TIER_COLUMNS                                              \
    "tier,cache_blocks,cache_bytes,trace,block_bytes,references," \
    "hit_ratio,request_tokens,hit_tokens,hit_blocks"
#define CURVE_TENANT_COLUMN ",tenant"
#define CURVE_SHARED_COLUMN ",shared_misses"
/* Only in JSON, and in tables for pictures, words and pages: the share of the
   sample in words, and in curves 1 in the rows for which it is no guide. */
#define SAMPLED_COLUMN       ",sampled"
#define SAMPLED_COLUMNS      SAMPLED_COLUMN ",no_guide"
#define CURVE_OBJECT_COLUMNS ",reference_bytes,missed_bytes,byte_miss_ratio"
#define CURVE_COST_COLUMN    ",missed_cost"
#define CURVE_WRITTEN_COLUMN ",written_bytes"
#define CURVE_MEMORY_COLUMNS ",memory_hits,flash_hits"
#define HISTOGRAM_COLUMNS \
    "trace,block_bytes,distance_from,distance_to,references,share"
/* In the place of a trace: the size that a histogram was predicted for. */
#define PREDICTED_NAME    "predicted "
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
#define SHARE_COLUMNS                              \
    "cache_blocks,cache_bytes,program,references," \
    "shared_misses,partition_blocks,partition_misses"
#define SHARE_OBJECT_COLUMNS ",partition_bytes"
/* after the column that names the place */
#define OVERLAP_COLUMNS ",references,other_references,overlap"
#define SIMULATE_COLUMNS                                        \
    "machine,trace,cache,references,misses,miss_ratio,fetches," \
    "fetch_misses,reads,read_misses,writes,write_misses,"       \
    "writebacks,prefetches,useful_prefetches,mpki,"             \
    "demand_references,demand_misses,demand_miss_ratio,"        \
    "demand_mpki,writebacks_received,victim_fills"
/* after the columns of simulate, of machines with coherent caches */
#define COHERENCE_COLUMNS                                        \
    "coherence_misses,true_sharing_misses,false_sharing_misses," \
    "invalidations,interventions,upgrades"
#define PARETO_COLUMNS   "machine,trace,bytes,access_cycles,front"
#define VALIDATE_COLUMNS "machine,trace,event,cache,counted,simulated,ratio"
#define SHARING_COLUMNS                                             \
    "machine,trace,cache,block_address,offset,core,site,file,line," \
    "function,true_sharing_misses,false_sharing_misses,invalidations"
#define ANNOTATE_COLUMNS \
    "trace,file,line,function,cache_bytes,references,misses"
#define PHASES_COLUMNS \
    "trace,phase,from,to,references,recurs,working_set_blocks"
#define WEIGHTS_COLUMNS "trace,phase,from,to,references,weight"
#define ANNOTATE_DATA_COLUMNS \
    "trace,file,line,data,cache_bytes,references,misses"
#define INFO_COLUMNS                                                         \
    "format,references,reads,writes,fetches,distinct_blocks,lowest,highest," \
    "block_bytes"
#define PROFILE_COLUMNS "trace,block_bytes,property,at,value,share"
#define HEATMAP_COLUMNS "trace,block_bytes,place,low,high,from,to,references"
/* after the columns that are keys of the tables compared */
#define DIFF_COLUMNS    "column,base,new,change"
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

/* A field before the trace. */
struct csv_label {
    enum { CSV_NO_LABEL, CSV_TEXT, CSV_NUMBER, CSV_HEXADECIMAL } kind;
    const char *text;
    uint64_t number;
};

/* The forms of CSV: a header row and rows; a column with the names and one
   with the fields of a single row; or rows of a table that was begun
   elsewhere. */
enum csv_form { CSV_ROWS, CSV_UPRIGHT, CSV_PART };

struct csv_writer {
    struct output *output;
    /* The first fields of a key, to be set before it; neither is copied. */
    const uint64_t *window; /* NULL = none */
    struct csv_label label;
    const char *columns; /* the names, between commas */
    const char *column;  /* the rest of them, from the next field of the row */
    bool json;
    bool upright; /* CSV has a row for each field */
    char *key;    /* the text of the first fields of each row; owned */
    size_t key_bytes;
    size_t key_fields;
    const char *key_end;    /* the columns after the key */
    size_t fields;          /* of the row so far */
    unsigned fraction_bits; /* of counts that fade, see margay_round_count() */
};

/* Begin a table: write its header row, unless it is JSON.  `columns` has to
   last as long as the table. */
void csv_begin(struct csv_writer *csv, struct output *output, bool json,
               enum csv_form form, const char *columns);

/* Set the fields that all further rows begin with: window, label, trace and
   block size, of which 0 is an empty field.  MARGAY_NO_MEMORY.  Call csv_end()
   in any case. */
enum margay_status csv_set_key(struct csv_writer *csv, const char *trace,
                               uint64_t block_bytes,
                               struct margay_error *error);

/* Begin a row with the key. */
void csv_key(struct csv_writer *csv);

void csv_u64(struct csv_writer *csv, uint64_t value);
void csv_i64(struct csv_writer *csv, int64_t value);
/* An empty field if the value is not known. */
void csv_known(struct csv_writer *csv, bool known, uint64_t value);
/* A count in 2^-fraction_bits, times a power of two, such as the bytes of a
   block; an empty field if that is 0, unknown. */
void csv_count(struct csv_writer *csv, uint64_t count, uint64_t unit);
/* The bytes of `blocks` blocks; an empty field if block_bytes is 0, unknown. */
void csv_bytes(struct csv_writer *csv, uint64_t blocks, uint64_t block_bytes);
void csv_hexadecimal(struct csv_writer *csv, uint64_t value);
/* An empty field if the whole is 0. */
void csv_share(struct csv_writer *csv, uint64_t part, uint64_t whole);
/* An empty field if it is not a number. */
void csv_decimal(struct csv_writer *csv, double value);
void csv_text(struct csv_writer *csv, const char *text);
/* `inf` where it is MARGAY_INFINITE, which is a text in JSON. */
void csv_distance(struct csv_writer *csv, uint64_t distance);
/* A field that a table had: a number where it looks like one. */
void csv_cell(struct csv_writer *csv, const char *text);
/* An empty field. */
void csv_nothing(struct csv_writer *csv);
void csv_end_row(struct csv_writer *csv);

/* Write whole rows of DISTANCES_COLUMNS, each after the key: blocks[i] and
   distances[i] with the index index + i.  For CSV that is faster than field by
   field. */
void csv_distance_rows(struct csv_writer *csv, uint64_t index,
                       const uint64_t *blocks, const uint64_t *distances,
                       size_t count);

void csv_end(struct csv_writer *csv);

/* Open the file at `path` (NULL = standard output), and begin a table in it. */
enum margay_status csv_open(struct csv_writer *csv, const char *path, bool json,
                            enum csv_form form, const char *columns,
                            struct margay_error *error);

/* End a command whose outputs are tables, 4 at most, as conclude() does; one
   that is all zeros was not opened. */
int csv_conclude(enum margay_status status, struct csv_writer *csvs,
                 size_t count, struct margay_error *error);

/* The version of libcsv that this was compiled with. */
const char *csv_library_version(void);

#endif
