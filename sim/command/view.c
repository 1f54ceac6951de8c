/* view.c - a command's table as text or as a picture: see view.h */
#define _GNU_SOURCE
#include "sim/command/view.h"

#include <errno.h>
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
#include "sim/plot/plot.h"
#include "sim/result/csv_read.h"
#include "sim/result/match.h"
#include "sim/result/text.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
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
    struct cells table = {0};
    struct output *output = NULL;
    struct margay_error error;
    enum margay_status status = cells_read(&table, table_name, NULL, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        status =
            text_write(output, &table, terminal_columns(), is_whole, &error);
    cells_clear(&table);
    return conclude(status, &output, 1, &error);
}

/* -------------------------------------------------------------- picture -- */

/* Does the command draw its table?  Refuses pictures that none can, before
   anything is analysed. */
static enum margay_status choose_picture(const struct options *options,
                                         bool *draws,
                                         struct margay_error *error)
{
    static const char *const others[] = {".jpg",  ".jpeg", ".gif", ".bmp",
                                         ".webp", ".tiff", ".tif", ".ps"};
    const char *suffix =
        options->output == NULL ? NULL : strrchr(options->output, '.');
    const char *name = options_of_picture(options);
    bool plots = (options->command->bit & ON_PLOT) != 0;
    struct output *output = NULL;
    bool may_draw = suffix != NULL && (options->command->bit & ON_TABLES) &&
                    !options->json && !options->csv && !options->text;
    for (size_t i = 0; may_draw && i < sizeof others / sizeof *others; i++) {
        if (strcasecmp(suffix, others[i]) == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--output: '%s' (expected a picture that ends "
                               "in " PICTURE_SUFFIXES ", or --csv)",
                               options->output);
    }
    *draws = plots || (may_draw && picture_suffix(options->output) != NULL);
    if (plots && options->output == NULL)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "-o FILE is needed, a name that ends in " PICTURE_SUFFIXES);
    if (plots && picture_suffix(options->output) == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--output: '%s' (expected a name that ends "
                           "in " PICTURE_SUFFIXES ")",
                           options->output);
    if (name != NULL && !*draws)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--%s is for a picture: expected -o FILE, a name "
                           "that ends in " PICTURE_SUFFIXES,
                           name);
    if (*draws &&
        (options->run.every.refs != 0 || options->run.every.seconds != 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every shows a table meanwhile: expected --csv, "
                           "or another name than '%s'",
                           options->output);
    enum margay_status status =
        *draws ? output_open(options->output, OUTPUT_HELD, &output, error)
               : MARGAY_OK;
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

/* ------------------------------------------------------------ a command -- */

int view_run(const struct options *options)
{
    struct memory memory;
    struct options table = *options, picture = *options;
    const char *name = memory.name;
    bool is_picture = false;
    struct margay_error error;
    if (choose_picture(options, &is_picture, &error) != MARGAY_OK)
        return message_error(&error);
    if (writes_text(options) || isatty(STDERR_FILENO))
        words_be_for_people();
    if ((options->command->bit & ON_PLOT) != 0)
        return plot(options);
    if (!is_picture && !writes_text(options))
        return options->command->run(options);
    if (!is_picture && (options->command->bit & ON_CURVE) != 0)
        options_set_sentence_sizes(&table);
    if (is_picture && picture_check(&error) != MARGAY_OK)
        return message_error(&error);
    int status = write_table(&table, &memory);
    picture.operands = &name;
    picture.shown = &options->output;
    picture.operand_count = 1;
    if (status != EXIT_TROUBLE) {
        int shown =
            is_picture ? plot(&picture) : show_text(memory.name, options);
        status = status == EXIT_DONE ? shown : status;
    }
    if (memory.descriptor >= 0)
        close(memory.descriptor);
    return status;
}
