/*
 * margay/traces.h - from bytes to references to blocks
 *
 * A program opens a trace, asks for batches of references until MARGAY_END, and
 * frees the trace.  A thread of the trace reads, decompresses and decodes ahead
 * while the program works on a batch; a short trace is read without one.
 *
 *     margay_trace *trace;
 *     struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
 *     margay_trace_open("prog.din.gz", &options, &trace, &error);
 *     struct margay_batch batch;
 *     while (margay_trace_next(trace, -1, &batch, &error) == MARGAY_OK)
 *         ...;
 *     margay_trace_free(trace);
 *
 * A reference is one entry of a trace: a number, and the other columns of the
 * format.  The number is the byte address of the first byte accessed, or the id
 * of a block where the trace has been divided by a block size already.
 * margay_batch_blocks() turns either into block ids.
 *
 * Thread safety: one thread at a time uses an object; different objects are
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

/* The kind of a reference.  A format without kinds has only reads. */
enum margay_kind {
    MARGAY_READ = 0,
    MARGAY_WRITE = 1,
    MARGAY_FETCH = 2, /* The processor fetches an instruction. */
};
#define MARGAY_KINDS 3

/* A set of kinds is the sum of the bits of its members. */
#define MARGAY_KIND_BIT(kind) (1u << (kind))
#define MARGAY_ALL_KINDS      7u

/* An operation on an object that has a name and a size.  A trace without
   operations has only gets. */
enum margay_op {
    MARGAY_GET = 0,    /* Ask for it; a cache that lacks it stores it. */
    MARGAY_SET = 1,    /* Store it. */
    MARGAY_DELETE = 2, /* Remove it from every cache. */
};
#define MARGAY_OPS 3

/* The purpose of a reference to a cache.  All that a trace holds are for the
   core; caches make references with other purposes. */
enum margay_purpose {
    MARGAY_FOR_CORE,     /* a core waits for it */
    MARGAY_FOR_STORE,    /* a level above passes on a core's write */
    MARGAY_FOR_WRITING,  /* a level above writes it back */
    MARGAY_FOR_PREFETCH, /* a prefetcher above asks for it */
};
#define MARGAY_PURPOSES 4

/* A set of operations is the sum of the bits of its members. */
#define MARGAY_OP_BIT(op) (1u << (op))
#define MARGAY_ALL_OPS    7u

/* ------------------------------------------------------------- formats -- */

/* The meaning of the numbers of a trace. */
enum margay_numbers {
    MARGAY_ADDRESSES, /* Numbers are byte addresses. */
    MARGAY_IDS,       /* Numbers are ids of blocks or of other objects. */
};

/* A column holds one value for each reference.  A set of columns is the sum of
   its members. */
enum margay_column {
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    MARGAY_COLUMN_##NAME = 1 << (bit),
#include <margay/columns.def>
    /* Of spans alone: reuse distances, after an engine. */
    MARGAY_COLUMN_DISTANCES = 1 << 17,
};
/* All columns of traces but the number, which every reference has. */
#define MARGAY_ALL_COLUMNS 8127u
/* Those of storage traces, whose numbers are names of objects. */
#define MARGAY_OBJECT_COLUMNS                                        \
    ((unsigned)MARGAY_COLUMN_SIZES | (unsigned)MARGAY_COLUMN_TIMES | \
     (unsigned)MARGAY_COLUMN_TTLS | (unsigned)MARGAY_COLUMN_OPS)
/* These and the columns of requests and tenants, which programs do not have. */
#define MARGAY_STORAGE_COLUMNS                                          \
    (MARGAY_OBJECT_COLUMNS | (unsigned)MARGAY_COLUMN_REQUESTS |         \
     (unsigned)MARGAY_COLUMN_TENANTS | (unsigned)MARGAY_COLUMN_TOKENS | \
     (unsigned)MARGAY_COLUMN_COSTS)

/* In the column of tokens: the bit of an entry without a block, and the value
   of an unknown number; all known numbers are less. */
#define MARGAY_NO_BLOCK       (UINT64_C(1) << 63)
#define MARGAY_TOKENS_UNKNOWN (MARGAY_NO_BLOCK - 1)

/* The name of one column of a trace, as messages use it ("kinds", "sites");
   NULL for any other value.  Static storage. */
MARGAY_API const char *margay_column_name(enum margay_column column);

/* The size of an object that counts.  A request may give none (a get that
   missed, a response without a body): it has the last size given before, or
   else the next one. */
enum margay_sizes_from {
    MARGAY_SIZES_REQUEST, /* the size that each request gives */
    MARGAY_SIZES_FIRST,   /* for all requests the first size, */
    MARGAY_SIZES_LAST,    /* or the last one, */
    MARGAY_SIZES_MAX,     /* or the largest of all */
};

/* A row of the table of formats.  It has static storage and never changes. */
struct margay_format_info {
    /* The name that --format and margay_trace_options.format take: "din". */
    const char *name;
    /* One line for people, without a full stop. */
    const char *description;
    /* The suffixes of file names that suggest the format, without dots and
       separated by spaces: "din"; "" where there are none. */
    const char *suffixes;
    /* The meaning of its numbers, unless any_numbers. */
    enum margay_numbers numbers;
    /* How many bytes an id stands for, a power of two; 1 for addresses; 0
       where the format does not say. */
    uint64_t unit_bytes;
    /* Each file says what its numbers mean; `numbers`, `unit_bytes` and
       `splits` are then the defaults of a writer. */
    bool any_numbers;
    /* A check sum covers every reference, so those before a damaged place are
       certain to be right. */
    bool checked;
    /* margay_writer_create() accepts the format. */
    bool writable;
    /* The set of columns that its files have or may have. */
    unsigned columns;
    /* The set of its kinds; 0 = it has none. */
    unsigned kinds;
    /* A reference asks for all blocks that it covers, so it is to be split
       unless the user decides otherwise. */
    bool splits;
    /* The extent of a reference may be 0. */
    bool empty_extents;
    /* The set of columns that it has if margay_trace_options.column names
       them; they cannot be written. */
    unsigned named_columns;
    /* The block size that requests are divided into unless the user decides
       otherwise; 0 = that of all other traces of addresses. */
    uint64_t usual_block_bytes;
    /* A file lacks some references of the program, so its distances are not the
       program's. */
    bool sampled;
};

/* The number of rows in the table of formats. */
MARGAY_API size_t margay_format_count(void);

/* Row `index` in [0, margay_format_count()), NULL beyond. */
MARGAY_API const struct margay_format_info *margay_format_at(size_t index);

/* ------------------------------------------------------------- reading -- */

/* margay_trace_options.delimiter: runs of blanks and tabs. */
#define MARGAY_BLANKS '\2'

/* margay_trace_options.quote: no character quotes the fields of a table. */
#define MARGAY_NO_QUOTE (-1)

/* How a trace is read.  Start from MARGAY_TRACE_OPTIONS_DEFAULT. */
struct margay_trace_options {
    /* The name of the format; NULL = detect it from content and file name.
       The string is not used after margay_trace_open(). */
    const char *format;
    /* Take the numbers of a format of addresses as ids.  Extents, which count
       bytes there, are then dropped. */
    bool ids;
    /* How many bytes an id stands for, a power of two; 0 = as the trace says.
       Refused for a trace of addresses. */
    uint64_t unit_bytes;
    /* The set of kinds that batches hold; references of other kinds are left
       out, but are counted by the next three fields. */
    unsigned kinds;
    /* How many references are dropped at the beginning of the trace. */
    uint64_t skip_refs;
    /* How many references are read after those, at most; UINT64_MAX = all. */
    uint64_t limit_refs;
    /* How many of the references read are a warm-up: the batches that they
       come in have margay_batch.warmup set. */
    uint64_t warmup_refs;
    /* The next three fields describe a table; any of them, if set, asks for the
       format csv, but `column` may go with `jsonl`, `logfmt`, `w3c` and
       `regex`, too, where names are paths, keys, fields and groups.  `column`
       selects the column of the ids, by its name or, if it is a decimal number,
       by its position from 1 on; or columns by their roles, as in
       "id=2+3,size=bytes,op=4,time=1,ttl=5,device=6". NULL = the table has one
       column.  The string must outlive the trace. */
    const char *column;
    /* The character that separates columns, or MARGAY_BLANKS; 0 = a comma. */
    char delimiter;
    /* The character that may enclose a field; 0 = a quotation mark, or
       MARGAY_NO_QUOTE. */
    int quote;
    /* The set of operations that batches hold, as `kinds` above. */
    unsigned ops;
    /* The column of a table, in the format csv or a layout, that names the
       tenant of a row: its name, its position, or "device" for the columns that
       are read as devices.  NULL = there is none. */
    const char *tenant;
    /* The size of an object that counts where its requests give several. */
    enum margay_sizes_from sizes_from;
    /* How many unreadable lines of text are skipped, as if they were not there;
       one more fails.  UINT64_MAX = any number. */
    uint64_t bad_lines;
    /* A regular expression of Perl, whose named groups are the columns of a
       line; asks for the format regex.  NULL = there is none.  The string must
       outlive the trace. */
    const char *pattern;
    /* A file of layouts, in the language of `margay help layouts`: the trace
       has the only one, or that which `format` names.  NULL = there is none. */
    const char *layout;
};
#define MARGAY_TRACE_OPTIONS_DEFAULT                                    \
    {                                                                   \
        NULL, false, 0, MARGAY_ALL_KINDS, 0, UINT64_MAX, 0, NULL, 0, 0, \
            MARGAY_ALL_OPS, NULL, MARGAY_SIZES_REQUEST, 0, NULL, NULL   \
    }

/* A batch: some ten thousand consecutive references at most, as arrays with one
   entry each.  The arrays belong to the trace and stay valid until the next
   call on it.  An array that is NULL is a column that the trace does not
   have. */
struct margay_batch {
    /* The number of entries in each array, 0 or more. */
    size_t references;
    /* The columns. */
#define MARGAY_COLUMN(name, NAME, bit, type, words) const type *name;
#include <margay/columns.def>
    /* The references are to be simulated, but not counted.  This holds for all
       of a batch or for none of it. */
    bool warmup;
};

/* Room for margay_trace_facts.guess. */
#define MARGAY_GUESS_BYTES 128

/* Facts about a trace. */
struct margay_trace_facts {
    /* The format, */
    const struct margay_format_info *format;
    /* and the evidence for it, for people ("content: 12 lines of ..."). */
    const char *evidence;
    /* The roles that the names in the first row of a table suggest, as a value
       of margay_trace_options.column; empty: `column` is set, or the names
       suggest nothing. */
    char guess[MARGAY_GUESS_BYTES];
    /* The meaning of the numbers in batches, with margay_trace_options.ids
       applied. */
    enum margay_numbers numbers;
    /* How many bytes a number stands for: 1 for addresses, the unit for ids, 0
       where neither trace nor options say what an id stands for. */
    uint64_t unit_bytes;
    /* The number of references in the file is known before they are read: in a
       regular file that is not compressed and holds records of fixed length, or
       blocks with an index. */
    bool knows_references;
    uint64_t references;
    /* Each is a record of fixed length. */
    bool has_records;
    /* The set of columns that the trace has: those of its format that this file
       fills, with margay_trace_options.ids applied.  A trace in which nothing
       was found has all of them. */
    unsigned columns;
    /* The set of kinds that the trace has; 0 = none. */
    unsigned kinds;
    /* A reference asks for all blocks that it covers (arc, vscsi), so that the
       caller splits it unless the user decides otherwise: see
       margay_batch_blocks(). */
    bool splits;
    /* Requests without names are numbered from 0 on, so that those of another
       trace have the same numbers. */
    bool counts_requests;
    /* How many tokens a block of a request stands for; 0 = the beginning of the
       trace does not show it. */
    uint64_t block_tokens;
    /* The bytes that such a block takes in a cache, likewise. */
    uint64_t block_bytes;
};

typedef struct margay_trace margay_trace;

/*
 * Open the trace at `path` ("-" = standard input) and start to read it.
 * Returns at once; margay_trace_ready() waits until the format is known.
 * Compression (gzip, xz, zstd, bzip2, lz4, zip) is recognised by content.
 *
 * Fails with MARGAY_BAD_ARGUMENT (unknown format, unit not a power of two),
 * MARGAY_IO (missing file, directory) or MARGAY_NO_MEMORY; *trace is then
 * NULL.  On success the caller owns *trace.
 */
MARGAY_API enum margay_status margay_trace_open(
    const char *path, const struct margay_trace_options *options,
    margay_trace **trace, struct margay_error *error);

/* Stop reading, in any state of the trace, and release everything.  NULL
   is fine. */
MARGAY_API void margay_trace_free(margay_trace *trace);

/* Wait up to `wait_ms` milliseconds (-1 = for ever) until the format is known.
   MARGAY_OK: the functions below may be called.
   MARGAY_AGAIN: the format is not known yet.  MARGAY_BAD_INPUT, MARGAY_IO, ...:
   the trace cannot be read; the message says why and begins with the file's
   name. */
MARGAY_API enum margay_status margay_trace_ready(margay_trace *trace,
                                                 int wait_ms,
                                                 struct margay_error *error);

/* Its facts, which stay the same once the trace is ready, and belong to it. */
MARGAY_API const struct margay_trace_facts *margay_trace_facts(
    const margay_trace *trace);

/* How many requests so far gave no size of their object; *never becomes how
   many of these count 0 bytes, because none was given before nor, in a file,
   after. To be called by the thread that takes batches. */
MARGAY_API uint64_t margay_trace_unknown_sizes(const margay_trace *trace,
                                               uint64_t *never);

/* A site is an address as it stands in a file of code, a program or a library,
   which is its module: bits 48 to 55 are the module's number.  Number 0 is the
   program that was recorded; MARGAY_MOST_MODULES says that the code is in no
   file, and the address one in memory. */
#define MARGAY_SITE_MODULE_SHIFT 48
#define MARGAY_MOST_MODULES      255
/* The most bytes of the path of a module, with the NUL. */
#define MARGAY_MODULE_PATH_BYTES 512

/* The name of a tenant that a batch had; NULL = unknown.  It is valid as long
   as the trace. */
MARGAY_API const char *margay_trace_tenant(const margay_trace *trace,
                                           uint32_t number);

/* The path of a module; NULL = the trace does not name it.  The list is at the
   end of a trace: of one that is compressed, or no regular file, it is known
   once margay_trace_next() has returned MARGAY_END.  The string belongs to the
   trace.  To be called once the trace is ready. */
MARGAY_API const char *margay_trace_module(const margay_trace *trace,
                                           unsigned number);

/* The next batch, after a wait of up to `wait_ms` milliseconds (-1 = for ever).
   MARGAY_OK: *batch holds 0 or more references.  MARGAY_AGAIN: no batch has
   come yet.  MARGAY_END: the trace has ended.  Any other status: the trace is
   malformed or cannot be read; the batches given before are right.  Waits for
   margay_trace_ready() first. */
MARGAY_API enum margay_status margay_trace_next(margay_trace *trace,
                                                int wait_ms,
                                                struct margay_batch *batch,
                                                struct margay_error *error);

/* From now on no batch has more than `references` references, 1 or more;
   references of kinds that are left out count, too. */
MARGAY_API void margay_trace_set_most(margay_trace *trace, uint64_t references);

/* How many references of the trace lie between those that were skipped and the
   end of the last batch; references of kinds that are left out count, too. */
MARGAY_API uint64_t margay_trace_given(const margay_trace *trace);

/* How many lines have been skipped (margay_trace_options.bad_lines); reading
   may be ahead of the batches given.  If there are some, *first is the message
   about the first one. */
MARGAY_API uint64_t margay_trace_bad_lines(const margay_trace *trace,
                                           const char **first);

/* How many bytes of the file (of compressed bytes, if it is compressed) have
   been read, and its length (0 = unknown, as of a pipe).  May be called at any
   time. */
MARGAY_API void margay_trace_progress(const margay_trace *trace,
                                      uint64_t *bytes_read,
                                      uint64_t *bytes_total);

/* -------------------------------------------------------------- blocks -- */

/* How far margay_batch_blocks() has come in a batch; all zero to begin. */
struct margay_block_cursor {
    /* The index of the reference whose block comes next. */
    size_t reference;
    /* How many blocks of that reference have been given. */
    uint64_t block_in_reference;
};

/*
 * Turn references into block references: block = number >> shift, where
 * 2^shift is the block size in units of the numbers (0 <= shift <= 63).
 * With `split`, a reference touches every block that its extent covers, once
 * each, in ascending order; an extent of 0 touches none.  Without, it touches
 * the block of its first byte only.
 *
 * Writes up to `capacity` ids to `blocks` and, unless these are NULL, their
 * kinds to `kinds` and the index in the batch of each one's reference to
 * `references`; advances *cursor; returns how many ids it wrote.  0 = the batch
 * is exhausted.
 */
MARGAY_API size_t margay_batch_blocks(const struct margay_batch *batch,
                                      unsigned shift, bool split,
                                      struct margay_block_cursor *cursor,
                                      uint64_t *blocks, uint8_t *kinds,
                                      uint32_t *references, size_t capacity);

/* --------------------------------------------------------------- spans -- */

/* A span: consecutive block references at one block size, in the order in which
   they were made.  Everything that analyses a trace is fed spans.  A column
   that is NULL is absent: the trace does not have it, or it was not
   requested. */
struct margay_span {
    /* The number of entries in each column. */
    size_t count;
    /* Block ids. */
    const uint64_t *blocks;
    /* The columns, as in a batch, of the references that touch the blocks. */
#define MARGAY_COLUMN(name, NAME, bit, type, words) const type *name;
#include <margay/columns.def>
    /* The reuse distance in blocks; UINT64_MAX = infinite. */
    const uint64_t *distances;
    /* The index of the first entry in its pass, from 0 on; a warm-up counts. */
    uint64_t first_index;
    /* The references are to be simulated, but not counted. */
    bool warmup;
};

/* ---- Sizes ---- */

/* A decimal number that may end in a byte suffix: B, K, KB, KiB, M, MB, MiB, G,
   GB, GiB, T, TB or TiB, in upper or lower case, all powers of 1024, and may
   have up to six decimals if the product is a whole number: 1.5MiB. *suffixed
   says whether there is a suffix: a cache size without a suffix counts blocks,
   with one it counts bytes.  `what` names the quantity in the message
   ("--bound"). Fails with MARGAY_BAD_ARGUMENT on any other text, and where the
   value is over 64 bits. */
MARGAY_API enum margay_status margay_parse_size(const char *text,
                                                const char *what,
                                                uint64_t *value, bool *suffixed,
                                                struct margay_error *error);

#ifdef __cplusplus
}
#endif

#include <margay/writing.h>

#endif
