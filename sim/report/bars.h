/*
 * bars.h - bars and cells, as SVG within HTML
 *
 * Each picture shows the rows of one trace at one block size; a table with
 * several gives a picture for each.
 */
#ifndef MARGAY_SIM_REPORT_BARS_H
#define MARGAY_SIM_REPORT_BARS_H

#include <stddef.h>

#include "sim/report/table.h"
#include "sim/terminal/output.h"

/* Rows [from, to) of a table. */
struct rows {
    const struct cells *table;
    size_t from, to;
};

/* The rows from `from` on with the same trace, block size, policy, machine and
   tenant. */
struct rows rows_alike(const struct cells *table, size_t from);

/* A picture that is no chart: its beginning, the title below it, its end. */
void picture_begin(struct output *output, const struct rows *rows,
                   const char *caption);
void picture_title(struct output *output, const char *title);
void picture_end(struct output *output);

/* The same, with what the parts of its bars stand for. */
void picture_legend(struct output *output, const char *const *names,
                    size_t count);

/* A histogram: the share of references in each octave of distances, and of
   those without a distance. */
void bars_histogram(struct output *output, const struct rows *rows,
                    const char *caption);

/* The caches of a grid: a cell for each number of sets and ways, the darker
   the more it misses. */
void bars_map(struct output *output, const struct rows *rows,
              const char *caption);

/* Cold, capacity and conflict misses over the capacity of the caches that have
   one number of ways: 4, or else the least. */
void bars_three_cs(struct output *output, const struct rows *rows,
                   const char *caption);

/* The lines of a program's sources: how much of the references misses at each
   size of cache, and which lines own these misses. */
void bars_owners(struct output *output, const struct rows *rows,
                 const char *caption);

/* The phases of a trace: when each is, how many blocks it uses, and which one
   it recurs. */
void bars_phases(struct output *output, const struct rows *rows,
                 const char *caption);

/* The demand misses of each cache of a machine, per 1000 instructions where
   these are known. */
void bars_machine(struct output *output, const struct rows *rows,
                  const char *caption);

/* The blocks that cross below each cache of a machine: brought in by misses and
   ahead of them, and written back. */
void bars_traffic(struct output *output, const struct rows *rows,
                  const char *caption);

#endif
