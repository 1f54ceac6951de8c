/*
 * csv.h - the functions that the format csv and all layouts share
 *
 * They are those of struct margay_format; the state knows its layout by
 * margay_state_options.layout.
 */
#ifndef MARGAY_TRACES_FORMATS_CSV_H
#define MARGAY_TRACES_FORMATS_CSV_H

#include "traces/formats/blocks_format.h"
#include "traces/formats/layout.h"

const char *margay_table_decode(struct margay_text *text,
                                struct margay_references *references);
const char *margay_table_finish(struct margay_text *text,
                                struct margay_references *references);
void *margay_table_create(const struct margay_state_options *options);
void margay_table_free(void *state);
int margay_table_cut(const void *state);
bool margay_table_forget(void *state);
void margay_table_describe(const struct margay_state_options *options,
                           const char *line, const char *end,
                           struct margay_trace_facts *facts);

#define MARGAY_TABLE_FUNCTIONS                                            \
    .decode = margay_table_decode, .finish = margay_table_finish,         \
    .create_state = margay_table_create, .free_state = margay_table_free, \
    .describe = margay_table_describe, .cut = margay_table_cut,           \
    .forget = margay_table_forget

/* What references of a table may have beside their numbers. */
#define MARGAY_TABLE_COLUMNS                                  \
    (MARGAY_STORAGE_COLUMNS | (unsigned)MARGAY_COLUMN_KINDS | \
     (unsigned)MARGAY_COLUMN_EXTENTS)
#define MARGAY_TABLE_KINDS \
    (MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE))

#endif
