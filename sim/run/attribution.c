/*
 * attribution.c - whose references have which distances
 *
 * Algorithm: there may be many thousand sites, and a histogram for each would
 *   be mostly empty.  So each key (a site, thread, tenant, operation or region)
 *   and each distance get a number, pairs of these are counted in one hash
 *   table, and the histograms are put together at the end, one at a time.
 *   Where counts fade (half_life.h), later references weigh the more instead,
 *   and sums are divided by the present weight when they are visited.
 *
 * Cost: three look-ups per reference; 36 bytes for each pair that occurs, and
 *   28 for each distance.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim/run/keys.h"
#include <margay/questions.h>

/* The weight from which on all weights are divided by it. */
#define MOST_WEIGHT 0x1p60

struct asked {
    enum margay_attribution by;
    margay_region_of *region_of;
    void *context;
    uint64_t half_life_refs;
};

struct attribution {
    margay_analysis analysis;
    const struct asked *asked;
    struct margay_keys keys, distances;
    struct margay_keys pairs; /* of their numbers, 32 bits each */
    /* The weights of the references of each pair; owned.  Where all weigh 1,
       doubles are exact up to 2^53 of them. */
    double *sums;
    size_t count, capacity;
    double weight;                 /* of the next reference */
    uint64_t piece_refs, fed_refs; /* of a piece; those of the present one */
    double factor;
};

static struct attribution *self(const margay_analysis *analysis)
{
    return (struct attribution *)analysis;
}

static void attribution_free(margay_analysis *analysis)
{
    struct attribution *own = self(analysis);
    margay_keys_clear(&own->keys);
    margay_keys_clear(&own->distances);
    margay_keys_clear(&own->pairs);
    free(own->sums);
}

/* ------------------------------------------------------------- counting -- */

/* References after the end of a piece weigh more. */
static void end_piece(struct attribution *own)
{
    own->fed_refs = 0;
    own->weight /= own->factor;
    if (own->weight < MOST_WEIGHT)
        return;
    for (size_t i = 0; i < own->count; i++)
        own->sums[i] /= own->weight;
    own->weight = 1;
}

static enum margay_status attribution_feed(margay_analysis *analysis,
                                           const struct margay_span *span,
                                           struct margay_error *error)
{
    struct attribution *own = self(analysis);
    const struct asked *asked = own->asked;
    if (asked->by == MARGAY_BY_REGION &&
        analysis->pass->numbers != MARGAY_ADDRESSES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --by region: the trace holds block ids, and "
                           "regions are of addresses",
                           analysis->pass->trace);
    if (span->warmup)
        return MARGAY_OK;
    for (size_t i = 0; i < span->count; i++) {
        uint64_t key = margay_keys_source(asked->by, span, i);
        uint32_t number, other;
        if (asked->by == MARGAY_BY_REGION || asked->by == MARGAY_BY_DATUM)
            key = asked->region_of(asked->context, key);
        enum margay_status status =
            margay_keys_number(&own->keys, key, &number, error);
        if (status == MARGAY_OK)
            status = margay_keys_number(&own->distances, span->distances[i],
                                        &other, error);
        if (status == MARGAY_OK)
            status = margay_keys_number(
                &own->pairs, (uint64_t)number << 32 | other, &number, error);
        if (status != MARGAY_OK)
            return status;
        if (number == own->count) {
            if (!MARGAY_MAKE_ROOM(own->sums, own->count, 1, own->capacity))
                return margay_fail_memory(error, "the attributed distances");
            own->sums[own->count++] = 0;
        }
        own->sums[number] += own->weight;
        if (++own->fed_refs == own->piece_refs)
            end_piece(own);
    }
    return MARGAY_OK;
}

static enum margay_status attribution_reset(margay_analysis *analysis,
                                            struct margay_error *error)
{
    struct attribution *own = self(analysis);
    own->count = 0;
    own->fed_refs = 0;
    own->weight = 1;
    margay_keys_clear(&own->pairs);
    return margay_keys_begin(&own->pairs, UINT32_MAX - 1, error);
}

/* ------------------------------------------------------------- visiting -- */

/* The counts of a key, which follow each other among all pairs in order. */
static enum margay_status fill(const struct attribution *own,
                               const uint32_t *order, uint32_t number,
                               unsigned fraction_bits,
                               margay_histogram *histogram,
                               struct margay_error *error)
{
    const uint64_t *pairs = own->pairs.list;
    uint64_t pair = (uint64_t)number << 32;
    enum margay_status status = MARGAY_OK;
    size_t i = MARGAY_BISECT(k, own->count, pairs[order[k]] < pair);
    for (; i < own->count && status == MARGAY_OK &&
           pairs[order[i]] >> 32 == number;
         i++) {
        double mass = own->sums[order[i]] / own->weight;
        status = margay_histogram_add(
            histogram, own->distances.list[(uint32_t)pairs[order[i]]],
            margay_mass_of(0, mass, fraction_bits), error);
    }
    return status;
}

enum margay_status margay_attribution_visit(const margay_analysis *analysis,
                                            uint64_t bound_blocks,
                                            unsigned fraction_bits,
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
        status = fill(own, pairs, keys[i], fraction_bits, histogram, error);
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
    if (own->asked->half_life_refs != 0)
        own->piece_refs =
            margay_half_life_piece(own->asked->half_life_refs, &own->factor);
    enum margay_status status =
        margay_keys_begin(&own->keys, MARGAY_MOST_KEYS, error);
    if (status == MARGAY_OK)
        status = margay_keys_begin(&own->distances, UINT32_MAX - 1, error);
    return status == MARGAY_OK ? attribution_reset(analysis, error) : status;
}

enum margay_status margay_attribution_question(enum margay_attribution by,
                                               margay_region_of *region_of,
                                               void *context,
                                               uint64_t half_life_refs,
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
    const struct asked asked = {by, region_of, context, half_life_refs};
    const margay_question kind = {
        .functions = &functions,
        .can.needs = margay_keys_column(by) | MARGAY_COLUMN_DISTANCES,
        .can.data = by == MARGAY_BY_DATUM,
        .can.looks = true,
        .name = "the attribution",
    };
    return margay_question_create(&kind, &asked, sizeof asked, question, error);
}
