/* suggest.h - "(did you mean ...?)" */
#ifndef MARGAY_SIM_SUGGEST_H
#define MARGAY_SIM_SUGGEST_H

#include <stddef.h>

struct suggestion {
    char text[80];
};

/*
 * " (did you mean 'PREFIXcandidate'?)" for the candidate nearest to `word`,
 * empty if none is near; the candidates are those of margay_nearest().
 */
struct suggestion suggest(const char *word, const char *prefix,
                          const char *(*candidate)(size_t i,
                                                   const void *context),
                          const void *context);

#endif
