/* machine_vary.h - the machines that --vary makes of one */
#ifndef MARGAY_SIM_TABLES_MACHINE_VARY_H
#define MARGAY_SIM_TABLES_MACHINE_VARY_H

#include "sim/tables/machine_csv.h"

/* The most fields that vary. */
#define MACHINE_MOST_VARIED 8

/* A field of a machine's table, and its values. */
struct machine_varied {
    char *cache, *column; /* owned, and so are the values */
    char **values;
    size_t count, room;
};

struct machine_vary {
    struct machine_varied fields[MACHINE_MOST_VARIED];
    size_t count; /* 0 = nothing varies */
};

/*
 * Read CACHE.COLUMN=A..B|LIST[,...] of a machine that was read; NULL = nothing
 * varies.  A..B is A, twice A, and so on up to B.  MARGAY_BAD_ARGUMENT,
 * MARGAY_NO_MEMORY.  Call machine_vary_clear() in any case.
 */
enum margay_status machine_vary_read(struct machine_vary *vary,
                                     const struct machine *machine,
                                     const char *text,
                                     struct margay_error *error);

void machine_vary_clear(struct machine_vary *vary);

/* How many machines there are; at least 1. */
size_t machine_vary_count(const struct machine_vary *vary);

/* The value of a field in machine `index`; the first field varies the least. */
const char *machine_vary_value(const struct machine_vary *vary, size_t index,
                               size_t field);

/* CACHE.COLUMN=VALUE[,...] of machine `index`, cut at `bytes`; empty if nothing
   varies. */
void machine_vary_text(const struct machine_vary *vary, size_t index,
                       char *text, size_t bytes);

/*
 * The levels of all machines, one machine after the other.  Their policies
 * point into *vary and *machine, which is left as the last one.
 * MARGAY_BAD_INPUT names the table, the line, the cache, and what is wrong with
 * one of the machines; MARGAY_NO_MEMORY.  The caller frees *levels.
 */
enum margay_status machine_vary_levels(const struct machine_vary *vary,
                                       struct machine *machine,
                                       struct margay_level **levels,
                                       struct margay_error *error);

#endif
