/* spec.c - NAME[:key=value,...], for tables whose rows take parameters */
#define _GNU_SOURCE
#include "traces/base/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/base/error.h"
#include "traces/base/nearest.h"
#include "traces/base/number.h"

/* --------------------------------------------------------------- names -- */

static const char *row_name(size_t i, const void *table)
{
    const struct margay_spec_table *of = table;
    return of->row(i).name;
}

/* " (did you mean exact?)", or nothing when no name is near. */
static struct margay_spec_text suggest(const char *word,
                                       const char *(*candidate)(size_t,
                                                                const void *),
                                       const void *context)
{
    struct margay_spec_text hint = {""};
    const char *nearest = margay_nearest(word, candidate, context);
    if (nearest != NULL)
        snprintf(hint.line, sizeof hint.line, " (did you mean %s?)", nearest);
    return hint;
}

static enum margay_status find_row(const struct margay_spec_table *table,
                                   const char *name, size_t *index,
                                   struct margay_error *error)
{
    struct margay_spec_text list = {""};
    const char *known;
    size_t used = 0;
    for (*index = 0; (known = row_name(*index, table)) != NULL; ++*index) {
        if (strcmp(name, known) == 0 ||
            (table->any_case && strcasecmp(name, known) == 0))
            return MARGAY_OK;
        if (used < sizeof list.line)
            used += (size_t)snprintf(list.line + used, sizeof list.line - used,
                                     "%s%s", used == 0 ? "" : ", ", known);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "unknown %s '%s'%s; %s %s",
                       table->noun, name, suggest(name, row_name, table).line,
                       table->list, list.line);
}

/* ---------------------------------------------------------- parameters -- */

enum kind { CHOICE, COUNT, FRACTION, SIZES };

static enum kind kind_of(const char *values)
{
    const char *dots = strstr(values, "..");
    if (dots == NULL || strstr(values, "SIZE") != NULL)
        return dots == NULL ? CHOICE : SIZES;
    bool point = strchr(values, '.') < dots || strchr(dots + 2, '.') != NULL;
    return point ? FRACTION : COUNT;
}

struct margay_spec_text margay_spec_brief(const char *parameters)
{
    struct margay_spec_text brief = {""};
    size_t used = 0, bytes;
    for (const char *at = parameters; *at != '\0'; at += bytes) {
        bytes = strcspn(at + 1, ",") + 1; /* from one comma to the next */
        bool is_range = memmem(at, bytes, "..", 2) != NULL;
        used += (size_t)snprintf(
            brief.line + used, sizeof brief.line - used, "%.*s",
            (int)(is_range ? strcspn(at, "|") : bytes), at);
    }
    return brief;
}

/* A spec while it is parsed. */
struct parsing {
    const char *noun;
    struct margay_spec_row row; /* its parameters as messages have them */
    struct margay_settings *settings;
    struct margay_error *error;
    struct margay_spec_text text, brief;
    struct parameter { /* of the text */
        char *key, *values;
    } parameters[MARGAY_SPEC_PARAMETERS + 1]; /* the last without a key */
};

static void begin(struct parsing *parsing, bool brief)
{
    const char *parameters = parsing->row.parameters;
    char *rest = parsing->text.line;
    snprintf(rest, sizeof parsing->text.line, "%s", parameters);
    for (struct parameter *p = parsing->parameters; rest && *rest; p++) {
        p->values = strsep(&rest, ",");
        p->key = strsep(&p->values, "=");
    }
    parsing->brief = margay_spec_brief(parameters);
    if (brief)
        parsing->row.parameters = parsing->brief.line;
}

static const char *parameter_key(size_t i, const void *parsing)
{
    return ((const struct parsing *)parsing)->parameters[i].key;
}

static enum margay_status find_parameter(const struct parsing *parsing,
                                         const char *key, size_t *parameter)
{
    const struct margay_spec_row *row = &parsing->row;
    const char *known;
    for (size_t i = 0; (known = parsing->parameters[i].key) != NULL; i++) {
        if (strcmp(key, known) == 0) {
            *parameter = i;
            return MARGAY_OK;
        }
    }
    if (*row->parameters == '\0')
        return margay_fail(parsing->error, MARGAY_BAD_ARGUMENT,
                           "%s %s takes no parameters, not '%s'", parsing->noun,
                           row->name, key);
    return margay_fail(
        parsing->error, MARGAY_BAD_ARGUMENT,
        "%s %s has no parameter '%s'%s; it takes %s", parsing->noun, row->name,
        key, suggest(key, parameter_key, parsing).line, row->parameters);
}

enum margay_status margay_spec_refuse(const char *noun,
                                      const struct margay_spec_row *row,
                                      const char *key, const char *value,
                                      const char *why,
                                      struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s %s: %s=%s %s; it takes %s", noun, row->name, key,
                       value, why, row->parameters);
}

/* -------------------------------------------------------------- values -- */

/* Which of "auto|on|off" is `value`?  False if none is. */
static bool find_choice(const char *values, const char *value, unsigned *choice)
{
    size_t length = strlen(value);
    for (*choice = 0;; ++*choice) {
        size_t known = strcspn(values, "|");
        if (known == length && strncmp(values, value, length) == 0)
            return true;
        if (values[known] == '\0')
            return false;
        values += known + 1;
    }
}

static bool parse_fraction(const char *text, double *fraction)
{
    char *end;
    /* strtod would take blanks, signs, hexadecimal, inf and nan as well. */
    if (text[strspn(text, "0123456789.")] != '\0')
        return false;
    *fraction = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*fraction);
}

/* The ends of "DEFAULT|LEAST..MOST", as text. */
struct range {
    char least[32], most[32];
};

static struct range find_range(const char *values)
{
    struct range range = {"", ""};
    const char *least = strchr(values, '|') + 1, *dots = strstr(least, "..");
    snprintf(range.least, sizeof range.least, "%.*s", (int)(dots - least),
             least);
    snprintf(range.most, sizeof range.most, "%s", dots + 2);
    return range;
}

/* "32+16384": each once, in [1, 2^56); sorted into ascending order. */
static bool find_sizes(const char *value, struct margay_settings *settings)
{
    char copy[1024];
    char *rest = copy, *item;
    size_t count = 0;
    if (snprintf(copy, sizeof copy, "%s", value) >= (int)sizeof copy)
        return false;
    while ((item = strsep(&rest, "+")) != NULL) {
        if (count == MARGAY_SPEC_SIZES ||
            !margay_parse_u64(item, &settings->sizes[count]) ||
            settings->sizes[count] == 0 || settings->sizes[count] >> 56 != 0)
            return false;
        count++;
    }
    settings->size_count = count;
    return margay_sort_unique(settings->sizes, count) == count;
}

/* Set parameter i; false if it may not have this value. */
static bool set_value(const struct parameter *parameter, size_t i,
                      const char *value, struct margay_settings *settings)
{
    const char *values = parameter->values;
    uint64_t *count = &settings->counts[i], fewest, most;
    double *fraction = &settings->fractions[i], least, greatest;
    struct range range;
    switch (kind_of(values)) {
    case COUNT:
        range = find_range(values);
        return margay_parse_u64(range.least, &fewest) &&
               margay_parse_u64(range.most, &most) &&
               margay_parse_u64(value, count) && *count >= fewest &&
               *count <= most;
    case FRACTION:
        range = find_range(values);
        return parse_fraction(range.least, &least) &&
               parse_fraction(range.most, &greatest) &&
               parse_fraction(value, fraction) && *fraction >= least &&
               *fraction <= greatest;
    case SIZES:
        return find_sizes(value, settings);
    default:
        return find_choice(values, value, &settings->choices[i]);
    }
}

/* -------------------------------------------------------------- specs -- */

static enum margay_status apply_parameter(const struct parsing *parsing,
                                          char *pair)
{
    static const char *const relations[] = {
        [CHOICE] = "one of",
        [COUNT] = "in",
        [FRACTION] = "in",
        [SIZES] = "of the form",
    };
    const struct margay_spec_row *row = &parsing->row;
    size_t i = 0;
    char *value = strchr(pair, '=');
    if (*pair == '\0' || *pair == '=' || value == NULL || value[1] == '\0')
        return margay_fail(parsing->error, MARGAY_BAD_ARGUMENT,
                           "%s %s: '%s' is not of the form KEY=VALUE%s%s",
                           parsing->noun, row->name, pair,
                           *row->parameters ? "; it takes " : "",
                           row->parameters);
    *value++ = '\0';
    enum margay_status status = find_parameter(parsing, pair, &i);
    if (status != MARGAY_OK)
        return status;
    if (parsing->settings->given & 1u << i)
        return margay_fail(parsing->error, MARGAY_BAD_ARGUMENT,
                           "%s %s: parameter '%s' is given twice; it takes %s",
                           parsing->noun, row->name, pair, row->parameters);
    parsing->settings->given |= 1u << i;
    const struct parameter *parameter = &parsing->parameters[i];
    if (set_value(parameter, i, value, parsing->settings))
        return MARGAY_OK;
    char why[160];
    const char *values = parameter->values;
    if (kind_of(parameter->values) != CHOICE)
        values = strchr(values, '|') + 1;
    snprintf(why, sizeof why, "is not %s %s",
             relations[kind_of(parameter->values)], values);
    return margay_spec_refuse(parsing->noun, row, pair, value, why,
                              parsing->error);
}

enum margay_status margay_spec_parse(const struct margay_spec_table *table,
                                     const char *spec, size_t *index,
                                     struct margay_settings *settings,
                                     struct margay_error *error)
{
    char *copy = strdup(spec), *rest = copy;
    if (copy == NULL)
        return margay_fail_memory(error, "a spec");
    enum margay_status status =
        find_row(table, strsep(&rest, ":"), index, error);
    if (status == MARGAY_OK) {
        struct parsing parsing = {.noun = table->noun,
                                  .row = table->row(*index),
                                  .settings = settings,
                                  .error = error};
        begin(&parsing, table->brief);
        const struct parameter *parameter = parsing.parameters;
        for (size_t i = 0; parameter[i].key != NULL; i++) {
            char value[64];
            const char *values = parameter[i].values;
            snprintf(value, sizeof value, "%.*s", (int)strcspn(values, "|"),
                     values);
            set_value(&parameter[i], i, value, settings);
        }
        while (status == MARGAY_OK && rest != NULL)
            status = apply_parameter(&parsing, strsep(&rest, ","));
    }
    free(copy);
    return status;
}
