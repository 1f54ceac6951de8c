/*
 * log.h - logs whose lines are no columns: blkparse, redis, clf
 *
 * A format gives a parser of one line; the loop does the rest: line ends, empty
 * lines, lines that are too long or hold a NUL, and the capacity of the batch.
 */
#ifndef MARGAY_TRACES_FORMATS_LOG_H
#define MARGAY_TRACES_FORMATS_LOG_H

#include "traces/formats/row.h"

/* The state of such a format; owned by the format's create_state. */
struct margay_log {
    uint64_t *devices; /* see margay_device_claim() */
    bool begun;        /* a record was met */
    /* Of a line that stands for several references: how far it was read, from
       its beginning on; 0 = not at all. */
    size_t resume;
    const char *cursor;              /* in the line */
    struct margay_row_reference row; /* that is being read */
};

/*
 * Read the next reference of a line, which does not begin with a blank, from
 * log->cursor on, in [line, end), and go on behind it; at `end` the line is
 * done. A count of 0 says that there is none.  Returns NULL, or what was
 * expected.
 */
typedef const char *margay_line_function(struct margay_log *log,
                                         const char *line, const char *end,
                                         struct margay_row_reference *row);

const char *margay_log_decode(struct margay_text *text,
                              struct margay_references *references,
                              margay_line_function *parse);

void *margay_log_create(const struct margay_state_options *options);
void margay_log_free(void *log);

/* Of logs whose lines stand alone: they may be cut behind any newline. */
int margay_log_cut(const void *log);

/* The end of the word that begins at `cursor`: a blank, or `end`. */
const char *margay_log_word(const char *cursor, const char *end);

/* The beginning of the next word. */
const char *margay_log_next(const char *cursor, const char *end);

/* The whole of [begin, end) as a decimal number. */
bool margay_log_number(const char *begin, const char *end, uint64_t *number);

#endif
