/* adaptsize.h - admits objects with a probability that falls with their size */
#ifndef MARGAY_ASSOC_ADAPTSIZE_H
#define MARGAY_ASSOC_ADAPTSIZE_H

#include "assoc/policies/policy.h"

/* Requests between two choices, unless another number is given. */
#define MARGAY_ADAPTSIZE_INTERVAL 500000

struct margay_adaptsize {
    uint64_t interval, left; /* requests until the next choice */
    uint64_t objects;
    double room, scale;    /* bytes of the cache; c */
    uint64_t known_bytes;  /* of the objects that have a rate or a count */
    uint32_t *counts;      /* [object]: requests since the last choice */
    double *rates;         /* [object]: for an interval, of those before it */
    double *probabilities; /* [object]: scratch */
};

/* `adaptsize->interval` is set. */
void margay_adaptsize_set_up(struct margay_adaptsize *adaptsize,
                             const struct margay_policy_setup *setup,
                             struct margay_layout *layout);

/* A request. */
void margay_adaptsize_watch(struct margay_adaptsize *adaptsize, uint32_t object,
                            const uint64_t *sizes);

/* The size of an object changes. */
void margay_adaptsize_resize(struct margay_adaptsize *adaptsize,
                             uint32_t object, uint64_t from, uint64_t to);

/* The probability that an object of that size comes in. */
double margay_adaptsize_probability(const struct margay_adaptsize *adaptsize,
                                    uint64_t bytes);

#endif
