/*
 * reading.h - faster ways to read a trace than traces.h offers
 *
 * Not installed.  A caller that needs only some columns names the others when
 * it opens the trace, and the reader then does not fill these.  A file whose
 * references lie at known offsets can be read in ranges, by several threads.
 */
#ifndef MARGAY_TRACES_FORMATS_READING_H
#define MARGAY_TRACES_FORMATS_READING_H

#include <margay/traces.h>

/* A layout that is known, as a file has it; NULL beyond. */
const char *margay_layout_text(size_t index);

/* The needs of the caller.  All zero is the meaning of traces.h. */
struct margay_reading {
    /* The caller uses only numbers, and extents where
       margay_trace_facts.splits.
       Batches may lack every other column. */
    bool numbers_only;

    /* Of MARGAY_STORAGE_COLUMNS, those that the caller does not use. */
    unsigned unused_columns;

    /* Times are of use in a trace that has times to live. */
    bool times_for_ttls;

    /* Requests that have tokens and no block are given as well, as entries with
       MARGAY_NO_BLOCK. */
    bool empty_requests;

    /* Batches have data (data.h) instead of sites, by the events of the
       trace. */
    bool data;

    /* Sizes are given unchanged, MARGAY_SIZE_UNKNOWN included. */
    bool raw_sizes;

    /* Tenants that have the first numbers: names with a NUL after each. */
    const char *tenants;
    uint32_t tenant_count;

    /* How many threads may decompress a compressed file, apart from the one
       that reads; 0 and 1: the reading thread does it. */
    unsigned threads;
};

/* As margay_trace_open(), which is this with a reading of zeros. */
enum margay_status margay_trace_open_for(
    const char *path, const struct margay_trace_options *options,
    const struct margay_reading *reading, margay_trace **trace,
    struct margay_error *error);

/* With margay_reading.data: has the trace had an event of data so far?  A
   recording of data has some before its first reference. */
bool margay_trace_tells_data(const margay_trace *trace);

/* The processor time of the thread that reads ahead, without that of ranges; 0
   until it has come to the end. */
double margay_trace_reading_seconds(const margay_trace *trace);

/* A range of the references in a file, read by the thread that asks for them.
   Any number of threads may read ranges of one trace, which must outlive the
   ranges, at the same time; one thread at a time uses a range. */
typedef struct margay_range margay_range;

/* References [first, first + count) of the file, or those up to its end.  Of a
   plain file of text whose lines stand alone, where references cannot be
   counted without reading, those of the lines whose first byte is one of
   [first, first + count) of the file; ranges that cover the file give each of
   its references once.  Of a table, only where margay_trace_known_lines() has
   found that its rows stand alone.
   A range that reaches the end checks it as margay_trace_next() does.  Of the
   trace's options only `kinds`, `ops` and `ids` apply, and of its reading
   `unused_columns`.  *range is NULL or a range of the same trace, whose memory
   the new one takes; after a failure it is NULL.  The trace must be ready.
   Fails with MARGAY_BAD_ARGUMENT where the number of references is not known,
   or where they lie at no known offsets, and lines do not stand alone; with
   MARGAY_NO_MEMORY; and with MARGAY_IO or MARGAY_BAD_INPUT where an index is to
   be read first. */
enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error);

/* The bytes of a file of such lines, and about how many references it holds.
   False for any other file, and where its first lines cannot be read.  A table
   whose fields may be quoted is searched for quotes, once. */
bool margay_trace_known_lines(margay_trace *trace, uint64_t *bytes,
                              uint64_t *references);

/* As margay_trace_next(), without waiting. */
enum margay_status margay_range_next(margay_range *range,
                                     struct margay_batch *batch,
                                     struct margay_error *error);

/* The references of the range so far, with those that kinds and operations
   leave out of batches. */
uint64_t margay_range_given(const margay_range *range);

/* NULL is fine. */
void margay_range_free(margay_range *range);

/* The most blocks that a reference which is split may touch. */
#define MARGAY_MOST_TOUCHED ((uint64_t)1 << 24)

/* The blocks that the first bytes of `count` numbers are in. */
void margay_numbers_shift(const uint64_t *restrict numbers, size_t count,
                          unsigned shift, uint64_t *restrict blocks);

/* Before margay_batch_blocks(): *count entries of a batch, from entry `from`
   on, are divided at once: all where references are not split, otherwise at
   least one and so few that a caller can stop after them.  MARGAY_BAD_INPUT,
   about the trace called `name`, where one of them touches more than
   MARGAY_MOST_TOUCHED blocks of 2^shift numbers. */
enum margay_status margay_batch_take(const struct margay_batch *batch,
                                     size_t from, unsigned shift, bool split,
                                     const char *name, size_t *count,
                                     struct margay_error *error);

#endif
