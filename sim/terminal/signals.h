/*
 * signals.h - interrupts, progress requests and failing writes
 *
 * SIGINT and SIGTERM end an analysis gracefully: it finishes its batch and
 * writes the results so far.  The second of them kills at once, as does the
 * first where no analysis runs, SIGHUP and SIGQUIT; temporary files are removed
 * before.  A command that forwards signals treats SIGHUP as it does SIGTERM.
 * SIGUSR1 asks for a line of progress.
 */
#ifndef MARGAY_SIM_TERMINAL_SIGNALS_H
#define MARGAY_SIM_TERMINAL_SIGNALS_H

#include <stdbool.h>

/* Install the handlers.  Call once, before anything else. */
void signals_install(void);

/* Keep the next SIGINT or SIGTERM for signals_interrupted(), or no more. */
void signals_finish_gracefully(bool graceful);

/* From now on each of them kills: the output of this process is a part of
   another one's, which does not appear without the others. */
void signals_keep_none(void);

/* Treat SIGHUP as SIGTERM from now on. */
void signals_keep_hangup(void);

/* The signal that asked for an end; 0 while none has. */
int signals_interrupted(void);

/* That signal has had its effect: it is 0 again, and the next one is kept. */
void signals_forget(void);

/* True once after each SIGUSR1. */
bool signals_report_wanted(void);

/* Remove `path` if a signal kills the process.  signals_spare() revokes that;
   the string must stay until then.  False if there is no memory to note the
   path, so that a signal would leave the file. */
bool signals_doom(const char *path);
void signals_spare(const char *path);

/* Before a signal kills this process, kill this process group and wait for its
   leader, a child of this process; 0 = no group any more. */
void signals_own_group(int group);

/* No signal kills between these two calls, so that what lies between is done as
   a whole or not at all. */
void signals_hold(void);
void signals_release(void);

/* End this process by `signal`, as if it had never been caught. */
_Noreturn void signals_die(int signal);

/* In a child between fork and exec: back to the system's defaults. */
void signals_reset(void);

#endif
