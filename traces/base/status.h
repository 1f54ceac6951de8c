/*
 * margay/status.h - how every Margay function reports success and failure
 *
 * A function that can fail returns an enum margay_status and, where it takes
 * one, writes a sentence for people into a struct margay_error.  Nothing in
 * the library prints, exits, or reads the environment.
 */
#ifndef MARGAY_STATUS_H
#define MARGAY_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the shared library exports; everything else stays inside. */
#if defined(__GNUC__)
#define MARGAY_API __attribute__((visibility("default")))
#else
#define MARGAY_API
#endif

enum margay_status {
    MARGAY_OK = 0,
    /* Not failures: */
    MARGAY_END,   /* the trace is exhausted */
    MARGAY_AGAIN, /* nothing was ready within the time allowed */
    /* Failures: */
    MARGAY_BAD_ARGUMENT, /* the caller asked for what cannot be */
    MARGAY_BAD_INPUT,    /* a trace or a table is malformed or cut short */
    MARGAY_IO,           /* the operating system refused: errno's reason */
    MARGAY_NO_MEMORY,    /* memory or an address range could not be had */
};

/* Room for one sentence with a file name in it; longer ones are cut. */
#define MARGAY_MESSAGE_BYTES 1024

/*
 * Where a failing function explains itself.  Owned by the caller; every
 * function that takes one accepts NULL.  `message` is one line without a
 * newline: FILE:LINE or FILE: byte OFFSET first where there is a place, then
 * what was wrong and what was expected.  Valid only after a failure.
 */
struct margay_error {
    enum margay_status status;
    char message[MARGAY_MESSAGE_BYTES];
};

/*
 * A few words for a status ("out of memory"), never NULL, static storage.
 * For a status outside the enumeration: "unknown status".
 */
MARGAY_API const char *margay_status_text(enum margay_status status);

#ifdef __cplusplus
}
#endif

#endif
