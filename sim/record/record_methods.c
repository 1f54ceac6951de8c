/* record_methods.c - the table of ways to record a program, and their files */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/record/record.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"

#define WHY_BYTES 256

/* -------------------------------------------------------------- runtime -- */

static bool runtime_suits(const struct options *options, const char *program,
                          char *why)
{
    /* With --method runtime the program may be a script that runs another. */
    if (strcmp(options->record.method, "auto") != 0)
        return true;
    snprintf(why, WHY_BYTES,
             "it is not built with what 'margay record --cflags --libs' "
             "prints");
    if (access(program, R_OK) != 0)
        snprintf(why, WHY_BYTES, "it cannot be opened: %s", strerror(errno));
    return record_is_built(program);
}

static enum margay_status prepare_runtime(struct launch *launch,
                                          struct margay_error *error)
{
    const bool is_built = record_is_built(launch->program);
    if (is_built && launch_is_static(launch->program))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: it is statically linked, which a program with "
                           "the runtime cannot be: link it without -static",
                           launch->program);
    /* Any program may run or load another, so that none can be refused. */
    if (!is_built && !launch->options->quiet)
        message_print("%s: it is not built for the method runtime, which "
                      "records only programs that are, if it runs any",
                      launch->program);
    return MARGAY_OK;
}

/* ------------------------------------------------------------- valgrind -- */

/* The tool is built where Valgrind's headers and libraries are, and needs
   nothing of Valgrind's when it runs (traces/capture/valgrind). */
#define LAUNCHER "margay-valgrind"

static bool valgrind_suits(const struct options *options, const char *program,
                           char *why)
{
    (void)options;
    struct margay_error error;
    char path[PATH_MAX];
    enum margay_status status = record_find(RECORD_VALGRIND, path, &error);
    if (status != MARGAY_OK) {
        if (status == MARGAY_NO_MEMORY || access("/proc/self/exe", F_OK) != 0)
            snprintf(why, WHY_BYTES, "%.*s", WHY_BYTES - 1, error.message);
        else
            snprintf(
                why, WHY_BYTES,
                "this margay was built without Valgrind's libraries (Debian: "
                "valgrind)");
        return false;
    }
    /* Valgrind wants 12 descriptors for itself beyond those of the program, and
       takes them from the program's where the hard limit gives no more.  20 are
       enough for programs that run below such limits. */
    enum { LEAST = 32 };
    struct rlimit limit;
    bool few = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < LEAST;
    bool native = launch_find_binary(program, path) && launch_is_native(path);
    if (!native)
        snprintf(why, WHY_BYTES,
                 "neither it nor its interpreter is a binary for this machine");
    else if (few)
        snprintf(why, WHY_BYTES,
                 "at most %ju descriptors may be open, and Valgrind needs %d "
                 "(ulimit -n)",
                 (uintmax_t)limit.rlim_max, LEAST);
    return native && !few;
}

static enum margay_status prepare_valgrind(struct launch *launch,
                                           struct margay_error *error)
{
    static char launcher[PATH_MAX + sizeof LAUNCHER];
    char directory[PATH_MAX];
    enum margay_status status = record_find(RECORD_VALGRIND, directory, error);
    if (status != MARGAY_OK)
        return status;
    snprintf(launcher, sizeof launcher, "%s/" LAUNCHER, directory);
    launch->receiver_option = "--capture";
    launch->sees_end = true;
    const char *const before[] = {
        launcher,
        "--tool=margay",
        "-q",
        /* Not the options of the user's files and environment for Valgrind. */
        "--command-line-only=yes",
        "--trace-children=yes",
        "--vgdb=no",
        "--run-libc-freeres=no",
        "--run-cxx-freeres=no",
        "--sigill-diagnostics=no",
        launch->options->record.fetches ? "--fetches=yes" : "--fetches=no",
    };
    memcpy(launch->prefix, before, sizeof before);
    launch->prefix_count = sizeof before / sizeof before[0];
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- table -- */

/* A way to make a program's references visible: code compiled into the program,
   or a tool that runs it. */
static const struct method {
    const char *name;
    const char *slowdown; /* of the program: "3 to 7 times", ... */
    /* ... and where the plugin of a compiler has built the recorder in; NULL =
       for this method none does. */
    const char *plugin_slowdown;
    /* Can the method record the program on this machine?  If not, `why`, of
       WHY_BYTES, says why ("valgrind is not installed"). */
    bool (*suits)(const struct options *options, const char *program,
                  char *why);
    /* Fill in the prefix. */
    enum margay_status (*prepare)(struct launch *launch,
                                  struct margay_error *error);
    bool knows_functions; /* --start and --stop may name them */
    bool knows_data;      /* --data */
    bool knows_fetches;   /* --fetches */
} methods[] = {
    /* --method auto takes the first that suits a program, so the fastest comes
       first. */
    {.name = "runtime",
     .slowdown = "2 to 15 times",
     .plugin_slowdown = "2 to 9 times",
     .suits = runtime_suits,
     .prepare = prepare_runtime,
     .knows_functions = true,
     .knows_data = true},
    {.name = "valgrind",
     .slowdown = "4 to 30 times",
     .suits = valgrind_suits,
     .prepare = prepare_valgrind,
     .knows_fetches = true},
};
#define METHODS (sizeof methods / sizeof methods[0])

static bool suits(const struct method *method, const struct options *options,
                  const char *program, char *why)
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
    return lacking == NULL && method->suits(options, program, why);
}

/* The method of --method, or the first that suits the program; NULL: none. */
static const struct method *choose(const struct options *options,
                                   const char *program,
                                   struct margay_error *error)
{
    const char *wanted = options->record.method;
    const bool any = strcmp(wanted, "auto") == 0;
    char reasons[METHODS * (WHY_BYTES + 16)] = "", why[WHY_BYTES] = "";
    for (size_t i = 0; i < METHODS; i++) {
        const struct method *method = &methods[i];
        if (!any && strcmp(method->name, wanted) != 0)
            continue;
        if (suits(method, options, program, why)) {
            bool plugin = any && method->plugin_slowdown != NULL &&
                          record_carries(program, "plugin");
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
    else
        margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: not with method %s",
                    program, reasons);
    return NULL;
}

enum margay_status record_prepare(struct launch *launch,
                                  struct margay_error *error)
{
    const struct method *method =
        choose(launch->options, launch->program, error);
    return method == NULL ? MARGAY_BAD_ARGUMENT
                          : method->prepare(launch, error);
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
