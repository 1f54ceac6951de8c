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

/* Put a number in its place of a list; false if the list is full. */
static bool add_number(struct number_list *list, uint64_t number)
{
    size_t place = list->count;
    while (place > 0 && list->numbers[place - 1] > number)
        place--;
    if (place > 0 && list->numbers[place - 1] == number)
        return true;
    if (list->count == MARGAY_MOST_LISTED)
        return false;
    memmove(list->numbers + place + 1, list->numbers + place,
            (list->count++ - place) * sizeof list->numbers[0]);
    list->numbers[place] = number;
    return true;
}

/* Add the numbers of an item: all from A to B, or the powers of two.  False if
   they are too many, or out of range. */
static bool add_range(struct number_list *list, char *item, uint64_t most,
                      bool powers)
{
    uint64_t from, to;
    if (!parse_range(item, &from, &to) || from < 1 || to > most)
        return false;
    if (powers && from != to &&
        (!margay_is_power_of_two(from) || !margay_is_power_of_two(to)))
        return false;
    bool good = true;
    for (; good && from <= to; from = powers ? 2 * from : from + 1)
        good = add_number(list, from);
    return good;
}

static enum margay_status parse_numbers(const char *name, const char *text,
                                        struct number_list *list, uint64_t most,
                                        bool powers, const char *expected,
                                        struct margay_error *error)
{
    char item[RANGE_BYTES];
    list->count = 0;
    for (const char *cursor = text; cursor != NULL;) {
        if (!next_range(&cursor, item))
            return refuse(name, text, expected, error);
        if (!add_range(list, item, most, powers))
            return refuse(name, item, expected, error);
    }
    return MARGAY_OK;
}

OPTION_TYPE(set_list)
{
    return parse_numbers(name, text, field, MARGAY_MOST_SETS, true,
                         "up to 256 numbers up to 16777216, as A,B,... or "
                         "powers of two as A..B",
                         error);
}

OPTION_TYPE(way_list)
{
    return parse_numbers(name, text, field, MARGAY_MOST_SLOTS, false,
                         "up to 256 numbers from 1 on, as A,B,... or A..B",
                         error);
}

/* ---------------------------------------------------------------- words -- */

OPTION_TYPE(policy)
{
    struct cache_policy *policy = field;
    struct margay_error why;
    enum margay_status status = margay_policy_find(text, &policy->info, &why);
    if (status != MARGAY_OK)
        return margay_fail(error, status, "%s: %s", name, why.message);
    policy->spec = text;
    return MARGAY_OK;
}

OPTION_TYPE(index_rule)
{
    static const struct word words[] = {
        {"modulo", MARGAY_INDEX_MODULO}, {"xor", MARGAY_INDEX_XOR}, {NULL, 0}};
    int index;
    enum margay_status status = find_word(name, text, words, &index, error);
    if (status == MARGAY_OK)
        *(enum margay_index *)field = (enum margay_index)index;
    return status;
}
