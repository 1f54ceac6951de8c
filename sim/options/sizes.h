/*
 * sizes.h - sizes as people write them
 *
 * A cache size counts blocks or, with a suffix, bytes.  The latter become
 * blocks once the trace and the block size are known.
 */
#ifndef MARGAY_SIM_OPTIONS_SIZES_H
#define MARGAY_SIM_OPTIONS_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/analysis.h>

/*
 * Text to size; `what` names the size in messages ("--bound").
 * MARGAY_BAD_ARGUMENT if the text is no size, or the size is 0.
 */
enum margay_status cache_size_parse(const char *text, const char *what,
                                    struct margay_cache_size *size,
                                    struct margay_error *error);

/*
 * The number that divides an address on its way into a format: the bytes that
 * an id of the format stands for, or 1 where the format holds addresses, or
 * ids of unknown size.
 */
uint64_t bytes_of_id(const struct margay_format_info *format);

#endif
