/*
 * libc.h - what the recorder uses of the C library, where there is none
 *
 * A tool of Valgrind is linked without the C library.  The functions that the
 * files of the recorder call are here, by their usual names: each does as much
 * as these files ask for.
 */
#ifndef MARGAY_TRACES_CAPTURE_VALGRIND_LIBC_H
#define MARGAY_TRACES_CAPTURE_VALGRIND_LIBC_H

/* What secure_getenv() finds; NULL = nothing. */
extern const char *margay_libc_capture;

/* What pthread_atfork() was told. */
extern void (*margay_libc_before_fork)(void);
extern void (*margay_libc_after_fork)(void);

#endif
