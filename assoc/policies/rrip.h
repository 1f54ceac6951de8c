/*
 * rrip.h - how soon blocks are predicted to be used again, in 2 bits
 *
 * Each way has a prediction from 0, soon, to 3, in the distant future.  The
 * victim is the lowest way with a 3; if there is none, all predictions of the
 * set are raised until there is one.  A hit predicts 0.  What is predicted for
 * a new block is the policy's.
 *
 * Source: Jaleel, Theobald, Steely and Emer, "High performance cache
 *   replacement using re-reference interval prediction (RRIP)", ISCA 2010, with
 *   hit priority.
 *
 * Cost: up to four passes over the set's ways per eviction; a byte for each
 * way.
 */
#ifndef MARGAY_ASSOC_RRIP_H
#define MARGAY_ASSOC_RRIP_H

#include <string.h>

#include "assoc/policies/policy.h"

/* Predictions. */
#define MARGAY_RRIP_SOON    0
#define MARGAY_RRIP_LONG    2
#define MARGAY_RRIP_DISTANT 3

struct margay_rrip {
    uint64_t ways;
    uint8_t *predictions; /* [set][way] */
};

static inline void margay_rrip_set_up(struct margay_rrip *rrip,
                                      const struct margay_policy_setup *setup,
                                      struct margay_layout *layout)
{
    rrip->ways = setup->ways;
    rrip->predictions = margay_lay_out(layout, setup->sets * setup->ways);
}

static inline void margay_rrip_predict(struct margay_rrip *rrip, uint64_t set,
                                       uint32_t slot, uint8_t prediction)
{
    rrip->predictions[set * rrip->ways + slot] = prediction;
}

static inline uint32_t margay_rrip_victim(struct margay_rrip *rrip,
                                          uint64_t set)
{
    uint8_t *of_set = rrip->predictions + set * rrip->ways, *found;
    while ((found = memchr(of_set, MARGAY_RRIP_DISTANT, rrip->ways)) == NULL) {
        for (uint64_t i = 0; i < rrip->ways; i++)
            of_set[i]++;
    }
    return (uint32_t)(found - of_set);
}

/* The calls of policies whose state begins with a struct margay_rrip. */
static inline void margay_rrip_hit(void *rrip, uint64_t set, uint32_t slot,
                                   const struct margay_use *use)
{
    (void)use;
    margay_rrip_predict(rrip, set, slot, MARGAY_RRIP_SOON);
}

static inline uint32_t margay_rrip_evict(void *rrip, uint64_t set,
                                         const struct margay_use *use)
{
    (void)use;
    return margay_rrip_victim(rrip, set);
}

/* Of this many blocks that come in, one is predicted to be used after a long
   time, and all others in the distant future. */
#define MARGAY_RRIP_RARELY 32

/* What the bimodal insertion predicts, counting the blocks that come in. */
static inline uint8_t margay_rrip_bimodal(uint32_t *count)
{
    *count = (*count + 1) % MARGAY_RRIP_RARELY;
    return *count == 0 ? MARGAY_RRIP_LONG : MARGAY_RRIP_DISTANT;
}

#endif
