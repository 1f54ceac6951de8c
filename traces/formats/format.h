/*
 * format.h - a format, inside traces/
 *
 * formats/NAME.c defines one `const struct margay_format`, or a family of
 * them; table.c holds the table.  A format of text decodes complete lines, a
 * packed format widens records of fixed length, and a format of blocks reads
 * its bytes itself.  All append to the arrays of a batch.
 */
#ifndef MARGAY_TRACES_FORMATS_FORMAT_H
#define MARGAY_TRACES_FORMATS_FORMAT_H

#include <string.h>

#include <margay/traces.h>

/* Of a reference that does not say the size of its object; batches have none
   (sizes.h). */
#define MARGAY_SIZE_UNKNOWN UINT64_MAX

/* References on their way from a decoder into a batch. */
struct margay_references {
    /* The columns.  NULL where the format does not have one, or where the
       caller does not use it and the format can do without it: every format
       without those of objects, some without others (leaves_out).  The facts of
       the trace have the columns that only some traces of a format have. */
#define MARGAY_COLUMN(name, NAME, bit, type, words) type *name;
#include <margay/columns.def>
    /* Of the columns that only some traces have, the set of those that the
       decoder has not filled for this batch. */
    unsigned unfilled;
    size_t count; /* entries in use, of `capacity` */
    size_t capacity;
};

/* The columns that have arrays, and are filled. */
static inline unsigned margay_references_columns(
    const struct margay_references *references)
{
    unsigned columns = 0;
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    columns |= references->name == NULL ? 0u : 1u << (bit);
#include <margay/columns.def>
    return columns & ~references->unfilled;
}

/* Allocate arrays of `capacity` entries for these columns, and leave the others
   as they are.  False: no memory.  They are to be freed in either case. */
bool margay_references_allocate(struct margay_references *references,
                                unsigned columns);

/* Free all arrays. */
void margay_references_free(struct margay_references *references);

/* The most references of one line (lackey's M is a read and a write). */
#define MARGAY_LINE_REFERENCES 2

/* Every buffer for a piece of a trace is smaller by this power of two, so that
   the short inputs of a fuzzer cross the ends of many. */
#ifndef MARGAY_SHRINK
#define MARGAY_SHRINK 0
#endif

/* A longer line is an error, so that memory stays bounded. */
#define MARGAY_LINE_BYTES         ((size_t)65536 >> MARGAY_SHRINK)
#define MARGAY_EXPECTS_SHORT_LINE "a line of at most 65536 bytes"

#define MARGAY_EXPECTS_NO_NUL "text without NUL bytes"

#define MARGAY_EXPECTS_END "a reference that ends within 64 bits"

#define MARGAY_EXPECTS_TIME "a time of at most 18446744073709 seconds"

/* Bytes that must be readable after the end of a text, because scanners load up
   to 64 bytes at a time. */
#define MARGAY_TEXT_PADDING 64

static inline uint64_t margay_swap_if_big_endian(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* A little-endian number of `bytes` bytes, 1 to 8, which may stand anywhere.
   With a constant `bytes` this is a single load. */
static inline uint64_t margay_get_little(const void *from, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return margay_swap_if_big_endian(value);
}

static inline void margay_put_little(void *to, uint64_t value, unsigned bytes)
{
    value = margay_swap_if_big_endian(value);
    memcpy(to, &value, bytes);
}

/* Complete lines of a trace, or records, as a decoder gets them. */
struct margay_text {
    const char *cursor; /* the next one */
    const char *end;    /* after the newline of the last one */
    uint64_t lines;     /* lines of the trace before the cursor */
    void *state;        /* of a format whose lines depend on earlier lines */
    /* The text and number of an earlier line that is bad; NULL = none. */
    const char *earlier;
    uint64_t earlier_line;
};

/* Decode lines until the text ends, or the batch may not hold another line.
   Returns NULL, or what was expected instead of the line at text->cursor, or of
   text->earlier. */
typedef const char *margay_decode_function(
    struct margay_text *text, struct margay_references *references);

/* How a format makes its state. */
struct margay_state_options {
    /* As they were given; but where the names of columns were taken for a
       --column, and it was not given, this is in given.column. */
    struct margay_trace_options given;
    struct margay_names *tenants;       /* NULL without given.tenant */
    const struct margay_layout *layout; /* that of the format */
    bool trial;      /* the decoder only tries whether the trace fits */
    bool by_content; /* in a trial: the suffix does not name the format */
};

/* The number of bytes by which a format with a magic is recognised. */
#define MARGAY_MAGIC_WINDOW 8

/* Where a text with a state may be cut: unknown before more lines, nowhere, or
   after any newline if this character is nowhere in the rest; NUL = after any
   newline. */
#define MARGAY_CUT_LATER (-2)
#define MARGAY_CUT_NEVER (-1)

struct margay_blocks_reading; /* blocks_format.h */
struct margay_blocks_writing;
struct margay_layout; /* layout.h */
struct margay_names;  /* names.h */

struct margay_format {
    struct margay_format_info info;
    bool leaves_out; /* can do without arrays that the caller does not use */

    /* Of a format of blocks, which has none of the fields below. */
    const struct margay_blocks_reading *reading;
    const struct margay_blocks_writing *writing; /* NULL = by `encode` */
    const char *written; /* the columns of a table that is written; or NULL */

    /* Decode lines or, of packed formats, whole records, for all of which the
       batch has room. */
    margay_decode_function *decode;
    /* Text: accepts only lines that are evidence of the format; it is often the
       same as `decode`. */
    margay_decode_function *recognise;
    /* A text without records is no evidence: lines of others are skipped. */
    bool told_by_records;

    /* Make a state (NULL: no memory), release it, and decode the rest that it
       holds when the trace has ended.  Without a state no line depends on
       another, so a text may be cut after any newline. */
    void *(*create_state)(const struct margay_state_options *options);
    void (*free_state)(void *state);
    margay_decode_function *finish;
    /* Text whose state may hold a part of a line that was found faulty: forget
       that.  False: the fault is of an earlier line, and the one at the cursor
       is still to be read.  NULL = the state holds nothing of a faulty line. */
    bool (*forget)(void *state);
    /* Text whose columns differ: adds the facts that the first line of a trace,
       [line, end), shows to *facts, which holds those of the format. `line` is
       `end` where the line is too long, or the trace is empty. */
    void (*describe)(const struct margay_state_options *options,
                     const char *line, const char *end,
                     struct margay_trace_facts *facts);
    const struct margay_layout *layout; /* of a table */
    /* Text with a state, which has been given the beginning of a trace: where
       the rest may be cut; NULL = nowhere. */
    int (*cut)(const void *state);

    /* Does a trace that begins with this window, of MARGAY_MAGIC_WINDOW bytes
       or more, have the format?  NULL = the first bytes do not show it. */
    bool (*is_magic)(const void *window, size_t bytes);

    /* Packed: the length of a record, and the most references that one stands
       for; 0 = always one. */
    unsigned record_bytes, record_references;
    /* Packed: do the whole records that begin a trace hold what this format
       allows?  NULL = it allows anything. *certain: no other format would hold
       the same. */
    bool (*is_plausible)(const void *records, size_t count, bool *certain);

    /* Packed: a record is a number as it stands in the memory of this
       machine. */
    bool stands_in_memory;

    /* Write one record and return its length; 0 = the number does not fit. */
    size_t (*encode)(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent);
};

/* Fields of the rows of several formats: byte addresses, and these kinds. */
#define MARGAY_BYTE_ADDRESSES .numbers = MARGAY_ADDRESSES, .unit_bytes = 1
#define MARGAY_READS_AND_WRITES \
    (MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE))

/* margay_format_encode() for a row that has an encoder. */
enum margay_status margay_record_encode(const struct margay_format *row,
                                        uint64_t number, enum margay_kind kind,
                                        uint32_t extent, char *record,
                                        size_t *bytes,
                                        struct margay_error *error);

/* The encoder of the formats with one decimal number per line. */
size_t margay_encode_decimal(char *record, uint64_t number,
                             enum margay_kind kind, uint32_t extent);

/* Row `index` of the table, NULL beyond. */
const struct margay_format *margay_format_row(size_t index);

/* Row `index` of the layouts, which are rows of the table, too. */
const struct margay_format *margay_layout_row(size_t index);

/* Where people find all names. */
#define MARGAY_LISTS_FORMATS "'margay help formats' lists them"

/* The row of that name; with `to_write`, only a writable one.  Fails with
   MARGAY_BAD_ARGUMENT, and suggests names. */
enum margay_status margay_format_find(const char *name, bool to_write,
                                      const struct margay_format **format,
                                      struct margay_error *error);

extern const struct margay_format margay_format_din, margay_format_lackey,
    margay_format_ls, margay_format_id, margay_format_hex, margay_format_u32,
    margay_format_u64, margay_format_u32be, margay_format_u64be,
    margay_format_lines, margay_format_arc, margay_format_csv,
    margay_format_oracle, margay_format_vscsi, margay_format_mgt,
    margay_format_lcs, margay_format_mooncake, margay_format_blkparse,
    margay_format_redis, margay_format_pinatrace, margay_format_xdin,
    margay_format_perf_script, margay_format_champsim, margay_format_drmemtrace,
    margay_format_gem5, margay_format_words, margay_format_fio,
    margay_format_strace, margay_format_filemap, margay_format_ramulator;

#endif
