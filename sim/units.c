/* units.c - addresses that are written into a format of ids */
#include "sim/units.h"

uint64_t bytes_of_id(const struct margay_format_info *format)
{
    return format->any_numbers || format->numbers == MARGAY_ADDRESSES ||
                   format->unit_bytes == 0
               ? 1
               : format->unit_bytes;
}
