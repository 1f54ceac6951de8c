/*
 * spans.h - a batch of references, as the spans of one pass
 *
 * The one place where references become block references: every executor
 * walks its batches like this.  Where a reference touches one block, the
 * columns of a span are those of the batch; where references are split, they
 * are spread out so that each block has its own entry.
 */
#ifndef MARGAY_SIM_RUN_SPANS_H
#define MARGAY_SIM_RUN_SPANS_H

#include <margay/assoc.h>
#include <margay/run.h>

/* Block references in a span: their columns stay in the second-level cache
   together with what an engine keeps there. */
#define MARGAY_SPAN_REFS 8192

/* Where a span's entries stand when they are not those of its batch.  One walk
   at a time uses it. */
struct margay_span_store {
    uint64_t blocks[MARGAY_SPAN_REFS];
    uint8_t kinds[MARGAY_SPAN_REFS];
    /* For references that are split, made when they are first needed. */
    struct margay_span_columns *columns;
};

void margay_span_store_clear(struct margay_span_store *store);

/* Columns for MARGAY_SPAN_REFS entries, to be freed by free(); NULL: no
   memory. */
struct margay_span_columns *margay_span_columns_create(void);

/* Put the columns of a span, but for blocks, in another order: entry
   i goes to places[i].  They are those of *sorted then, which has their number
   of entries. */
void margay_span_columns_sort(const struct margay_span *span,
                              const uint32_t *places,
                              struct margay_span_columns *columns,
                              struct margay_span *sorted);

/* Entries `from` up to `from + count` of a span. */
struct margay_span margay_span_part(const struct margay_span *span, size_t from,
                                    size_t count);

/* What a cache passes on; zero it to begin, and free its columns in the end. */
struct margay_passed_on {
    struct margay_span_columns *columns;
    uint64_t references;
};

/* Feed `next` what the entries of a span have caused, each with the columns of
   its cause but those of the traffic itself. */
enum margay_status margay_span_pass_on(const struct margay_span *span,
                                       const struct margay_traffic *traffic,
                                       struct margay_passed_on *passed_on,
                                       margay_analysis *next,
                                       struct margay_error *error);

struct margay_span_walk {
    /* Set by the owner, the rest zeroed. */
    const struct margay_batch *batch;
    unsigned shift;
    bool splits;
    unsigned columns; /* that are wanted, besides blocks */
    struct margay_span_store *store;

    struct margay_block_cursor blocks;

    /* What the walk has failed with, MARGAY_NO_MEMORY, or whoever takes the
       spans, who sets it to have no more of them. */
    enum margay_status status;
};

/* The next span, which stays until the next call; span->first_index is left to
   the caller.  False: that was all, or walk->status says why there is none. */
bool margay_span_next(struct margay_span_walk *walk, struct margay_span *span,
                      struct margay_error *error);

/* `entries` entries of a batch from `from` on, in the same arrays. */
struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries);

/* A batch that outlives the reading of the next.  Zero it to begin; its arrays
   grow and are used again. */
struct margay_batch_copy {
    struct margay_batch batch;
    size_t capacity; /* in references, of each array that there is */
#define MARGAY_COLUMN(name, NAME, bit, type, words) type *name;
#include <margay/columns.def>
};

/* MARGAY_NO_MEMORY on failure. */
enum margay_status margay_batch_copy(struct margay_batch_copy *copy,
                                     const struct margay_batch *batch,
                                     struct margay_error *error);

void margay_batch_copy_clear(struct margay_batch_copy *copy);

#endif
