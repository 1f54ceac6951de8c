/*
 * margay/traces.h - from bytes to references to blocks
 *
 * A trace is opened, asked for batches of references until MARGAY_END, and
 * freed.  Reading, decompression and parsing run on a thread of the trace's
 * own, so they overlap with whatever the caller does with a batch.
 *
 *     margay_trace *trace;
 *     struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
 *     margay_trace_open("prog.din.gz", &options, &trace, &error);
 *     struct margay_batch batch;
 *     while (margay_trace_next(trace, -1, &batch, &error) == MARGAY_OK)
 *         ...;
 *     margay_trace_free(trace);
 *
 * A trace holds byte addresses, or block ids where somebody has already
 * divided by a block size; margay_batch_blocks() turns either into block ids.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_TRACES_H
#define MARGAY_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a reference does.  Formats without labels read. */
enum margay_kind {
    MARGAY_READ = 0,
    MARGAY_WRITE = 1,
    MARGAY_FETCH = 2, /* an instruction fetch */
};
#define MARGAY_KINDS 3

/* A set of kinds: the sum of these. */
#define MARGAY_KIND_BIT(kind) (1u << (kind))
#define MARGAY_ALL_KINDS      7u

/* ------------------------------------------------------------- formats -- */

/* What the numbers of a trace are. */
enum margay_numbers {
    MARGAY_ADDRESSES, /* byte addresses */
    MARGAY_IDS,       /* block ids */
};

/* One row of the table of formats; static storage, never changes. */
struct margay_format_info {
    const char *name;        /* as given to --format: "din" */
    const char *description; /* one line for people */
    const char *suffixes;    /* separated by spaces: "din"; may be "" */
    enum margay_numbers numbers;
    uint64_t
        unit_bytes;   /* what an id stands for; 0 = unknown; 1 for addresses */
    bool any_numbers; /* its files say themselves, and otherwise */
    bool checked;     /* has check sums, so that what stands before damage is
                         certain */
    bool writable;    /* margay_writer can produce it */
    /* What it says, or may say, beside the numbers. */
    bool has_kinds, has_extents, has_counts, has_threads, has_sites;
    /* What a file of it begins with; NULL = its first record. */
    const char *head;
};

/* Rows of the table of formats. */
MARGAY_API size_t margay_format_count(void);

/* Row `index` in [0, margay_format_count()), NULL beyond. */
MARGAY_API const struct margay_format_info *margay_format_at(size_t index);

/* ------------------------------------------------------------- reading -- */

struct margay_trace_options {
    const char *format;   /* a format's name; NULL = detect */
    bool ids;             /* read the numbers of an address format as ids */
    uint64_t unit_bytes;  /* what an id stands for; a power of two; 0 = as the
                             format says.  Only for ids. */
    unsigned kinds;       /* set of kinds to keep */
    uint64_t skip_refs;   /* references dropped first, of those in the file */
    uint64_t limit_refs;  /* references read after those, UINT64_MAX = all */
    uint64_t warmup_refs; /* of those, the first so many are marked warm-up */
    /* csv, which either of these asks for: the column of the ids, by its name
       or, if it is a number, by its place from 1 on (NULL = the only one; must
       outlive the trace), and what separates columns (0 = a comma). */
    const char *column;
    char delimiter;
    bool counts; /* the caller looks at a batch's counts; false = a reference
                    that a trace holds with a count is given that often */
    bool numbers_only;    /* the caller looks neither at kinds nor, unless the
                             trace always splits references, at extents, threads
                             or sites, and of counts at their sum only: batches
                             may lack them */
    uint64_t block_bytes; /* with numbers_only: addresses may be given divided
                             by this, a power of two; 0 = as they are.
                             margay_trace_shift() says whether they are. */
};
#define MARGAY_TRACE_OPTIONS_DEFAULT                                        \
    {                                                                       \
        NULL, false, 0, MARGAY_ALL_KINDS, 0, UINT64_MAX, 0, NULL, 0, false, \
            false, 0                                                        \
    }

/*
 * Up to a few ten thousand references.  The arrays belong to the trace and
 * stay valid until the next call on it.
 */
struct margay_batch {
    size_t references;
    const uint64_t *numbers; /* addresses or ids */
    const uint8_t *kinds;    /* enum margay_kind; NULL = all are reads */
    const uint32_t *extents; /* bytes (addresses) or units (ids) that each
                                covers from its number on; NULL = 1 each */
    /* How many references each stands for, all of its kind and in a row, to
       what margay_trace_collapsed_bytes() takes for one block; NULL = 1 each,
       as always unless margay_trace_options.counts asks for them. */
    const uint32_t *counts;
    uint64_t repeats; /* in the place of counts: how many references the batch
                         stands for beside one for each */
    const uint32_t *threads; /* who made it, from 0 on; NULL = unknown */
    const uint64_t *sites;   /* address of the code that did; NULL = unknown */
    bool warmup; /* simulate, do not count: all of the batch or nothing */
};

/* How many references a batch stands for, with all repeats. */
MARGAY_API uint64_t margay_batch_references(const struct margay_batch *batch);

typedef struct margay_trace margay_trace;

/*
 * Open the trace at `path` ("-" = standard input) and start reading it.
 * Returns at once: what the file turns out to be is known when
 * margay_trace_ready() says so.  Compression (gzip, xz, zstd, bzip2, lz4) is
 * recognised by content.
 *
 * Fails with MARGAY_BAD_ARGUMENT (unknown format, unit not a power of two),
 * MARGAY_IO (missing file, directory) or MARGAY_NO_MEMORY; *trace is then
 * NULL.  On success the caller owns *trace.
 */
MARGAY_API enum margay_status margay_trace_open(
    const char *path, const struct margay_trace_options *options,
    margay_trace **trace, struct margay_error *error);

/* Stop reading, whatever the state, and release everything.  NULL is fine. */
MARGAY_API void margay_trace_free(margay_trace *trace);

/*
 * Wait up to `wait_ms` milliseconds (-1 = for ever) until the format is
 * known.  MARGAY_OK: margay_trace_format() and the like may be called.
 * MARGAY_AGAIN: not yet.  MARGAY_BAD_INPUT, MARGAY_IO, ...: why it cannot be
 * read, the message beginning with the file's name.
 */
MARGAY_API enum margay_status margay_trace_ready(margay_trace *trace,
                                                 int wait_ms,
                                                 struct margay_error *error);

/* After margay_trace_ready(): what was opened.  Never NULL then. */
MARGAY_API const struct margay_format_info *margay_trace_format(
    const margay_trace *trace);

/* How the format was found, for people ("content: 12 lines of ..."). */
MARGAY_API const char *margay_trace_evidence(const margay_trace *trace);

/* What the numbers are, --ids taken into account. */
MARGAY_API enum margay_numbers margay_trace_numbers(const margay_trace *trace);

/* Bytes that a number stands for: 1 for addresses, the unit for ids, 0 when
   nothing says what an id stands for. */
MARGAY_API uint64_t margay_trace_unit_bytes(const margay_trace *trace);

/*
 * By how many bits the addresses in batches are shifted right already: the
 * logarithm of margay_trace_options.block_bytes, where that was asked for and
 * it costs the trace's format nothing, or else 0.  What is left to shift for a
 * larger block is so much less; margay_trace_numbers() and
 * margay_trace_unit_bytes() tell of the trace as it stands in its file.  After
 * margay_trace_ready().
 */
MARGAY_API unsigned margay_trace_shift(const margay_trace *trace);

/* The references in the file, if that is known without reading it: records of
   fixed length, or blocks with an index, in a regular file that is not
   compressed. */
MARGAY_API bool margay_trace_known_references(const margay_trace *trace,
                                              uint64_t *references);

/*
 * A range of the references in a file where these are known, read by the
 * thread that asks for them.  Any number of threads may read ranges of one
 * trace, which must outlive them, at the same time; a range is for one thread.
 */
typedef struct margay_range margay_range;

/*
 * References [first, first + count) of the file, or those up to its end, which
 * are looked at as in margay_trace_next() if the range reaches it.  Only
 * `kinds`, `ids` and `counts` of the trace's options apply.  The trace must be
 * ready.  MARGAY_BAD_ARGUMENT where the references are not known, lie in no
 * known places of the file, or have counts that were not asked for;
 * MARGAY_NO_MEMORY, and MARGAY_IO or MARGAY_BAD_INPUT of what has to be looked
 * at first.
 */
MARGAY_API enum margay_status margay_trace_range(margay_trace *trace,
                                                 uint64_t first, uint64_t count,
                                                 margay_range **range,
                                                 struct margay_error *error);

/* As margay_trace_next(), which never has to wait here. */
MARGAY_API enum margay_status margay_range_next(margay_range *range,
                                                struct margay_batch *batch,
                                                struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_range_free(margay_range *range);

/* True where one record always covers an extent (arc): see
   margay_batch_blocks(). */
MARGAY_API bool margay_trace_always_splits(const margay_trace *trace);

/*
 * The block size in bytes up to which immediate repeats were collapsed into
 * counts when the trace was recorded, 0 if they were not.  For this and larger
 * blocks a collapsed trace gives what the whole one would; smaller ones it
 * knows nothing about.  After margay_trace_ready().
 */
MARGAY_API uint64_t margay_trace_collapsed_bytes(const margay_trace *trace);

/*
 * The next batch, waiting up to `wait_ms` (-1 = for ever).  MARGAY_OK: *batch
 * holds 0 or more references.  MARGAY_AGAIN: none yet.  MARGAY_END: no more.
 * Anything else: the trace is malformed or cannot be read; batches delivered
 * before were good.  Implies margay_trace_ready().
 */
MARGAY_API enum margay_status margay_trace_next(margay_trace *trace,
                                                int wait_ms,
                                                struct margay_batch *batch,
                                                struct margay_error *error);

/* Bytes of the file, compressed as it lies there: read so far, and in all (0
   when unknown, as of a pipe).  Safe at any time. */
MARGAY_API void margay_trace_progress(const margay_trace *trace,
                                      uint64_t *bytes_read,
                                      uint64_t *bytes_total);

/* -------------------------------------------------------------- blocks -- */

/* Where margay_batch_blocks() stands in a batch; zero it to begin. */
struct margay_block_cursor {
    size_t reference;
    uint64_t block_in_reference;
};

/*
 * Turn references into block references: block = number >> shift, where
 * 2^shift is the block size in units of the numbers (0 <= shift <= 63).
 * With `split`, a reference touches every block that its extent covers, once
 * each, in order; without, only the block of its first byte.  An extent of 0
 * touches nothing when split.
 *
 * Writes up to `capacity` ids to `blocks` and, unless it is NULL, their kinds
 * to `kinds`; advances *cursor; returns how many.  0 = the batch is done.
 */
MARGAY_API size_t margay_batch_blocks(const struct margay_batch *batch,
                                      unsigned shift, bool split,
                                      struct margay_block_cursor *cursor,
                                      uint64_t *blocks, uint8_t *kinds,
                                      size_t capacity);

/*
 * The same walk with a cursor of its own, for who wants to know more of the
 * references: writes to `references` the place in the batch of the one that
 * each block is of.
 */
MARGAY_API size_t margay_batch_origins(const struct margay_batch *batch,
                                       unsigned shift, bool split,
                                       struct margay_block_cursor *cursor,
                                       uint32_t *references, size_t capacity);

/* ------------------------------------------------------------- writing -- */

/*
 * The longest record that margay_format_encode() writes, in bytes.
 */
#define MARGAY_RECORD_BYTES 64

/*
 * Write one reference in a format's own form, where its references have one
 * each, to `record` (at least
 * MARGAY_RECORD_BYTES long) and its length to *bytes.  `number` is written as
 * it stands: an address or an id, whichever the format holds.  `extent` (>= 1)
 * is dropped by formats without sizes, `kind` by formats without labels.
 *
 * Fails with MARGAY_BAD_ARGUMENT when the format is unknown, or not written
 * record by record, or the number does not fit (u32 formats).
 */
MARGAY_API enum margay_status margay_format_encode(
    const struct margay_format_info *format, uint64_t number,
    enum margay_kind kind, uint32_t extent, char *record, size_t *bytes,
    struct margay_error *error);

/* Where a writer's bytes go.  An unsuccessful write ends the writing; its
   status and error are what the writer's caller gets. */
struct margay_sink {
    void *context;
    enum margay_status (*write)(void *context, const void *bytes, size_t count,
                                struct margay_error *error);
};

/* Records of one format, compressed or plain, into a sink. */
typedef struct margay_writer margay_writer;

/*
 * Write in the format of that name, compressed as the suffix of `path` says
 * (.gz .xz .zst .bz2 .lz4; NULL or any other: plain); nothing is opened.
 * Fails with MARGAY_BAD_ARGUMENT (no such format, or not writable) or
 * MARGAY_NO_MEMORY.  The caller owns *writer.
 */
MARGAY_API enum margay_status margay_writer_create(
    const char *format, const char *path, const struct margay_sink *sink,
    margay_writer **writer, struct margay_error *error);

/*
 * Before the first reference: say that repeats within blocks of so many bytes
 * were collapsed.  MARGAY_BAD_ARGUMENT: the format has no place for counts.
 */
MARGAY_API enum margay_status margay_writer_set_collapsed(
    margay_writer *writer, uint64_t bytes, struct margay_error *error);

/*
 * Before the first reference: say what the numbers are, what an id stands for
 * (a power of two, 0 = unknown; not used for addresses), and whether each
 * reference touches all blocks that it covers.  MARGAY_BAD_ARGUMENT where the
 * format has it otherwise; formats with any_numbers take it all.
 */
MARGAY_API enum margay_status margay_writer_set_numbers(
    margay_writer *writer, enum margay_numbers numbers, uint64_t unit_bytes,
    bool always_splits, struct margay_error *error);

/* The format written. */
MARGAY_API const struct margay_format_info *margay_writer_format(
    const margay_writer *writer);

/*
 * Write the references of a batch, as margay_format_encode() does, and those
 * with a count so often where the format has no counts.  Which of counts,
 * threads and sites a trace has is decided by its first batch.  After a
 * failure, and after margay_writer_finish(), the writer can only be freed.
 */
MARGAY_API enum margay_status margay_writer_put(
    margay_writer *writer, const struct margay_batch *batch,
    struct margay_error *error);

/*
 * The most bytes that the trace comes to, before compression, if it ends with
 * the references of this batch, or without more where that is NULL.  Exact for
 * formats of records.
 */
MARGAY_API uint64_t margay_writer_most_bytes(const margay_writer *writer,
                                             const struct margay_batch *batch);

/*
 * Hand the sink what has come so far, for those who read it meanwhile; more
 * may come.  Where a format compresses, or is compressed, each time costs some
 * of that, and a compression may still keep something back.
 */
MARGAY_API enum margay_status margay_writer_flush(margay_writer *writer,
                                                  struct margay_error *error);

/* Hand the sink everything that is still held back. */
MARGAY_API enum margay_status margay_writer_finish(margay_writer *writer,
                                                   struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_writer_free(margay_writer *writer);

/* ---------------------------------------------------------- generating -- */

struct margay_generator_options {
    uint64_t blocks; /* distinct blocks, >= 1 */
    uint64_t seed;
    double exponent; /* zipf: skew, in [0, 8]; 0 = uniform */
};

/* One row of the table of generators; static storage. */
struct margay_generator_info {
    const char *name;
    const char *description;
    /* The stream is byte addresses of elements of 8 bytes, `blocks` elements
       in all at most, and not block ids. */
    bool addresses;
};

/* Rows of the table of generators. */
MARGAY_API size_t margay_generator_count(void);

/* Row `index` in [0, margay_generator_count()), NULL beyond. */
MARGAY_API const struct margay_generator_info *margay_generator_at(
    size_t index);

typedef struct margay_generator margay_generator;

/*
 * An endless stream of block ids in [0, blocks), but for scan, which knows no
 * such limit: the same name, options and seed give the same stream on every
 * machine, however it is cut into calls.  zipf takes at most 2^32 - 1 blocks
 * and 16 bytes for each.  Fails with MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY;
 * the caller owns *generator.
 */
MARGAY_API enum margay_status margay_generator_create(
    const char *name, const struct margay_generator_options *options,
    margay_generator **generator, struct margay_error *error);

/* Write the next `count` ids. */
MARGAY_API void margay_generator_next(margay_generator *generator,
                                      uint64_t *blocks, size_t count);

/* NULL is fine. */
MARGAY_API void margay_generator_free(margay_generator *generator);

#ifdef __cplusplus
}
#endif

#endif
