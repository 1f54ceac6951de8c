/* match.h - the rows of two tables of one kind, by their keys */
#ifndef MARGAY_SIM_RESULT_MATCH_H
#define MARGAY_SIM_RESULT_MATCH_H

#include "sim/result/csv_read.h"

enum column_role {
    COLUMN_KEY,    /* tells which row it is */
    COLUMN_VALUE,  /* what was found */
    COLUMN_RATIO,  /* a value that is worse where it is higher */
    COLUMN_MISSES, /* so is this one, where a table has no ratio */
    COLUMN_OTHER,  /* neither: the trace, where that is known to be another */
};

enum column_role column_role(const char *name);

/* Is the column one of names, even where they look like numbers? */
bool column_is_text(const char *name);

/* Have two rows of a table the same keys, but for the columns with the names
   in a list that NULL ends? */
bool match_same_keys(const struct cells *cells, size_t row, size_t other,
                     const char *const *but);

/* Does the file hold a table that margay writes?  Its first column is a key.  A
   trace may be CSV, too, and have such a column, but it does not count
   references; `knows`, unless NULL, says of a header that it is one of margay's
   all the same, and NULL takes the key for enough. */
bool match_is_table(const char *path, bool (*knows)(const char *header));

struct match {
    struct cells base, now;
    enum column_role roles[CSV_ROW_FIELDS];
    /* Where each table is of one trace, and not of the same: their names, which
       are no keys then; else NULL. */
    const char *base_trace, *now_trace;
    size_t *partner; /* the new row of each row of the base; owned */
    size_t *base_order, *now_order; /* rows sorted by their keys; owned */
};

/* Read both tables, whose paths have to outlive the match, and find the partner
   of each row: the first row of some keys belongs to the first with these keys,
   the second to the second.  MARGAY_BAD_INPUT if the columns differ, if none of
   them is a key, or a row has no partner; else as cells_read().  Call
   match_clear() in any case. */
enum margay_status match_read(struct match *match, const char *base,
                              const char *now, struct margay_error *error);

void match_clear(struct match *match);

/* The keys of a row of one of the tables, as in "trace a.din, cache_blocks 16",
   cut to `bytes` bytes. */
void match_describe(const struct match *match, const struct cells *cells,
                    size_t row, char *text, size_t bytes);

#endif
