/* curve_policies.h - margay curve --policy */
#ifndef MARGAY_SIM_COMMAND_CURVE_POLICIES_H
#define MARGAY_SIM_COMMAND_CURVE_POLICIES_H

#include "sim/options/options.h"

/* Write the curves of options->results.policies; returns the exit status. */
int curve_of_policies(const struct options *options);

#endif
