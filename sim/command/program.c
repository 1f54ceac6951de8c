/*
 * program.c - the command, from its arguments to its exit status
 *
 * A table that is to be shown as text or as a picture is written into memory,
 * as into a file, and shown from there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/options/files.h"
#include "sim/plot/plot.h"
#include "sim/result/csv_read.h"
#include "sim/result/match.h"
#include "sim/result/text.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* A file in memory, under a name that this process and its children know. */
struct memory {
    int descriptor;
    char name[32];
};

static enum margay_status open_memory(struct memory *memory,
                                      struct margay_error *error)
{
    memory->descriptor = memfd_create("table", 0);
    if (memory->descriptor < 0)
        return margay_fail(error, MARGAY_IO, "no memory for a table: %s",
                           strerror(errno));
    snprintf(memory->name, sizeof memory->name, "/dev/fd/%d",
             memory->descriptor);
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- words -- */

static bool writes_text(const struct options *options)
{
    if (options->json || options->csv || options->text)
        return options->text;
    return (options->command->bit & ON_TEXT) != 0 && options->output == NULL &&
           options->machine.misses == NULL && isatty(STDOUT_FILENO) &&
           !drive_has_ranks();
}

static size_t terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col - 1U
               : TEXT_USUAL_COLUMNS;
}

static int show_text(const char *table_name, const struct options *options)
{
    /* A list of sizes or a bound may end anywhere. */
    const bool is_whole = options->results.sizes.kind != MARGAY_SIZES_LIST &&
                          options->engine.bound.value == 0;
    const uint64_t half_life_refs = options->engine.half_life_refs;
    struct cells table = {0};
    struct output *output = NULL;
    struct margay_error error;
    char text[WORDS_BYTES];
    enum margay_status status = cells_read(&table, table_name, NULL, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        status =
            text_write(output, &table, terminal_columns(), is_whole, &error);
    if (status == MARGAY_OK && half_life_refs != 0)
        output_text(output,
                    "Counts fade: a reference counts half when %s have come.\n",
                    words_of(half_life_refs, "more reference", text));
    cells_clear(&table);
    return conclude(status, &output, 1, &error);
}

/* -------------------------------------------------------------- picture -- */

/* Does a picture show the table that these options ask for? */
static bool has_picture(const struct options *options)
{
    return plot_draws(options->command->name) &&
           (options->command->bit != ON_INFO || options->heatmap) &&
           (options->command->bit != ON_ENGINES ||
            options->trials.trace != NULL || options->trials.sweep) &&
           options->machine.validate == NULL;
}

static bool is_other_picture(const char *suffix)
{
    /* Each stands before those that it begins. */
    static const char others[] = ".jpg .jpeg .gif .bmp .webp .tif .tiff .ps ";
    const char *at = strcasestr(others, suffix);
    return at != NULL && at[strlen(suffix)] == ' ';
}

/* Does the command draw its table?  Refuses pictures that none can, before
   anything is analysed. */
static enum margay_status choose_picture(const struct options *options,
                                         bool *draws,
                                         struct margay_error *error)
{
    const char *path = options->output, *name = options_of_picture(options);
    const char *suffix = path == NULL ? NULL : strrchr(path, '.');
    const bool plots = (options->command->bit & ON_PLOT) != 0;
    const bool may_draw = suffix != NULL &&
                          (options->command->bit & ON_TABLES) &&
                          !options->json && !options->csv && !options->text;
    const bool is_picture = path != NULL && picture_suffix(path) != NULL;
    struct output *output = NULL;
    *draws = plots || (may_draw && is_picture);
    const struct refusal refusals[] = {
        {may_draw && is_other_picture(suffix),
         "--output: '%s' (expected a picture that ends in " PICTURE_SUFFIXES
         ", or --csv)",
         path},
        {plots && path == NULL,
         "-o FILE is needed, a name that ends in " PICTURE_SUFFIXES, NULL},
        {plots && !is_picture,
         "--output: '%s' (expected a name that ends in " PICTURE_SUFFIXES ")",
         path},
        {*draws && !plots && !has_picture(options),
         "--output: '%s' (expected --csv or another name, as there is no "
         "picture of this table)",
         path},
        {name != NULL && !*draws,
         "--%s is for a picture: expected -o FILE, a name that ends "
         "in " PICTURE_SUFFIXES,
         name},
        {*draws && interval_is_given(&options->run.every),
         "--every shows a table meanwhile: expected --csv, or another name "
         "than '%s'",
         path},
    };
    enum margay_status status = REFUSE_FIRST(refusals, error);
    if (status == MARGAY_OK && *draws)
        status = output_open(path, OUTPUT_HELD, &output, error);
    output_free(output);
    return status;
}

/* Run the command with its table into memory->name. */
static int write_table(const struct options *options, struct memory *memory)
{
    struct options table = *options;
    struct margay_error error;
    if (open_memory(memory, &error) != MARGAY_OK)
        return message_error(&error);
    table.output = memory->name;
    return table.command->run(&table);
}

/* A pipe can be read once, so it holds a table. */
static bool is_trace(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           !match_is_table(path, NULL);
}

/* Draw tables, and the curves of traces. */
static int plot(const struct options *options)
{
    struct memory memories[PICTURE_MOST_TABLES];
    const char *names[PICTURE_MOST_TABLES];
    struct options curve = *options, picture = *options;
    size_t count = 0;
    int status = EXIT_DONE;
    curve.command = command_find("curve");
    curve.operand_count = 1;
    picture.command = command_find("plot");
    if (options->operand_count > PICTURE_MOST_TABLES)
        return picture.command->run(options);
    for (size_t i = 0; i < options->operand_count && status == EXIT_DONE; i++) {
        names[i] = options->operands[i];
        if (!is_trace(names[i]))
            continue;
        curve.operands = &names[i];
        status = write_table(&curve, &memories[count]);
        names[i] = memories[count].name;
        count += memories[count].descriptor >= 0;
    }
    picture.operands = names;
    picture.shown = options->shown == NULL ? options->operands : options->shown;
    if (status == EXIT_DONE)
        status = picture.command->run(&picture);
    while (count > 0)
        close(memories[--count].descriptor);
    return status;
}

/* ----------------------------------------------------------------- views -- */

/* How the table of a command is shown; as text and as a picture from memory. */
enum view { AS_IT_IS, AS_TEXT, AS_PICTURE };

static enum margay_status begin_view(const struct options *options,
                                     enum view *view, struct options *table,
                                     struct memory *memory,
                                     struct margay_error *error)
{
    const bool plots = (options->command->bit & ON_PLOT) != 0;
    bool draws;
    enum margay_status status = choose_picture(options, &draws, error);
    *view = draws && !plots        ? AS_PICTURE
            : writes_text(options) ? AS_TEXT
                                   : AS_IT_IS;
    *table = *options;
    if (*view == AS_TEXT || isatty(STDERR_FILENO))
        words_be_for_people();
    if (*view == AS_TEXT && (options->command->bit & ON_CURVE) != 0)
        options_set_sentence_sizes(table);
    if (status == MARGAY_OK && *view == AS_PICTURE)
        status = picture_check(error);
    if (status != MARGAY_OK || *view == AS_IT_IS)
        return status;
    table->output = memory->name;
    table->results.in_view = true;
    return open_memory(memory, error);
}

/* Show what the command has written into memory, if there is something. */
static int end_view(const struct options *options, enum view view,
                    struct memory *memory, int exit_status)
{
    const char *name = memory->name;
    struct options picture = *options;
    if (view == AS_IT_IS)
        return exit_status;
    picture.operands = &name;
    picture.shown = &options->output;
    picture.operand_count = 1;
    if (exit_status != EXIT_TROUBLE) {
        int shown = view == AS_TEXT ? show_text(name, options) : plot(&picture);
        exit_status = exit_status == EXIT_DONE ? shown : exit_status;
    }
    close(memory->descriptor);
    return exit_status;
}

/* ---------------------------------------------------------- the program -- */

/* If a standard descriptor is closed, the next file that is opened gets its
   number, and messages would end up in that file.  So open such a descriptor in
   the wrong direction: its use is an error, as that of a closed one is. */
static void occupy_standard_descriptors(void)
{
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) == -1)
            (void)!open("/dev/null", wrong_way[i]);
    }
}

/* Exit status 2 may be that of a program that the command runs. */
static int trouble(const struct command *command,
                   const struct margay_error *error)
{
    int exit_status = message_error(error);
    return command->runs_operands ? EXIT_FAILED : exit_status;
}

/* The command that the arguments name; a word that people try before they know
   any names one, too, and a file or an option asks for a curve in words.  NULL:
   there is none, and a message says so. */
static const struct command *find_command(int argument_count, char **arguments,
                                          bool *in_words)
{
    *in_words = false;
    if (argument_count < 2) {
        message_print("expected a command: margay COMMAND [OPTION]... "
                      "[OPERAND]...; 'margay help' lists them");
        return NULL;
    }
    const char *word = arguments[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return command_find("help");
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return command_find("version");
    const struct command *command = command_find(word);
    *in_words = command == NULL && (access(word, F_OK) == 0 || word[0] == '-');
    if (*in_words)
        return command_find("curve");
    if (command == NULL)
        command_report_unknown(word, ", and no such file");
    return command;
}

int program_run(int argument_count, char **arguments)
{
    struct options options = {.quiet = false};
    struct options table;
    struct memory memory;
    struct margay_error error = {.message = ""};
    enum view view;
    bool in_words;
    int exit_status;
    occupy_standard_descriptors();
    signals_install();
    const struct command *command =
        find_command(argument_count, arguments, &in_words);
    if (command == NULL)
        return EXIT_TROUBLE;
    message_set_command(command->name);
    enum margay_status status = options_parse(
        &options, command, arguments + (in_words ? 1 : 2), &error);
    if (options.quiet)
        message_be_quiet();
    if (in_words && !options.csv && !options.json && options.output == NULL)
        options.text = true;
    if (status != MARGAY_OK)
        exit_status = trouble(command, &error);
    else if (options.help)
        exit_status = drive_is_helper() ? EXIT_DONE : help_print(command);
    else if (drive_is_helper())
        exit_status = drive_serve(&options);
    else if (files_check(&options, &error) != MARGAY_OK ||
             begin_view(&options, &view, &table, &memory, &error) != MARGAY_OK)
        exit_status = drive_dismiss(trouble(command, &error));
    else if ((command->bit & ON_PLOT) != 0)
        exit_status = drive_dismiss(plot(&options));
    else
        exit_status = drive_dismiss(
            end_view(&options, view, &memory, command->run(&table)));
    options_free(&options);
    return exit_status;
}
