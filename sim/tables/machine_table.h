/* machine_table.h - what machines have counted, as rows */
#ifndef MARGAY_SIM_TABLES_MACHINE_TABLE_H
#define MARGAY_SIM_TABLES_MACHINE_TABLE_H

#include "sim/tables/csv.h"
#include "sim/tables/machine_csv.h"
#include "sim/tables/machine_vary.h"
#include <margay/questions.h>

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

/* Do some levels of the machines have cycles? */
bool machines_have_cycles(const struct machine_results *results);

/* Is a level of the machines coherent? */
bool machines_are_coherent(const struct machine_results *results);

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
   machines_are_coherent(). */
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
