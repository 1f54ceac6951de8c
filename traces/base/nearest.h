/* nearest.h - the known name that a misspelt one resembles */
#ifndef MARGAY_TRACES_BASE_NEAREST_H
#define MARGAY_TRACES_BASE_NEAREST_H

#include <stddef.h>

/*
 * The candidate that is closest to `word`: one that begins with it, or lies
 * within two edits (insert, delete, replace, swap neighbours); NULL if there is
 * none.  candidate(i, context) is the name of candidate i, NULL after the last.
 */
const char *margay_nearest(const char *word,
                           const char *(*candidate)(size_t i,
                                                    const void *context),
                           const void *context);

#endif
