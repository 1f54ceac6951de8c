/*
 * message.h - what the command says on stderr
 *
 * Every message is one printable line, "margay COMMAND: ...".  A status line
 * (progress on a terminal) is overwritten by the next one and wiped before
 * any message.
 */
#ifndef MARGAY_SIM_MESSAGE_H
#define MARGAY_SIM_MESSAGE_H

#include <margay/status.h>

/* What the command's exit status is made of; see also signals.h. */
#define EXIT_DONE    0
#define EXIT_DENIED  1   /* a comparison beyond its tolerance */
#define EXIT_TROUBLE 2   /* usage, input or output error */
#define EXIT_FAILED  125 /* the same of a command that runs another */

/* Prefix all further messages with this command; NULL: with none. */
void message_set_command(const char *name);

/* Say nothing from now on: somebody else does. */
void message_be_silent(void);

void message_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Print a library's explanation; returns EXIT_TROUBLE for convenience. */
int message_error(const struct margay_error *error);

/* Show a text on the terminal's current line until something replaces it. */
void message_status(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void message_wipe_status(void);

#endif
