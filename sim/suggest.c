/* suggest.c - "(did you mean ...?)" */
#include "sim/suggest.h"

#include <stdio.h>

#include "traces/traces_internal.h"

struct suggestion suggest(const char *word, const char *prefix,
                          const char *(*candidate)(size_t i,
                                                   const void *context),
                          const void *context)
{
    struct suggestion suggestion = {""};
    const char *nearest = margay_nearest(word, candidate, context);
    if (nearest != NULL)
        snprintf(suggestion.text, sizeof suggestion.text,
                 " (did you mean '%s%s'?)", prefix, nearest);
    return suggestion;
}
