/*
 * csv_rows.h - the state of the format csv while a table is read
 *
 * csv.c cuts lines into fields, by libcsv or between blanks, and hands them
 * over; csv_rows.c finds the columns by the first rows, and makes references of
 * rows.
 */
#ifndef MARGAY_TRACES_FORMATS_CSV_ROWS_H
#define MARGAY_TRACES_FORMATS_CSV_ROWS_H

#include <csv.h>

#include "traces/formats/detect.h"
#include "traces/formats/row.h"

/* The characters between which fields stand. */
struct margay_marks {
    char delimiter; /* with `blanks` a blank */
    char other;     /* a tab with `blanks`, or else the delimiter again */
    char quote;     /* a newline where there is none */
    bool blanks;    /* a run of them separates, and none needs to be there */
};

/* The most bytes of the column names in a message, and of one name. */
#define MARGAY_NAMES_BYTES 160
#define MARGAY_NAME_BYTES  256

/* Room for the fields of a row that are read, with a NUL after each. */
#define MARGAY_ARENA_BYTES \
    (MARGAY_LINE_BYTES + 2 * (MARGAY_EARLY_FIELDS + MARGAY_TAKES))

/* A column that is read, from left to right, and its index in the choice. */
struct margay_take {
    uint64_t column; /* from 1 on */
    uint8_t at, role;
};

/* Facts about one row. */
struct margay_csv_row {
    size_t fields;
    bool any_number; /* in the first two rows: some field is a number */
    bool names_only; /* in the first row: each field may be a column name */
};

struct margay_csv {
    struct csv_parser parser;
    struct margay_state_options options;
    const struct margay_layout *layout;
    struct margay_marks marks;
    bool delimited; /* the delimiter is known */

    /* The columns: variants in the order of the layout, the chosen one, and its
       columns. */
    struct margay_choice choices[MARGAY_VARIANTS];
    const char *shape; /* of the variant that was chosen; NULL = none */
    struct margay_rows rows;
    struct margay_take takes[MARGAY_TAKES];
    bool chosen;

    /* How many names of the first row say that they are for a role, and one of
       them; 0 where --column says which columns are. */
    unsigned told[MARGAY_ROLES];
    char teller[MARGAY_ROLES][MARGAY_KNOWN_BYTES];
    size_t known; /* names in that row that tables written may have */

    uint64_t row_count; /* complete ones */
    struct margay_csv_row row, first;
    char names[MARGAY_NAMES_BYTES];           /* the fields of the first row */
    struct margay_field fields[MARGAY_TAKES]; /* of the choice */
    struct margay_field early[MARGAY_EARLY_FIELDS]; /* of the first row */
    unsigned taken; /* columns that the row has shown */
    size_t arena_used;

    bool first_is_pending;
    struct margay_row_reference first_reference;
    bool first_fails;
    uint64_t first_line; /* in which the first row begins, and how */
    char first_text[MARGAY_QUOTE_BYTES];
    char first_message[512];

    /* The last row's reference, to be given so often again. */
    struct margay_row_reference again;
    uint32_t left;

    uint64_t last_time; /* in a trial, in microseconds */
    bool in_line;       /* the beginning of a line has been read */
    uint64_t row_line;  /* the line in which the current row begins */
    uint64_t row_bytes; /* how many bytes of it have been read */
    struct margay_references *references;
    const char *expected; /* NULL = nothing is wrong so far */
    char message[MARGAY_NAMES_BYTES + MARGAY_NAME_BYTES +
                 80]; /* the text of `expected` */
    char arena[];     /* MARGAY_ARENA_BYTES: the texts of the fields above */
};

/* A value for --column from the names in the first row: one for the id or the
   address, and no two for a role; empty = the names do not suffice.  Kinds,
   threads, sites and costs are taken only where all names are known. */
void margay_csv_guess(const struct margay_csv *csv,
                      char guess[MARGAY_GUESS_BYTES]);

/* Callbacks of libcsv: a field, and the end of a row.  The context is the
   struct margay_csv, whose `references` have room for two more. */
void margay_csv_take_field(void *text, size_t bytes, void *csv);
void margay_csv_take_row(int terminator, void *csv);

/* The table has the columns of this variant that were found. */
void margay_csv_choose(struct margay_csv *csv, unsigned variant);

/* Append the first row, which was held back. */
void margay_csv_append_first(struct margay_csv *csv);

#endif
