/*
 * admission.h - the admission of objects to a cache
 *
 * `admit=` and `tier=` stand among the parameters of any policy for objects.  A
 * request that is not admitted is a miss, stores and evicts nothing, and does
 * not change the policy.
 */
#ifndef MARGAY_ASSOC_ADMISSION_H
#define MARGAY_ASSOC_ADMISSION_H

#include "assoc/policies/sketch.h"

/* ---------------------------------------------- adaptsize (adaptsize.c) -- */

/* Requests between two choices, unless another number is given. */
#define MARGAY_ADAPTSIZE_INTERVAL 500000

struct margay_adaptsize {
    uint64_t interval, left; /* requests until the next choice */
    uint64_t objects;
    double room, scale;   /* bytes of the cache; c */
    uint64_t known_bytes; /* of the objects that have a rate or a count */
    double *rates;        /* [object]: for an interval, of those before it */
    /* [object]: requests since the last choice, which has the probabilities of
       coming in there. */
    double *counts;
};

/* `adaptsize->interval` is set. */
void margay_adaptsize_set_up(struct margay_adaptsize *adaptsize,
                             const struct margay_policy_setup *setup,
                             struct margay_layout *layout);

/* A request. */
void margay_adaptsize_watch(struct margay_adaptsize *adaptsize, uint32_t object,
                            const struct margay_amounts *sizes);

/* The size of an object changes. */
void margay_adaptsize_resize(struct margay_adaptsize *adaptsize,
                             uint32_t object, uint64_t from, uint64_t to);

/* The probability that an object of that size comes in. */
double margay_adaptsize_probability(const struct margay_adaptsize *adaptsize,
                                    uint64_t bytes);

/* ------------------------------------------------------------ admission -- */

enum margay_admission_rule {
    MARGAY_ADMIT_ALL,
    MARGAY_ADMIT_SMALL,  /* size<N: of fewer than N bytes */
    MARGAY_ADMIT_SOME,   /* P: with this probability */
    MARGAY_ADMIT_SECOND, /* second-hit: objects requested before */
    /* These need all requests. */
    MARGAY_ADMIT_ADAPTED,  /* adaptsize: small ones, as the cache hits most */
    MARGAY_ADMIT_FREQUENT, /* tinylfu: objects requested more often than the
                              victim */
};

struct margay_admission {
    enum margay_admission_rule rule;
    uint64_t bytes;
    double probability;
    struct margay_random chances;
    uint8_t *asked; /* [object]: it was requested */
    struct margay_adaptsize adaptsize;
    struct margay_sketch sketch;
    uint64_t tier_bytes; /* of the memory before the cache; 0 = there is none */
};

/* Take the admission and the tier out of the spec of a policy: `plain`, which
   has room for `spec`, is the rest.  MARGAY_BAD_ARGUMENT. */
enum margay_status margay_admission_take(const char *spec, char *plain,
                                         struct margay_admission *admission,
                                         struct margay_error *error);

/* MARGAY_BAD_ARGUMENT: the policy, of `spec`, cannot have it. */
enum margay_status margay_admission_check(
    const struct margay_admission *admission,
    const struct margay_policy *policy, const char *spec,
    struct margay_error *error);

/* Lay out its arrays, which are not touched. */
void margay_admission_set_up(struct margay_admission *admission,
                             const struct margay_policy_setup *setup,
                             struct margay_layout *layout);

/* A request of an object, held or not, before any other call for it. */
void margay_admission_watch(struct margay_admission *admission, uint32_t object,
                            const struct margay_amounts *sizes);

/* Does an object that misses come in?  `victim` would make room for it, or is
   MARGAY_NO_SLOT. */
bool margay_admission_admits(struct margay_admission *admission,
                             uint32_t object, uint64_t bytes, uint32_t victim);

#endif
