/*
 * number.h - numbers as people write them; sizes are in <margay/traces.h>
 *
 * The whole string must be a number: signs, white space, further characters
 * and values over 64 bits are errors.
 */
#ifndef MARGAY_TRACES_BASE_NUMBER_H
#define MARGAY_TRACES_BASE_NUMBER_H

#include <margay/traces.h>

/* A decimal number in [0, 2^64).  Returns false if `text` is not one. */
bool margay_parse_u64(const char *text, uint64_t *value);

/* A decimal number that may end in K, M or G, for thousands, millions and
   billions: a count, hence powers of ten. */
bool margay_parse_count(const char *text, uint64_t *value);

/* Sort ascending and drop repetitions; returns the number of values left. */
size_t margay_sort_unique(uint64_t *values, size_t count);

#endif
