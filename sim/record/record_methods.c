/* record_methods.c - the table of ways to record a program */
#include <stdio.h>
#include <string.h>

#include "sim/record/record.h"
#include "sim/terminal/message.h"

/* --method auto takes the first that suits a program, so the fastest comes
   first. */
static const struct record_method *const methods[] = {
    &record_runtime,
    &record_valgrind,
};
#define METHODS (sizeof methods / sizeof methods[0])

#define WHY_BYTES 256

static const struct record_method *find(const char *name)
{
    for (size_t i = 0; i < METHODS; i++) {
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    }
    return NULL;
}

static const char *method_name(size_t index, const void *context)
{
    (void)context;
    if (index == METHODS)
        return "auto";
    return index < METHODS ? methods[index]->name : NULL;
}

static const struct record_method *fail_method(const char *name,
                                               struct margay_error *error)
{
    const char *nearest = margay_nearest(name, method_name, NULL);
    char names[METHODS * 16] = "auto";
    for (size_t i = 0; i < METHODS; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s",
                 i + 1 < METHODS ? ", " : " or ", methods[i]->name);
    }
    margay_fail(error, MARGAY_BAD_ARGUMENT,
                "--method: found '%s', expected %s%s%s%s", name, names,
                nearest == NULL ? "" : " (did you mean ",
                nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?)");
    return NULL;
}

static const char *slowdown_of(const struct record_method *method,
                               const char *program)
{
    return method->plugin_slowdown != NULL && method->has_plugin(program)
               ? method->plugin_slowdown
               : method->slowdown;
}

/* The first option given that the method does not have; NULL = none. */
static const char *lacks(const struct record_method *method,
                         const struct options *options)
{
    if (options->record.data && !method->knows_data)
        return "--data";
    if (options->record.fetches && !method->knows_fetches)
        return "--fetches";
    if (options->record.start.function != NULL && !method->knows_functions)
        return "--start with a function";
    if (options->record.stop.function != NULL && !method->knows_functions)
        return "--stop with a function";
    return NULL;
}

static bool suits(const struct record_method *method,
                  const struct options *options, const char *program, char *why)
{
    const char *lacking = lacks(method, options);
    if (lacking != NULL)
        snprintf(why, WHY_BYTES, "it does not know %s", lacking);
    return lacking == NULL && method->suits(options, program, why, WHY_BYTES);
}

/* Fail with the reasons of all methods. */
static const struct record_method *fail_all(const struct options *options,
                                            const char *program,
                                            struct margay_error *error)
{
    char reasons[METHODS * (WHY_BYTES + 16)] = "";
    char why[WHY_BYTES];
    for (size_t i = 0; i < METHODS; i++) {
        size_t used = strlen(reasons);
        suits(methods[i], options, program, why);
        snprintf(reasons + used, sizeof reasons - used, "%s%s: %s",
                 i == 0 ? "" : "; ", methods[i]->name, why);
    }
    margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: no method can record it (%s)",
                program, reasons);
    return NULL;
}

static const struct record_method *choose(const struct options *options,
                                          const char *program)
{
    char why[WHY_BYTES];
    for (size_t i = 0; i < METHODS; i++) {
        if (suits(methods[i], options, program, why))
            return methods[i];
        if (options->verbose)
            message_print("%s: not with method %s: %s", program,
                          methods[i]->name, why);
    }
    return NULL;
}

const struct record_method *record_method_choose(const struct options *options,
                                                 const char *program,
                                                 struct margay_error *error)
{
    char why[WHY_BYTES];
    if (strcmp(options->record.method, "auto") == 0) {
        const struct record_method *chosen = choose(options, program);
        if (chosen == NULL)
            return fail_all(options, program, error);
        if (!options->quiet)
            message_print("%s: method %s, which takes about %s its time",
                          program, chosen->name, slowdown_of(chosen, program));
        return chosen;
    }
    const struct record_method *method = find(options->record.method);
    if (method == NULL)
        return fail_method(options->record.method, error);
    if (suits(method, options, program, why))
        return method;
    margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: not with method %s: %s",
                program, method->name, why);
    return NULL;
}
