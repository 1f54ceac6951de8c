/*
 * reader.h - bytes become batches of references
 *
 * The reader owns the input and a ring of batches.  It takes steps: on a thread
 * of its own or, where that is not worth its start, on the caller's.  The
 * caller of margay_trace_open() sees its results in this order: after the first
 * slot of the queue, which holds no references, the fields known with the
 * format are valid; later slots hold references; after the end of the queue
 * `status` and `whole.error` are valid.
 */
#ifndef MARGAY_TRACES_FORMATS_READER_H
#define MARGAY_TRACES_FORMATS_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "traces/base/queue.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/data.h"
#include "traces/formats/detect.h"
#include "traces/formats/modules.h"
#include "traces/formats/reading.h"

#define MARGAY_RING_SLOTS  8
#define MARGAY_BATCH_BYTES ((size_t)131072 >> MARGAY_SHRINK) /* of numbers */

/* A file of up to this many bytes is read while a thread would start. */
#define MARGAY_SHORT_BYTES ((uint64_t)65536 >> MARGAY_SHRINK)

/* Bytes that become references: all of a trace, or a part of a plain file. */
struct margay_decoding {
    struct margay_reader *reader; /* facts of the trace */
    struct margay_intake intake;
    struct margay_block_source source; /* known with the format */
    struct margay_error error;
    uint64_t stop;         /* nothing that begins from there on is wanted */
    bool in_line;          /* a line that is not wanted goes on */
    uint64_t lines;        /* decoded or skipped lines, */
    uint64_t counted_from; /* from this offset on */
    void *state;           /* of a format of text with a state */
    void *blocks;          /* of a format of blocks */
};

struct margay_reader {
    const char *path;
    struct margay_input *input;
    struct margay_queue queue;
    struct margay_references ring[MARGAY_RING_SLOTS];
    struct margay_detection detection; /* format NULL = to be detected */
    struct margay_state_options state_options;
    bool may_have_names;     /* it is csv unless it begins like jsonl or w3c */
    uint64_t skip_refs;      /* references to be dropped at the beginning */
    uint64_t most_refs;      /* references after these are not read */
    uint64_t most_bad_lines; /* that may be passed over */
    struct margay_reading reading; /* the needs of the caller */
    bool steps;                    /* slots are read one by one */
    struct margay_data_map *data;  /* NULL = sites are given as they are */

    /* Known with the format. */
    struct margay_skipped skipped; /* of skip_refs */
    uint64_t line_bytes; /* of a plain file whose lines stand alone, else 0 */
    struct margay_trace_facts facts;
    struct margay_modules modules; /* whole at once, at some time */

    enum margay_status status;     /* MARGAY_END, or the failure that
                                      whole.error explains */
    atomic_uint_fast64_t spent_ns; /* of the processor, in the end */

    /* Skipped lines, and the error of the first, which is written before the
       count becomes 1, and not changed. */
    atomic_uint_fast64_t bad_lines;
    struct margay_error first_bad;

    /* Used by the thread that reads only. */
    bool begun;
    struct margay_decoding whole;
    uint64_t first_bad_line;
    uint64_t published_refs; /* entries of the batches handed over */
};

/* The function of a thread: find the format, then read batches, and publish a
   slot for each; when reading has ended, perhaps with a last slot, close the
   queue.  With reader->steps, return after each slot, to be called again.  The
   argument is a struct margay_reader, whose fields up to `data` are set.
   Returns NULL. */
void *margay_reader_run(void *reader);

/* ------------------------------- shared with decoding.c and range.c -- */

/* The columns of a batch: those that the trace has, but for the unused. */
unsigned margay_reader_columns(const struct margay_reader *reader);

/* Allocate the arrays of a batch for these columns.  In any case to be freed
   with margay_references_free(). */
enum margay_status margay_batch_allocate(struct margay_references *batch,
                                         unsigned columns,
                                         struct margay_error *error);

/* Begin a trace, or a part of one whose reader knows the format.  Zero the
   decoding the first time; later calls use its memory again.  Whenever a
   function of a decoding fails, decoding->error explains it.  It must be ended
   in any case, once or more often. */
enum margay_status margay_decoding_begin(struct margay_decoding *decoding,
                                         struct margay_reader *reader);
void margay_decoding_end(struct margay_decoding *decoding);

/* Once the format is known, open a trace of blocks, and skip whole blocks of up
   to `skip_refs` references.  *facts gets the facts of the trace. */
enum margay_status margay_decoding_open(struct margay_decoding *decoding,
                                        struct margay_trace_facts *facts,
                                        uint64_t skip_refs,
                                        struct margay_skipped *skipped);

/* Make the state of a text, if the format has one. */
enum margay_status margay_decoding_make_state(struct margay_decoding *decoding);

/* Go to records [first, first + count) of fixed length, or those up to the
   end. */
void margay_decoding_go_to_records(struct margay_decoding *decoding,
                                   uint64_t first, uint64_t count);

/* Make the state of a text, and go to the lines of which the first byte is one
   of [first, first + bytes).  The first part has the lines that the state
   learns from, and others begin after these. */
enum margay_status margay_decoding_go_to_lines(struct margay_decoding *decoding,
                                               uint64_t first, uint64_t bytes);

/* Give a part's state the lines that decide how the rest is read, if there are
   any. */
enum margay_status margay_decoding_learn(struct margay_decoding *decoding);

/* Fill an empty batch, as far as possible without waiting for a writer.
   MARGAY_END: no more follows what the batch has. */
enum margay_status margay_decoding_fill(struct margay_decoding *decoding,
                                        struct margay_references *batch);

#endif
