/*
 * attribution.c - whose references have which distances
 *
 * Algorithm: there may be many thousand sites, and a histogram for each would
 *   be mostly empty.  So each key (a site, thread, tenant, operation or region)
 *   gets a number, pairs of number and distance are counted in one hash table,
 *   and the histograms are put together at the end, one at a time.  Distances
 *   of objects that do not fit into a pair get numbers, too.
 *
 * Cost: two look-ups per reference; 36 bytes for each pair that occurs.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim/run/keys.h"
#include <margay/questions.h>

/* A pair, in one number: there are fewer than 2^24 keys.  A distance from FAR
   on is FAR and its number: no engine knows more blocks than 2^38, but objects
   may have more bytes. */
#define DISTANCE_BITS 40
#define INFINITE      ((UINT64_C(1) << DISTANCE_BITS) - 1)
#define FAR           (UINT64_C(1) << (DISTANCE_BITS - 1))

struct asked {
    enum margay_attribution by;
    margay_region_of *region_of;
    void *context;
};

struct attribution {
    margay_analysis analysis;
    const struct asked *asked;
    struct margay_keys keys;
    struct margay_keys far; /* distances */
    struct margay_keys pairs;
    uint64_t *counts; /* the references of each pair; owned */
    size_t count, capacity;
};

static struct attribution *self(const margay_analysis *analysis)
{
    return (struct attribution *)analysis;
}

static void attribution_free(margay_analysis *analysis)
{
    struct attribution *own = self(analysis);
    margay_keys_clear(&own->keys);
    margay_keys_clear(&own->far);
    margay_keys_clear(&own->pairs);
    free(own->counts);
}

/* ------------------------------------------------------------- counting -- */

static enum margay_status attribution_feed(margay_analysis *analysis,
                                           const struct margay_span *span,
                                           struct margay_error *error)
{
    struct attribution *own = self(analysis);
    const struct asked *asked = own->asked;
    enum margay_status status = MARGAY_OK;
    if (asked->by == MARGAY_BY_REGION &&
        analysis->pass->numbers != MARGAY_ADDRESSES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --by region: the trace holds block ids, and "
                           "regions are of addresses",
                           analysis->pass->trace);
    if (span->warmup)
        return MARGAY_OK;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t distance = span->distances[i];
        uint64_t key = margay_keys_source(asked->by, span, i);
        uint32_t number, far;
        if (asked->by == MARGAY_BY_REGION || asked->by == MARGAY_BY_DATUM)
            key = asked->region_of(asked->context, key);
        status = margay_keys_number(&own->keys, key, &number, error);
        if (distance == MARGAY_INFINITE) {
            distance = INFINITE;
        } else if (distance >= FAR && status == MARGAY_OK) {
            status = margay_keys_number(&own->far, distance, &far, error);
            distance = FAR + far;
        }
        uint64_t pair = (uint64_t)number << DISTANCE_BITS | distance;
        if (status == MARGAY_OK)
            status = margay_keys_number(&own->pairs, pair, &number, error);
        if (status == MARGAY_OK && number == own->count) {
            if (!MARGAY_MAKE_ROOM(own->counts, own->count, 1, own->capacity))
                return margay_fail_memory(error, "the attributed distances");
            own->counts[own->count++] = 0;
        }
        if (status == MARGAY_OK)
            own->counts[number]++;
    }
    return status;
}

static enum margay_status attribution_reset(margay_analysis *analysis,
                                            struct margay_error *error)
{
    struct attribution *own = self(analysis);
    own->count = 0;
    margay_keys_clear(&own->pairs);
    return margay_keys_begin(&own->pairs, UINT32_MAX - 1, error);
}

/* ------------------------------------------------------------- visiting -- */

/* The counts of a key, which follow each other among all pairs in order. */
static enum margay_status fill(const struct attribution *own,
                               const uint32_t *order, uint32_t number,
                               margay_histogram *histogram,
                               struct margay_error *error)
{
    const uint64_t *pairs = own->pairs.list;
    uint64_t pair = (uint64_t)number << DISTANCE_BITS;
    enum margay_status status = MARGAY_OK;
    size_t i = MARGAY_BISECT(k, own->count, pairs[order[k]] < pair);
    for (; i < own->count && status == MARGAY_OK &&
           pairs[order[i]] >> DISTANCE_BITS == number;
         i++) {
        uint64_t distance = pairs[order[i]] & INFINITE;
        status = margay_histogram_add(histogram,
                                      distance == INFINITE ? MARGAY_INFINITE
                                      : distance >= FAR
                                          ? own->far.list[distance - FAR]
                                          : distance,
                                      own->counts[order[i]], error);
    }
    return status;
}

enum margay_status margay_attribution_visit(const margay_analysis *analysis,
                                            uint64_t bound_blocks,
                                            margay_attribution_take *take,
                                            void *context,
                                            struct margay_error *error)
{
    const struct attribution *own = self(analysis);
    uint32_t *keys = margay_keys_order(&own->keys);
    uint32_t *pairs = margay_keys_order(&own->pairs);
    margay_histogram *histogram = NULL;
    enum margay_status status =
        keys == NULL || pairs == NULL
            ? margay_fail_memory(error, "the attribution")
            : margay_histogram_create(&histogram, error);
    for (size_t i = 0; i < own->keys.count && status == MARGAY_OK; i++) {
        margay_histogram_clear(histogram);
        status = fill(own, pairs, keys[i], histogram, error);
        margay_histogram_set_exceeded_bound(histogram, bound_blocks);
        if (status == MARGAY_OK && margay_histogram_references(histogram) > 0)
            status = take(context, own->keys.list[keys[i]], histogram, error);
    }
    margay_histogram_free(histogram);
    free(keys);
    free(pairs);
    return status;
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct attribution *own = self(analysis);
    (void)share;
    own->asked = analysis->question->context;
    enum margay_status status =
        margay_keys_begin(&own->keys, MARGAY_MOST_KEYS, error);
    if (status == MARGAY_OK)
        status = margay_keys_begin(&own->far, MARGAY_MOST_KEYS, error);
    return status == MARGAY_OK ? attribution_reset(analysis, error) : status;
}

enum margay_status margay_attribution_question(enum margay_attribution by,
                                               margay_region_of *region_of,
                                               void *context,
                                               margay_question **question,
                                               struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct attribution),
        .begin = begin,
        .feed = attribution_feed,
        .reset = attribution_reset,
        .free = attribution_free,
    };
    const struct asked asked = {by, region_of, context};
    const margay_question kind = {
        .functions = &functions,
        .can.needs = margay_keys_column(by) | MARGAY_COLUMN_DISTANCES,
        .can.data = by == MARGAY_BY_DATUM,
        .can.looks = true,
        .name = "the attribution",
    };
    return margay_question_create(&kind, &asked, sizeof asked, question, error);
}
