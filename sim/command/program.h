/* program.h - the command, from its arguments to its exit status */
#ifndef MARGAY_SIM_COMMAND_PROGRAM_H
#define MARGAY_SIM_COMMAND_PROGRAM_H

/* Run the command of main's arguments; returns the exit status. */
int program_run(int argument_count, char **arguments);

#endif
