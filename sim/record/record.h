/*
 * record.h - running a program so that it is recorded
 *
 * A method makes a program's references visible: code compiled into the
 * program, or a tool that runs it.  The table of methods is in
 * record_methods.c.
 */
#ifndef MARGAY_SIM_RECORD_RECORD_H
#define MARGAY_SIM_RECORD_RECORD_H

#include <sys/types.h>

#include "sim/options/options.h"
#include "traces/traces_internal.h"

#define LAUNCH_MAX_PREFIX 24

/* The start of a program; a method prepares it. */
struct launch {
    const struct options *options;
    char *program; /* the file, as found along PATH; owned */

    /* The arguments in front of the program's path and arguments.  Without any,
       the program keeps the name on the command line.  The strings belong to
       the method and stay until the program has started. */
    const char *prefix[LAUNCH_MAX_PREFIX];
    size_t prefix_count;

    /* References come through the recorder, which finds `receiver` by its
       environment or, where this option of a tool is set ("--capture"), by the
       argument that follows the prefix. */
    margay_receiver *receiver;
    const char *receiver_option;
    /* The method's tool runs all that comes of the program, and says that the
       program ended. */
    bool sees_end;

    pid_t process; /* once started */
    bool ended;    /* it has, with this state of waitpid() */
    int state;
    bool forwarded; /* a signal to it */
    bool cut;       /* one has ended the wait for processes that it left */
};

/* The exit statuses of a program that does not run, as of env and timeout. */
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND  127

/* Prepare the launch by the method of --method, or the first that suits the
   program.  Messages name the method and, with --verbose, why others do not
   suit. */
enum margay_status record_prepare(struct launch *launch,
                                  struct margay_error *error);

/* Print the flags to compile and to link a program with, in one line. */
enum margay_status record_print_flags(const struct options *options,
                                      struct margay_error *error);

/* The file of the recorder that is built where Valgrind is. */
#define RECORD_VALGRIND "valgrind/margay-valgrind"

/* Find the directory, of PATH_MAX bytes, of a file of the recorder: where this
   program was built or installed, or the directory of MARGAY_RUNTIME. */
enum margay_status record_find(const char *file, char *directory,
                               struct margay_error *error);

/* Does the program's file hold the mark of a part of the recorder, "runtime" or
   "plugin"?  Is it built with the runtime, so that it records itself? */
bool record_carries(const char *program, const char *part);
bool record_is_built(const char *program);

/* The range of a function in the program; an empty range if the name is NULL.
   The name is that of the symbol or, for C++, in the source; where several
   functions are called so, MARGAY_BAD_ARGUMENT. */
enum margay_status record_find_function(const char *program, const char *name,
                                        struct margay_code_range *range,
                                        struct margay_error *error);

/* Start the program.  MARGAY_IO if it cannot be run or is not found; then
   *exit_status is 126 or 127.  With `trace_is_output` the program's standard
   output goes to standard error. */
enum margay_status launch_start(struct launch *launch, bool trace_is_output,
                                int *exit_status, struct margay_error *error);

/* Reap the program and its orphans, of which the receiver hears, and hand on
   signals. */
void launch_watch(struct launch *launch);

/* Check that the program, and the interpreters of a script, can be run:
   otherwise MARGAY_IO, and *exit_status is 126 or, if one does not exist,
   127. */
enum margay_status launch_check(const char *program, int *exit_status,
                                struct margay_error *error);

/* The file at the end of scripts that interpret each other, into `path`, of
   PATH_MAX bytes; false: that file cannot be run, and errno says why. */
bool launch_find_binary(const char *program, char *path);

/* Is the file a binary for the machine that this program is for? */
bool launch_is_native(const char *binary);

/* Is the file a binary that needs no dynamic linker? */
bool launch_is_static(const char *binary);

/* After the end of the recording: MARGAY_IO if references are missing that it
   should have had, all that were sent if it `is_whole`, or MARGAY_BAD_ARGUMENT
   if the method does not suit the program; *exit_status is 126 where the tool
   could not run it.  Says which functions were not met. */
enum margay_status record_check(const struct launch *launch, bool is_whole,
                                int *exit_status, struct margay_error *error);

/* ---------------------------------------- the files of a recording -- */

/* The references that are turned from addresses into ids at a time. */
#define UNITS_REFS 1024

struct traces {
    const struct options *options;
    margay_receiver *receiver;
    const char *format;
    struct trace_file *files; /* by thread; or one */
    struct output **outputs;  /* of the files, with the same indices */
    size_t file_count;
    uint64_t to_skip, to_write; /* references */
    uint64_t refs;              /* written */
    struct margay_relay *relay; /* for the reader of a pipe; NULL = none */
    /* A batch in units of the format's ids. */
    uint64_t numbers[UNITS_REFS];
    uint32_t extents[UNITS_REFS];
};

/* Does the trace go to standard output? */
bool traces_to_standard_output(const struct options *options);

/* Open the trace, or that of the first thread. */
enum margay_status traces_open(const struct options *options,
                               margay_receiver *receiver, struct traces *output,
                               struct margay_error *error);

/* Write what the receiver has next, after a wait as of margay_receiver_next(),
   whose results these are: what the options select of it, or, if they select
   all and the format has words, these as they are. */
enum margay_status traces_put_next(struct traces *output, int wait_ms,
                                   struct margay_error *error);

/* If `status` is MARGAY_OK, write the references still held back and publish
   the files; otherwise print *error.  True if the files appeared. */
bool traces_conclude(struct traces *output, enum margay_status status,
                     struct margay_error *error);

#endif
