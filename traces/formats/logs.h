/*
 * logs.h - lines of text that are read word by word, or field by field
 *
 * A format gives a parser of one line; the loop does the rest: line ends, empty
 * lines, lines that are too long or hold a NUL, the capacity of the batch, and
 * lines that stand for several references.
 */
#ifndef MARGAY_TRACES_FORMATS_LOGS_H
#define MARGAY_TRACES_FORMATS_LOGS_H

#include "traces/formats/row.h"
#include "traces/formats/scan.h"

/* What the state of such a format begins with; zeroed to begin with. */
struct margay_log {
    uint64_t *devices; /* see margay_device_claim() */
    bool begun;        /* a record was met */
    bool keeps_blanks; /* those around a line belong to it */
    /* How far a line that stands for several references was read; 0 = it is to
       be read from its beginning on. */
    size_t at;
};

/*
 * Read a reference of a line, which neither begins nor ends with a blank unless
 * log->keeps_blanks, and holds more than blanks, from `at` on, which is 0 to
 * begin with.  Where more may follow, log->at says where to go on.  A count of
 * 0 says that there is none.  Returns NULL, or what was expected.
 */
typedef const char *margay_line_function(struct margay_log *log,
                                         const char *line, const char *end,
                                         size_t at,
                                         struct margay_row_reference *row);

/* Decode the lines of a text, whose state begins with a struct margay_log. */
const char *margay_log_decode(struct margay_text *text,
                              struct margay_references *references,
                              margay_line_function *parse);

/* The functions of a format whose state is no more than that, and that of one
   whose lines stand alone: they may be cut after any newline. */
void *margay_log_create(const struct margay_state_options *options);
void margay_log_free(void *log);
int margay_log_cut(const void *log);

#define MARGAY_LOG_DECODER(name, parse)                           \
    static const char *name(struct margay_text *text,             \
                            struct margay_references *references) \
    {                                                             \
        return margay_log_decode(text, references, parse);        \
    }

#define MARGAY_LOG(decoder)                  \
    .decode = decoder, .recognise = decoder, \
    .create_state = margay_log_create, .free_state = margay_log_free

/* The end of the word that begins at `cursor`: a blank, or `end`. */
static inline const char *margay_word_end(const char *cursor, const char *end)
{
    while (cursor < end && !margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

/* The beginning of the next word. */
static inline const char *margay_next_word(const char *cursor, const char *end)
{
    cursor = margay_word_end(cursor, end);
    while (cursor < end && margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

/* The whole of [begin, end) as a decimal number. */
static inline bool margay_take_number(const char *begin, const char *end,
                                      uint64_t *number)
{
    const struct margay_field field =
        margay_field_of(begin, (size_t)(end - begin));
    *number = field.value;
    return field.decimal;
}

#endif
