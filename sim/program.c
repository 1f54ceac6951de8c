/* program.c - the command, from its arguments to its exit status */
#define _GNU_SOURCE
#include "sim/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cluster.h"
#include "sim/commands.h"
#include "sim/help.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/signals.h"

/*
 * Where a standard descriptor is closed, the next file opened would take its
 * number, and messages would end up in it.  Open it the wrong way round: its
 * use is then an error, as it is with a closed one.
 */
static void occupy_standard_descriptors(void)
{
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) == -1)
            (void)!open("/dev/null", wrong_way[i]);
    }
}

/* A program that is run may exit with 2, too. */
static int trouble(const struct command *command,
                   const struct margay_error *error)
{
    int exit_status = message_error(error);
    return command->runs_operands ? EXIT_FAILED : exit_status;
}

static int run(const struct command *command, char *const *arguments)
{
    struct options options;
    struct margay_error error;
    int exit_status;
    message_set_command(command->name);
    if (options_parse(&options, command, arguments, &error) != MARGAY_OK)
        exit_status = trouble(command, &error);
    else if (options.help)
        exit_status = cluster_is_helper() ? EXIT_DONE : help_print(command);
    else if (cluster_is_helper())
        exit_status = cluster_serve(&options);
    else
        exit_status = cluster_dismiss(command->run(&options));
    options_free(&options);
    return exit_status;
}

/* The words that people try before they know any command. */
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
    if (command == NULL) {
        command_report_unknown(arguments[1]);
        return EXIT_TROUBLE;
    }
    return run(command, arguments + 2);
}
