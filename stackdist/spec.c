/* spec.c - NAME[:key=value,...] */
#define _GNU_SOURCE
#include "stackdist/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* --------------------------------------------------------------- names -- */

static const char *engine_name(size_t i, const void *unused)
{
    (void)unused;
    const struct margay_engine_class *class = margay_engine_class_at(i);
    return class == NULL ? NULL : class->info.name;
}

static const char *parameter_key(size_t i, const void *class)
{
    const struct margay_engine_class *engine = class;
    return i < MARGAY_ENGINE_MAX_PARAMETERS ? engine->parameters[i].key : NULL;
}

/* Room for a line of names, all of which are ours and short. */
struct names {
    char text[512];
};

/* "exact, naive, olken, bounded" */
static struct names list_engines(void)
{
    struct names list = {""};
    const char *name;
    size_t used = 0;
    for (size_t i = 0; (name = engine_name(i, NULL)) != NULL; i++) {
        if (used < sizeof list.text)
            used += (size_t)snprintf(list.text + used, sizeof list.text - used,
                                     "%s%s", i == 0 ? "" : ", ", name);
    }
    return list;
}

/* " (did you mean exact?)", or nothing when no name is near. */
static struct names suggest(const char *word,
                            const char *(*candidate)(size_t, const void *),
                            const void *context)
{
    struct names hint = {""};
    const char *nearest = margay_nearest(word, candidate, context);
    if (nearest != NULL)
        snprintf(hint.text, sizeof hint.text, " (did you mean %s?)", nearest);
    return hint;
}

static enum margay_status find_class(const char *name,
                                     const struct margay_engine_class **class,
                                     struct margay_error *error)
{
    for (size_t i = 0; (*class = margay_engine_class_at(i)) != NULL; i++) {
        if (strcmp(name, (*class)->info.name) == 0)
            return MARGAY_OK;
    }
    return margay_fail(
        error, MARGAY_BAD_ARGUMENT, "unknown engine '%s'%s; the engines are %s",
        name, suggest(name, engine_name, NULL).text, list_engines().text);
}

static enum margay_status find_parameter(
    const struct margay_engine_class *class, const char *key, size_t *parameter,
    struct margay_error *error)
{
    const char *known;
    for (size_t i = 0; (known = parameter_key(i, class)) != NULL; i++) {
        if (strcmp(key, known) == 0) {
            *parameter = i;
            return MARGAY_OK;
        }
    }
    if (class->parameters[0].key == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s takes no parameters, not '%s'",
                           class->info.name, key);
    return margay_fail(
        error, MARGAY_BAD_ARGUMENT,
        "engine %s has no parameter '%s'%s; it takes %s", class->info.name, key,
        suggest(key, parameter_key, class).text, class->info.parameters);
}

enum margay_status margay_engine_fail_parameter(
    const struct margay_engine_class *class, const char *key, const char *value,
    const char *why, struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "engine %s: %s=%s %s; it takes %s", class->info.name,
                       key, value, why, class->info.parameters);
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

static bool find_count(const char *values, const char *value, uint64_t *count)
{
    struct range range = find_range(values);
    uint64_t least, most;
    return margay_parse_u64(range.least, &least) &&
           margay_parse_u64(range.most, &most) &&
           margay_parse_u64(value, count) && *count >= least && *count <= most;
}

static bool find_fraction(const char *values, const char *value,
                          double *fraction)
{
    struct range range = find_range(values);
    double least, most;
    return parse_fraction(range.least, &least) &&
           parse_fraction(range.most, &most) &&
           parse_fraction(value, fraction) && *fraction >= least &&
           *fraction <= most;
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* "32+16384": ascending, none twice, none 0 or above 2^56. */
static bool find_sizes(const char *value, struct margay_engine_setup *setup)
{
    char copy[1024];
    char *rest = copy, *item;
    size_t count = 0;
    if (snprintf(copy, sizeof copy, "%s", value) >= (int)sizeof copy)
        return false;
    while ((item = strsep(&rest, "+")) != NULL) {
        if (count == MARGAY_ENGINE_MAX_SIZES ||
            !margay_parse_u64(item, &setup->sizes[count]) ||
            setup->sizes[count] == 0 || setup->sizes[count] >> 56 != 0)
            return false;
        count++;
    }
    qsort(setup->sizes, count, sizeof *setup->sizes, compare_u64);
    for (size_t i = 1; i < count; i++) {
        if (setup->sizes[i] == setup->sizes[i - 1])
            return false;
    }
    setup->size_count = count;
    return true;
}

/* Set parameter i; false if `value` is none that it may have. */
static bool set_value(const struct margay_engine_parameter *parameter, size_t i,
                      const char *value, struct margay_engine_setup *setup)
{
    switch (parameter->kind) {
    case MARGAY_COUNT:
        return find_count(parameter->values, value, &setup->counts[i]);
    case MARGAY_FRACTION:
        return find_fraction(parameter->values, value, &setup->fractions[i]);
    case MARGAY_SIZES:
        return find_sizes(value, setup);
    default:
        return find_choice(parameter->values, value, &setup->choices[i]);
    }
}

static void set_defaults(const struct margay_engine_class *class,
                         struct margay_engine_setup *setup)
{
    for (size_t i = 0; parameter_key(i, class) != NULL; i++) {
        const struct margay_engine_parameter *parameter = &class->parameters[i];
        char value[64];
        snprintf(value, sizeof value, "%.*s",
                 (int)strcspn(parameter->values, "|"), parameter->values);
        set_value(parameter, i, value, setup);
    }
}

/* -------------------------------------------------------------- specs -- */

static enum margay_status apply_parameter(
    const struct margay_engine_class *class, char *pair,
    struct margay_engine_setup *setup, struct margay_error *error)
{
    size_t i = 0;
    char *value = strchr(pair, '=');
    if (*pair == '\0' || *pair == '=' || value == NULL || value[1] == '\0')
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s: '%s' is not of the form KEY=VALUE%s%s",
                           class->info.name, pair,
                           class->parameters[0].key ? "; it takes " : "",
                           class->info.parameters);
    *value++ = '\0';
    enum margay_status status = find_parameter(class, pair, &i, error);
    if (status != MARGAY_OK)
        return status;
    if (setup->given & 1u << i)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s: parameter '%s' is given twice; it "
                           "takes %s",
                           class->info.name, pair, class->info.parameters);
    setup->given |= 1u << i;
    const struct margay_engine_parameter *parameter = &class->parameters[i];
    if (set_value(parameter, i, value, setup))
        return MARGAY_OK;
    static const char *const relations[] = {
        [MARGAY_CHOICE] = "one of",
        [MARGAY_COUNT] = "in",
        [MARGAY_FRACTION] = "in",
        [MARGAY_SIZES] = "of the form",
    };
    char why[160];
    const char *values = parameter->values;
    if (parameter->kind != MARGAY_CHOICE)
        values = strchr(values, '|') + 1;
    snprintf(why, sizeof why, "is not %s %s", relations[parameter->kind],
             values);
    return margay_engine_fail_parameter(class, pair, value, why, error);
}

enum margay_status margay_spec_parse(const char *spec,
                                     const struct margay_engine_class **class,
                                     struct margay_engine_setup *setup,
                                     struct margay_error *error)
{
    char *copy = strdup(spec), *rest = copy;
    if (copy == NULL)
        return margay_fail_memory(error, "an engine's spec");
    enum margay_status status = find_class(strsep(&rest, ":"), class, error);
    if (status == MARGAY_OK)
        set_defaults(*class, setup);
    while (status == MARGAY_OK && rest != NULL)
        status = apply_parameter(*class, strsep(&rest, ","), setup, error);
    free(copy);
    return status;
}
