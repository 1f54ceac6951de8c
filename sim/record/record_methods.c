/* record_methods.c - the table of ways to record a program, and the files that
   they need */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
            if (any && !options->quiet)
                message_print("%s: method %s, which takes about %s its time",
                              program, method->name,
                              slowdown_of(method, program));
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

/* ---------------------------------------------------------------- files --
 */

/* The places of the files, relative to this program: the build tree, then the
   usual values of libdir, of which the last has one directory for each kind of
   machine. */
static const char *const places[] = {"", "/../lib/margay", "/../lib64/margay",
                                     "/../lib/*/margay"};

/* Quote a directory's name, so that each character stands for itself in a
   pattern; the pattern has room for twice the name. */
static void quote(const char *name, char *pattern)
{
    for (; *name != '\0'; name++) {
        if (strchr("*?[]\\", *name) != NULL)
            *pattern++ = '\\';
        *pattern++ = *name;
    }
    *pattern = '\0';
}

/* Find the first file `file` in the directory `in` and the pattern `place`;
   false if there is none. */
static bool find_one(const char *in, const char *place, const char *file,
                     char *directory)
{
    glob_t found;
    char quoted[2 * PATH_MAX], pattern[2 * PATH_MAX + 128], path[PATH_MAX] = "";
    quote(in, quoted);
    snprintf(pattern, sizeof pattern, "%s%s/%s", quoted, place, file);
    if (glob(pattern, 0, NULL, &found) == 0)
        (void)!realpath(found.gl_pathv[0], path);
    globfree(&found);
    if (*path == '\0')
        return false;
    snprintf(directory, PATH_MAX, "%s", dirname(path));
    return true;
}

enum margay_status record_find(const char *file, char *directory,
                               struct margay_error *error)
{
    char self[PATH_MAX];
    const char *given = getenv("MARGAY_RUNTIME");
    if (given != NULL)
        return strlen(given) < PATH_MAX && find_one(given, "", file, directory)
                   ? MARGAY_OK
                   : margay_fail(error, MARGAY_IO,
                                 "%s/%s: no such file (MARGAY_RUNTIME)", given,
                                 file);
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes < 0)
        return margay_fail(error, MARGAY_IO, "/proc/self/exe: %s",
                           strerror(errno));
    self[bytes] = '\0';
    const char *own = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (find_one(own, places[i], file, directory))
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_IO,
                       "%s is neither beside this program nor in ../lib/margay "
                       "(MARGAY_RUNTIME can name its directory)",
                       file);
}
