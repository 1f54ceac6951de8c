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

/* Marks the functions that the shared library exports. */
#if defined(__GNUC__)
#define MARGAY_API __attribute__((visibility("default")))
#else
#define MARGAY_API
#endif

enum margay_status {
    MARGAY_OK = 0,
    /* These are not failures. */
    MARGAY_END,   /* The trace is exhausted. */
    MARGAY_AGAIN, /* Nothing was ready within the time allowed. */
    /* These are failures. */
    MARGAY_BAD_ARGUMENT, /* The caller asked for the impossible. */
    MARGAY_BAD_INPUT,    /* A trace or a table is malformed or cut short. */
    MARGAY_IO,           /* The operating system refused; errno says why. */
    MARGAY_NO_MEMORY,    /* The system gave no memory or no addresses. */
};

/* The length of the longest message with its final NUL; longer ones are cut. */
#define MARGAY_MESSAGE_BYTES 1024

/* Where a function explains a failure.  The caller owns the structure, and
   every function that takes one accepts NULL.  The contents are valid only
   after a failure. */
struct margay_error {
    /* The status that the function returned. */
    enum margay_status status;
    /* One line without a newline: FILE:LINE or FILE: byte OFFSET where the
       failure has a place, then what was found and what was expected. */
    char message[MARGAY_MESSAGE_BYTES];
};

#ifdef __cplusplus
}
#endif

#endif
