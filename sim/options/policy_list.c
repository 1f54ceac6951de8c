/*
 * policy_list.c - the types of options.def that belong to lists of policies
 *
 * Specs stand between commas, and so do the parameters of a spec.  After a spec
 * with parameters, a word that has an = and no : before it is another of
 * them.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "sim/options/option_types.h"
#include "sim/options/option_values.h"
#include "traces/traces_internal.h"

/* The rates of a sample. */
#define LEAST_RATE 0.000001

void policy_list_clear(struct policy_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->specs[i]);
    free(list->specs);
    *list = (struct policy_list){.specs = NULL};
}

static bool is_parameter(const char *word)
{
    return word[strcspn(word, ":=,")] == '=';
}

/* The end of the spec that begins at `text`. */
static const char *spec_end(const char *text)
{
    const char *end = strchrnul(text, ',');
    bool takes_more = memchr(text, ':', (size_t)(end - text)) != NULL;
    while (takes_more && *end != '\0' && is_parameter(end + 1))
        end = strchrnul(end + 1, ',');
    return end;
}

static enum margay_status add_spec(struct policy_list *list, const char *text,
                                   size_t bytes, struct margay_error *error)
{
    char **specs =
        reallocarray(list->specs, list->count + 1, sizeof *list->specs);
    if (specs == NULL)
        return margay_fail_memory(error, "the policies");
    list->specs = specs;
    specs[list->count] = strndup(text, bytes);
    if (specs[list->count] == NULL)
        return margay_fail_memory(error, "the policies");
    list->count++;
    return MARGAY_OK;
}

OPTION_TYPE(policy_list)
{
    struct policy_list *list = field;
    struct cache_policy checked;
    enum margay_status status = MARGAY_OK;
    policy_list_clear(list);
    for (const char *next = text; next != NULL && status == MARGAY_OK;) {
        const char *end = spec_end(next);
        status = add_spec(list, next, (size_t)(end - next), error);
        if (status == MARGAY_OK)
            status = parse_policy(name, list->specs[list->count - 1], &checked,
                                  error);
        if (status == MARGAY_OK)
            list->abilities |= checked.info->abilities;
        next = *end == ',' ? end + 1 : NULL;
    }
    return status;
}

OPTION_TYPE(sample_rate)
{
    double *rate = field;
    enum margay_status status = parse_decimal(name, text, rate, error);
    if (status == MARGAY_OK && !(*rate >= LEAST_RATE && *rate <= 1))
        status = refuse(name, text, "a share of the blocks from 0.000001 to 1",
                        error);
    return status;
}
