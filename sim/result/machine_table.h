/* machine_table.h - the machines that --vary makes of one, and their rows */
#ifndef MARGAY_SIM_RESULT_MACHINE_TABLE_H
#define MARGAY_SIM_RESULT_MACHINE_TABLE_H

#include <margay/questions.h>
#include <margay/run.h>

#include "sim/result/csv.h"
#include "sim/result/machine_csv.h"

/* The most fields that vary. */
#define MACHINE_MOST_VARIED 8

/* A field of a machine's table, and its values. */
struct machine_varied {
    char *cache, *column; /* owned, and so are the values */
    bool tied;            /* moves with the field before it */
    char **values;
    size_t count, room;
};

struct machine_vary {
    struct machine_varied fields[MACHINE_MOST_VARIED];
    size_t count; /* 0 = nothing varies */
};

/*
 * Read CACHE.COLUMN[+CACHE.COLUMN...]=A..B|LIST[,...] of a machine that was
 * read; NULL = nothing varies.  A..B is A, twice A, and so on up to B.  Fields
 * joined by '+' move together, and a value is one for all or one for each,
 * joined by '+'.  MARGAY_BAD_ARGUMENT,
 * MARGAY_NO_MEMORY.  Call machine_vary_clear() in any case.
 */
enum margay_status machine_vary_read(struct machine_vary *vary,
                                     const struct machine *machine,
                                     const char *text,
                                     struct margay_error *error);

void machine_vary_clear(struct machine_vary *vary);

/* How many machines there are; at least 1. */
size_t machine_vary_count(const struct machine_vary *vary);

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

/* The machines of a run, and what one trace did in them. */
struct machine_results {
    const char *name; /* of the machine, as named */
    const char *trace;
    const struct machine *machine; /* its table */
    const struct machine_vary *vary;
    const struct margay_level *levels; /* of all machines, one by one */
    const margay_analysis *analysis;
    uint64_t instructions; /* 0 = fetches count, if the trace has all */
};

/* Does a level of the machines have cycles, and is one coherent? */
void machines_find(const struct machine_results *results, bool *have_cycles,
                   bool *are_coherent);

/* The cycles that a reference of the trace takes in a machine on average. */
double machine_access_cycles(const struct machine_results *results,
                             size_t machine);

/* `columns`, and then one for each field that varies.  MARGAY_NO_MEMORY.  The
   caller frees *names. */
enum margay_status machine_columns(const char *columns,
                                   const struct machine_vary *vary,
                                   char **names, struct margay_error *error);

/* Write the fields of those columns in a row about a machine. */
void table_varied(struct csv_writer *csv, const struct machine_vary *vary,
                  size_t machine);

/* Rows of SIMULATE_COLUMNS, those of each machine; with COHERENCE_COLUMNS if
   one is coherent. */
void table_machines(struct csv_writer *csv,
                    const struct machine_results *results);

/*
 * Rows of PARETO_COLUMNS: a machine each, by bytes and access time.  A machine
 * is on the front if no other one is better in one of them and as good in the
 * other.  MARGAY_NO_MEMORY.
 */
enum margay_status table_pareto(struct csv_writer *csv,
                                const struct machine_results *results,
                                struct margay_error *error);

#endif
