/* conflicts.c - options that have no meaning together: see conflicts.def */
#include <stdio.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "traces/traces_internal.h"

/* A row of the table. */
struct conflict {
    bool needs;          /* a row NEEDS */
    const char *options; /* names, separated by blanks */
    const char *others;
    unsigned commands;
    const char *message;
};

static const struct conflict table[] = {
#define CONFLICT(options, others, commands, message) \
    {false, options, others, commands, message},
#define NEEDS(options, other, commands, message) \
    {true, options, other, commands, message},
#include "sim/options/conflicts.def"
#undef CONFLICT
#undef NEEDS
};

/* Is an option given that says what is the case without it? */
static bool says_usual(const struct options *options, const char *name)
{
    const struct margay_trace_options *reading = &options->reading;
    const struct {
        const char *name;
        bool usual;
    } values[] = {
        {"engine", strcmp(options->engine.spec, "exact") == 0},
        {"model", options->engine.measure == MARGAY_REUSE_DISTANCES},
        {"of", options->engine.measure == MARGAY_REUSE_DISTANCES},
        {"touch", options->results.touch == MARGAY_FRONT_TO_BACK},
        {"kind", reading->kinds == MARGAY_ALL_KINDS},
        {"op", reading->ops == MARGAY_ALL_OPS},
        {"skip", reading->skip_refs == 0},
        {"limit", reading->limit_refs == UINT64_MAX},
        {"warmup", reading->warmup_refs == 0},
        {"sizes-from", reading->sizes_from == MARGAY_SIZES_REQUEST},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].name, name) == 0)
            return values[i].usual;
    }
    return false;
}

/* The next name of a list, and its option as it is typed; false at the end. */
struct name {
    char text[40], typed[48];
};

static bool next_name(const char **list, struct name *name)
{
    *list += strspn(*list, " ");
    size_t bytes = strcspn(*list, " "), name_bytes = strcspn(*list, " =");
    if (bytes == 0)
        return false;
    snprintf(name->text, sizeof name->text, "%.*s", (int)name_bytes, *list);
    snprintf(name->typed, sizeof name->typed, "--%.*s", (int)bytes, *list);
    if (name_bytes < bytes)
        name->typed[2 + name_bytes] = ' ';
    *list += bytes;
    return true;
}

/* The first option of a list that is given; or the first that is not. */
static bool find(const struct options *options, const char *list, bool given,
                 struct name *found)
{
    while (next_name(&list, found)) {
        bool is_given = options_given(options, found->text) &&
                        !says_usual(options, found->text);
        if (is_given == given)
            return true;
    }
    return false;
}

enum margay_status conflicts_check(const struct options *options,
                                   struct margay_error *error)
{
    struct name found, other;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct conflict *row = &table[i];
        const char *place = strstr(row->message, "%s");
        if ((row->commands & options->command->bit) == 0 ||
            !(row->needs ? find(options, row->options, true, &found) &&
                               !find(options, row->others, true, &other)
                         : !find(options, row->options, false, &other) &&
                               find(options, row->others, true, &found)))
            continue;
        /* In the message %s may stand once. */
        return place == NULL
                   ? margay_fail(error, MARGAY_BAD_ARGUMENT, "%s", row->message)
                   : margay_fail(error, MARGAY_BAD_ARGUMENT, "%.*s%s%s",
                                 (int)(place - row->message), row->message,
                                 found.typed, place + 2);
    }
    return MARGAY_OK;
}
