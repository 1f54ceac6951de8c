/* cache_options.c - the types of options.def that describe caches */
#define _GNU_SOURCE

#include <string.h>

#include "sim/options/option_types.h"
#include "sim/options/option_values.h"
#include "traces/traces_internal.h"

/* ----------------------------------------------------- lists and ranges -- */

/* Room for A..B in decimal. */
#define RANGE_BYTES 48

/* Copy the item at *cursor, up to a comma, and step behind it; *cursor is NULL
   after the last.  False if the item is empty or too long. */
static bool next_range(const char **cursor, char item[RANGE_BYTES])
{
    size_t bytes = strcspn(*cursor, ",");
    if (bytes == 0 || bytes >= RANGE_BYTES)
        return false;
    memcpy(item, *cursor, bytes);
    item[bytes] = '\0';
    *cursor = (*cursor)[bytes] == ',' ? *cursor + bytes + 1 : NULL;
    return true;
}

/* "A" or "A..B".  False for any other text, and if B is less than A. */
static bool parse_range(char *item, uint64_t *from, uint64_t *to)
{
    char *dots = strstr(item, "..");
    if (dots == NULL)
        return margay_parse_u64(item, from) && margay_parse_u64(item, to);
    *dots = '\0';
    bool good = margay_parse_u64(item, from) && margay_parse_u64(dots + 2, to);
    *dots = '.';
    return good && *from <= *to;
}

OPTION_TYPE(set_list)
{
    static const char expected[] =
        "powers of two up to 16777216, as A,B,... or A..B";
    uint32_t *shifts = field;
    char item[RANGE_BYTES];
    *shifts = 0;
    for (const char *cursor = text; cursor != NULL;) {
        uint64_t from, to;
        if (!next_range(&cursor, item))
            return refuse(name, text, expected, error);
        if (!parse_range(item, &from, &to) || !margay_is_power_of_two(from) ||
            !margay_is_power_of_two(to) || to >> MARGAY_MOST_SET_SHIFT > 1)
            return refuse(name, item, expected, error);
        for (; from <= to; from *= 2)
            *shifts |= UINT32_C(1) << margay_log2_floor(from);
    }
    return MARGAY_OK;
}

OPTION_TYPE(way_list)
{
    static const char expected[] = "numbers from 1 to 64, as A,B,... or A..B";
    uint64_t *ways = field;
    char item[RANGE_BYTES];
    *ways = 0;
    for (const char *cursor = text; cursor != NULL;) {
        uint64_t from, to;
        if (!next_range(&cursor, item))
            return refuse(name, text, expected, error);
        if (!parse_range(item, &from, &to) || from < 1 || to > MARGAY_MOST_WAYS)
            return refuse(name, item, expected, error);
        for (; from <= to; from++)
            *ways |= UINT64_C(1) << (from - 1);
    }
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- words -- */

/* The words behind the names of all policies. */
#define BYPASS_ON  "opt:bypass=on"
#define BYPASS_OFF "opt:bypass=off"
#define MOST_WORDS 16

OPTION_TYPE(policy)
{
    struct cache_policy *policy = field;
    struct word words[MOST_WORDS] = {{NULL, 0}};
    const struct margay_policy_info *info;
    int count = 0, index;
    for (; (info = margay_policy_at((size_t)count)) != NULL; count++)
        words[count] = (struct word){info->name, count};
    words[count] = (struct word){BYPASS_ON, count};
    words[count + 1] = (struct word){BYPASS_OFF, count + 1};
    enum margay_status status = find_word(name, text, words, &index, error);
    if (status != MARGAY_OK)
        return status;
    policy->spec = words[index].text;
    policy->bypass = index == count;
    return margay_policy_find(policy->spec, &policy->info, error);
}
