/* commands.c - the table of commands */
#include "sim/commands.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/message.h"
#include "sim/suggest.h"

static const struct command commands[] = {
    {"curve", ON_CURVE, "[TRACE]...", 0, SIZE_MAX,
     "the miss curve of all fully associative LRU caches", cmd_curve},
    {"histogram", ON_HISTOGRAM, "[TRACE]...", 0, SIZE_MAX,
     "how many references have which reuse distance", cmd_histogram},
    {"distances", ON_DISTANCES, "[TRACE]", 0, 1,
     "the reuse distance of every single reference", cmd_distances},
    {"assoc", ON_ASSOC, "[TRACE]...", 0, SIZE_MAX,
     "the misses of every set-associative cache of a grid", cmd_assoc},
    {"compare", ON_COMPARE, "[TRACE]...", 0, SIZE_MAX,
     "the same beside what reuse distances predict", cmd_compare},
    {"info", ON_INFO, "[TRACE]", 0, 1,
     "what a trace holds: format, references, blocks, range", cmd_info},
    {"convert", ON_CONVERT, "IN OUT", 2, 2,
     "a trace in another format, compressed by OUT's suffix", cmd_convert},
    {"generate", ON_GENERATE, "NAME", 1, 1, "a synthetic trace", cmd_generate},
    {"plot", ON_PLOT, "CSV...", 1, SIZE_MAX,
     "a picture of curves or histograms", cmd_plot},
    {"engines", ON_ENGINES, "", 0, 0, "the engines that measure distances",
     cmd_engines},
    {"help", ON_HELP, "[COMMAND]", 0, 1, "how to use a command", cmd_help},
    {"version", ON_VERSION, "", 0, 0, "the version and what it was built with",
     cmd_version},
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

void command_report_unknown(const char *name)
{
    struct suggestion nearest = suggest(name, "", command_name, NULL);
    if (access(name, F_OK) == 0)
        snprintf(nearest.text, sizeof nearest.text,
                 " (to analyse the file: margay curve FILE)");
    message_print("unknown command '%s'%s; 'margay help' lists them", name,
                  nearest.text);
}
