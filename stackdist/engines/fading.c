/*
 * fading.c - reuse distances, times or optima whose counts fade
 *
 * Algorithm: the exact engine of the measure takes a piece of the trace, a
 * sixteenth of the half-life.  Its counts are then added to masses, one for
 * each distance, and all masses are multiplied by 2^(-1/16).
 *
 * Source: see half_life.h.
 *
 * Guarantee: distances are exact.  A reference k pieces ago counts as
 * 2^(-k/16), so one a half-life ago counts half.  The result's histogram has
 * the masses themselves.
 *
 * Cost: that of the exact engine, and for each piece as many steps as there are
 * distances with a mass; 16 bytes for each.  A mass below 2^-40 is forgotten.
 */
#include "stackdist/engines/fading.h"

#include <math.h>
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/half_life.h"

#define LEAST_MASS 0x1p-40

struct fading {
    margay_engine *engine; /* of the piece that has begun */
    uint64_t piece_refs, fed_refs;
    double factor;    /* of masses, at the end of a piece */
    double passed_by; /* the mass of references that are not in a sample */
    struct margay_faded faded;
};

static void destroy(void *state)
{
    struct fading *fading = state;
    margay_engine_free(fading->engine);
    margay_faded_clear(&fading->faded);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct fading *fading = state;
    struct margay_engine_options options = setup->options;
    if (options.half_life_refs == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a half-life of 0 references");
    fading->piece_refs =
        margay_half_life_piece(options.half_life_refs, &fading->factor);
    options.measure &= ~(unsigned)MARGAY_FADING;
    return margay_engine_create("exact", &options, &fading->engine, error);
}

/* -------------------------------------------------------------- masses -- */

static struct margay_mass next_count(const margay_histogram *histogram,
                                     uint64_t from)
{
    uint64_t distance = MARGAY_INFINITE, count;
    if (!margay_histogram_next(histogram, from, &distance, &count))
        count = margay_histogram_infinite(histogram);
    return (struct margay_mass){distance, (double)count};
}

/* Add the counts to the masses, in a new array. */
static enum margay_status merge(const struct margay_faded *faded,
                                const margay_histogram *counts,
                                struct margay_mass **merged,
                                size_t *merged_count,
                                struct margay_error *error)
{
    size_t capacity = 0, count = 0, old = 0;
    struct margay_mass *masses = NULL;
    struct margay_mass new = next_count(counts, 0);
    for (bool more = true; more;) {
        if (!MARGAY_MAKE_ROOM(masses, count, 1, capacity)) {
            free(masses);
            return margay_fail_memory(error, "the masses of distances");
        }
        bool is_old =
            old < faded->count && faded->list[old].distance <= new.distance;
        struct margay_mass *mass = &masses[count];
        *mass =
            is_old ? faded->list[old++] : (struct margay_mass){new.distance, 0};
        more = mass->distance != MARGAY_INFINITE;
        if (mass->distance == new.distance) {
            mass->references += new.references;
            if (more)
                new = next_count(counts, new.distance + 1);
        }
        count += mass->references >= LEAST_MASS;
    }
    *merged = masses;
    *merged_count = count;
    return MARGAY_OK;
}

void margay_faded_clear(struct margay_faded *faded)
{
    free(faded->list);
    *faded = (struct margay_faded){.count = 0};
}

enum margay_status margay_faded_add(struct margay_faded *faded,
                                    const margay_histogram *counts,
                                    double factor, struct margay_error *error)
{
    struct margay_faded merged;
    enum margay_status status =
        merge(faded, counts, &merged.list, &merged.count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < merged.count; i++)
        merged.list[i].references *= factor;
    margay_faded_clear(faded);
    *faded = merged;
    return MARGAY_OK;
}

double margay_faded_total(const struct margay_faded *faded,
                          const margay_histogram *counts)
{
    double total = (double)margay_histogram_references(counts);
    for (size_t i = 0; i < faded->count; i++)
        total += faded->list[i].references;
    return total;
}

enum margay_status margay_faded_complete(const struct margay_faded *faded,
                                         unsigned fraction_bits,
                                         margay_histogram **counts,
                                         struct margay_error *error)
{
    struct margay_faded merged;
    struct margay_rounder rounder;
    margay_histogram *all = NULL;
    double total = 0;
    enum margay_status status =
        merge(faded, *counts, &merged.list, &merged.count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < merged.count; i++)
        total += merged.list[i].references;
    uint64_t sum = (uint64_t)(ldexp(total, (int)fraction_bits) + 0.5);
    status = margay_rounder_begin(&rounder, sum, total, error);
    for (size_t i = 0; i < merged.count && status == MARGAY_OK; i++) {
        if (merged.list[i].distance != MARGAY_INFINITE)
            status = margay_rounder_add(&rounder, merged.list[i].distance,
                                        merged.list[i].references, error);
    }
    status = margay_rounder_end(&rounder, status, &all, error);
    free(merged.list);
    if (status != MARGAY_OK)
        return status;
    margay_histogram_set_exceeded_bound(
        all, margay_histogram_exceeded_bound(*counts));
    margay_histogram_free(*counts);
    *counts = all;
    return MARGAY_OK;
}

/* ------------------------------------------------------------- feeding -- */

/* References of the piece have come. */
static enum margay_status pass(struct fading *fading, uint64_t refs,
                               struct margay_error *error)
{
    struct margay_result result;
    fading->fed_refs += refs;
    if (fading->fed_refs < fading->piece_refs)
        return MARGAY_OK;
    enum margay_status status =
        margay_engine_peek(fading->engine, &result, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_faded_add(&fading->faded, result.histogram, fading->factor,
                              error);
    margay_result_clear(&result);
    margay_engine_reset_counts(fading->engine);
    fading->passed_by *= fading->factor;
    fading->fed_refs = 0;
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct fading *fading = state;
    enum margay_status status = MARGAY_OK;
    while (count > 0 && status == MARGAY_OK) {
        size_t some = (size_t)margay_half_life_left(fading->piece_refs,
                                                    fading->fed_refs, count);
        status =
            margay_engine_feed(fading->engine, blocks, some, distances, error);
        if (status == MARGAY_OK)
            status = pass(fading, some, error);
        blocks += some;
        distances = distances == NULL ? NULL : distances + some;
        count -= some;
    }
    return status;
}

enum margay_status margay_engine_feed_sample(margay_engine *engine,
                                             const uint64_t *blocks,
                                             size_t count, uint64_t refs,
                                             struct margay_error *error)
{
    struct fading *fading = engine->state;
    enum margay_status status =
        margay_engine_feed(engine, blocks, count, NULL, error);
    if (status != MARGAY_OK || engine->class != &margay_engine_fading)
        return status;
    fading->passed_by += (double)(refs - count);
    return pass(fading, refs - count, error);
}

static void reset_counts(void *state)
{
    struct fading *fading = state;
    margay_engine_reset_counts(fading->engine);
    margay_faded_clear(&fading->faded);
    fading->fed_refs = 0;
    fading->passed_by = 0;
}

/* ------------------------------------------------------------- results -- */

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    const struct fading *fading = state;
    enum margay_status status =
        margay_engine_peek(fading->engine, result, error);
    if (status != MARGAY_OK)
        return status;
    double all = fading->passed_by +
                 margay_faded_total(&fading->faded, result->histogram);
    result->fraction_bits = margay_fraction_bits(all);
    result->references = fading->passed_by == 0
                             ? 0
                             : margay_mass_of(0, all, result->fraction_bits);
    status = margay_faded_complete(&fading->faded, result->fraction_bits,
                                   &result->histogram, error);
    if (status != MARGAY_OK)
        margay_result_clear(result);
    return status;
}

const struct margay_engine_class margay_engine_fading = {
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND,
    MARGAY_ENGINE_FUNCTIONS(struct fading),
    .peek = finish,
};
