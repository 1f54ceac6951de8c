/*
 * cmd_help.c - margay help
 *
 * Help on a command fits a screen.  If the screen has no line for every option,
 * the options that options.def marks SELDOM share lines below the others, and
 * if that is not enough, so do the last of the others.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_option(FILE *text, const struct option *option)
{
    char name[80];
    name_option(option, name);
    fprintf(text, "  %s%-*s %s\n", option->letter == 0 ? "    " : "",
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

/* Put the names of those that have none, as many in a line as fit. */
static void put_names(FILE *text, const struct choice *choice)
{
    const struct option *option;
    size_t others = 0;
    int column = SCREEN_COLUMNS;
    for (size_t i = 0; (option = option_at(choice->command, i)) != NULL; i++) {
        char name[80];
        if (has_line(choice, option, &others))
            continue;
        int length = name_option(option, name);
        bool wraps = column + (int)strlen(GAP) + length > SCREEN_COLUMNS;
        fprintf(text, "%s%s", wraps ? "\n  " : GAP, name);
        column = length + (wraps ? 2 : column + (int)strlen(GAP));
    }
    if (column != SCREEN_COLUMNS)
        fprintf(text,
                "\n'margay help options' and man margay-%s have more of all "
                "these.\n",
                choice->command->name);
}

/* ---------------------------------------------------- help on a command -- */

static void put_choice(FILE *text, const void *context)
{
    const struct choice *choice = context;
    const struct command *command = choice->command;
    const struct margay_generator_info *generator;
    const struct plot_kind *kind;
    const struct option *option;
    size_t others = 0;
    fprintf(text, "Usage: margay %s [OPTION]...%s%s\nWrites %s.\n\n",
            command->name, *command->operands == '\0' ? "" : " ",
            command->operands, command->summary);
    for (size_t i = 0; (option = option_at(command, i)) != NULL; i++) {
        if (has_line(choice, option, &others))
            put_option(text, option);
    }
    put_names(text, choice);
    if (plot_draws(command->name))
        fprintf(text, "With -o FILE.svg it draws, and takes the options of "
                      "'margay help plot', too.\n");
    if (command->bit & (ON_GENERATE | ON_PLOT))
        fprintf(text, "\n");
    for (size_t i = 0;
         command->bit == ON_GENERATE && (generator = generator_at(i)) != NULL;
         i++)
        fprintf(text, "  %-12s%s\n", generator->name, generator->description);
    for (size_t i = 0;
         command->bit == ON_PLOT && (kind = plot_kind_at(i)) != NULL; i++) {
        if (kind->picture != NULL)
            fprintf(text, "  %-30s%s\n", kind->table, kind->picture);
    }
}

static void put_commands(FILE *text, const void *context)
{
    const struct command *command;
    (void)context;
    fprintf(text, "Usage: margay COMMAND [OPTION]... [OPERAND]...   "
                  "(more: margay help COMMAND)\n\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        fprintf(text, "  %-12s%s\n", command->name, command->summary);
}

/* ------------------------------------------------------ help on a topic -- */

/* "Of curve, histogram:" */
static void put_heading(FILE *text, unsigned commands)
{
    const struct command *command;
    const char *before = "Of ";
    int column = 0;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if ((commands & command->bit) == 0)
            continue;
        bool wraps = column + (int)strlen(command->name) + 4 > SCREEN_COLUMNS;
        fprintf(text, "%s%s", wraps ? ",\n   " : before, command->name);
        column = (wraps ? 3 : column + 2) + (int)strlen(command->name);
        before = ", ";
    }
    fprintf(text, ":\n");
}

/* The options of the same commands stand together, where the first is. */
static void put_all_options(FILE *text, const void *context)
{
    const struct option *option, *other;
    (void)context;
    fprintf(text, "The options of all commands.\n");
    for (size_t i = 0; (option = option_in_table(i)) != NULL; i++) {
        unsigned commands = option->commands & ON_ALL;
        for (size_t k = 0; (other = option_in_table(k)) != NULL; k++) {
            if ((other->commands & ON_ALL) != commands)
                continue;
            if (k < i)
                break;
            if (k == i) {
                fputc('\n', text);
                put_heading(text, commands);
            }
            put_option(text, other);
        }
    }
}

static void put_able(FILE *text, const char *option, unsigned ability)
{
    const struct margay_policy_info *policy;
    fprintf(text, "\nWith %s:", option);
    for (size_t i = 0; (policy = margay_policy_at(i)) != NULL; i++) {
        if (policy->abilities & ability)
            fprintf(text, " %s", policy->name);
    }
}

static void put_policy(FILE *text, const struct margay_policy_info *policy)
{
    fprintf(text, "  %-8s %s\n", policy->name, policy->help);
    if (*policy->parameters != '\0')
        fprintf(text, "  %-8s %s\n", "",
                margay_spec_brief(policy->parameters).line);
}

static void put_policies(FILE *text, const void *context)
{
    const struct margay_policy_info *policy;
    (void)context;
    fprintf(text, "The policies of --policy, with what parameters are "
                  "unless NAME:KEY=VALUE says.\n\n");
    for (size_t i = 0; (policy = margay_policy_at(i)) != NULL; i++)
        put_policy(text, policy);
    put_able(text, "--objects", MARGAY_POLICY_FOR_OBJECTS);
    fprintf(text, "\nThere all but the bounds take admit=size<N, "
                  "admit=second-hit,\nadmit=adaptsize or admit=P, too, "
                  "and those that name their victim in\nadvance "
                  "admit=tinylfu.  tier=BYTES is memory before a cache.\n");
    put_able(text, "--requests", MARGAY_POLICY_FOR_REQUESTS);
    fprintf(text, " leaf-lru\n");
}

/* Those of a name, unless it is NULL. */
static void put_formats(FILE *text, const void *name)
{
    const struct margay_format_info *format;
    for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++)
        if (name == NULL || strcmp(format->name, name) == 0)
            fprintf(text, "  %-12s %s\n", format->name, format->description);
}

static void put_layouts(FILE *text, const void *context)
{
    const char *layout;
    (void)context;
    for (size_t i = 0; (layout = margay_layout_text(i)) != NULL; i++)
        fputs(layout, text);
}

static void put_machines(FILE *text, const void *context)
{
    const struct option *option = option_in_table(0);
    (void)context;
    for (size_t i = 1; strcmp(option->name, "machine") != 0; i++)
        option = option_in_table(i);
    fputs("  ", text);
    for (const char *name = option->words; *name != '\0'; name++)
        fputs(*name == ' ' ? "\n  " : (const char[]){*name, '\0'}, text);
    putc('\n', text);
}

/* The format, the policy, the engine, the generator and the options of a name;
   nothing if it has none. */
static void put_named(FILE *text, const void *named)
{
    const char *name = (const char *)named + strspn(named, "-");
    const struct margay_policy_info *policy;
    const struct margay_engine_info *engine;
    const struct margay_generator_info *generator;
    const struct option *option;
    struct margay_error error;
    put_formats(text, name);
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++)
        if (strcmp(engine->name, name) == 0)
            fprintf(text, "  %-12s -e: %s\n", name, engine->guarantee);
    for (size_t i = 0; (generator = generator_at(i)) != NULL; i++)
        if (strcmp(generator->name, name) == 0)
            fprintf(text, "  %-12s generate: %s\n", name,
                    generator->description);
    if (strchr(name, '/') == NULL &&
        margay_policy_find(name, &policy, &error) == MARGAY_OK)
        put_policy(text, policy);
    for (size_t i = 0; (option = option_in_table(i)) != NULL; i++) {
        const char letter[] = {option->letter, '\0'};
        if (strcmp(option->name, name) == 0 ||
            (*letter != '\0' && strcmp(letter, name) == 0)) {
            put_heading(text, option->commands);
            put_option(text, option);
            fputs("man margay-COMMAND has more.\n", text);
        }
    }
}

/* ---------------------------------------------------------- the command -- */

typedef void put_help(FILE *text, const void *context);

/* The help, as a text that the caller frees; NULL = no memory. */
static char *text_of(put_help *put, const void *context)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (stream == NULL)
        return NULL;
    put(stream, context);
    bool is_whole = !ferror(stream);
    if (fclose(stream) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

/* Print a text, and release it. */
static int print(char *text)
{
    struct output *output = NULL;
    struct margay_error error;
    enum margay_status status =
        text == NULL ? margay_fail_memory(&error, "the help")
                     : output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        output_bytes(output, text, strlen(text));
    free(text);
    return conclude(status, &output, 1, &error);
}

static bool fits(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines <= SCREEN_LINES;
}

int help_print(const struct command *command)
{
    struct choice choice = {command, true, SIZE_MAX};
    char *text = text_of(put_choice, &choice);
    choice = (struct choice){command, false, SCREEN_LINES};
    for (; text != NULL && !fits(text) && choice.count > 0; choice.count--) {
        free(text);
        text = text_of(put_choice, &choice);
    }
    return print(text);
}

int cmd_help(const struct options *options)
{
    static const struct {
        const char *name, *of_one;
        put_help *put;
    } topics[] = {{"options", "option", put_all_options},
                  {"policies", "policy", put_policies},
                  {"formats", "format", put_formats},
                  {"layouts", "layout", put_layouts},
                  {"machines", "machine", put_machines}};
    if (options->completion != NULL)
        return print(text_of(put_completion, options->completion));
    if (options->operand_count == 0)
        return print(text_of(put_commands, NULL));
    const char *topic = options->operands[0];
    const struct command *command = command_find(topic);
    if (command != NULL)
        return help_print(command);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topic, topics[i].name) == 0 ||
            strcmp(topic, topics[i].of_one) == 0)
            return print(text_of(topics[i].put, NULL));
    }
    char *named = text_of(put_named, topic);
    if (named == NULL || *named != '\0')
        return print(named);
    free(named);
    command_report_unknown(topic, "");
    return EXIT_TROUBLE;
}
