/* machine_table.h - the rows of machines */
#ifndef MARGAY_SIM_RESULT_MACHINE_TABLE_H
#define MARGAY_SIM_RESULT_MACHINE_TABLE_H

#include <margay/questions.h>
#include <margay/run.h>

#include "sim/result/csv.h"
#include "sim/result/machine.h"

/* The machines of a run, and the counts of one trace. */
struct machine_results {
    const char *name; /* of the machine, as named */
    const char *trace;
    const struct machine *machine;     /* its table, and its varied fields */
    const struct margay_level *levels; /* of all machines, one by one */
    const margay_family *family;
    uint64_t instructions; /* 0 = fetches count, if the trace has all */
};

/* Does a level of the machines have cycles, and is one coherent? */
void machines_find(const struct machine_results *results, bool *have_cycles,
                   bool *are_coherent);

/* The instructions of the trace; 0 = they are not known. */
uint64_t machine_instructions(const struct machine_results *results);

/* The level whose cycles the machines do not say, though a reference has come
   to it from one with cycles; or "memory", if a level has none to ask; NULL =
   all are there for the average access time. */
const char *machines_unknown(const struct machine_results *results);

/* The cycles that a reference of the trace takes in a machine on average. */
double machine_access_cycles(const struct machine_results *results,
                             size_t machine);

/* Write the fields that vary in a row about machine `index`. */
void table_varied(struct csv_writer *csv, const struct machine *machine,
                  size_t index);

/* Rows of SIMULATE_COLUMNS, those of each machine; with COHERENCE_COLUMNS if
   one is coherent. */
void table_machines(struct csv_writer *csv,
                    const struct machine_results *results);

/* Rows of PARETO_COLUMNS: a machine each, by bytes and access time.  A machine
   is on the front if no other one is better in one of them and as good in the
   other.  MARGAY_NO_MEMORY. */
enum margay_status table_pareto(struct csv_writer *csv,
                                const struct machine_results *results,
                                struct margay_error *error);

/* ---------------------------------- next to a processor's counters -- */

/* An event that was counted, and its counter in a machine. */
struct counter {
    char *name; /* as the file has it; owned */
    uint64_t count;
    const struct counter_event *event;
};

struct counters {
    const char *path;
    struct counter *list; /* owned */
    size_t count, room;
};

/* Read what `perf stat -x,` wrote.  Events that a machine does not have, and
   those that were not counted, are named on standard error.  MARGAY_BAD_INPUT
   with the file and the line; MARGAY_IO; MARGAY_NO_MEMORY.  Call
   counters_clear() in any case. */
enum margay_status counters_read(struct counters *counters, const char *path,
                                 struct margay_error *error);

void counters_clear(struct counters *counters);

/* Rows of VALIDATE_COLUMNS: each event with the counts of the machines.  Events
   of missing levels are named on standard error. */
void table_counters(struct csv_writer *csv,
                    const struct machine_results *results,
                    const struct counters *counters);

#endif
