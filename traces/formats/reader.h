/*
 * reader.h - the thread that turns bytes into batches of references
 *
 * The reader owns the input and a ring of batches.  The thread that called
 * margay_trace_open() sees its results in this order: the first slot of the
 * queue holds no references and says that the fields known with the format are
 * valid; later slots hold references; the end of the queue says that `status`
 * and `error` are valid.
 */
#ifndef MARGAY_TRACES_FORMATS_READER_H
#define MARGAY_TRACES_FORMATS_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "traces/base/queue.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/data.h"
#include "traces/formats/detect.h"
#include "traces/formats/input.h"
#include "traces/formats/modules.h"

#define MARGAY_RING_SLOTS  8
#define MARGAY_BATCH_BYTES ((size_t)131072 >> MARGAY_SHRINK) /* of numbers */

/* Bytes of text that are read at once: they fit into the second-level cache,
   and make system calls rare. */
#define MARGAY_TEXT_BYTES ((size_t)196608 >> MARGAY_SHRINK)

struct margay_reader {
    const char *path;
    struct margay_input *input;
    struct margay_block_source source; /* the same, once the format is known */
    struct margay_queue queue;
    struct margay_references ring[MARGAY_RING_SLOTS];
    struct margay_detection detection; /* format NULL = to be detected */
    struct margay_state_options state_options;
    uint64_t skip_refs;      /* references to be dropped at the beginning */
    uint64_t most_refs;      /* what comes after these is not looked at */
    uint64_t most_bad_lines; /* that may be passed over */
    unsigned unused_columns; /* of those of objects */
    bool numbers_only;       /* the caller uses numbers and perhaps counts, */
    bool sums_counts;        /* and of the counts only their sum */
    struct margay_data_map *data; /* NULL = sites are given as they are */
    unsigned shift; /* bits by which addresses may be shifted right */

    /* Known with the format. */
    bool refs_known;       /* the file says how many references it holds, */
    uint64_t refs;         /* namely this many */
    uint64_t skipped_refs; /* of skip_refs, passed over without reading */
    uint64_t line_bytes;   /* of a plain file whose lines stand alone, else 0 */
    struct margay_trace_facts facts;
    struct margay_modules modules; /* whole at once, at some time */

    enum margay_status status; /* MARGAY_END, or why reading stopped */
    struct margay_error error;
    atomic_uint_fast64_t spent_ns; /* of the processor, in the end */

    /* Lines that were passed over, and what is wrong with the first: it is
       written before the count is not 0, and not changed. */
    atomic_uint_fast64_t bad_lines;
    struct margay_error first_bad;

    /* Used by the reading thread only. */
    struct margay_references *batch; /* reserved and being filled, or NULL */
    char *buffer; /* bytes [begin, end) are not yet decoded */
    size_t begin, end;
    bool ended; /* the input is exhausted */
    uint64_t lines;
    uint64_t first_bad_line;
    bool in_bad_line;        /* its end has not been found yet */
    uint64_t published_refs; /* entries of the batches handed over */
    uint64_t packed_bytes;   /* of whole records that have been decoded */
    void *state;             /* of a format of text with a state */
    void *blocks;            /* of a format of blocks */
};

/* The function of the thread.  The argument is a struct margay_reader of which
   the fields up to `shift` are set.  Returns NULL. */
void *margay_reader_run(void *reader);

/* ------------------------------------------- shared with range.c -- */

/* The columns of a batch: those that the trace has, but for the unused. */
unsigned margay_reader_columns(const struct margay_reader *reader);

/* Allocate the arrays of a batch of this format for these columns.  In any case
   to be freed with margay_references_free(). */
enum margay_status margay_batch_allocate(struct margay_references *batch,
                                         const struct margay_format *format,
                                         unsigned columns,
                                         struct margay_error *error);

/* Where up to `capacity` records of a packed format are to be read to: the end
   of the array of numbers. */
char *margay_batch_records(const struct margay_references *batch,
                           const struct margay_format *format);

/* The message about line `number`, from 1 on, which begins at `line`. */
enum margay_status margay_reader_fail_line(const struct margay_reader *reader,
                                           uint64_t number, const char *line,
                                           const char *end,
                                           const char *expected,
                                           struct margay_error *error);

#endif
