/*
 * drive.h - running a command that reads traces
 *
 * The options become a request (<margay/run.h>), and the calls of the run to
 * its host become progress, messages and files.  A command asks a question and
 * writes the results.  Its functions get its struct drive, which has to be the
 * first member of its own structure: they cast the one to the other.
 */
#ifndef MARGAY_SIM_COMMAND_DRIVE_H
#define MARGAY_SIM_COMMAND_DRIVE_H

#include "sim/options/options.h"
#include "sim/result/tables.h"
#include <margay/questions.h>
#include <margay/run.h>

/* The most files of a command. */
#define DRIVE_MOST_FILES 3

/* A table that a command writes; of another kind of file, which has no columns,
   the output alone. */
struct drive_file {
    /* NULL: not asked for.  The first file is --output's, and a table; where
       files[0] has no columns, the command opens --output itself. */
    const char *path;
    const char *columns;
    enum csv_form form;
};

/* The functions of a command.  One may be NULL where the command has no use for
   it. */
struct drive {
    struct options options; /* of the run; `ask` may change them */

    /* The question is one of distances, by an engine that has the abilities
       `needs`, a set of enum margay_engine_ability. */
    bool measures;
    unsigned needs;
    bool has_engine; /* or it is the command's own, and has that engine */
    bool copies;     /* it has no result before the end, and measures nothing */

    /* The files, and the tables in them, which are zeroed before. */
    struct drive_file files[DRIVE_MOST_FILES];
    struct csv_writer csvs[DRIVE_MOST_FILES];

    /* Make the question; or leave it NULL where all has been done without one,
       and nothing is measured. */
    enum margay_status (*ask)(struct drive *drive, margay_question **question,
                              struct margay_error *error);

    /* As in struct margay_host. */
    enum margay_status (*begun)(struct drive *drive,
                                const struct margay_job *job,
                                struct margay_error *error);
    enum margay_status (*ended)(struct drive *drive,
                                const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error);

    /* At each --every: write the rows of one pass to the table of a snapshot
       or, where `csv` is NULL, keep them for publish(), which writes those of
       all passes for Prometheus. */
    enum margay_status (*snapshot)(struct drive *drive, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error);
    void (*publish)(struct drive *drive, struct output *output);
};

/* Make the question, open the files, and ask all traces of the command line.
   With `measures`, an engine is asked, and the question, NULL = none, is its
   further one.  A signal that asks for an end ends the run with the results so
   far, and MARGAY_OK. */
enum margay_status drive_run(struct drive *drive, struct margay_error *error);

/* The same for a whole command, whose files are published, as conclude() does;
   returns the exit status. */
int drive_command(struct drive *drive);

/* Open the files alone, where no trace is read. */
enum margay_status drive_open(struct drive *drive, struct margay_error *error);

/* The engine that the options ask for; `needs` is a set of enum
   margay_engine_ability. */
struct margay_engine_request drive_engine(const struct options *options,
                                          unsigned needs);

/* Are all traces read as one (--join, --mix)?  Their threads are then the
   traces. */
bool drive_joins(const struct options *options);

/* Does --tenant ask for threads, not for a column of a table? */
bool drive_tenants_are_threads(const struct options *options);

/* Make this process one of the ranks of a cluster, before any run. */
void drive_set_ranks(const struct margay_transport *transport);

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

#endif
