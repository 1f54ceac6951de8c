/* machine_vary.c - the machines that --vary makes of one */
#define _GNU_SOURCE
#include "sim/tables/machine_vary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* The most machines of a run. */
#define MOST_MACHINES 1000000

void machine_vary_clear(struct machine_vary *vary)
{
    for (size_t i = 0; i < vary->count; i++) {
        struct machine_varied *field = &vary->fields[i];
        for (size_t k = 0; k < field->count; k++)
            free(field->values[k]);
        free(field->values);
        free(field->cache);
        free(field->column);
    }
    vary->count = 0;
}

/* --------------------------------------------------------------- reading -- */

static enum margay_status add_value(struct machine_varied *field, char *value,
                                    struct margay_error *error)
{
    char **values =
        margay_grow(field->values, field->count, &field->room, sizeof(char *));
    if (value == NULL || values == NULL) {
        free(value);
        return margay_fail_memory(error, "what varies");
    }
    field->values = values;
    values[field->count++] = value;
    return MARGAY_OK;
}

static bool parse_end(const char *text, uint64_t *value)
{
    bool suffixed;
    return margay_parse_size(text, "", value, &suffixed, NULL) == MARGAY_OK;
}

static uint64_t twice(uint64_t number)
{
    return number == 0 ? 1 : 2 * number;
}

/* Is B met on the way from A, twice A, and so on? */
static bool leads_to(uint64_t from, uint64_t to)
{
    while (from < to && from <= UINT64_MAX / 2)
        from = twice(from);
    return from == to;
}

/* A, twice A, and so on up to B; behind 0 comes 1. */
static enum margay_status add_range(struct machine_varied *field,
                                    const char *text, const char *dots,
                                    struct margay_error *error)
{
    uint64_t from, to;
    enum margay_status status = MARGAY_OK;
    char *first = strndup(text, (size_t)(dots - text));
    if (first == NULL)
        return margay_fail_memory(error, "what varies");
    bool is_range = parse_end(first, &from) && parse_end(dots + 2, &to) &&
                    leads_to(from, to);
    free(first);
    if (!is_range)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "--vary %s.%s: '%s' (expected A..B, two numbers, where doubling "
            "A leads to B, or a list)",
            field->cache, field->column, text);
    for (bool ended = false; status == MARGAY_OK && !ended;
         from = twice(from)) {
        char *value;
        status = add_value(
            field, asprintf(&value, "%" PRIu64, from) < 0 ? NULL : value,
            error);
        ended = from == to;
    }
    return status;
}

/* Sizes are written as plain numbers, so that a program can read them. */
static enum margay_status add_text(struct machine_varied *field,
                                   const char *text, struct margay_error *error)
{
    const char *dots = strstr(text, "..");
    uint64_t number;
    char *value;
    if (dots != NULL)
        return add_range(field, text, dots, error);
    if (!parse_end(text, &number))
        return add_value(field, strdup(text), error);
    return add_value(
        field, asprintf(&value, "%" PRIu64, number) < 0 ? NULL : value, error);
}

/* Does the text begin a field: CACHE.COLUMN= ?  Then begin it. */
static bool begins_field(struct machine_vary *vary,
                         const struct machine *machine, const char *text,
                         const char **value)
{
    const char *equals = strchr(text, '=');
    for (size_t i = 0; equals != NULL && i < machine->count; i++) {
        const char *name = machine->levels[i].name;
        size_t bytes = strlen(name);
        if (strncmp(text, name, bytes) != 0 || text[bytes] != '.' ||
            equals < text + bytes + 1 || vary->count == MACHINE_MOST_VARIED)
            continue;
        struct machine_varied *field = &vary->fields[vary->count++];
        *field = (struct machine_varied){
            .cache = strdup(name),
            .column =
                strndup(text + bytes + 1, (size_t)(equals - text) - bytes - 1)};
        *value = equals + 1;
        return true;
    }
    return false;
}

static enum margay_status add_piece(struct machine_vary *vary,
                                    const struct machine *machine,
                                    const char *piece,
                                    struct margay_error *error)
{
    const char *value = piece;
    if (!begins_field(vary, machine, piece, &value) && vary->count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: '%s' (expected CACHE.COLUMN=A..B or "
                           "CACHE.COLUMN=LIST, of a cache of the machine)",
                           piece);
    struct machine_varied *field = &vary->fields[vary->count - 1];
    if (field->cache == NULL || field->column == NULL)
        return margay_fail_memory(error, "what varies");
    return add_text(field, value, error);
}

/* Every value has to be one that its column takes. */
static enum margay_status try_values(const struct machine_varied *field,
                                     const struct machine *machine,
                                     struct margay_error *error)
{
    struct machine copy = *machine;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < field->count && status == MARGAY_OK; i++)
        status = machine_set(&copy, field->cache, field->column,
                             field->values[i], error);
    return status;
}

enum margay_status machine_vary_read(struct machine_vary *vary,
                                     const struct machine *machine,
                                     const char *text,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *vary = (struct machine_vary){.count = 0};
    if (text == NULL)
        return MARGAY_OK;
    char *copy = strdup(text), *rest = copy;
    if (copy == NULL)
        return margay_fail_memory(error, "what varies");
    while (rest != NULL && status == MARGAY_OK)
        status = add_piece(vary, machine, strsep(&rest, ","), error);
    free(copy);
    for (size_t i = 0; i < vary->count && status == MARGAY_OK; i++)
        status = try_values(&vary->fields[i], machine, error);
    if (status == MARGAY_OK && machine_vary_count(vary) > MOST_MACHINES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: over %d machines", MOST_MACHINES);
    return status;
}

/* -------------------------------------------------------------- machines -- */

size_t machine_vary_count(const struct machine_vary *vary)
{
    size_t count = 1;
    for (size_t i = 0; i < vary->count && count <= MOST_MACHINES; i++)
        count *= vary->fields[i].count;
    return count;
}

const char *machine_vary_value(const struct machine_vary *vary, size_t index,
                               size_t field)
{
    for (size_t i = vary->count - 1; i > field; i--)
        index /= vary->fields[i].count;
    return vary->fields[field].values[index % vary->fields[field].count];
}

void machine_vary_text(const struct machine_vary *vary, size_t index,
                       char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < vary->count && used < bytes; i++) {
        const struct machine_varied *field = &vary->fields[i];
        used += (size_t)snprintf(text + used, bytes - used, "%s%s.%s=%s",
                                 i == 0 ? "" : ",", field->cache, field->column,
                                 machine_vary_value(vary, index, i));
    }
}

static enum margay_status make_one(const struct machine_vary *vary,
                                   struct machine *machine, size_t index,
                                   struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < vary->count && status == MARGAY_OK; i++)
        status =
            machine_set(machine, vary->fields[i].cache, vary->fields[i].column,
                        machine_vary_value(vary, index, i), error);
    return status == MARGAY_OK ? machine_settle(machine, error) : status;
}

enum margay_status machine_vary_levels(const struct machine_vary *vary,
                                       struct machine *machine,
                                       struct margay_level **levels,
                                       struct margay_error *error)
{
    size_t count = machine_vary_count(vary);
    enum margay_status status = MARGAY_OK;
    *levels = reallocarray(NULL, count * machine->count, sizeof **levels);
    if (*levels == NULL)
        return margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = make_one(vary, machine, i, error);
        if (status == MARGAY_OK)
            memcpy(*levels + i * machine->count, machine->levels,
                   machine->count * sizeof **levels);
    }
    return status;
}
