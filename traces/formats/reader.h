/*
 * reader.h - the thread that turns bytes into batches of references
 *
 * The reader owns the input and a ring of batches.  What it finds out is
 * visible to the consumer in this order: the first slot of the queue says
 * that `detection` and the rest of the outcome of opening are known and holds
 * no references; later slots hold references; the end of the queue says that
 * `status` and `error` are known.
 */
#ifndef MARGAY_TRACES_FORMATS_READER_H
#define MARGAY_TRACES_FORMATS_READER_H

#include <pthread.h>

#include "traces/base/queue.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/detect.h"
#include "traces/formats/input.h"

#define MARGAY_RING_SLOTS  4
#define MARGAY_BATCH_BYTES ((size_t)131072 >> MARGAY_SHRINK) /* of numbers */

struct margay_reader {
    const char *path;
    struct margay_input *input;
    struct margay_queue queue;
    struct margay_references ring[MARGAY_RING_SLOTS];
    struct margay_detection detection; /* format NULL = to be detected */
    struct margay_state_options state_options;
    uint64_t skip_refs; /* references that nobody wants, at the beginning */
    bool numbers_only;  /* no other array is looked at, but perhaps counts: */
    bool sums_counts;   /* then of them only their sum, and all of a batch */
    unsigned shift;     /* that addresses may be shifted right by */

    /* Known with the format. */
    bool refs_known;       /* without reading them: */
    uint64_t refs;         /* of the file */
    uint64_t skipped_refs; /* of skip_refs, those gone past */
    struct margay_trace_facts facts;

    enum margay_status status; /* MARGAY_END, or why reading stopped */
    struct margay_error error;

    /* The thread's own. */
    struct margay_references *batch; /* reserved and being filled, or NULL */
    char *buffer;                    /* bytes [begin, end) are not decoded */
    size_t begin, end;
    bool ended; /* the input has no more */
    uint64_t lines;
    uint64_t packed_bytes; /* of whole records, decoded */
    void *state;           /* of a format that has one */
    void *blocks;          /* of a format of blocks, which has another */
    struct margay_block_source source; /* of a format of blocks */
};

/* What the thread runs; the argument is a struct margay_reader with path,
   input, queue, ring, detection and state_options set.  Returns NULL. */
void *margay_reader_run(void *reader);

/* ------------------------------------------------- for whoever else reads --
 */

/* Arrays for a batch of this format; whatever happens, to be freed with
   margay_references_free(). */
enum margay_status margay_batch_allocate(struct margay_references *batch,
                                         const struct margay_format *format,
                                         struct margay_error *error);

/* Where up to `capacity` records of a packed format are to lie, from there
   on, to be unpacked. */
char *margay_batch_records(const struct margay_references *batch,
                           const struct margay_format *format);

/* The messages about records, at an offset in the trace. */
enum margay_status margay_reader_fail_half_record(
    const struct margay_reader *reader, uint64_t offset, size_t bytes,
    struct margay_error *error);
enum margay_status margay_reader_fail_record(const struct margay_reader *reader,
                                             uint64_t offset,
                                             const char *expected,
                                             struct margay_error *error);

#endif
