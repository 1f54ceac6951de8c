/* error.h - how the library fills in a struct margay_error */
#ifndef MARGAY_TRACES_BASE_ERROR_H
#define MARGAY_TRACES_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* A control character breaks a line, or changes the state of a terminal. */
static inline bool margay_is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

/* The ending of a noun after a count: "" for 1, otherwise `plural`, such as
   "s". */
static inline const char *margay_plural(uint64_t count, const char *plural)
{
    return count == 1 ? "" : plural;
}

/* Replace each control character by '?', in place. */
void margay_make_printable(char *text);

/* Write a message into *error (which may be NULL) and return `status`, so that
   a failing path reads `return margay_fail(error, STATUS, ...)`.  Control
   characters, which a file name or a trace may bring in, become '?', so that a
   message is always one printable line. */
enum margay_status margay_fail(struct margay_error *error,
                               enum margay_status status, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));

/* Fail as `failure` says, if it does: copy it into *error (which may be NULL),
   and return its status. */
static inline enum margay_status margay_fail_again(
    struct margay_error *error, const struct margay_error *failure)
{
    if (failure->status != MARGAY_OK && error != NULL)
        *error = *failure;
    return failure->status;
}

/* The message for every failed allocation; `what` is a noun: "a batch". */
enum margay_status margay_fail_memory(struct margay_error *error,
                                      const char *what);

#endif
