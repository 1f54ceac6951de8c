/* commands.h - the table of commands */
#ifndef MARGAY_SIM_COMMANDS_H
#define MARGAY_SIM_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* Sets of commands, for the table of options. */
enum {
    ON_CURVE = 1 << 0,
    ON_HISTOGRAM = 1 << 1,
    ON_DISTANCES = 1 << 2,
    ON_INFO = 1 << 3,
    ON_GENERATE = 1 << 4,
    ON_PLOT = 1 << 5,
    ON_ENGINES = 1 << 6,
    ON_HELP = 1 << 7,
    ON_VERSION = 1 << 8,
    ON_CONVERT = 1 << 9,
    ON_ASSOC = 1 << 10,
    ON_COMPARE = 1 << 11,
    ON_RECORD = 1 << 12,
    ON_PREDICT = 1 << 13,
    ON_CACHES = ON_ASSOC | ON_COMPARE,
    ON_MEASURES = ON_CURVE | ON_HISTOGRAM | ON_DISTANCES,
    ON_READERS = ON_MEASURES | ON_INFO | ON_CACHES | ON_PREDICT,
    ON_BLOCKS = ON_READERS | ON_ENGINES, /* all that look at blocks */
    ON_ONE_BLOCK = ON_INFO | ON_ENGINES, /* of one size only */
    ON_TRACES = ON_BLOCKS | ON_CONVERT,  /* all that open one, */
    ON_TRACES_ONLY = ON_ASSOC | ON_ENGINES | ON_CONVERT, /* for no engine of
                                                            theirs */
    ON_ALL = 0x3fff,
    /* No command: --help names the option without a line of its own, where
       not every option can have one. */
    SELDOM = 1 << 30,
};

struct options;

struct command {
    const char *name;
    unsigned bit;
    const char *operands; /* as the usage line shows them */
    size_t least_operands, most_operands;
    const char *summary;
    int (*run)(const struct options *options); /* returns the exit status */
    bool runs_operands; /* they are a command line: no option of ours follows
                           the first of them */
};

/* Row `index`, NULL beyond the last. */
const struct command *command_at(size_t index);

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/* Say that there is no such command, and which may have been meant. */
void command_report_unknown(const char *name);

int cmd_curve(const struct options *options);
int cmd_histogram(const struct options *options);
int cmd_distances(const struct options *options);
int cmd_assoc(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_predict(const struct options *options);
int cmd_info(const struct options *options);
int cmd_convert(const struct options *options);
int cmd_generate(const struct options *options);
int cmd_record(const struct options *options);
int cmd_plot(const struct options *options);
int cmd_engines(const struct options *options);
int cmd_help(const struct options *options);
int cmd_version(const struct options *options);

#endif
