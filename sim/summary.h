/* summary.h - what a measurement found, in a line for people */
#ifndef MARGAY_SIM_SUMMARY_H
#define MARGAY_SIM_SUMMARY_H

#include "sim/analysis.h"

/* Lines kept until the output has appeared; zero it to begin. */
struct summary {
    char **lines;
    size_t count;
};

/* MARGAY_NO_MEMORY on failure. */
enum margay_status summary_add(struct summary *summary,
                               const struct analysis_pass *pass,
                               struct margay_error *error);

/* Print unless `quiet`, and release. */
void summary_end(struct summary *summary, bool quiet);

#endif
