/*
 * blocks_format.h - formats whose references come in blocks
 *
 * Neither lines nor records of fixed length: such a format reads and writes
 * its bytes itself.
 */
#ifndef MARGAY_TRACES_FORMATS_BLOCKS_FORMAT_H
#define MARGAY_TRACES_FORMATS_BLOCKS_FORMAT_H

#include "traces/formats/format.h"

struct margay_words; /* capture/words.h */

/* What a trace may say about itself as a whole. */
struct margay_trace_facts {
    enum margay_numbers numbers;
    uint64_t unit_bytes; /* of ids; 0 = unknown */
    bool always_splits;
    uint64_t collapsed_bytes;
    bool has_counts; /* entries may stand for more than one reference */
    unsigned shift;  /* addresses are given shifted right by so many bits */
};

/* Where the bytes come from. */
struct margay_block_source {
    void *context;
    const char *name, *evidence; /* for messages */
    /* What the numbers, if they are addresses of which nobody wants more than
       the block of the first byte, may be shifted right by, 0 to 63; a format
       that does so says it in its facts. */
    unsigned shift;
    /* *got = 0 is the end. */
    enum margay_status (*read)(void *context, void *buffer, size_t bytes,
                               size_t *got, struct margay_error *error);
    /* The bytes of a plain regular file; false for anything else. */
    bool (*plain_bytes)(void *context, uint64_t *bytes);
    /* In such a file: go on reading at `offset`. */
    enum margay_status (*go_to)(void *context, uint64_t offset,
                                struct margay_error *error);
};

/* How many bytes tell such a format. */
#define MARGAY_BLOCKS_MAGIC_BYTES 8

struct margay_blocks_reading {
    /* Does a trace that begins so, MARGAY_BLOCKS_MAGIC_BYTES or more, have this
       format? */
    bool (*is_magic)(const void *window, size_t bytes);

    /* Begin at the first byte.  The caller owns *state. */
    enum margay_status (*open)(const struct margay_block_source *source,
                               void **state, struct margay_trace_facts *facts,
                               struct margay_error *error);
    void (*free_state)(void *state);

    /* In a plain file that says so: the references in all, and go past those
       of whole blocks, up to `skip_refs`.  False: nothing has happened. */
    bool (*skip)(void *state, uint64_t skip_refs, uint64_t *skipped_refs,
                 uint64_t *refs);

    /* Append at least one reference, and no more than come without waiting
       for a block.  MARGAY_END: no more.  Whatever it returns, what has been
       appended is whole. */
    enum margay_status (*fill)(void *state, struct margay_references *batch,
                               struct margay_error *error);
};

struct margay_blocks_writing {
    /* The largest length that repeats may have been collapsed within; 0 = any.
     */
    uint64_t most_collapsed_bytes;

    /* The caller owns *state. */
    enum margay_status (*create)(const struct margay_sink *sink, void **state,
                                 struct margay_error *error);
    void (*free_state)(void *state);

    /* Before the first reference: what the trace says about itself. */
    void (*describe)(void *state, const struct margay_trace_facts *facts);

    enum margay_status (*put)(void *state, const struct margay_batch *batch,
                              struct margay_error *error);
    /* The most bytes that what is held back, the batch, and the end of the
       trace come to. */
    uint64_t (*most_bytes)(const void *state, const struct margay_batch *batch);
    /* Take recorded words as they are; NULL = not of this format. */
    enum margay_status (*put_words)(void *state,
                                    const struct margay_words *words,
                                    struct margay_error *error);
    /* Hand over what has come; there may be more. */
    enum margay_status (*flush)(void *state, struct margay_error *error);
    enum margay_status (*finish)(void *state, struct margay_error *error);
};

#endif
