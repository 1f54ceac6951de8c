/* cache_options.c - the types of options.def that describe caches */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"
#include "sim/options/option_types.h"
#include "sim/options/option_values.h"
#include "traces/traces_internal.h"

/* ----------------------------------------------------- lists and ranges -- */

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

/* Add the numbers of an item, "A" or "A..B": all from A to B, or the powers of
   two.  False if it is no such item, or they are too many, or out of range. */
static bool add_range(struct number_list *list, char *item, uint64_t most,
                      bool powers)
{
    uint64_t from, to;
    char *dots = strstr(item, "..");
    if (dots != NULL)
        *dots = '\0';
    bool good = margay_parse_u64(item, &from) &&
                margay_parse_u64(dots == NULL ? item : dots + 2, &to);
    if (dots != NULL)
        *dots = '.';
    if (!good || from < 1 || from > to || to > most ||
        (powers && from != to &&
         (!margay_is_power_of_two(from) || !margay_is_power_of_two(to))))
        return false;
    for (; good && from <= to; from = powers ? 2 * from : from + 1)
        good = add_number(list, from);
    return good;
}

static enum margay_status parse_numbers(const char *name, const char *text,
                                        struct number_list *list, uint64_t most,
                                        bool powers, const char *expected,
                                        struct margay_error *error)
{
    char item[ITEM_BYTES];
    list->count = 0;
    for (const char *cursor = text; cursor != NULL;) {
        if (next_item(name, &cursor, item, error) != MARGAY_OK)
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

OPTION_TYPE(byte_list)
{
    struct number_list *list = field;
    char item[ITEM_BYTES];
    enum margay_status status = MARGAY_OK;
    list->count = 0;
    for (const char *cursor = text; cursor != NULL && status == MARGAY_OK;) {
        uint64_t bytes;
        status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = parse_bytes(name, item, &bytes, error);
        if (status == MARGAY_OK && !add_number(list, bytes))
            status = refuse(name, text, "up to 256 sizes", error);
    }
    return status;
}

OPTION_TYPE(way_list)
{
    return parse_numbers(name, text, field, MARGAY_MOST_SLOTS, false,
                         "up to 256 numbers from 1 on, as A,B,... or A..B",
                         error);
}

/* -------------------------------------------------------------- policies -- */

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

WORD_TYPE(index_rule, enum margay_index, {"modulo", MARGAY_INDEX_MODULO},
          {"xor", MARGAY_INDEX_XOR})

void policy_list_clear(struct policy_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->specs[i]);
    free(list->specs);
    *list = (struct policy_list){.specs = NULL};
}

/* The end of the spec that begins at `text`.  Specs stand between commas, and
   so do the parameters of a spec: after a spec with parameters, a word that has
   an = and no : before it is another of them. */
static const char *spec_end(const char *text)
{
    const char *end = strchrnul(text, ',');
    bool takes_more = memchr(text, ':', (size_t)(end - text)) != NULL;
    while (takes_more && *end != '\0' &&
           end[1 + strcspn(end + 1, ":=,")] == '=')
        end = strchrnul(end + 1, ',');
    return end;
}

OPTION_TYPE(spec_list)
{
    struct policy_list *list = field;
    policy_list_clear(list);
    if (*text == '\0')
        return refuse(name, text, "a value that is not empty", error);
    for (const char *next = text; next != NULL;) {
        const char *end = spec_end(next);
        char *spec = strndup(next, (size_t)(end - next));
        char **specs =
            reallocarray(list->specs, list->count + 1, sizeof *list->specs);
        if (specs != NULL)
            list->specs = specs;
        if (spec == NULL || specs == NULL) {
            free(spec);
            return margay_fail_memory(error, "the specs");
        }
        specs[list->count++] = spec;
        next = *end == ',' ? end + 1 : NULL;
    }
    return MARGAY_OK;
}

OPTION_TYPE(policy_list)
{
    struct policy_list *list = field;
    struct cache_policy checked;
    enum margay_status status = *text == '\0'
                                    ? parse_policy(name, text, &checked, error)
                                    : parse_spec_list(name, text, list, error);
    for (size_t i = 0; i < list->count && status == MARGAY_OK; i++) {
        /* Caches of requests alone have it; all others refuse it later. */
        if (strcasecmp(list->specs[i], MARGAY_LEAF_LRU) == 0)
            continue;
        status = parse_policy(name, list->specs[i], &checked, error);
        if (status == MARGAY_OK)
            list->abilities |= checked.info->abilities;
    }
    return status;
}

OPTION_TYPE(sample_rate)
{
    double *rate = field;
    enum margay_status status = parse_ratio(name, text, rate, error);
    if (status == MARGAY_OK && !(*rate >= 0.000001 && *rate <= 1))
        status = refuse(name, text, "a share of the blocks from 0.000001 to 1",
                        error);
    return status;
}
