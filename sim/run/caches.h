/* caches.h - the parts of a grid of caches: see caches.c */
#ifndef MARGAY_SIM_RUN_CACHES_H
#define MARGAY_SIM_RUN_CACHES_H

#include <margay/questions.h>

/* A way to meet a part: its analyses, and what a cache has counted, whose place
   is in the lists of the part. */
struct margay_caches_way {
    margay_question question;
    void (*get)(const margay_analysis *analysis, const struct margay_pass *pass,
                size_t set, size_t way, struct margay_cache_row *row);
};

/* Every cache by itself. */
extern const struct margay_caches_way margay_caches_single;

/* The caches of a request that are of a policy, or of some of its numbers. */
struct margay_caches_part {
    margay_question question; /* that of the way */
    const struct margay_caches_way *way;
    struct margay_caches_request request; /* with the lists below */
    size_t policy;                        /* of the request, */
    const char *spec;                     /* and its spec */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    unsigned most_ways;
};

/* The part that an analysis is of. */
static inline const struct margay_caches_part *margay_caches_part_of(
    const margay_analysis *analysis)
{
    return (const struct margay_caches_part *)analysis->question;
}

#endif
