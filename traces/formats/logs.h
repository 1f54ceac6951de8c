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

/* The beginning of the state of such a format; zeroed at first. */
struct margay_log {
    uint64_t *devices; /* see margay_device_claim() */
    bool begun;        /* a record has been read */
    bool keeps_blanks; /* those around a line belong to it */
    /* How far a line of several references has been read; 0 = begin at its
       beginning. */
    size_t at;
};

/* Read a reference of a line from `at` on, which is 0 at first.  The line
   neither begins nor ends with a blank unless log->keeps_blanks, and is not
   blank.  Where more references may follow, log->at is set to the place to go
   on.  A count of 0 means no reference.  Returns NULL, or what was expected. */
typedef const char *margay_line_function(struct margay_log *log,
                                         const char *line, const char *end,
                                         size_t at,
                                         struct margay_row_reference *row);

/* Decode the lines of a text, whose state begins with a struct margay_log. */
const char *margay_log_decode(struct margay_text *text,
                              struct margay_references *references,
                              margay_line_function *parse);

/* Lines that a pattern takes apart, a regular expression or a picture: a field
   has a name, and a number from 1 on.  Fails with MARGAY_BAD_ARGUMENT and
   MARGAY_NO_MEMORY. */
struct margay_pattern;
enum margay_status margay_pattern_create(const char *text, bool is_picture,
                                         struct margay_pattern **pattern,
                                         struct margay_error *error);
void margay_pattern_free(struct margay_pattern *pattern);

/* The number of the field that has this name, or this number; negative: there
   is none. */
int margay_pattern_field(const struct margay_pattern *pattern, const char *name,
                         size_t bytes);

/* Find the fields of a line, which margay_pattern_taken() then returns.
   Returns NULL, or what was expected. */
const char *margay_pattern_take(struct margay_pattern *pattern,
                                const char *line, const char *end);
struct margay_field margay_pattern_taken(const struct margay_pattern *pattern,
                                         unsigned field);

#define MARGAY_LOG_DECODER(name, parse)                           \
    static const char *name(struct margay_text *text,             \
                            struct margay_references *references) \
    {                                                             \
        return margay_log_decode(text, references, parse);        \
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

/* The whole of [begin, end) as seconds, with digits after a point. */
static inline bool margay_take_seconds(const char *begin, const char *end,
                                       uint64_t *time)
{
    const struct margay_field field =
        margay_field_of(begin, (size_t)(end - begin));
    return !field.decimal && margay_time_read(&field, 1, time);
}

#endif
