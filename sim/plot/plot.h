/* plot.h - the parts of margay plot, and the kinds of tables */
#ifndef MARGAY_SIM_PLOT_PLOT_H
#define MARGAY_SIM_PLOT_PLOT_H

#include <margay/status.h>

#include "sim/options/options.h"
#include "sim/terminal/output.h"

/* ----------------------------------------------------- kinds of tables -- */

/* The options that a picture takes in addition to the options of every picture,
   and which tables. */
enum plot_takes {
    PLOT_X = 1,      /* a scale and a range of the lower axis */
    PLOT_Y = 2,      /* the same of the other */
    PLOT_HIT = 4,    /* hit ratios */
    PLOT_LABELS = 8, /* names at the ends of lines */
    PLOT_RATIOS = PLOT_X | PLOT_Y | PLOT_HIT | PLOT_LABELS,
    PLOT_ALONE = 16,  /* one table only */
    PLOT_CURVE = 32,  /* also next to tables of */
    PLOT_CACHES = 64, /* this kind */
};

struct plot_kind {
    const char *columns; /* the first columns of such a table */
    const char *title;   /* of its section in a report */
    const char *drawing; /* in report.js; NULL = none */
    const char *script;  /* of its picture, in plots/; NULL = none */
    const char *table;   /* the command that writes it; NULL = see above */
    const char *picture; /* for the help, at most 48 columns; NULL likewise */
    unsigned takes;
    const char *map;                     /* the script for --map; NULL = none */
    const char *gain, *causes, *traffic; /* and for these options */
};

/* Row `index`; NULL beyond the last. */
const struct plot_kind *plot_kind_at(size_t index);

/* Is there a picture of a table of the command, "curve" or "curve --policy"? */
bool plot_draws(const char *command);

/* The first kind whose columns these begin with; NULL if there is none. */
const struct plot_kind *plot_kind_of(const char *columns);

/* The kind of a picture of both tables, in any order; NULL if they do not go
   together. */
const struct plot_kind *plot_kind_join(const struct plot_kind *kind,
                                       const struct plot_kind *other);

/* ------------------------------- tables checked and prepared for gnuplot -- */

/* The scripts assume that a line is a row and that numbers are numbers.  So
   each table is read once before: gnuplot then reads a table that has the
   columns of a kind, at least one row, and in each row a number where a script
   needs one.  The name of a trace may hold a newline or another control
   character, which would make a picture unreadable; it becomes a question mark,
   as in messages, and a comma after a quotation mark, where gnuplot would see
   the end of the field, a semicolon. */

/* The name of a file in memory. */
#define PLOT_NAME_BYTES 32

/* Read the table at `path` ("-": standard input), which messages name as
   `shown`, and find its kind.  `name` is that of the file for gnuplot: a copy
   in memory, which lives as long as this process and its children.  MARGAY_IO,
   MARGAY_BAD_INPUT, MARGAY_NO_MEMORY. */
enum margay_status plot_table_read(const char *path, const char *shown,
                                   const struct plot_kind **kind,
                                   char name[PLOT_NAME_BYTES],
                                   struct margay_error *error);

/* ------------------------------------------- pictures, drawn by gnuplot -- */

/* gnuplot passes nine arguments to a script and drops the rest silently. */
#define PICTURE_MOST_TABLES 8

#define PICTURE_SUFFIXES ".png, .svg, .pdf, .eps or .tex"

/* ".png", ".svg", ".pdf", ".eps" or ".tex" if the name ends so, in any case of
   letters; NULL for any other end. */
const char *picture_suffix(const char *name);

/* Are gnuplot, its scripts and awk, which they run, there?  To be asked before
   a long analysis. */
enum margay_status picture_check(struct margay_error *error);

/* Draw the tables, which plot_table_read() gave and people know by `names`, by
   the script of the name `kind`, as `suffix` (".png") says, into memory, and
   write the picture to the output once it is whole.  gnuplot has no other file
   to write to, and a signal that ends this process ends gnuplot before.
   MARGAY_IO if gnuplot cannot be run, fails, or leaves a picture that is not
   whole, even with status 0; MARGAY_BAD_INPUT if the script refuses the tables;
   MARGAY_NO_MEMORY. Messages, also those of the script, begin with the first of
   the names.  The output keeps failures to write. */
enum margay_status picture_draw(const char *kind,
                                const struct picture_options *options,
                                const char *suffix, const char *const *names,
                                char (*tables)[PLOT_NAME_BYTES], size_t count,
                                struct output *output,
                                struct margay_error *error);

#endif
