/*
 * drive.h - how a command that reads traces runs
 *
 * The options become a request (<margay/run.h>), and the calls of the run to
 * its host become progress, messages and files.  A command asks a question and
 * writes the results.
 */
#ifndef MARGAY_SIM_COMMAND_DRIVE_H
#define MARGAY_SIM_COMMAND_DRIVE_H

#include "sim/options/options.h"
#include "sim/result/tables.h"
#include <margay/questions.h>
#include <margay/run.h>

/* The functions of a command.  One may be NULL where the command has no use for
   it, and `open` with `measures` alone. */
struct drive {
    const struct options *options;
    void *context;

    /* The question is one of distances, by an engine that has the abilities
       `needs`, a set of enum margay_engine_ability. */
    bool measures;
    unsigned needs;
    bool has_engine; /* or it is the command's own, and has that engine */
    bool summarises; /* a line for people about each pass */
    bool copies;     /* it has no result before the end, and measures nothing */

    /* The table that drive_table() writes. */
    struct csv_writer *csv;
    const char *columns;
    bool upright; /* begun by csv_begin_upright() */

    /* The question or, with `measures`, the further question of the engine,
       NULL for none. */
    enum margay_status (*open)(void *context, margay_question **question,
                               struct margay_error *error);
    /* As in struct margay_host. */
    enum margay_status (*begun)(void *context, const struct margay_job *job,
                                struct margay_error *error);
    enum margay_status (*ended)(void *context, const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error);

    /* The rows of one pass in a snapshot (--every), whose columns these are. */
    enum margay_status (*snapshot)(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error);
    const char *snapshot_columns;
    /* At each --every, after the snapshot: what else shows the results so far.
       NULL = nothing. */
    enum margay_status (*publish)(void *context, const struct margay_job *job,
                                  struct margay_error *error);
};

/*
 * Run on all traces of the command line.  A signal that asks for an end ends
 * the run with the results so far, and MARGAY_OK.
 */
enum margay_status drive_run(const struct drive *drive,
                             struct margay_error *error);

/* If `status` is MARGAY_OK, drive_run() with the table of drive->csv in the
   FILE of --output.  Prints *error, and returns the exit status. */
int drive_table(const struct drive *drive, enum margay_status status,
                struct margay_error *error);

/* Make this process one of the ranks of a cluster, before any run. */
void drive_join(const struct margay_transport *transport);

/* Does a cluster run the command?  Its output passes through other programs. */
bool drive_has_ranks(void);

/* Is this process a helper?  Rank 0 is the command that a user sees; the other
   ranks are its helpers, with the same command line, and analyse parts of each
   trace. */
bool drive_is_helper(void);

/* Serve as a helper until rank 0 dismisses it; returns the exit status. */
int drive_serve(const struct options *options);

/* On rank 0, dismiss the helpers with an exit status; returns that status. */
int drive_dismiss(int exit_status);

/* A question of a command's own: `kind` with this context.  MARGAY_NO_MEMORY.
 */
enum margay_status drive_question(const margay_question *kind, void *context,
                                  margay_question **question,
                                  struct margay_error *error);

#endif
