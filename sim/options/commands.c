/* commands.c - the table of commands */
#include "sim/options/commands.h"

#include <stdio.h>
#include <string.h>

#include "sim/terminal/message.h"

static const struct command commands[] = {
#define COMMAND(set, name, operands, least, most, runs, summary) \
    {#name, ON_##set, operands, least, most, summary, cmd_##name, runs},
#include "sim/options/commands.def"
#undef COMMAND
};

const struct command *command_at(size_t index)
{
    return index < sizeof commands / sizeof commands[0] ? &commands[index]
                                                        : NULL;
}

const struct command *command_find(const char *name)
{
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

static const char *command_name(size_t index, const void *context)
{
    (void)context;
    const struct command *command = command_at(index);
    return command == NULL ? NULL : command->name;
}

void command_report_unknown(const char *name, const char *also)
{
    struct suggestion nearest = suggest(name, "", command_name, NULL);
    message_print("unknown command '%s'%s%s; 'margay help' lists them", name,
                  nearest.text, also);
}
