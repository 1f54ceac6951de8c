/* units.h - addresses that are written into a format of ids */
#ifndef MARGAY_SIM_UNITS_H
#define MARGAY_SIM_UNITS_H

#include <margay/traces.h>

/*
 * What addresses are divided by on their way into a format: the bytes that one
 * of its ids stands for, or 1 where they stay as they are.  An id of unknown
 * size is an address.
 */
uint64_t bytes_of_id(const struct margay_format_info *format);

#endif
