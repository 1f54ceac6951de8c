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
     "the miss curve of all fully associative LRU caches", cmd_curve, false},
    {"histogram", ON_HISTOGRAM, "[TRACE]...", 0, SIZE_MAX,
     "how many references have which reuse distance", cmd_histogram, false},
    {"distances", ON_DISTANCES, "[TRACE]", 0, 1,
     "the reuse distance of every single reference", cmd_distances, false},
    {"assoc", ON_ASSOC, "[TRACE]...", 0, SIZE_MAX,
     "the misses of every set-associative cache of a grid", cmd_assoc, false},
    {"compare", ON_COMPARE, "[TRACE]...", 0, SIZE_MAX,
     "the same beside what reuse distances predict", cmd_compare, false},
    {"predict", ON_PREDICT, "RUN.csv=SIZE...", 0, SIZE_MAX,
     "the distances of a size that nobody has run, from others", cmd_predict,
     false},
    {"info", ON_INFO, "[TRACE]", 0, 1,
     "what a trace holds: format, references, blocks, range", cmd_info, false},
    {"convert", ON_CONVERT, "IN OUT", 2, 2,
     "a trace in another format, compressed by OUT's suffix", cmd_convert,
     false},
    {"generate", ON_GENERATE, "NAME", 1, 1, "a synthetic trace", cmd_generate,
     false},
    {"record", ON_RECORD, "[--] PROGRAM [ARGUMENT]...", 0, SIZE_MAX,
     "the trace of a program while it runs", cmd_record, true},
    {"plot", ON_PLOT, "CSV...", 1, SIZE_MAX,
     "a picture of tables that other commands wrote", cmd_plot, false},
    {"engines", ON_ENGINES, "", 0, 0, "the engines that measure distances",
     cmd_engines, false},
    {"help", ON_HELP, "[COMMAND]", 0, 1, "how to use a command", cmd_help,
     false},
    {"version", ON_VERSION, "", 0, 0, "the version and what it was built with",
     cmd_version, false},
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
