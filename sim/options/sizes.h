/* sizes.h - what numbers of a format stand for */
#ifndef MARGAY_SIM_OPTIONS_SIZES_H
#define MARGAY_SIM_OPTIONS_SIZES_H

#include <stdint.h>

#include <margay/analysis.h>

/*
 * The number that divides an address on its way into a format: the bytes that
 * an id of the format stands for, or 1 where the format holds addresses, or
 * ids of unknown size.
 */
uint64_t bytes_of_id(const struct margay_format_info *format);

#endif
