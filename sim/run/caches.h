/*
 * caches.h - the parts of a grid of caches
 *
 * A request for caches is met in parts, each of one policy and in one of three
 * ways: LRU caches in one structure, optimal ones in another, or every cache by
 * itself.  caches.c divides the request, and feeds the parts the same
 * spans, one after the other.
 */
#ifndef MARGAY_SIM_RUN_CACHES_H
#define MARGAY_SIM_RUN_CACHES_H

#include <margay/questions.h>

/* A way to meet a part. */
struct margay_caches_way {
    struct margay_analysis_class functions;
    /* What a cache has counted, whose place is in the lists of the part. */
    void (*get)(const margay_analysis *analysis, const struct margay_pass *pass,
                size_t set, size_t way, struct margay_cache_row *row);
};

extern const struct margay_caches_way margay_caches_lru, margay_caches_optimal,
    margay_caches_single;

/* The caches of a request that are of a policy, or of some of its numbers. */
struct margay_caches_part {
    margay_question question;
    struct margay_caches_request request; /* with the lists below */
    size_t policy;                        /* of the request, */
    const char *spec;                     /* and its spec */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    unsigned most_ways;
    const struct margay_caches_way *way;
};

static inline const struct margay_caches_part *margay_caches_part_of(
    const margay_analysis *analysis)
{
    return (const struct margay_caches_part *)analysis->question;
}

/* How many caches a part has. */
size_t margay_caches_count(const struct margay_caches_part *part);

/* What cache i is. */
struct margay_cache_options margay_caches_options(
    const struct margay_caches_part *part, size_t i);

#endif
