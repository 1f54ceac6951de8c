/*
 * view.h - a command's table as text or as a picture
 *
 * The command writes its table into memory, as it would into a file, and the
 * view is made of that table alone.
 */
#ifndef MARGAY_SIM_COMMAND_VIEW_H
#define MARGAY_SIM_COMMAND_VIEW_H

#include "sim/options/options.h"

/* Run the command of the options, and show its table as they ask for it.
   Returns the exit status. */
int view_run(const struct options *options);

#endif
