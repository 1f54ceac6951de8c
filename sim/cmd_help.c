/* cmd_help.c - margay help, margay version */
#define _GNU_SOURCE
#include <archive.h>
#include <stdio.h>

#include "sim/commands.h"
#include "sim/completion.h"
#include "sim/conclude.h"
#include "sim/csv.h"
#include "sim/generators.h"
#include "sim/help.h"
#include "sim/message.h"
#include "sim/options.h"
#include "traces/traces_internal.h"

#define OPTION_COLUMNS 26

static void put_option(struct output *output, const struct option *option)
{
    char left[80], letter[8] = "    ";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
             option->argument == NULL ? "" : " ",
             option->argument == NULL ? "" : option->argument);
    output_text(output, "%-*s %s\n", OPTION_COLUMNS - 1, left, option->help);
}

/* What the operand of generate may be. */
static void put_generators(struct output *output)
{
    const struct margay_generator_info *generator;
    output_text(output, "\n");
    for (size_t i = 0; (generator = generator_at(i)) != NULL; i++)
        output_text(output, "  %-12s%s\n", generator->name,
                    generator->description);
}

static void put_command_help(struct output *output,
                             const struct command *command)
{
    const struct option *option;
    output_text(output, "Usage: margay %s [OPTION]...%s%s\nWrites %s.\n\n",
                command->name, *command->operands == '\0' ? "" : " ",
                command->operands, command->summary);
    for (size_t i = 0; (option = option_at(command, i)) != NULL; i++)
        put_option(output, option);
    if (command->bit == ON_GENERATE)
        put_generators(output);
}

static void put_overview(struct output *output)
{
    const struct command *command;
    output_text(output, "Usage: margay COMMAND [OPTION]... [OPERAND]...\n"
                        "Every cache size from one pass over a trace.\n\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        output_text(output, "  %-12s%s\n", command->name, command->summary);
    output_text(
        output,
        "\n'margay help COMMAND' tells more, and man margay-COMMAND all.\n"
        "CSV goes to standard output, everything else to standard "
        "error.\n");
}

int help_print(const struct command *command)
{
    struct output *output;
    struct margay_error error;
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK && command == NULL)
        put_overview(output);
    else if (status == MARGAY_OK)
        put_command_help(output, command);
    return conclude(status, &output, 1, &error);
}

static int print_completion(const char *shell)
{
    struct output *output;
    struct margay_error error;
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        status = completion_write(shell, output, &error);
    return conclude(status, &output, 1, &error);
}

int cmd_help(const struct options *options)
{
    if (options->completion != NULL)
        return print_completion(options->completion);
    if (options->operand_count == 0)
        return help_print(NULL);
    const struct command *command = command_find(options->operands[0]);
    if (command != NULL)
        return help_print(command);
    command_report_unknown(options->operands[0]);
    return EXIT_TROUBLE;
}

static void put_targets(struct output *output)
{
    static const enum margay_target targets[] = {
        MARGAY_TARGET_PORTABLE, MARGAY_TARGET_V3, MARGAY_TARGET_V4};
    output_text(output, "runs here:");
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (margay_target_available(targets[i]))
            output_text(output, " %s", margay_target_name(targets[i]));
    }
    output_text(output, " (best: %s)\n",
                margay_target_name(margay_target_best()));
}

static void put_formats(struct output *output)
{
    const struct margay_format_info *format;
    output_text(output, "formats:  ");
    for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++)
        output_text(output, " %s", format->name);
    output_text(output, "\n");
}

int cmd_version(const struct options *options)
{
    struct output *output;
    struct margay_error error;
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    (void)options;
    if (status == MARGAY_OK) {
        output_text(output, "margay %s\n", MARGAY_VERSION);
        output_text(output, "compiler:  %s\n", __VERSION__);
        output_text(output, "libraries: %s, libcsv %s\n",
                    archive_version_details(), csv_library_version());
        put_targets(output);
        put_formats(output);
    }
    return conclude(status, &output, 1, &error);
}
