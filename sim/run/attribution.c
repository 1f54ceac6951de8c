/*
 * attribution.c - whose references have which distances
 *
 * Algorithm: there may be many thousand sites, and a histogram for each would
 *   be mostly empty.  So each key (a site, thread, tenant, operation or region)
 *   gets a number, pairs of number and distance are counted in one hash table,
 *   and the histograms are put together at the end, one at a time.  Distances
 * of objects that do not fit into a pair get numbers, too. Cost: two look-ups
 * per reference; 32 bytes for each pair that occurs.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "sim/run/keys.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

/* A pair, in one number: there are fewer than 2^24 keys.  A distance from FAR
   on is FAR and its number: no engine knows more blocks than 2^38, but objects
   may have more bytes. */
#define DISTANCE_BITS 40
#define INFINITE      ((UINT64_C(1) << DISTANCE_BITS) - 1)
#define FAR           (UINT64_C(1) << (DISTANCE_BITS - 1))

#define FIRST_PAIRS 1024 /* that the table has room for at first */

struct count {
    uint64_t pair, references;
};

struct asked {
    enum margay_attribution by;
    margay_region_of *region_of;
    void *context;
};

struct attribution {
    margay_analysis analysis;
    const struct asked *asked;
    struct margay_keys keys;
    struct margay_keys far;   /* distances */
    struct margay_hash pairs; /* 1 + the index of their count */
    struct count *list;
    size_t list_count, list_capacity;
};

static struct attribution *self(const margay_analysis *analysis)
{
    return (struct attribution *)analysis;
}

static void attribution_free(margay_analysis *analysis)
{
    struct attribution *counts = self(analysis);
    margay_keys_clear(&counts->keys);
    margay_keys_clear(&counts->far);
    margay_hash_destroy(&counts->pairs);
    free(counts->list);
}

/* ------------------------------------------------------------- counting -- */

static enum margay_status add_pair(struct attribution *counts, uint64_t pair,
                                   struct margay_error *error)
{
    uint32_t *entry = margay_hash_insert(&counts->pairs, pair);
    if (*entry == 0) {
        *entry = 1;
        if (counts->list_count == UINT32_MAX - 1 ||
            !MARGAY_MAKE_ROOM(counts->list, counts->list_count, 1,
                              counts->list_capacity))
            return margay_fail_memory(error, "the attributed distances");
        counts->list[counts->list_count++] = (struct count){pair, 0};
        *entry = (uint32_t)counts->list_count;
    }
    counts->list[*entry - 1].references++;
    return MARGAY_OK;
}

static enum margay_status attribution_feed(margay_analysis *analysis,
                                           const struct margay_span *span,
                                           struct margay_error *error)
{
    struct attribution *counts = self(analysis);
    const struct asked *asked = counts->asked;
    if (asked->by == MARGAY_BY_REGION &&
        analysis->pass->numbers != MARGAY_ADDRESSES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --by region: the trace holds block ids, and "
                           "regions are of addresses",
                           analysis->pass->trace);
    if (span->warmup)
        return MARGAY_OK;
    enum margay_status status =
        margay_hash_reserve(&counts->pairs, span->count, error);
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t distance = span->distances[i];
        uint64_t key = margay_keys_source(asked->by, span, i);
        uint32_t number, far;
        if (asked->by == MARGAY_BY_REGION || asked->by == MARGAY_BY_DATUM)
            key = asked->region_of(asked->context, key);
        status = margay_keys_number(&counts->keys, key, &number, error);
        if (distance == MARGAY_INFINITE) {
            distance = INFINITE;
        } else if (distance >= FAR && status == MARGAY_OK) {
            status = margay_keys_number(&counts->far, distance, &far, error);
            distance = FAR + far;
        }
        if (status == MARGAY_OK)
            status = add_pair(
                counts, (uint64_t)number << DISTANCE_BITS | distance, error);
    }
    return status;
}

static enum margay_status attribution_reset(margay_analysis *analysis,
                                            struct margay_error *error)
{
    struct attribution *counts = self(analysis);
    counts->list_count = 0;
    margay_hash_destroy(&counts->pairs);
    return margay_hash_create(&counts->pairs, FIRST_PAIRS, error);
}

/* ------------------------------------------------------------- visiting -- */

static int by_pair(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* The counts of a key, which follow each other among all in order. */
static enum margay_status fill(const struct attribution *counts,
                               uint32_t number, margay_histogram *histogram,
                               struct margay_error *error)
{
    uint64_t pair = (uint64_t)number << DISTANCE_BITS;
    enum margay_status status = MARGAY_OK;
    size_t first =
        MARGAY_BISECT(k, counts->list_count, counts->list[k].pair < pair);
    for (size_t i = first; i < counts->list_count && status == MARGAY_OK &&
                           counts->list[i].pair >> DISTANCE_BITS == number;
         i++) {
        uint64_t distance = counts->list[i].pair & INFINITE;
        status = margay_histogram_add(histogram,
                                      distance == INFINITE ? MARGAY_INFINITE
                                      : distance >= FAR
                                          ? counts->far.list[distance - FAR]
                                          : distance,
                                      counts->list[i].references, error);
    }
    return status;
}

enum margay_status margay_attribution_visit(const margay_analysis *analysis,
                                            uint64_t bound_blocks,
                                            margay_attribution_take *take,
                                            void *context,
                                            struct margay_error *error)
{
    struct attribution *counts = self(analysis);
    uint32_t *order = margay_keys_order(&counts->keys);
    margay_histogram *histogram = NULL;
    enum margay_status status =
        order == NULL ? margay_fail_memory(error, "the attribution")
                      : margay_histogram_create(&histogram, error);
    if (counts->list_count > 0)
        qsort(counts->list, counts->list_count, sizeof *counts->list, by_pair);
    for (size_t i = 0; i < counts->list_count; i++)
        *margay_hash_insert(&counts->pairs, counts->list[i].pair) =
            (uint32_t)(i + 1);
    for (size_t i = 0; i < counts->keys.count && status == MARGAY_OK; i++) {
        margay_histogram_clear(histogram);
        status = fill(counts, order[i], histogram, error);
        margay_histogram_set_exceeded_bound(histogram, bound_blocks);
        if (status == MARGAY_OK && margay_histogram_references(histogram) > 0)
            status =
                take(context, counts->keys.list[order[i]], histogram, error);
    }
    margay_histogram_free(histogram);
    free(order);
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
    enum margay_status status = margay_keys_begin(&own->keys, error);
    if (status == MARGAY_OK)
        status = margay_keys_begin(&own->far, error);
    return status == MARGAY_OK
               ? margay_hash_create(&own->pairs, FIRST_PAIRS, error)
               : status;
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
