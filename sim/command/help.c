/*
 * help.c - the output of margay help
 *
 * Help on a command fits a screen.  If the screen has no line for every option,
 * the options that options.def marks SELDOM share lines below the others, and
 * if that is not enough, so do the last of the others.
 */
#include "sim/command/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/command/generators.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/plot/plot.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define SCREEN_LINES   24
#define SCREEN_COLUMNS 80
#define OPTION_COLUMNS 26
#define GAP            "   " /* between options in one line */

/* ------------------------------------------------------------- options -- */

/* "-f, --format NAME"; returns its length. */
static int name_option(const struct option *option, char text[80])
{
    char letter[8] = "";
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(text, 80, "%s--%s%s%s", letter, option->name,
                    option->argument == NULL ? "" : " ",
                    option->argument == NULL ? "" : option->argument);
}

static void put_option(struct output *output, const struct option *option)
{
    char name[80];
    name_option(option, name);
    output_text(output, "  %s%-*s %s\n", option->letter == 0 ? "    " : "",
                OPTION_COLUMNS - 3 - (option->letter == 0 ? 4 : 0), name,
                option->help);
}

/* The options that have a line of their own. */
struct choice {
    const struct command *command;
    bool seldom;  /* those marked SELDOM, */
    size_t count; /* and the first `count` of the others */
};

static bool has_line(const struct choice *choice, const struct option *option,
                     size_t *others)
{
    if ((option->commands & SELDOM) != 0)
        return choice->seldom;
    return (*others)++ < choice->count;
}

/* Put the options that have a line each; returns the number of lines.  Without
   an output, only count. */
static size_t put_lines(const struct choice *choice, struct output *output)
{
    const struct option *option;
    size_t lines = 0, others = 0;
    for (size_t i = 0; (option = option_at(choice->command, i)) != NULL; i++) {
        if (!has_line(choice, option, &others))
            continue;
        if (output != NULL)
            put_option(output, option);
        lines++;
    }
    return lines;
}

/* Put the names of the others, as many in a line as fit; returns the number of
   lines. */
static size_t put_names(const struct choice *choice, struct output *output)
{
    const struct option *option;
    size_t lines = 0, others = 0;
    int column = SCREEN_COLUMNS;
    for (size_t i = 0; (option = option_at(choice->command, i)) != NULL; i++) {
        char name[80];
        if (has_line(choice, option, &others))
            continue;
        int length = name_option(option, name);
        bool wraps = column + (int)strlen(GAP) + length > SCREEN_COLUMNS;
        if (output != NULL)
            output_text(output, "%s%s%s", wraps && lines > 0 ? "\n" : "",
                        wraps ? "  " : GAP, name);
        lines += wraps;
        column = length + (wraps ? 2 : column + (int)strlen(GAP));
    }
    if (output != NULL && lines > 0)
        output_text(output, "\n");
    return lines;
}

/* ---------------------------------------------------- help on a command -- */

/* "  NAME   DESCRIPTION" in the list of operands. */
static void put_operand(struct output *output, bool is_first, int columns,
                        const char *name, const char *description)
{
    if (output != NULL)
        output_text(output, "%s  %-*s%s\n", is_first ? "\n" : "", columns, name,
                    description);
}

/* Put the values of the operands, generators or the tables that plot draws;
   returns the number of lines. */
static size_t put_operands(const struct command *command, struct output *output)
{
    const struct margay_generator_info *generator;
    const struct plot_kind *kind;
    size_t count = 0;
    for (size_t i = 0;
         command->bit == ON_GENERATE && (generator = generator_at(i)) != NULL;
         i++)
        put_operand(output, count++ == 0, 12, generator->name,
                    generator->description);
    for (size_t i = 0;
         command->bit == ON_PLOT && (kind = plot_kind_at(i)) != NULL; i++) {
        if (kind->table != NULL)
            put_operand(output, count++ == 0, 30, kind->table, kind->picture);
    }
    return count == 0 ? 0 : 1 + count;
}

/* Beside the options there are the usage, the summary and a blank line, and a
   line before and behind the names. */
static bool fits(const struct choice *choice)
{
    size_t names = put_names(choice, NULL);
    return 3 + put_lines(choice, NULL) + (names == 0 ? 0 : names + 2) +
               put_operands(choice->command, NULL) <=
           SCREEN_LINES;
}

static void put_command_help(struct output *output,
                             const struct command *command)
{
    struct choice choice = {command, true, SIZE_MAX};
    if (!fits(&choice)) {
        choice.seldom = false;
        choice.count = put_lines(&choice, NULL);
    }
    while (choice.count > 0 && !fits(&choice))
        choice.count--;
    output_text(output, "Usage: margay %s [OPTION]...%s%s\nWrites %s.\n\n",
                command->name, *command->operands == '\0' ? "" : " ",
                command->operands, command->summary);
    put_lines(&choice, output);
    if (put_names(&choice, NULL) > 0) {
        output_text(output, "\n");
        put_names(&choice, output);
        output_text(output,
                    "'margay help options' and man margay-%s tell more "
                    "of all these.\n",
                    command->name);
    }
    put_operands(command, output);
}

int help_print(const struct command *command)
{
    const struct command *other;
    struct output *output;
    struct margay_error error;
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK && command != NULL)
        put_command_help(output, command);
    else if (status == MARGAY_OK)
        output_text(output, "Usage: margay COMMAND [OPTION]... [OPERAND]...   "
                            "(more: margay help COMMAND)\n\n");
    for (size_t i = 0; status == MARGAY_OK && command == NULL &&
                       (other = command_at(i)) != NULL;
         i++)
        output_text(output, "  %-12s%s\n", other->name, other->summary);
    return conclude(status, &output, 1, &error);
}

/* ------------------------------------------------ help on every option -- */

/* "Of curve, histogram:" */
static void put_commands(struct output *output, unsigned commands)
{
    const struct command *command;
    const char *before = "\nOf ";
    int column = 0;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if ((commands & command->bit) == 0)
            continue;
        bool wraps = column + (int)strlen(command->name) + 4 > SCREEN_COLUMNS;
        output_text(output, "%s%s", wraps ? ",\n   " : before, command->name);
        column = (wraps ? 3 : column + 2) + (int)strlen(command->name);
        before = ", ";
    }
    output_text(output, ":\n");
}

/* Is this option the first one of the same commands? */
static bool is_first(size_t index, unsigned commands)
{
    for (size_t i = 0; i < index; i++) {
        if ((option_in_table(i)->commands & ~(unsigned)SELDOM) == commands)
            return false;
    }
    return true;
}

static void put_all_options(struct output *output)
{
    const struct option *option;
    output_text(output, "The options of all commands.\n");
    for (size_t i = 0; (option = option_in_table(i)) != NULL; i++) {
        unsigned commands = option->commands & ~(unsigned)SELDOM;
        if (!is_first(i, commands))
            continue;
        put_commands(output, commands);
        for (size_t k = i; (option = option_in_table(k)) != NULL; k++) {
            if ((option->commands & ~(unsigned)SELDOM) == commands)
                put_option(output, option);
        }
    }
}

static void put_policies(struct output *output)
{
    const struct margay_policy_info *policy;
    output_text(output, "The policies of --policy, with what parameters are "
                        "unless NAME:KEY=VALUE says.\n\n");
    for (size_t i = 0; (policy = margay_policy_at(i)) != NULL; i++) {
        output_text(output, "  %-8s %s\n", policy->name, policy->help);
        if (*policy->parameters != '\0')
            output_text(output, "  %-8s %s\n", "", policy->parameters);
    }
    output_text(output, "\nWith --objects:");
    for (size_t i = 0; (policy = margay_policy_at(i)) != NULL; i++) {
        if (policy->abilities & MARGAY_POLICY_FOR_OBJECTS)
            output_text(output, " %s", policy->name);
    }
    output_text(output, "\nThere all but the bounds take admit=size<N, "
                        "admit=second-hit,\nadmit=adaptsize or admit=P, too, "
                        "and those that name their victim in\nadvance "
                        "admit=tinylfu.\n");
}

static void put_layouts(struct output *output)
{
    const char *text;
    for (size_t i = 0; (text = margay_layout_text(i)) != NULL; i++)
        output_text(output, "%s", text);
}

int help_print_topic(const char *topic)
{
    struct output *output;
    struct margay_error error;
    static const struct {
        const char *name;
        void (*put)(struct output *output);
    } topics[] = {{"options", put_all_options},
                  {"policies", put_policies},
                  {"layouts", put_layouts}};
    size_t i = 0;
    while (i < 3 && strcmp(topic, topics[i].name) != 0)
        i++;
    if (i == 3) {
        command_report_unknown(topic, "");
        return EXIT_TROUBLE;
    }
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        topics[i].put(output);
    return conclude(status, &output, 1, &error);
}
