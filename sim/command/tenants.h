/* tenants.h - curve --tenant */
#ifndef MARGAY_SIM_COMMAND_TENANTS_H
#define MARGAY_SIM_COMMAND_TENANTS_H

#include "sim/options/options.h"

/* What `margay curve` does with --tenant; returns the exit status. */
int tenants_curve(const struct options *options);

#endif
