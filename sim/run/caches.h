/*
 * caches.h - what the consumers that simulate caches have in common
 *
 * A request for caches is met in parts, each of one policy and in one of three
 * ways: LRU caches in one structure, OPT once the trace has been read, or every
 * cache by itself.  caches_parts.c divides the request, and feeds the parts the
 * same spans, one after the other.
 */
#ifndef MARGAY_SIM_RUN_CACHES_H
#define MARGAY_SIM_RUN_CACHES_H

#include <margay/run.h>

struct margay_caches {
    margay_consumer consumer;
    struct margay_caches_request request; /* with the lists below */
    const char *policy;                   /* of all of them */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    unsigned most_ways;
    const struct margay_pass *passes;
    size_t pass_count;
    unsigned threads;
    const struct margay_watch *watch; /* NULL = none */
    void (*get)(const struct margay_caches *caches, size_t pass, size_t set,
                size_t way, struct margay_cache_row *row);
};

/* Each makes a zeroed consumer of its own, with functions, abilities and get;
   NULL = no memory. */
struct margay_caches *margay_caches_lru(void);
struct margay_caches *margay_caches_optimal(void);
struct margay_caches *margay_caches_single(void);

/* The consumer of a part: the caches of a request that are of a policy, or of
   some of its numbers.  MARGAY_BAD_ARGUMENT; MARGAY_NO_MEMORY. */
enum margay_status margay_caches_part(
    const struct margay_caches_request *request, const char *policy,
    struct margay_caches **part, struct margay_error *error);

/* MARGAY_BAD_ARGUMENT where the lists of a request are not in order, or what is
   asked of all its parts cannot be. */
enum margay_status margay_caches_check(
    const struct margay_caches_request *request, struct margay_error *error);

/* To begin with: what all of them keep. */
void margay_caches_begin(struct margay_caches *caches,
                         const struct margay_pass *passes, size_t count,
                         const struct margay_share *share);

/* How many caches there are for each pass. */
size_t margay_caches_per_pass(const struct margay_caches *caches);

/* What cache i of a pass is. */
struct margay_cache_options margay_caches_options(
    const struct margay_caches *caches, size_t i);

/* Fail if this machine's memory has no room for all caches, one by one. */
enum margay_status margay_caches_check_room(const struct margay_caches *caches,
                                            struct margay_error *error);

/* Can all ways of a number of sets be simulated at once? */
bool margay_caches_in_one_pass(const struct margay_caches_request *request);

#endif
