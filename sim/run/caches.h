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

struct margay_caches;
struct margay_caches_part;

/* A part begins as a question does. */
typedef enum margay_status margay_caches_begin(
    const struct margay_caches_part *part, const struct margay_pass *passes,
    size_t count, const struct margay_share *share,
    struct margay_caches **caches, struct margay_error *error);
margay_caches_begin margay_caches_begin_lru, margay_caches_begin_optimal,
    margay_caches_begin_single;

/* The caches of a request that are of a policy, or of some of its numbers. */
struct margay_caches_part {
    struct margay_caches_request request; /* with the lists below */
    size_t policy;                        /* of the request, */
    const char *spec;                     /* and its spec */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    unsigned most_ways;
    unsigned needs; /* columns */
    margay_caches_begin *begin;
};

/* The analysis of a part. */
struct margay_caches {
    margay_analysis analysis;
    const struct margay_caches_part *part;
    /* What a cache has counted, whose place is in the lists of the part. */
    void (*get)(const struct margay_caches *caches,
                const struct margay_pass *pass, size_t set, size_t way,
                struct margay_cache_row *row);
};

/* How many caches a part has. */
size_t margay_caches_count(const struct margay_caches_part *part);

/* What cache i is. */
struct margay_cache_options margay_caches_options(
    const struct margay_caches_part *part, size_t i);

#endif
