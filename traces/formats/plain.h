/*
 * plain.h - rows without quotes, read where they stand
 *
 * Algorithm: only the columns of the plan are looked at; the fields between
 *   them are passed over sixteen characters at a time.  A row that is anything
 *   but plain is left to the caller, who reads it with libcsv: one with a
 *   quotation mark, a carriage return within, blanks around a field, too few
 *   columns, or a NUL byte.
 * Guarantee: what a plain row comes to is what libcsv makes of it.
 */
#ifndef MARGAY_TRACES_FORMATS_PLAIN_H
#define MARGAY_TRACES_FORMATS_PLAIN_H

#include "traces/formats/row.h"

/* The characters between which fields stand. */
struct margay_marks {
    char delimiter; /* with `blanks` a blank */
    char other;     /* a tab with `blanks`, or else the delimiter again */
    char quote;     /* a newline where there is none */
    bool blanks;    /* a run of them separates, and none needs to be there */
};

/*
 * Read rows from text->cursor on, as long as they are plain, right, and stand
 * for exactly one reference each, and the batch has room.  Returns how many;
 * the next one is for the caller.
 */
uint64_t margay_plain_rows(struct margay_rows *rows,
                           const struct margay_marks *marks,
                           struct margay_text *text,
                           struct margay_references *references);

#endif
