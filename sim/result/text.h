/* text.h - a table for people: a chart with sentences (chart.c), or columns in
   line (text.c); and their common numbers and names for people (words.c) */
#ifndef MARGAY_SIM_RESULT_TEXT_H
#define MARGAY_SIM_RESULT_TEXT_H

#include "sim/result/csv_read.h"
#include "sim/terminal/output.h"

/* The least width of a picture of letters, and that of an unknown screen. */
#define TEXT_LEAST_COLUMNS 40
#define TEXT_USUAL_COLUMNS 80

/* Write the table in lines of `columns` characters: curves as a chart, with the
   sizes from which on few references miss, and knees, at the end of curves only
   if they are whole; a histogram as bars; caches of a grid as a matrix of miss
   ratios; all else in aligned columns, without those that do not fit.
   MARGAY_NO_MEMORY; the output keeps failures to write. */
enum margay_status text_write(struct output *output, const struct cells *table,
                              size_t columns, bool is_whole,
                              struct margay_error *error);

/* Has the table sizes of caches and miss ratios? */
bool chart_is_for(const struct cells *table);

/* Draw all its curves in one chart of `columns` columns, and write for each
   from which sizes on few references miss, and its knees.  Curves are whole if
   no cache misses less than their last ones.  MARGAY_NO_MEMORY. */
enum margay_status chart_write(struct output *output, const struct cells *table,
                               size_t columns, bool is_whole,
                               struct margay_error *error);

/* ------------------------------------------------- numbers and names -- */

#define WORDS_BYTES 48

/* "1,234,567" in summaries that people read, once these are known to do so:
   else the digits alone, as programs expect them. */
const char *words_number(uint64_t count, char text[WORDS_BYTES]);
void words_be_for_people(void);

/* The same with a noun, given in the singular: "1,234 misses" of "miss". */
const char *words_of(uint64_t count, const char *noun, char text[WORDS_BYTES]);

/* "352 KiB", with three digits where it is no whole number of a unit, rounded
   up: a cache of the size that is named holds as much. */
const char *words_bytes(uint64_t bytes, char text[WORDS_BYTES]);

/* "5.81%"; more digits where it would be 100% and is less. */
const char *words_ratio(double ratio, char text[WORDS_BYTES]);

/* A field as its column has it said: a size, a share, a count or a text. */
const char *words_cell(const struct cells *table, size_t row, size_t column,
                       char text[WORDS_BYTES]);

/* What a key says of a row: "policy fifo", "blocks of 64 B", or the trace's
   name alone. */
#define WORDS_KEY_BYTES 256
const char *words_key(const struct cells *table, size_t row, size_t column,
                      char text[WORDS_KEY_BYTES]);

#endif
