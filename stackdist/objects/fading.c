/* fading.c - see fading.h */
#include "stackdist/objects/fading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define PIECES 16 /* of a half-life */

void margay_fading_begin(struct margay_fading *fading, uint64_t half_life_refs)
{
    uint64_t piece = half_life_refs < PIECES ? 1 : half_life_refs / PIECES;
    *fading = (struct margay_fading){
        .piece_refs = piece,
        .refs_left = piece,
        .factor = exp2(-(double)piece / (double)half_life_refs),
    };
}

void margay_fading_clear(struct margay_fading *fading)
{
    free(fading->curve.list);
    free(fading->distances.list);
    *fading = (struct margay_fading){.piece_refs = fading->piece_refs,
                                     .refs_left = fading->piece_refs,
                                     .factor = fading->factor};
}

/* --------------------------------------------------------- end of a piece --
 */

static enum margay_status fit(struct margay_masses *masses, size_t count,
                              struct margay_error *error)
{
    if (count > masses->capacity) {
        size_t capacity = count + count / 2;
        struct margay_mass *list =
            realloc(masses->list, capacity * sizeof *list);
        if (list == NULL)
            return margay_fail_memory(error, "counts that fade");
        masses->list = list;
        masses->capacity = capacity;
    }
    for (; masses->count < count; masses->count++)
        masses->list[masses->count] = (struct margay_mass){0, 0};
    return MARGAY_OK;
}

/* What is taken back is below 0, modulo 2^64. */
static double value_of(uint64_t counted)
{
    return (double)(int64_t)counted;
}

static enum margay_status fade_steps(struct margay_masses *masses,
                                     struct margay_steps *steps, double factor,
                                     struct margay_error *error)
{
    enum margay_status status = fit(masses, steps->count, error);
    for (size_t i = 0; i < steps->count && status == MARGAY_OK; i++) {
        struct margay_mass *mass = &masses->list[i];
        mass->refs += value_of(steps->steps[i].refs);
        mass->bytes += value_of(steps->steps[i].bytes);
        mass->refs *= factor;
        mass->bytes *= factor;
    }
    if (status == MARGAY_OK)
        margay_steps_clear(steps);
    return status;
}

enum margay_status margay_fading_end_piece(struct margay_fading *fading,
                                           struct margay_objects_counts *counts,
                                           struct margay_steps *curve,
                                           struct margay_steps *distances,
                                           struct margay_error *error)
{
    uint64_t counted[MARGAY_OBJECTS_COUNTS];
    enum margay_status status =
        fade_steps(&fading->curve, curve, fading->factor, error);
    if (status == MARGAY_OK)
        status =
            fade_steps(&fading->distances, distances, fading->factor, error);
    memcpy(counted, counts, sizeof counted);
    for (size_t i = 0; i < MARGAY_OBJECTS_COUNTS; i++)
        fading->counts[i] =
            (fading->counts[i] + (double)counted[i]) * fading->factor;
    *counts = (struct margay_objects_counts){0};
    fading->refs_left = fading->piece_refs;
    return status;
}

/* ---------------------------------------------------------------- results --
 */

static uint64_t rounded(double value)
{
    return value <= 0 ? 0 : (uint64_t)(value + 0.5);
}

void margay_fading_add(const struct margay_fading *fading,
                       struct margay_objects_counts *counts)
{
    uint64_t counted[MARGAY_OBJECTS_COUNTS];
    memcpy(counted, counts, sizeof counted);
    for (size_t i = 0; i < MARGAY_OBJECTS_COUNTS; i++)
        counted[i] += rounded(fading->counts[i]);
    memcpy(counts, counted, sizeof counted);
}

/* A counter's place among the sizes. */
struct place {
    uint64_t position;
    size_t index;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static void sort_places(const struct margay_steps *steps, struct place *places)
{
    bool sparse = steps->positions != NULL;
    for (size_t i = 0; i < steps->count; i++)
        places[i] = (struct place){sparse ? steps->positions[i] : i, i};
    if (sparse)
        qsort(places, steps->count, sizeof *places, compare_places);
}

/* Each counter gets what its mass adds to the rounded sum up to its size. */
static void add_masses(const struct margay_masses *masses,
                       const struct place *places, size_t count,
                       struct margay_step *counters)
{
    struct margay_mass sum = {0, 0};
    struct margay_step added = {0, 0};
    for (size_t k = 0; k < count; k++) {
        size_t i = places[k].index;
        if (i >= masses->count)
            continue;
        sum.refs += masses->list[i].refs;
        sum.bytes += masses->list[i].bytes;
        struct margay_step to = {rounded(sum.refs), rounded(sum.bytes)};
        counters[i].refs += to.refs - added.refs;
        counters[i].bytes += to.bytes - added.bytes;
        added = to;
    }
}

enum margay_status margay_masses_settle(const struct margay_masses *masses,
                                        const struct margay_steps *steps,
                                        struct margay_steps *settled,
                                        struct margay_error *error)
{
    struct margay_step *counters = calloc(steps->count + 1, sizeof *counters);
    struct place *places = calloc(steps->count + 1, sizeof *places);
    enum margay_status status = MARGAY_OK;
    *settled = *steps;
    settled->steps = counters;
    if (counters == NULL || places == NULL) {
        status = margay_fail_memory(error, "counts that fade");
    } else {
        if (steps->count > 0)
            memcpy(counters, steps->steps, steps->count * sizeof *counters);
        sort_places(steps, places);
        add_masses(masses, places, steps->count, counters);
    }
    free(places);
    return status;
}
