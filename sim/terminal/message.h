/*
 * message.h - the messages on standard error, and the progress of a long run
 *
 * Every message is one printable line, "margay COMMAND: ...".  On a terminal, a
 * status line shows the progress; the next one overwrites it, and it is wiped
 * before any message.  SIGUSR1 asks for a message of the progress anywhere.
 */
#ifndef MARGAY_SIM_TERMINAL_MESSAGE_H
#define MARGAY_SIM_TERMINAL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* The exit statuses, next to 128 + N for a signal N. */
#define EXIT_DONE    0
#define EXIT_DENIED  1   /* a comparison beyond its tolerance */
#define EXIT_TROUBLE 2   /* usage, input or output error */
#define EXIT_FAILED  125 /* the same for a command that runs a program */

/* Prefix all further messages with this command; NULL: with none. */
void message_set_command(const char *name);

/* Print nothing from now on; another process prints the messages. */
void message_be_silent(void);

void message_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Keep a message until the command has succeeded, because a failure is one line
   only: message_tell_kept() prints the messages kept or, if not `wanted`, drops
   them. */
void message_keep(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void message_tell_kept(bool wanted);

/* Keep a summary likewise, unless --quiet asks for none. */
void message_tell(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void message_be_quiet(void);

/* Keep no message from now on: another command reports on the same trace. */
void message_keep_none(void);

/* Print the message of an error; returns EXIT_TROUBLE. */
int message_error(const struct margay_error *error);

struct progress {
    const char *name; /* of the trace or the program */
    bool quiet, terminal;
    bool simulates;        /* references that have been read */
    double started, shown; /* seconds */
};

/* Begin with `name`, which must outlive the progress. */
void progress_begin(struct progress *progress, const char *name, bool quiet);

/* Note that `references` references are done, and `done` of `total` steps, by
   which the time left is estimated; total 0 = unknown.  Cheap enough to be
   called for every batch. */
void progress_update(struct progress *progress, uint64_t references,
                     uint64_t done, uint64_t total);

/* Wipe the status line. */
void message_wipe_status(void);

struct suggestion {
    char text[80];
};

/* " (did you mean 'PREFIXcandidate'?)" for the candidate nearest to `word`;
   empty if none is near.  The candidates are those of margay_nearest(). */
struct suggestion suggest(const char *word, const char *prefix,
                          const char *(*candidate)(size_t i,
                                                   const void *context),
                          const void *context);

#endif
