/* commands.h - the commands, as the rows of commands.def */
#ifndef MARGAY_SIM_OPTIONS_COMMANDS_H
#define MARGAY_SIM_OPTIONS_COMMANDS_H

#include <stdio.h>

#include <margay/prediction.h>

struct options;
struct margay_generator_info;

/* The place of each command in the table, and the number of commands. */
enum {
#define COMMAND(set, ...) PLACE_OF_##set,
#include "sim/options/commands.def"
#undef COMMAND
    COMMANDS
};

/* Sets of commands, for the table of options. */
enum {
#define COMMAND(set, ...) ON_##set = 1 << PLACE_OF_##set,
#include "sim/options/commands.def"
#undef COMMAND
    ON_ALL = (1 << COMMANDS) - 1,
    ON_CACHES = ON_ASSOC | ON_COMPARE,
    ON_MEASURES = ON_CURVE | ON_HISTOGRAM | ON_DISTANCES,
    ON_READERS = ON_MEASURES | ON_INFO | ON_PHASES | ON_ANNOTATE | ON_CACHES |
                 ON_PREDICT,
    /* The commands that divide addresses into blocks, */
    ON_BLOCKS = ON_READERS | ON_ENGINES | ON_FILTER | ON_REPORT,
    /* and those with blocks of a single size. */
    ON_ONE_BLOCK =
        ON_INFO | ON_PHASES | ON_ANNOTATE | ON_ENGINES | ON_FILTER | ON_PREDICT,
    /* The commands that read traces, */
    ON_TRACES = ON_BLOCKS | ON_SIMULATE | ON_CONVERT,
    /* those that may read several as one, */
    ON_JOINS = ON_TRACES & ~(ON_ANNOTATE | ON_PREDICT | ON_ENGINES),
    /* and those whose --verbose names no engine. */
    ON_TRACES_ONLY = ON_ASSOC | ON_ENGINES | ON_CONVERT | ON_FILTER |
                     ON_SIMULATE | ON_REPORT,
    /* The commands that write tables, */
    ON_TABLES = ON_ALL & ~(ON_CONVERT | ON_FILTER | ON_GENERATE | ON_RECORD |
                           ON_PLOT | ON_REPORT | ON_HELP | ON_VERSION),
    /* and those that write text to a terminal. */
    ON_TEXT = ON_TABLES & ~ON_DISTANCES,
    /* No command: where --help has no line for every option, an option with
       this bit shares a line with others. */
    SELDOM = 1 << 30,
    /* No command: the option is one of pictures, of plot, and of commands that
       draw their table instead of writing it. */
    PICTURE = 1 << 29,
};

/* Each runs one command and returns the exit status. */
#define COMMAND(set, name, ...) int cmd_##name(const struct options *options);
#include "sim/options/commands.def"
#undef COMMAND

/* margay predict --sample */
int cmd_predict_sample(const struct options *options);

/* Write a model of runs at blocks of `block_bytes` (0 = unknown). */
struct output;
enum margay_status predict_write_model(struct output *output,
                                       const margay_model *model,
                                       uint64_t block_bytes,
                                       struct margay_error *error);

/* Read the model that --save-model has written to a file, and the size of its
   blocks.  *model is freed with margay_model_free(). */
enum margay_status predict_read_model(const char *path, margay_model **model,
                                      uint64_t *block_bytes,
                                      struct margay_error *error);

struct command {
    const char *name;
    unsigned bit;
    const char *operands; /* as the usage line shows them */
    size_t least_operands, most_operands;
    const char *summary;
    int (*run)(const struct options *options); /* returns the exit status */
    bool runs_operands; /* the operands are a command line of their own */
};

/* Row `index`; NULL beyond the last row. */
const struct command *command_at(size_t index);

/* The command of that name; NULL if there is none. */
const struct command *command_find(const char *name);

/* Print that `name` is no command, and the command that was probably meant. */
void command_report_unknown(const char *name, const char *also);

/* Print help on a command, which fits a screen; returns the exit status. */
int help_print(const struct command *command);

/* Put a script for a shell, "bash" or "zsh", that completes commands, options
   and their values, from the program's own tables. */
void put_completion(FILE *text, const void *shell);

/* Row `index` of the generators of margay generate: those of the library, then
   the one of a histogram's distances; NULL beyond the last. */
const struct margay_generator_info *generator_at(size_t index);

/* Run the command of main's arguments; returns the exit status. */
int program_run(int argument_count, char **arguments);

#endif
