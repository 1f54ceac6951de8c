/*
 * number.h - reading numbers and sizes that people write
 *
 * Whole strings only: trailing characters are an error, as are signs, white
 * space and values beyond 64 bits.
 */
#ifndef MARGAY_TRACES_BASE_NUMBER_H
#define MARGAY_TRACES_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/status.h>

/* A decimal number in [0, 2^64).  Returns false if `text` is not one. */
bool margay_parse_u64(const char *text, uint64_t *value);

/*
 * A number that may carry a byte suffix: B, K, KB, KiB, M, MB, MiB, G, GB,
 * GiB, in any case, all powers of 1024.  *suffixed tells whether there was
 * one: a cache size without a suffix counts blocks, with one it counts bytes.
 * `what` names the quantity in the message ("--bound").  Fails with
 * MARGAY_BAD_ARGUMENT on anything else, and when the product overflows.
 */
enum margay_status margay_parse_size(const char *text, const char *what,
                                     uint64_t *value, bool *suffixed,
                                     struct margay_error *error);

#endif
