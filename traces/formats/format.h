/*
 * format.h - what a format is, inside traces/
 *
 * formats/NAME.c defines one `const struct margay_format` (or a family of
 * them); table.c holds the one table.  A format of text decodes complete
 * lines, a packed one widens records of fixed length; both append to the
 * arrays of a batch.
 */
#ifndef MARGAY_TRACES_FORMATS_FORMAT_H
#define MARGAY_TRACES_FORMATS_FORMAT_H

#include <margay/traces.h>

/* References on their way from a decoder into a batch. */
struct margay_references {
    uint64_t *numbers;
    /* Of formats that have them, unless nobody looks and the format can do
       without (leaves_out). */
    uint8_t *kinds;
    uint32_t *extents;
    /* Of formats that may have them; a decoder says whether it filled them,
       for each batch anew. */
    uint32_t *counts;
    uint32_t *threads;
    uint64_t *sites;
    bool counted, threaded, sited;
    uint64_t repeats; /* in the place of counts that are left out: their sum,
                         less one for each */
    size_t count;
    size_t capacity;
};

/* Allocate, for `capacity` references, what the format has beside the numbers;
   the rest stays NULL.  False: no memory.  Either way to be freed. */
bool margay_references_allocate(struct margay_references *references,
                                const struct margay_format_info *format);

/* Free all arrays. */
void margay_references_free(struct margay_references *references);

/* How many entries from `from` on hold no more than *limit references; *limit
   becomes what they hold. */
size_t margay_references_within(const struct margay_references *references,
                                size_t from, uint64_t *limit);

/*
 * From entry *entry of `from` on, of which *done references are dealt with,
 * write one reference for each that a count stands for until `to` is full or
 * `from` is exhausted; advances both.
 */
void margay_references_expand(const struct margay_references *from,
                              size_t *entry, uint32_t *done,
                              struct margay_references *to);

/* The most references that one line yields (lackey's M: a read, a write). */
#define MARGAY_LINE_REFERENCES 2

/* Everything that holds a piece of a trace is so much smaller, as a power of
   two, where short inputs are to cross many ends of it: for the fuzzers. */
#ifndef MARGAY_SHRINK
#define MARGAY_SHRINK 0
#endif

/* A longer line is malformed, so memory stays bounded whatever the input. */
#define MARGAY_LINE_BYTES ((size_t)65536 >> MARGAY_SHRINK)

/* Bytes that must be readable after the end of a text: scanners load whole
   words and look at them later. */
#define MARGAY_TEXT_PADDING 32

/* Complete lines of a trace, on their way into a decoder. */
struct margay_text {
    const char *cursor; /* the next line */
    const char *end;    /* behind the newline of the last one */
    uint64_t lines;     /* lines of the trace before the cursor */
    void *state;        /* of a format whose lines depend on earlier ones */
};

/*
 * Decode lines until the text ends or the batch has no room for another line.
 * Returns NULL, or what was expected instead of the line at text->cursor.
 */
typedef const char *margay_decode_function(
    struct margay_text *text, struct margay_references *references);

/* How a format with a state makes one. */
struct margay_state_options {
    const char *column; /* csv's, as struct margay_trace_options has them */
    char delimiter;
    bool trial;      /* only to see whether it is that format */
    bool by_content; /* and there is no suffix to say so */
};

struct margay_blocks_reading; /* blocks_format.h */
struct margay_blocks_writing;

struct margay_format {
    struct margay_format_info info;
    bool always_splits;
    bool leaves_out; /* can do without arrays that nobody looks at */

    /* Of blocks: then nothing of what follows. */
    const struct margay_blocks_reading *reading;
    const struct margay_blocks_writing *writing;

    /* Text: `recognise` decodes what may be detected by content, often the
       same as `decode`. */
    margay_decode_function *decode;
    margay_decode_function *recognise;

    /* Text with a state: make one (NULL: no memory), release it, and deal
       with what it still holds when the trace has ended. */
    void *(*create_state)(const struct margay_state_options *options);
    void (*free_state)(void *state);
    margay_decode_function *finish;

    /* Packed: the length of a record, and how to append `count` of them to an
       empty batch.  Returns NULL, or what was expected of the record behind
       the batch's last.  `records` may lie in the same memory as the batch's
       numbers, so that no number is written over a record still to come. */
    unsigned record_bytes;
    const char *(*unpack)(struct margay_references *references,
                          const void *records, size_t count);
    /* Can the whole records that begin a trace be this format's, by what they
       hold?  NULL = they show nothing.  `certain`: no others look like it. */
    bool (*is_plausible)(const void *records, size_t count, bool *certain);

    /* Packed: records are what the numbers are in this machine's memory. */
    bool stands_in_memory;

    /* Write one record, return its length; 0 = the number does not fit. */
    size_t (*encode)(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent);
};

/* Row `index` of the table, NULL beyond. */
const struct margay_format *margay_format_row(size_t index);

/* The row of that name, NULL if there is none. */
const struct margay_format *margay_format_named(const char *name);

/* Write every name, or those of formats that can be written, separated by ", ",
   for messages. */
void margay_format_list(bool writable, char *text, size_t bytes);

extern const struct margay_format margay_format_din;
extern const struct margay_format margay_format_lackey;
extern const struct margay_format margay_format_ls;
extern const struct margay_format margay_format_id;
extern const struct margay_format margay_format_hex;
extern const struct margay_format margay_format_u32;
extern const struct margay_format margay_format_u64;
extern const struct margay_format margay_format_u32be;
extern const struct margay_format margay_format_u64be;
extern const struct margay_format margay_format_lines;
extern const struct margay_format margay_format_arc;
extern const struct margay_format margay_format_csv;
extern const struct margay_format margay_format_oracle;
extern const struct margay_format margay_format_vscsi;
extern const struct margay_format margay_format_mgt;
extern const struct margay_format margay_format_words;

#endif
