/* program.c - the command, from its arguments to its exit status */
#define _GNU_SOURCE
#include "sim/command/program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/command/help.h"
#include "sim/command/view.h"
#include "sim/options/commands.h"
#include "sim/options/files.h"
#include "sim/options/options.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"

/*
 * If a standard descriptor is closed, the next file that is opened gets its
 * number, and messages would end up in that file.  So open such a descriptor in
 * the wrong direction: its use is an error, as that of a closed one is.
 */
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

static int run(const struct command *command, char *const *arguments,
               bool in_words)
{
    struct options options;
    struct margay_error error;
    int exit_status;
    message_set_command(command->name);
    enum margay_status status =
        options_parse(&options, command, arguments, &error);
    if (options.quiet)
        message_be_quiet();
    /* The answer to `margay TRACE...` is in words. */
    if (in_words && !options.csv && !options.json && options.output == NULL)
        options.text = true;
    if (status != MARGAY_OK)
        exit_status = trouble(command, &error);
    else if (options.help)
        exit_status = drive_is_helper() ? EXIT_DONE : help_print(command);
    else if (drive_is_helper())
        exit_status = drive_serve(&options);
    else if (files_check(&options, &error) != MARGAY_OK)
        exit_status = drive_dismiss(trouble(command, &error));
    else
        exit_status = drive_dismiss(view_run(&options));
    options_free(&options);
    return exit_status;
}

/* The command for a word that people try before they know any. */
static const char *command_word(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return "version";
    return word;
}

int program_run(int argument_count, char **arguments)
{
    occupy_standard_descriptors();
    signals_install();
    if (argument_count < 2) {
        message_print("expected a command: margay COMMAND [OPTION]... "
                      "[OPERAND]...; 'margay help' lists them");
        return EXIT_TROUBLE;
    }
    const struct command *command = command_find(command_word(arguments[1]));
    if (command != NULL)
        return run(command, arguments + 2, false);
    if (access(arguments[1], F_OK) == 0 || arguments[1][0] == '-')
        return run(command_find("curve"), arguments + 1, true);
    command_report_unknown(arguments[1], ", and no such file");
    return EXIT_TROUBLE;
}
