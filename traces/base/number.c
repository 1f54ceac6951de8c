/* number.c - numbers and sizes as people write them: see number.h */
#include "traces/base/number.h"

#include <stdlib.h>
#include <strings.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"

/* Read the leading decimal digits; NULL if there are none or too many. */
static const char *parse_digits(const char *text, uint64_t *value)
{
    const char *cursor = text;
    uint64_t sum = 0;
    for (; *cursor >= '0' && *cursor <= '9'; cursor++) {
        if (!margay_multiply_u64(sum, 10, &sum) ||
            !margay_add_u64(sum, (uint64_t)(*cursor - '0'), &sum))
            return NULL;
    }
    *value = sum;
    return cursor == text ? NULL : cursor;
}

bool margay_parse_u64(const char *text, uint64_t *value)
{
    const char *end = parse_digits(text, value);
    return end != NULL && *end == '\0';
}

bool margay_parse_count(const char *text, uint64_t *value)
{
    static const char letters[] = "KMG";
    const char *end = parse_digits(text, value);
    uint64_t unit = 1;
    if (end == NULL)
        return false;
    for (size_t i = 0; i < 3 && *end != '\0'; i++) {
        unit *= 1000;
        if (*end == letters[i])
            return end[1] == '\0' && margay_multiply_u64(*value, unit, value);
    }
    return *end == '\0';
}

#define SUFFIXES "B, K, KB, KiB, M, MB, MiB, G, GB, GiB, T, TB or TiB"

static const struct {
    const char *text;
    unsigned shift;
} suffixes[] = {
    {"B", 0},   {"K", 10},   {"KB", 10},  {"KiB", 10}, {"M", 20},
    {"MB", 20}, {"MiB", 20}, {"G", 30},   {"GB", 30},  {"GiB", 30},
    {"T", 40},  {"TB", 40},  {"TiB", 40},
};

/* Digits after a point: more than people write, and 2^20 is above 10^6. */
#define MOST_DECIMALS 6

/* Read a point and decimals as a numerator and a denominator, 0 and 1 where
   there is none; returns their end, NULL if there are no decimals or too
   many. */
static const char *parse_decimals(const char *text, uint64_t *part,
                                  uint64_t *of)
{
    *part = 0;
    *of = 1;
    if (*text != '.')
        return text;
    const char *end = parse_digits(text + 1, part);
    if (end == NULL || end - text - 1 > MOST_DECIMALS)
        return NULL;
    for (const char *digit = text + 1; digit < end; digit++)
        *of *= 10;
    return end;
}

enum margay_status margay_parse_size(const char *text, const char *what,
                                     uint64_t *value, bool *suffixed,
                                     struct margay_error *error)
{
    const size_t count = sizeof suffixes / sizeof suffixes[0];
    uint64_t part, of;
    const char *end = parse_digits(text, value);
    bool digits = *text >= '0' && *text <= '9';
    size_t i = 0;
    if (end == NULL && digits)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: '%s' is over 64 bits", what, text);
    if (end == NULL || (end = parse_decimals(end, &part, &of)) == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: '%s' is not a size (a number, or a number, "
                           "with up to %d decimals, and " SUFFIXES ")",
                           what, text, MOST_DECIMALS);
    *suffixed = *end != '\0';
    while (*suffixed && i < count && strcasecmp(end, suffixes[i].text) != 0)
        i++;
    if (i == count)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: '%s' ends in an unknown suffix '%s' (expected " SUFFIXES ")",
            what, text, end);
    part <<= suffixes[i].shift;
    if (part % of != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: '%s' is not a whole number%s", what, text,
                           *suffixed ? " of bytes" : "");
    if (!margay_multiply_u64(*value, UINT64_C(1) << suffixes[i].shift, value) ||
        !margay_add_u64(*value, part / of, value))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: '%s' is over 64 bits", what, text);
    return MARGAY_OK;
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

size_t margay_sort_unique(uint64_t *values, size_t count)
{
    size_t unique = 0;
    if (count > 0)
        qsort(values, count, sizeof *values, compare_u64);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] != values[unique - 1])
            values[unique++] = values[i];
    }
    return unique;
}
