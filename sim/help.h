/* help.h - what --help prints */
#ifndef MARGAY_SIM_HELP_H
#define MARGAY_SIM_HELP_H

struct command;

/* Help on a command, which fits a screen, or on all of them (NULL), to
   standard output; returns the exit status. */
int help_print(const struct command *command);

/* The same for help on all options. */
int help_print_options(void);

#endif
