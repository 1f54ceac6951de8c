/*
 * number.h - numbers and sizes as people write them
 *
 * The whole string must be a number: signs, white space, further characters
 * and values over 64 bits are errors.
 */
#ifndef MARGAY_TRACES_BASE_NUMBER_H
#define MARGAY_TRACES_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/status.h>

/* A decimal number in [0, 2^64).  Returns false if `text` is not one. */
bool margay_parse_u64(const char *text, uint64_t *value);

/* A decimal number that may end in K, M or G, for thousands, millions and
   billions: a count, hence powers of ten. */
bool margay_parse_count(const char *text, uint64_t *value);

/*
 * A decimal number that may end in a byte suffix: B, K, KB, KiB, M, MB, MiB,
 * G, GB or GiB, in upper or lower case, all powers of 1024.  *suffixed tells
 * whether there is one: a cache size without a suffix counts blocks, with one
 * it counts bytes.  `what` names the quantity in the message ("--bound").
 * Fails with MARGAY_BAD_ARGUMENT on any other text, and where the value is over
 * 64 bits.
 */
enum margay_status margay_parse_size(const char *text, const char *what,
                                     uint64_t *value, bool *suffixed,
                                     struct margay_error *error);

#endif
