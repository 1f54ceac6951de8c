/* cache_options.c - the types of options.def that describe caches */
#define _GNU_SOURCE
#include "sim/cache_options.h"

#include <string.h>

#include "sim/option_types.h"
#include "traces/traces_internal.h"

static enum margay_status fail_item(struct margay_error *error,
                                    const char *name, const char *text,
                                    const char *expected)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: '%s' (expected %s)",
                       name, text, expected);
}

/* ----------------------------------------------------- lists and ranges -- */

/* Room for A..B in decimal. */
#define RANGE_BYTES 48

/* Copy the item at *cursor, up to a comma, and step behind it; *cursor is NULL
   after the last.  False if it is empty or endless. */
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

/* "A" or "A..B".  False if it is neither, or B is less than A. */
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
            return fail_item(error, name, text, expected);
        if (!parse_range(item, &from, &to) || !margay_is_power_of_two(from) ||
            !margay_is_power_of_two(to) || to >> MARGAY_MOST_SET_SHIFT > 1)
            return fail_item(error, name, item, expected);
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
            return fail_item(error, name, text, expected);
        if (!parse_range(item, &from, &to) || from < 1 || to > MARGAY_MOST_WAYS)
            return fail_item(error, name, item, expected);
        for (; from <= to; from++)
            *ways |= UINT64_C(1) << (from - 1);
    }
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- words -- */

/* The index of `text` in `words`, which NULL ends; false if it is not there. */
static bool find_word(const char *text, const char *const *words, int *index)
{
    for (*index = 0; words[*index] != NULL; ++*index) {
        if (strcmp(text, words[*index]) == 0)
            return true;
    }
    return false;
}

OPTION_TYPE(policy)
{
    struct cache_policy *policy = field;
    static const char expected[] =
        "lru, fifo, plru, random, opt or opt:bypass=on|off";
    const char *candidate;
    policy->bypass = strcmp(text, "opt:bypass=on") == 0;
    if (policy->bypass || strcmp(text, "opt:bypass=off") == 0) {
        policy->policy = MARGAY_OPT;
        return MARGAY_OK;
    }
    for (int i = 0;
         (candidate = margay_policy_name((enum margay_policy)i)) != NULL; i++) {
        if (strcmp(text, candidate) == 0) {
            policy->policy = (enum margay_policy)i;
            return MARGAY_OK;
        }
    }
    return fail_item(error, name, text, expected);
}

OPTION_TYPE(by_kind)
{
    if (strcmp(text, "kind") != 0)
        return fail_item(error, name, text, "kind");
    *(bool *)field = true;
    return MARGAY_OK;
}

OPTION_TYPE(write_rule)
{
    static const char *const words[] = {"back", "through", NULL};
    int index;
    if (!find_word(text, words, &index))
        return fail_item(error, name, text, "back or through");
    *(enum write_rule *)field = index == 0 ? WRITE_BACK : WRITE_THROUGH;
    return MARGAY_OK;
}

OPTION_TYPE(allocate_rule)
{
    static const char *const words[] = {"on", "off", NULL};
    int index;
    if (!find_word(text, words, &index))
        return fail_item(error, name, text, "on or off");
    *(enum write_rule *)field = index == 0 ? WRITE_ALLOCATES : WRITE_AROUND;
    return MARGAY_OK;
}
