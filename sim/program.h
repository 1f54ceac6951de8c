/* program.h - the command, from its arguments to its exit status */
#ifndef MARGAY_SIM_PROGRAM_H
#define MARGAY_SIM_PROGRAM_H

/* With main's arguments; returns the exit status. */
int program_run(int argument_count, char **arguments);

#endif
