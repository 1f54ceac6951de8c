/*
 * places.c - whose references have which distances
 *
 * There may be many thousand places, and a histogram for each would be mostly
 * empty: so what is counted are pairs of place and distance, in one hash table,
 * and the histograms are put together at the end, one at a time.
 */
#define _GNU_SOURCE
#include "sim/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

/* A pair, in one number.  No engine knows more blocks than 2^38. */
#define DISTANCE_BITS 40
#define INFINITE      ((UINT64_C(1) << DISTANCE_BITS) - 1)
#define MOST_PLACES   ((UINT64_C(1) << (64 - DISTANCE_BITS)) - 1)

struct count {
    uint64_t pair, references;
};

struct places {
    enum place_kind kind;
    struct regions *regions;
    struct margay_hash numbers; /* by site or thread: 1 + the place's number */
    uint64_t *sites;            /* by number */
    size_t count, room;
    uint64_t last_site; /* looked up */
    uint32_t last_number;
    struct margay_hash pairs; /* 1 + the index of their count */
    struct count *counts;
    size_t count_count, count_room;
};

const char *place_column(enum place_kind kind)
{
    static const char *const columns[] = {
        [BY_SITE] = "site", [BY_THREAD] = "thread", [BY_REGION] = "region"};
    return columns[kind];
}

enum margay_status places_create(enum place_kind kind, struct regions *regions,
                                 struct places **places,
                                 struct margay_error *error)
{
    struct places *made = calloc(1, sizeof *made);
    *places = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "places");
    made->kind = kind;
    made->regions = regions;
    enum margay_status status = margay_hash_create(&made->numbers, 64, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&made->pairs, 1024, error);
    if (status == MARGAY_OK)
        *places = made;
    else
        places_free(made);
    return status;
}

void places_free(struct places *places)
{
    if (places == NULL)
        return;
    margay_hash_destroy(&places->numbers);
    margay_hash_destroy(&places->pairs);
    free(places->sites);
    free(places->counts);
    free(places);
}

/* ------------------------------------------------------------ counting -- */

/* Room for one more element in an array; false: no memory. */
static bool make_room(void **array, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return true;
    size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *moved = reallocarray(*array, wanted, bytes);
    if (moved == NULL)
        return false;
    *array = moved;
    *room = wanted;
    return true;
}

/* The number of a site or thread, entered if need be. */
static enum margay_status number_of(struct places *places, uint64_t site,
                                    uint32_t *number,
                                    struct margay_error *error)
{
    *number = places->last_number - 1;
    if (site == places->last_site && places->last_number != 0)
        return MARGAY_OK;
    enum margay_status status = margay_hash_reserve(&places->numbers, 1, error);
    if (status != MARGAY_OK)
        return status;
    uint32_t *entry = margay_hash_insert(&places->numbers, site);
    if (*entry == 0) {
        *entry = 1; /* whatever comes, the table stays in order */
        if (places->count == MOST_PLACES)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--by: more than %" PRIu64 " of them",
                               (uint64_t)MOST_PLACES);
        if (!make_room((void **)&places->sites, places->count, &places->room,
                       sizeof *places->sites))
            return margay_fail_memory(error, "places");
        places->sites[places->count++] = site;
        *entry = (uint32_t)places->count;
    }
    places->last_site = site;
    places->last_number = *entry;
    *number = *entry - 1;
    return MARGAY_OK;
}

static enum margay_status place_of(struct places *places,
                                   const struct analysis_chunk *chunk, size_t i,
                                   uint32_t *number, struct margay_error *error)
{
    const struct margay_batch *batch = chunk->batch;
    uint32_t origin = chunk->origins[i];
    if (places->kind == BY_REGION) {
        *number =
            (uint32_t)regions_find(places->regions, batch->numbers[origin]);
        return MARGAY_OK;
    }
    return number_of(places,
                     places->kind == BY_SITE ? batch->sites[origin]
                                             : batch->threads[origin],
                     number, error);
}

static enum margay_status add_pair(struct places *places, uint32_t number,
                                   uint64_t distance,
                                   struct margay_error *error)
{
    uint64_t pair = (uint64_t)number << DISTANCE_BITS |
                    (distance == MARGAY_INFINITE ? INFINITE : distance);
    uint32_t *entry = margay_hash_insert(&places->pairs, pair);
    if (*entry == 0) {
        *entry = 1;
        if (places->count_count == UINT32_MAX - 1 ||
            !make_room((void **)&places->counts, places->count_count,
                       &places->count_room, sizeof *places->counts))
            return margay_fail_memory(error, "so many distances of places");
        places->counts[places->count_count++] = (struct count){pair, 0};
        *entry = (uint32_t)places->count_count;
    }
    places->counts[*entry - 1].references++;
    return MARGAY_OK;
}

static enum margay_status check_trace(const struct places *places,
                                      const struct analysis_pass *pass,
                                      const struct analysis_chunk *chunk,
                                      struct margay_error *error)
{
    const struct margay_batch *batch = chunk->batch;
    if (places->kind == BY_REGION && pass->numbers != MARGAY_ADDRESSES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --by region: the trace holds block ids, and "
                           "regions are of addresses",
                           pass->trace);
    if ((places->kind == BY_SITE && batch->sites == NULL) ||
        (places->kind == BY_THREAD && batch->threads == NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --by %s: the trace does not say (margay record "
                           "--to mgt%s writes one that does)",
                           pass->trace, place_column(places->kind),
                           places->kind == BY_SITE ? " --sites" : "");
    return MARGAY_OK;
}

enum margay_status places_add(struct places *places,
                              const struct analysis_pass *pass,
                              const struct analysis_chunk *chunk,
                              struct margay_error *error)
{
    enum margay_status status = check_trace(places, pass, chunk, error);
    if (status == MARGAY_OK && !chunk->warmup)
        status = margay_hash_reserve(&places->pairs, chunk->count, error);
    for (size_t i = 0;
         i < chunk->count && status == MARGAY_OK && !chunk->warmup; i++) {
        uint32_t number;
        status = place_of(places, chunk, i, &number, error);
        if (status == MARGAY_OK)
            status = add_pair(places, number, chunk->distances[i], error);
    }
    return status;
}

/* ------------------------------------------------------------ visiting -- */

/* Places by site: where each comes in the order of sites. */
static int by_site(const void *a, const void *b, void *context)
{
    const uint64_t *sites = context;
    uint64_t x = sites[*(const uint32_t *)a], y = sites[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

static uint32_t *order_places(const struct places *places, size_t count)
{
    uint32_t *order = calloc(count + 1, sizeof *order);
    for (size_t i = 0; order != NULL && i < count; i++)
        order[i] = (uint32_t)i;
    if (order != NULL && places->kind != BY_REGION)
        qsort_r(order, count, sizeof *order, by_site, places->sites);
    return order;
}

static int by_pair(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* The first count of a place, among all in order. */
static size_t first_of(const struct places *places, uint32_t number)
{
    uint64_t pair = (uint64_t)number << DISTANCE_BITS;
    size_t low = 0, high = places->count_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places->counts[middle].pair < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum margay_status fill(const struct places *places, uint32_t number,
                               margay_histogram *histogram,
                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = first_of(places, number);
         i < places->count_count && status == MARGAY_OK &&
         places->counts[i].pair >> DISTANCE_BITS == number;
         i++) {
        uint64_t distance = places->counts[i].pair & INFINITE;
        status = margay_histogram_add(
            histogram, distance == INFINITE ? MARGAY_INFINITE : distance,
            places->counts[i].references, error);
    }
    return status;
}

static enum margay_status visit_place(const struct places *places,
                                      const struct analysis_pass *pass,
                                      uint32_t number, place_take *take,
                                      void *context, struct margay_error *error)
{
    char label[24];
    const char *name = label;
    margay_histogram *histogram;
    enum margay_status status = margay_histogram_create(&histogram, error);
    if (status != MARGAY_OK)
        return status;
    if (places->kind == BY_REGION)
        name = regions_name(places->regions, number);
    else
        snprintf(label, sizeof label,
                 places->kind == BY_SITE ? "0x%" PRIx64 : "%" PRIu64,
                 places->sites[number]);
    status = fill(places, number, histogram, error);
    margay_histogram_set_exceeded_bound(
        histogram, margay_histogram_exceeded_bound(pass->result.histogram));
    if (status == MARGAY_OK && margay_histogram_references(histogram) > 0)
        status = take(context, name, histogram, error);
    margay_histogram_free(histogram);
    return status;
}

enum margay_status places_visit(const struct places *places,
                                const struct analysis_pass *pass,
                                place_take *take, void *context,
                                struct margay_error *error)
{
    size_t count = places->kind == BY_REGION ? regions_count(places->regions)
                                             : places->count;
    uint32_t *order = order_places(places, count);
    enum margay_status status =
        order == NULL ? margay_fail_memory(error, "places") : MARGAY_OK;
    if (places->count_count > 0)
        qsort(places->counts, places->count_count, sizeof *places->counts,
              by_pair);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = visit_place(places, pass, order[i], take, context, error);
    free(order);
    return status;
}
