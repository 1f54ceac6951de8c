/* help.h - the output of margay help */
#ifndef MARGAY_SIM_COMMAND_HELP_H
#define MARGAY_SIM_COMMAND_HELP_H

#include <margay/status.h>

struct command;

/* Print help on a command, or the list of commands if it is NULL, either of
   which fits a screen; returns the exit status. */
int help_print(const struct command *command);

/* Print help on what is no command, "options", "policies" or
   "layouts"; returns the exit
   status. */
int help_print_topic(const char *topic);

struct output;

/*
 * Write a script for `shell`, "bash" or "zsh", that completes commands, options
 * and their values, from the program's own tables.  MARGAY_BAD_ARGUMENT for any
 * other shell.
 */
enum margay_status completion_write(const char *shell, struct output *output,
                                    struct margay_error *error);

#endif
