/* conflicts.h - options that have no meaning together */
#ifndef MARGAY_SIM_OPTIONS_CONFLICTS_H
#define MARGAY_SIM_OPTIONS_CONFLICTS_H

#include "sim/options/options.h"

/* A row of conflicts.def. */
struct conflict {
    bool needs;          /* a row NEEDS */
    const char *options; /* names, separated by blanks */
    const char *others;
    unsigned commands;
    const char *message;
};

/* Row `index` of the table; NULL beyond the last. */
const struct conflict *conflict_at(size_t index);

/* MARGAY_BAD_ARGUMENT for the first row that the options are in. */
enum margay_status conflicts_check(const struct options *options,
                                   struct margay_error *error);

#endif
