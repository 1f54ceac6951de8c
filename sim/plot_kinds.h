/* plot_kinds.h - the tables that can be drawn */
#ifndef MARGAY_SIM_PLOT_KINDS_H
#define MARGAY_SIM_PLOT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

struct plot_kind {
    const char *columns; /* that such a table begins with */
    const char *script;
    const char *map;   /* the script for --map; NULL = none */
    const char *table; /* the command that writes it; NULL: as the row above */
    const char *picture; /* what is drawn, at most 48 columns; NULL: the same */
    bool is_alone;       /* only one fits into a picture */
    const struct plot_kind *beside; /* another that may be in its picture */
};

/* Row `index`, NULL beyond the last. */
const struct plot_kind *plot_kind_at(size_t index);

/* The first that the columns begin with; NULL if there is none. */
const struct plot_kind *plot_kind_of(const char *columns);

/* The kind of a picture of both, in any order; NULL if there is none. */
const struct plot_kind *plot_kind_join(const struct plot_kind *kind,
                                       const struct plot_kind *other);

#endif
