/*
 * signals.h - interrupts, progress requests and failing writes
 *
 * SIGINT and SIGTERM end an analysis gracefully: it finishes its batch and
 * prints what it has.  The second one, and the first wherever no analysis is
 * running, kills at once, as does SIGHUP; temporary files are removed first.
 * SIGUSR1 asks for a line of progress.
 */
#ifndef MARGAY_SIM_SIGNALS_H
#define MARGAY_SIM_SIGNALS_H

#include <stdbool.h>

/* Install the handlers.  Call once, before anything else. */
void signals_install(void);

/* Whether the next SIGINT or SIGTERM is kept for signals_interrupted(). */
void signals_finish_gracefully(bool graceful);

/* The signal that asked for an end; 0 while none has. */
int signals_interrupted(void);

/* True once after each SIGUSR1. */
bool signals_report_wanted(void);

/*
 * Remove `path` if a signal kills the process; signals_spare() takes that
 * back, and the string must stay until then.  Four at a time; a fifth would
 * be left behind.
 */
void signals_doom(const char *path);
void signals_spare(const char *path);

/* Between these two, nothing kills: for what must not be told apart. */
void signals_hold(void);
void signals_release(void);

/* Die of `signal` as if it had never been caught. */
_Noreturn void signals_die(int signal);

/* In a child between fork and exec: back to the system's defaults. */
void signals_reset(void);

#endif
