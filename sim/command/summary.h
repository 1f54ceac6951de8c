/* summary.h - a pass of a curve, in a line for people */
#ifndef MARGAY_SIM_COMMAND_SUMMARY_H
#define MARGAY_SIM_COMMAND_SUMMARY_H

#include "sim/options/options.h"
#include <margay/questions.h>
#include <margay/run.h>

/* Keep messages about a pass, of which this is a series or what all of them
   have in common; they appear once the command has succeeded, warnings even
   with
   --quiet. */
void summarise_pass(const struct options *options, const struct margay_job *job,
                    const struct margay_pass *pass,
                    const struct margay_series *series);

/* Add a series to those that the summary is of, which are zeroed before the
   first: of several policies the first one's references count, of several keys
   all. */
void summary_add(struct margay_series *all, const struct margay_series *series);

/* The same of a pass of objects. */
void summarise_objects_pass(const struct options *options,
                            const struct margay_job *job,
                            const struct margay_pass *pass);

#endif
