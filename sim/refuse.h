/* refuse.h - what is said to a value that will not do */
#ifndef MARGAY_SIM_REFUSE_H
#define MARGAY_SIM_REFUSE_H

#include <stddef.h>

#include <margay/status.h>

/* "NAME: 'TEXT' (expected EXPECTED)"; returns MARGAY_BAD_ARGUMENT. */
enum margay_status refuse(const char *name, const char *text,
                          const char *expected, struct margay_error *error);

/*
 * The index of `text` in `words`, which NULL ends.  Otherwise a refusal that
 * lists them, and names the one that was probably meant.
 */
enum margay_status find_word(const char *name, const char *text,
                             const char *const *words, size_t *index,
                             struct margay_error *error);

#endif
