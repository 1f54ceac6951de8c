/* prefixes.h - curve --requests */
#ifndef MARGAY_SIM_COMMAND_PREFIXES_H
#define MARGAY_SIM_COMMAND_PREFIXES_H

#include "sim/options/options.h"

/* The curve of prefix caches; returns the exit status. */
int prefixes_curve(const struct options *options);

#endif
