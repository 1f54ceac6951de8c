/* cmd_plot.c - margay plot: our CSV to a picture, drawn by gnuplot */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/commands.h"
#include "sim/csv_read.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/plot_kinds.h"
#include "sim/plot_table.h"
#include "sim/signals.h"
#include "sim/target.h"
#include "traces/traces_internal.h"

/* Longer than any header of ours. */
#define COLUMNS_BYTES 256

/* gnuplot hands a script nine arguments and drops the rest without a word. */
#define MOST_TABLES 8

/* What comes before these on its command line, the picture at last. */
#define FIXED_ARGUMENTS 5

/* ------------------------------------------------------ what is plotted -- */

/* The scripts go through a table several times. */
static enum margay_status check_file(const char *path,
                                     struct margay_error *error)
{
    struct stat about;
    bool once = strcmp(path, "-") == 0 ||
                (stat(path, &about) == 0 && !S_ISREG(about.st_mode) &&
                 !S_ISDIR(about.st_mode));
    return !once ? MARGAY_OK
                 : margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: can be read only once, expected a file",
                               path);
}

static enum margay_status find_kind(const char *path,
                                    const struct plot_kind **kind,
                                    struct margay_error *error)
{
    char columns[COLUMNS_BYTES];
    bool has_rows;
    enum margay_status status = check_file(path, error);
    if (status == MARGAY_OK)
        status =
            csv_read_header(path, columns, sizeof columns, &has_rows, error);
    if (status != MARGAY_OK)
        return status;
    *kind = plot_kind_of(columns);
    if (*kind == NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:1: found the columns '%.80s', expected those of "
                           "a table that 'margay help plot' names",
                           path, columns);
    if (!has_rows)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: no rows: there is nothing to plot", path);
    return MARGAY_OK;
}

static enum margay_status find_common_kind(const struct options *options,
                                           const struct plot_kind **kind,
                                           struct margay_error *error)
{
    if (options->operand_count > MOST_TABLES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu tables, expected at most %d (one table may "
                           "hold many traces)",
                           options->operand_count, MOST_TABLES);
    enum margay_status status = find_kind(options->operands[0], kind, error);
    for (size_t i = 1; i < options->operand_count && status == MARGAY_OK; i++) {
        const struct plot_kind *other;
        status = find_kind(options->operands[i], &other, error);
        if (status != MARGAY_OK)
            break;
        *kind = plot_kind_join(*kind, other);
        if (*kind == NULL)
            status = margay_fail(error, MARGAY_BAD_INPUT,
                                 "%s: the tables do not go into one picture: "
                                 "%s is of another kind",
                                 options->operands[i], options->operands[0]);
    }
    return status;
}

static enum margay_status choose_script(const struct options *options,
                                        const struct plot_kind *kind,
                                        const char **script,
                                        struct margay_error *error)
{
    *script = options->map ? kind->map : kind->script;
    if (*script == NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: --map needs a table of 'margay assoc' or "
                           "'compare'",
                           options->operands[0]);
    return MARGAY_OK;
}

/* ".png", ".svg" or ".pdf" at the end of the picture's name. */
static enum margay_status find_suffix(const char *output, const char **suffix,
                                      struct margay_error *error)
{
    static const char *const suffixes[] = {".png", ".svg", ".pdf"};
    size_t bytes = output == NULL ? 0 : strlen(output);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (bytes > 4 && strcmp(output + bytes - 4, suffixes[i]) == 0) {
            *suffix = suffixes[i];
            return MARGAY_OK;
        }
    }
    if (output == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "-o FILE is needed, a name that ends in .png, .svg "
                           "or .pdf");
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--output: '%s' (expected a name that ends in .png, "
                       ".svg or .pdf)",
                       output);
}

/* ----------------------------------------------------------- the script -- */

/* The directory of this program, its slash included. */
static bool find_program_directory(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    return true;
}

/* True, and its path, if there is such a script in `directory`. */
static bool script_in(const char *directory, const char *below,
                      const char *script, char **path)
{
    if (asprintf(path, "%s%s/%s", directory, below, script) < 0)
        *path = NULL;
    if (*path != NULL && access(*path, R_OK) == 0)
        return true;
    free(*path);
    *path = NULL;
    return false;
}

/* Where the scripts are in a build tree, and where they are installed. */
static enum margay_status find_script(const char *script, char **path,
                                      struct margay_error *error)
{
    static const char *const below[] = {"../plots", "../share/margay"};
    const char *given = getenv("MARGAY_PLOTS");
    char program[PATH_MAX];
    if (given != NULL && *given != '\0') {
        if (script_in(given, "", script, path))
            return MARGAY_OK;
        return margay_fail(error, MARGAY_IO, "MARGAY_PLOTS=%s: no %s there",
                           given, script);
    }
    if (find_program_directory(program, sizeof program)) {
        for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
            if (script_in(program, below[i], script, path))
                return MARGAY_OK;
        }
    }
    return margay_fail(error, MARGAY_IO,
                       "%s: not found beside the program (say where it is "
                       "with MARGAY_PLOTS=DIRECTORY)",
                       script);
}

/* ------------------------------------------------------------- gnuplot -- */

/* A name that gnuplot cannot take for a pipe, its own input, or an option:
   "<cmd", "-", "|cmd". */
static char *plain_name(const char *name)
{
    char *plain;
    return asprintf(&plain, "%s%s", *name == '/' ? "" : "./", name) < 0 ? NULL
                                                                        : plain;
}

/* What gnuplot is to read for a table. */
static enum margay_status name_table(const char *path, char **name,
                                     struct margay_error *error)
{
    enum margay_status status = plot_table_clean(path, name, error);
    if (status == MARGAY_OK && *name == NULL)
        *name = plain_name(path);
    if (status == MARGAY_OK && *name == NULL)
        status = margay_fail_memory(error, "gnuplot's arguments");
    return status;
}

/* gnuplot -d -c SCRIPT PICTURE TABLE... */
struct arguments {
    char *list[FIXED_ARGUMENTS + MOST_TABLES + 1];
};

static enum margay_status make_arguments(const struct options *options,
                                         char *script,
                                         const struct target *target,
                                         struct arguments *arguments,
                                         struct margay_error *error)
{
    static char gnuplot[] = "gnuplot", defaults[] = "-d", call[] = "-c";
    char *picture = plain_name(target->temporary_path);
    enum margay_status status = MARGAY_OK;
    *arguments = (struct arguments){{gnuplot, defaults, call, script, picture}};
    if (picture == NULL)
        status = margay_fail_memory(error, "gnuplot's arguments");
    for (size_t i = 0; i < options->operand_count && status == MARGAY_OK; i++)
        status = name_table(options->operands[i],
                            &arguments->list[FIXED_ARGUMENTS + i], error);
    return status;
}

/* The picture's name and the tables'. */
static void free_arguments(struct arguments *arguments)
{
    for (size_t i = FIXED_ARGUMENTS - 1; arguments->list[i] != NULL; i++)
        free(arguments->list[i]);
}

static enum margay_status explain_end(int state, struct margay_error *error)
{
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot was not found: install it (on Debian: "
                           "apt-get install gnuplot-nox)");
    if (WIFEXITED(state) && WEXITSTATUS(state) != 0)
        return margay_fail(error, MARGAY_IO, "gnuplot failed with status %d",
                           WEXITSTATUS(state));
    if (WIFSIGNALED(state))
        return margay_fail(error, MARGAY_IO, "gnuplot died of signal %d",
                           WTERMSIG(state));
    return MARGAY_OK;
}

static enum margay_status run_gnuplot(char **arguments,
                                      struct margay_error *error)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        signals_reset();
        /* Names are in UTF-8 and numbers have points, whatever the user's
           locale says. */
        setenv("LC_ALL", "C.UTF-8", 1);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            child = -1;
    }
    if (child < 0)
        return margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                           strerror(errno));
    return explain_end(state, error);
}

static enum margay_status draw(const struct options *options, char *script,
                               const struct target *target,
                               struct margay_error *error)
{
    struct arguments arguments;
    enum margay_status status =
        make_arguments(options, script, target, &arguments, error);
    if (status == MARGAY_OK)
        status = run_gnuplot(arguments.list, error);
    free_arguments(&arguments);
    return status;
}

/* Draw into a temporary file, which then takes the picture's name. */
static enum margay_status plot(const struct options *options,
                               struct target *target,
                               struct margay_error *error)
{
    const struct plot_kind *kind = NULL;
    const char *suffix = NULL, *name = NULL;
    char *script = NULL;
    enum margay_status status = find_suffix(options->output, &suffix, error);
    if (status == MARGAY_OK)
        status = find_common_kind(options, &kind, error);
    if (status == MARGAY_OK)
        status = choose_script(options, kind, &name, error);
    if (status == MARGAY_OK)
        status = find_script(name, &script, error);
    if (status == MARGAY_OK)
        status = target_open(target, options->output, suffix, error);
    if (status == MARGAY_OK && target->in_place)
        status = margay_fail(error, MARGAY_IO,
                             "%s: expected a regular file, or a new one",
                             options->output);
    if (status == MARGAY_OK)
        status = target_close(target, error);
    if (status == MARGAY_OK)
        status = draw(options, script, target, error);
    if (status == MARGAY_OK)
        status = target_publish(target, error);
    free(script);
    return status;
}

int cmd_plot(const struct options *options)
{
    struct target target = {.descriptor = -1};
    struct margay_error error;
    enum margay_status status = plot(options, &target, &error);
    target_release(&target);
    return status == MARGAY_OK ? EXIT_DONE : message_error(&error);
}
