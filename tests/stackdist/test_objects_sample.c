/*
 * test_objects_sample.c - samples of objects, against a plain list
 *
 * The list has the objects that the sample keeps, in the order of last uses,
 * with the same draws.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/objects/objects.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 400

/* ------------------------------------------------------------ the list -- */

struct naive {
    struct naive_object {
        uint64_t name, size, stand;
    } list[MOST_REFS + 1]; /* the most recent last; a deleted one has no name */
    size_t count, front;
    uint64_t draws;
};

static void naive_leave(struct naive *naive, double rate, uint64_t group)
{
    double bytes = 0, stands = 0;
    size_t from = naive->count - naive->front, to = from;
    for (size_t i = 0; i < naive->count; i++) {
        bytes += (double)(naive->list[i].size * naive->list[i].stand);
        stands += (double)naive->list[i].stand;
    }
    double per_byte = rate / (bytes / stands + 1);
    for (size_t i = from; i < naive->count; i++) {
        struct naive_object object = naive->list[i];
        if (i < from + group) {
            double twice = rate + per_byte * ((double)object.size + 1);
            double others = 2 / twice + 0.5;
            uint64_t key = margay_sample_of(rate, 1).key;
            uint64_t hash = margay_sample_hash(naive->draws++, key);
            object.stand = others < 2 ? 1 : (uint64_t)others;
            if ((margay_u128)hash * object.stand >> 64 != 0)
                continue;
        }
        naive->list[to++] = object;
    }
    naive->count = to;
    naive->front -= group;
}

/* The distance of a request, and how many it stands for. */
static uint64_t naive_ask(struct naive *naive, uint64_t name, uint64_t size,
                          double rate, uint64_t *stand)
{
    uint64_t distance = MARGAY_INFINITE;
    uint64_t least = (uint64_t)(log10(1 / rate) / rate), group = least / 4 + 1;
    size_t at = 0;
    while (at < naive->count && naive->list[at].name != name)
        at++;
    naive->front += at == naive->count || at < naive->count - naive->front;
    if (at < naive->count) {
        *stand = naive->list[at].stand;
        distance = naive->list[at].size;
        for (size_t i = at + 1; i < naive->count; i++)
            distance += naive->list[i].size * naive->list[i].stand;
        memmove(naive->list + at, naive->list + at + 1,
                (--naive->count - at) * sizeof *naive->list);
    }
    naive->list[naive->count++] = (struct naive_object){name, size, 1};
    if (naive->front > least + group)
        naive_leave(naive, rate, group);
    return distance;
}

/* How many distances and points of the curve of a random trace differ. */
static size_t differences(double rate)
{
    static const struct margay_sizes all = {.kind = MARGAY_SIZES_ALL};
    static struct naive naive;
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    struct margay_objects_point *points;
    margay_objects *objects;
    uint64_t distances[MOST_REFS], told[MOST_REFS], refs = 0, bytes = 0;
    uint64_t names[MOST_REFS], sizes[MOST_REFS];
    uint8_t ops[MOST_REFS];
    struct margay_step hits[MOST_REFS];
    uint64_t known = 1 + below(60), most = UINT64_C(1) << below(36);
    bool changes = one_in(4), deletes = one_in(2);
    size_t differ = 0, count, requests = (size_t)below(MOST_REFS);
    naive = (struct naive){.count = 0};
    options.curve = &all;
    options.rate = rate;
    if (margay_objects_create(&options, &objects, NULL) != MARGAY_OK)
        abort();
    for (size_t i = 0; i < requests; i++) {
        uint64_t name = names[i] = below(1 + below(known)), stand = 0;
        sizes[i] = (changes ? below(most) : name * 77777777) % most;
        ops[i] = deletes && one_in(9) ? MARGAY_DELETE : MARGAY_GET;
        distances[i] = MARGAY_INFINITE;
        for (size_t k = 0; k < naive.count && ops[i] == MARGAY_DELETE; k++) {
            if (naive.list[k].name == name)
                naive.list[k].name = UINT64_MAX;
        }
        if (ops[i] != MARGAY_DELETE) {
            distances[i] = naive_ask(&naive, name, sizes[i], rate, &stand);
            refs++;
            bytes += sizes[i];
        }
        hits[i] = (struct margay_step){stand, stand * sizes[i]};
    }
    for (size_t i = 0, some; i < requests; i += some) {
        bool ends = one_in(8); /* the next request begins a new time */
        some = 1 + (size_t)below(one_in(2) ? requests - i : 1);
        while (ends && objects->weights.capacity - objects->weights.next >
                           2 * MARGAY_OBJECTS_BATCH)
            margay_weights_skip(&objects->weights);
        const struct margay_requests piece = {some, names + i, sizes + i,
                                              NULL, NULL,      ops + i};
        if (margay_objects_feed(objects, &piece, told + i, NULL) != MARGAY_OK)
            abort();
    }
    for (size_t i = 0; i < requests; i++)
        differ += told[i] != distances[i];
    if (margay_objects_curve(objects, NULL, &points, &count, NULL) != MARGAY_OK)
        abort();
    for (size_t k = 0; k < count; k++) {
        struct margay_step sum = {0, 0};
        for (size_t i = 0; i < requests; i++) {
            bool hit = distances[i] <= points[k].cache_bytes;
            sum.refs += hit ? hits[i].refs : 0;
            sum.bytes += hit ? hits[i].bytes : 0;
        }
        /* Where bytes miss, a reference does. */
        uint64_t left = sum.bytes < bytes ? bytes - sum.bytes : 0;
        differ += points[k].misses !=
                      (sum.refs < refs ? refs - sum.refs : left > 0) ||
                  points[k].missed_bytes != left;
    }
    free(points);
    margay_objects_free(objects);
    return differ;
}

/* Objects that stand for others may come to more bytes than can be counted,
   where all have fewer: does the message say that these are estimated?  If not,
   are the bytes of all still those of each?  `repeats` counts runs that end at
   the bytes of references. */
static bool is_told_or_counted(uint64_t seed, size_t *repeats)
{
    static const struct margay_sizes all = {.kind = MARGAY_SIZES_ALL};
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    struct margay_objects_counts counts;
    struct margay_error error;
    uint64_t names[31], sizes[31];
    margay_objects *objects;
    bool repeated = seed % 2 != 0;
    options.curve = &all;
    options.rate = repeated ? 0.17 : 0.12; /* two of 7 or 10 leave the front */
    options.seed = seed;
    if (margay_objects_create(&options, &objects, NULL) != MARGAY_OK)
        abort();
    for (uint64_t i = 0; i < 31; i++) {
        names[i] = repeated ? i % 10 : i;
        sizes[i] = i == 1 ? 1 : UINT64_C(1) << 59;
    }
    const struct margay_requests requests = {31,   names, sizes,
                                             NULL, NULL,  NULL};
    bool told =
        margay_objects_feed(objects, &requests, NULL, &error) != MARGAY_OK;
    margay_u128 sum = objects->front.bytes;
    for (uint64_t moment = 1; moment < objects->weights.next; moment++)
        sum += margay_weights_size(&objects->weights, moment);
    counts = margay_objects_counted(objects);
    bool good =
        told ? strstr(error.message, "by the estimate") != NULL
             : sum == counts.object_bytes &&
                   (repeated || counts.cold_bytes == counts.reference_bytes);
    *repeats += told && strstr(error.message, "all references") != NULL;
    margay_objects_free(objects);
    counts.fraction_bits = 9; /* of counts that fade, as sizes do not */
    margay_objects_round(&counts);
    return good && counts.unsure_below == sizes[0];
}

int main(void)
{
    static const double rates[] = {0.03, 0.2, 0.4, 0.7, 0.99};
    size_t differ = 0;
    seed_chance(5);
    for (uint64_t round = 0; round < rounds(1500); round++)
        differ += differences(rates[round % 5]);
    CHECK_U64(differ, 0, "samples are those of a plain list");
    size_t lost = 0, repeats = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++)
        lost += !is_told_or_counted(seed, &repeats);
    CHECK_U64(lost, 0, "more than 2^64 bytes are refused when they leave");
    CHECK(repeats > 0, "or when they come again");
    return tap_done();
}
