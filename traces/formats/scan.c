/* scan.c - the numbers that scan.h does not read in one step */
#include "traces/formats/scan.h"

/* A longer run of digits, leading zeros included, is not a number. */
#define LONGEST_NUMBER 256

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    char lower_case = (char)(c | 0x20);
    if (lower_case >= 'a' && lower_case <= 'f')
        return (unsigned)(lower_case - 'a') + 10;
    return UINT32_MAX;
}

const char *margay_scan_long_number(const char *cursor, unsigned base,
                                    uint64_t *value)
{
    const char *first = cursor;
    unsigned digit;
    uint64_t sum = 0;
    /* The first sixteen of a time in small units need no check. */
    if (base == 10 && margay_decimal_run(cursor) == 16) {
        sum = margay_fold_decimal(margay_get_little(cursor, 8)) * 100000000 +
              margay_fold_decimal(margay_get_little(cursor + 8, 8));
        cursor += 16;
    }
    for (; (digit = digit_value(*cursor)) < base; cursor++) {
        if (cursor - first >= LONGEST_NUMBER ||
            !margay_multiply_u64(sum, base, &sum) ||
            !margay_add_u64(sum, digit, &sum))
            return NULL;
    }
    *value = sum;
    return cursor == first ? NULL : cursor;
}
