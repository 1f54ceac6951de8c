/*
 * machine.h - machines of caches, from a table or the system, and their varied
 * fields
 *
 * Several machines are those of one table of which some fields vary.
 */
#ifndef MARGAY_SIM_RESULT_MACHINE_H
#define MARGAY_SIM_RESULT_MACHINE_H

#include <margay/hierarchy.h>

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

#endif
