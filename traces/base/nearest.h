/* nearest.h - suggestions in messages: the name that was meant, or a list */
#ifndef MARGAY_TRACES_BASE_NEAREST_H
#define MARGAY_TRACES_BASE_NEAREST_H

#include <stddef.h>

/* The candidate that is closest to `word`: one that begins with it, or lies
   within two edits (insert, delete, replace, swap neighbours); NULL if there is
   none.  candidate(i, context) is name i, NULL after the last. */
const char *margay_nearest(const char *word,
                           const char *(*candidate)(size_t i,
                                                    const void *context),
                           const void *context);

/* All candidates, or the first four and how many others there are:
   "a, b, c, d and 12 others". */
void margay_list_names(const char *(*candidate)(size_t i, const void *context),
                       const void *context, char *text, size_t bytes);

#endif
