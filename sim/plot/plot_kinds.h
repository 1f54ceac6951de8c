/* plot_kinds.h - the tables that can be drawn */
#ifndef MARGAY_SIM_PLOT_PLOT_KINDS_H
#define MARGAY_SIM_PLOT_PLOT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* What a picture takes beside what every picture does. */
enum plot_takes {
    PLOT_X = 1,      /* a scale and a range of the lower axis */
    PLOT_Y = 2,      /* the same of the other */
    PLOT_HIT = 4,    /* hit ratios */
    PLOT_LABELS = 8, /* names at the ends of lines */
    PLOT_RATIOS = PLOT_X | PLOT_Y | PLOT_HIT | PLOT_LABELS,
};

struct plot_kind {
    const char *columns; /* the first columns of such a table */
    const char *script;
    const char *map;     /* the script for --map; NULL = none */
    const char *gain;    /* and that for --gain, */
    const char *causes;  /* for --causes, */
    const char *traffic; /* and for --traffic */
    const char
        *table; /* the command that writes it; NULL = see the row above */
    const char *picture; /* for the help, at most 48 columns; NULL likewise */
    unsigned takes;
    bool is_alone;                  /* a picture holds one such table only */
    const struct plot_kind *beside; /* another kind in the same picture */
};

/* Row `index`; NULL beyond the last. */
const struct plot_kind *plot_kind_at(size_t index);

/* The first kind whose columns these begin with; NULL if there is none. */
const struct plot_kind *plot_kind_of(const char *columns);

/* The kind of a picture of both tables, in any order; NULL if they do not go
   together. */
const struct plot_kind *plot_kind_join(const struct plot_kind *kind,
                                       const struct plot_kind *other);

#endif
