/* nearest.h - what somebody probably meant to write */
#ifndef MARGAY_TRACES_BASE_NEAREST_H
#define MARGAY_TRACES_BASE_NEAREST_H

#include <stddef.h>

/*
 * The candidate within two edits (insert, delete, replace, swap neighbours)
 * of `word`, or that begins with it, the closest first; NULL if none is near.
 * `candidate(i, context)` names the i-th, NULL ends them.
 */
const char *margay_nearest(const char *word,
                           const char *(*candidate)(size_t i,
                                                    const void *context),
                           const void *context);

#endif
