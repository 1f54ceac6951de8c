/*
 * record.h - running a program so that it is recorded
 *
 * A method makes a program's references visible: code that is part of it, an
 * emulator that runs it, a tool.  Each is a row of the table in
 * record_methods.c, in a file record_NAME.c.
 */
#ifndef MARGAY_SIM_RECORD_H
#define MARGAY_SIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sim/options.h"
#include "traces/traces_internal.h"

#define LAUNCH_MAX_PREFIX 16

/* How the program is to be started; prepared by a method. */
struct launch {
    const struct options *options;
    char *program; /* the file, as found along PATH; owned */

    /* What comes before the program's file and its arguments; the name stays as
       it was given if that is nothing.  The strings are the method's, and stay
       until the program has started. */
    const char *prefix[LAUNCH_MAX_PREFIX];
    size_t prefix_count;

    /* References come through the recorder, which is told of `receiver` in
       its environment, ... */
    margay_receiver *receiver;
    /* ... or as text in this format, which is to be written to descriptor
       LAUNCH_TEXT_DESCRIPTOR. */
    const char *text_format;

    pid_t process; /* once started */
};

/* Where a tool that writes text finds the pipe. */
#define LAUNCH_TEXT_DESCRIPTOR 9

/* Why there is no trace, as env, nice and timeout have it. */
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND  127

struct record_method {
    const char *name;
    const char *slowdown; /* what to expect: "3 to 7 times" */

    /* Whether that program can be recorded so, here and now; if not, why not
       ("valgrind is not installed"). */
    bool (*suits)(const struct options *options, const char *program, char *why,
                  size_t why_bytes);
    /* Fill in prefix and text_format. */
    enum margay_status (*prepare)(struct launch *launch,
                                  struct margay_error *error);
    bool knows_functions; /* --start and --stop may name them */
    bool knows_sites;     /* --sites */
    bool knows_fetches;   /* --fetches */
    bool knows_threads;   /* --thread-traces separate */
    bool collapses;       /* --collapse */
};

extern const struct record_method record_runtime;
extern const struct record_method record_qemu;
extern const struct record_method record_lackey;

/* The method asked for, or the first that suits the program; which, and why
   not others, is said in messages.  NULL: none. */
const struct record_method *record_method_choose(const struct options *options,
                                                 const char *program,
                                                 struct margay_error *error);

/* What to compile and to link a program with, on one line each. */
enum margay_status record_print_flags(const struct options *options,
                                      struct margay_error *error);

/*
 * The directory, of PATH_MAX bytes, with a file that is not for people: where
 * this program was built or installed, or what MARGAY_RUNTIME says.
 */
enum margay_status record_find(const char *file, char *directory,
                               struct margay_error *error);

/* Where a function of the program is; an empty range for NULL. */
enum margay_status record_find_function(const char *program, const char *name,
                                        struct margay_code_range *range,
                                        struct margay_error *error);

/* For prepare(): one more in front of the program. */
void launch_put_before(struct launch *launch, const char *argument);

/*
 * Start the program.  *exit_status is 126 or 127 if it cannot be run or is
 * not found, which is MARGAY_IO.  `text` is the writing end of a pipe or -1;
 * standard output goes to standard error if `trace_is_output`.
 */
enum margay_status launch_start(struct launch *launch, int text,
                                bool trace_is_output, int *exit_status,
                                struct margay_error *error);

/* The file that execvp would run, or else the first that it would find and may
   not run; NULL: there is none.  To be freed. */
char *launch_find(const char *name);

/* Whether a file that was found, and the interpreter of a script, may be run:
   else MARGAY_IO, and *exit_status is 126 or, if one is not there, 127. */
enum margay_status launch_check(const char *program, int *exit_status,
                                struct margay_error *error);

#endif
