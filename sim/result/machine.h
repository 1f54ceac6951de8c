/*
 * machine.h - machines of caches, from a table or the system, their varied
 * fields, and the rows about them
 *
 * Several machines are those of one table of which some fields vary.
 */
#ifndef MARGAY_SIM_RESULT_MACHINE_H
#define MARGAY_SIM_RESULT_MACHINE_H

#include <margay/hierarchy.h>
#include <margay/questions.h>
#include <margay/run.h>

#include "sim/result/csv.h"
#include "sim/result/csv_read.h"

/* The most fields that vary. */
#define MACHINE_MOST_VARIED 8

/* A field of a machine's table, and its values. */
struct machine_varied {
    size_t level, column;
    bool tied;     /* moves with the field before it */
    char **values; /* owned, and so is each */
    size_t count, room;
};

struct machine {
    /* Their texts are those of the table and of the values. */
    struct margay_level levels[MARGAY_MOST_LEVELS];
    size_t count;
    uint64_t entries[MARGAY_MOST_LEVELS]; /* of the size of a block; 0 = bytes
                                             are given */
    bool says_shared[MARGAY_MOST_LEVELS]; /* by how many cores */
    struct machine_varied varied[MACHINE_MOST_VARIED];
    size_t varied_count; /* 0 = nothing varies */
    struct cells cells;  /* the table */
    char *path;          /* in messages; owned */
};

/*
 * Read the machine NAME: the table in the file NAME; if there is no such file
 * and NAME has no slash, the table NAME.csv that was installed; for "host", the
 * machine that this runs on, as the system describes it.
 *
 * `vary`, unless NULL, is CACHE.COLUMN[+CACHE.COLUMN...]=A..B|LIST[,...].  A..B
 * is A, twice A, and so on up to B, and after 0 comes 1.  Fields joined by '+'
 * move together, and a value is one for all or one for each, joined by '+'. The
 * table may hold anything in these fields.
 *
 * MARGAY_IO, with the names of all machines; MARGAY_BAD_INPUT with the file,
 * the line, the cache and the column; MARGAY_BAD_ARGUMENT, about --vary;
 * MARGAY_NO_MEMORY.  Call machine_clear() in any case.
 */
enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error);

/* The same of an open file or, if it is NULL, of the one at the path. */
enum margay_status machine_read(struct machine *machine, const char *path,
                                FILE *file, const char *vary,
                                struct margay_error *error);

/* One that is all zeros was not read. */
void machine_clear(struct machine *machine);

/* How many machines there are; at least 1. */
size_t machine_count(const struct machine *machine);

/* The value of a varied field in machine `index`; the first field varies the
   least. */
const char *machine_value(const struct machine *machine, size_t index,
                          size_t field);

/* `before`, and then a column for each field that varies.  MARGAY_NO_MEMORY.
   The caller frees *names. */
enum margay_status machine_columns(const struct machine *machine,
                                   const char *before, char **names,
                                   struct margay_error *error);

/* CACHE.COLUMN=VALUE[,...] of machine `index`, cut at `bytes`; empty if nothing
   varies. */
void machine_text(const struct machine *machine, size_t index, char *text,
                  size_t bytes);

/* The levels of all machines, one machine after the other.  Their texts are
   those of *machine, which is left as the last one.  MARGAY_BAD_INPUT names the
   table, the line, the cache, and the fault of a machine; MARGAY_BAD_ARGUMENT
   about --vary; MARGAY_NO_MEMORY.  The caller frees *levels in any case. */
enum margay_status machine_levels(struct machine *machine,
                                  struct margay_level **levels,
                                  struct margay_error *error);

/* ------------------------------------------------------- their rows -- */

/* The machines of a run, and the counts of one trace. */
struct machine_results {
    const char *name; /* of the machine, as named */
    const char *trace;
    const struct machine *machine;     /* its table, and its varied fields */
    const struct margay_level *levels; /* of all machines, one by one */
    const margay_family *family;
    const struct margay_level_counts *counts; /* of all, and of the input */
    uint64_t instructions; /* 0 = fetches count, if the trace has all */
};

/* Does a level of the machines have cycles, and is one coherent? */
void machines_find(const struct machine_results *results, bool *have_cycles,
                   bool *are_coherent);

/* The references of the trace, of each kind. */
const uint64_t *machine_references(const struct machine_results *results);

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
