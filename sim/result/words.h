/* words.h - numbers and names of a table as people say them */
#ifndef MARGAY_SIM_RESULT_WORDS_H
#define MARGAY_SIM_RESULT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/result/csv_read.h"

#define WORDS_BYTES 48

/* "1,234,567" */
const char *words_count(uint64_t count, char text[WORDS_BYTES]);

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
