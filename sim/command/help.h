/* help.h - the output of margay help */
#ifndef MARGAY_SIM_COMMAND_HELP_H
#define MARGAY_SIM_COMMAND_HELP_H

#include <stdio.h>

struct command;
struct margay_generator_info;

/* Print help on a command, which fits a screen; returns the exit status. */
int help_print(const struct command *command);

/* Put a script for a shell, "bash" or "zsh", that completes commands, options
   and their values, from the program's own tables. */
void put_completion(FILE *text, const void *shell);

/* Row `index` of the generators of margay generate: those of the library, then
   the one of a histogram's distances; NULL beyond the last. */
const struct margay_generator_info *generator_at(size_t index);

#endif
