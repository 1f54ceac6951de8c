/* record_methods.c - the table of ways to record a program, and the files that
   they need */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/record/record.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"

/* --method auto takes the first that suits a program, so the fastest comes
   first. */
static const struct record_method *const methods[] = {
    &record_runtime,
    &record_valgrind,
};
#define METHODS (sizeof methods / sizeof methods[0])

#define WHY_BYTES 256

static const char *method_name(size_t index, const void *context)
{
    (void)context;
    if (index == METHODS)
        return "auto";
    return index < METHODS ? methods[index]->name : NULL;
}

static enum margay_status fail_method(const char *name,
                                      struct margay_error *error)
{
    const char *nearest = margay_nearest(name, method_name, NULL);
    char names[METHODS * 16] = "auto";
    for (size_t i = 0; i < METHODS; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s",
                 i + 1 < METHODS ? ", " : " or ", methods[i]->name);
    }
    return margay_fail(
        error, MARGAY_BAD_ARGUMENT, "--method: found '%s', expected %s%s%s%s",
        name, names, nearest == NULL ? "" : " (did you mean ",
        nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?)");
}

static bool suits(const struct record_method *method,
                  const struct options *options, const char *program, char *why)
{
    const char *lacking = NULL; /* the first option that it does not have */
    if (options->record.data && !method->knows_data)
        lacking = "--data";
    else if (options->record.fetches && !method->knows_fetches)
        lacking = "--fetches";
    else if (options->record.start.function != NULL && !method->knows_functions)
        lacking = "--start with a function";
    else if (options->record.stop.function != NULL && !method->knows_functions)
        lacking = "--stop with a function";
    if (lacking != NULL)
        snprintf(why, WHY_BYTES, "it does not know %s", lacking);
    return lacking == NULL && method->suits(options, program, why, WHY_BYTES);
}

const struct record_method *record_method_choose(const struct options *options,
                                                 const char *program,
                                                 struct margay_error *error)
{
    const char *wanted = options->record.method;
    const bool any = strcmp(wanted, "auto") == 0;
    char reasons[METHODS * (WHY_BYTES + 16)] = "", why[WHY_BYTES] = "";
    for (size_t i = 0; i < METHODS; i++) {
        const struct record_method *method = methods[i];
        if (!any && strcmp(method->name, wanted) != 0)
            continue;
        if (suits(method, options, program, why)) {
            bool plugin = any && method->plugin_slowdown != NULL &&
                          method->has_plugin(program);
            if (any && !options->quiet)
                message_print("%s: method %s, which takes about %s its time",
                              program, method->name,
                              plugin ? method->plugin_slowdown
                                     : method->slowdown);
            return method;
        }
        if (any && options->verbose)
            message_print("%s: not with method %s: %s", program, method->name,
                          why);
        size_t used = strlen(reasons);
        snprintf(reasons + used, sizeof reasons - used, "%s%s: %s",
                 used == 0 ? "" : "; ", method->name, why);
    }
    if (any)
        margay_fail(error, MARGAY_BAD_ARGUMENT,
                    "%s: no method can record it (%s)", program, reasons);
    else if (*reasons != '\0')
        margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: not with method %s",
                    program, reasons);
    else
        fail_method(wanted, error);
    return NULL;
}

/* ---------------------------------------------------------------- files -- */

/* In the build tree, then by the usual values of libdir, of which the last has
   one directory for each kind of machine. */
static const struct data_place place = {
    "MARGAY_RUNTIME",
    {"", "/../lib/margay", "/../lib64/margay", "/../lib/*/margay"}};

enum margay_status record_find(const char *file, char *directory,
                               struct margay_error *error)
{
    char *path, whole[PATH_MAX];
    enum margay_status status = data_file_find(&place, file, &path, error);
    if (status == MARGAY_OK && realpath(path, whole) == NULL)
        status =
            margay_fail(error, errno == ENOMEM ? MARGAY_NO_MEMORY : MARGAY_IO,
                        "%s: %s", path, strerror(errno));
    else if (status == MARGAY_OK)
        snprintf(directory, PATH_MAX, "%s", dirname(whole));
    free(path);
    return status;
}
