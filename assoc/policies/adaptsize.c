/*
 * adaptsize.c - admits objects with a probability that falls with their size
 *
 * Algorithm: an object that misses comes in with the probability exp(-size /
 *   c).  After each interval of requests, c is the number for which a Markov
 *   model expects the most hits: an object asked for at a rate r and admitted
 *   with a probability p leaves a time T after its last use, where T is such
 *   that the expected bytes of all objects fill the cache.  Rates are those of
 *   the interval, averaged with earlier ones.  The number is searched for on a
 *   grid of log2 c, and by golden sections next to the best point.
 *
 * Source: Berger, Sitaraman and Harchol-Balter, "AdaptSize: orchestrating the
 *   hot object memory cache in a content delivery network", NSDI 2017.  The
 *   numbers are those of the authors' simulator (webcachesim): 500000 requests,
 *   7 of 10 parts of the new rate, none below 0.1, c = 2^15 at first, ten steps
 *   for T, the polynomials for hits.  It waits another 10000 requests while
 *   objects of less than three times the cache are known.  Where the model has
 *   no number, c stays.
 *
 * Cost: constant for a request; for a choice up to 22 passes and one for each 4
 *   in log2 of the cache's bytes, each of 12 exponentials for each object with
 *   a rate.  16 bytes for each object.
 */
#include "assoc/policies/admission.h"

#include <math.h>

#define WAIT     10000
#define STEPS    10
#define SECTIONS 15
#define DECAY    0.3
#define LEAST    0.1
#define GOLDEN   0.61803399

void margay_adaptsize_set_up(struct margay_adaptsize *adaptsize,
                             const struct margay_policy_setup *setup,
                             struct margay_layout *layout)
{
    uint64_t objects = setup->slots;
    adaptsize->left = adaptsize->interval;
    adaptsize->objects = objects;
    adaptsize->room = (double)setup->room;
    adaptsize->scale = 32768;
    adaptsize->rates = margay_lay_out(layout, objects * sizeof(double));
    adaptsize->counts = margay_lay_out(layout, objects * sizeof(double));
}

/* The time that objects stay in after their last use; 0 = none comes in. */
static double time_to_leave(const struct margay_adaptsize *adaptsize,
                            const struct margay_amounts *sizes)
{
    const double *rates = adaptsize->rates, *chances = adaptsize->counts;
    double sum = 0;
    for (uint64_t i = 0; i < adaptsize->objects; i++)
        sum += rates[i] * chances[i] * (double)margay_amount(sizes, i);
    if (sum <= 0)
        return 0;
    double time = adaptsize->room / sum;
    for (int step = 0; step < STEPS && time <= 1e70; step++) {
        double bytes = 0;
        for (uint64_t i = 0; i < adaptsize->objects; i++) {
            if (rates[i] == 0)
                continue;
            /* The exponential of more has no number. */
            double uses = rates[i] * time, odds = chances[i] * (exp(uses) - 1);
            bytes += (double)margay_amount(sizes, i) *
                     (uses > 150 ? 1 : odds / (1 + odds));
        }
        time = adaptsize->room * time / bytes;
    }
    return time;
}

/* The share of hits of an object, for x = rate times time. */
static double hits_of(double x, double p)
{
    double above = p * x * (840 + x * (60 + x * (20 + x)));
    double below =
        840 + x * (120 * (7 * p - 3) +
                   x * (60 * (1 + p) + x * (4 * (5 * p - 1) + x * p)));
    double share = above != 0 && below == 0 ? 0 : above / below;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* The hits that are expected in an interval, if c is 2^`exponent`. */
static double hits_with(struct margay_adaptsize *adaptsize, double exponent,
                        const struct margay_amounts *sizes)
{
    double hits = 0, scale = exp2(exponent);
    for (uint64_t i = 0; i < adaptsize->objects; i++) {
        if (adaptsize->rates[i] > 0)
            adaptsize->counts[i] =
                exp(-(double)margay_amount(sizes, i) / scale);
    }
    double time = time_to_leave(adaptsize, sizes);
    for (uint64_t i = 0; i < adaptsize->objects; i++) {
        double rate = adaptsize->rates[i];
        if (rate > 0)
            hits += rate * hits_of(rate * time, adaptsize->counts[i]);
    }
    return hits;
}

/* Choose c.  from < a < b < to are exponents, whose hits of a and b are
   known. */
static void choose(struct margay_adaptsize *adaptsize,
                   const struct margay_amounts *sizes)
{
    double from = 0, to = log2(adaptsize->room), a = to, b = to;
    double at_a = 0, at_b;
    for (int exponent = 2; exponent < to; exponent += 4) {
        double hits = hits_with(adaptsize, exponent, sizes);
        if (hits > at_a) {
            at_a = hits;
            a = exponent;
        }
    }
    if (to - a > a - from) {
        b = a + (1 - GOLDEN) * (to - a);
        at_b = hits_with(adaptsize, b, sizes);
    } else {
        b = a;
        at_b = at_a;
        a = from + (1 - GOLDEN) * (a - from);
        at_a = hits_with(adaptsize, a, sizes);
    }
    for (int i = 0; i < SECTIONS && !isnan(at_a) && !isnan(at_b) &&
                    to - from > 3e-8 * (a + b);
         i++) {
        if (at_b > at_a) {
            from = a;
            a = b;
            b = GOLDEN * a + (1 - GOLDEN) * to;
            at_a = at_b;
            at_b = hits_with(adaptsize, b, sizes);
        } else {
            to = b;
            b = a;
            a = GOLDEN * b + (1 - GOLDEN) * from;
            at_b = at_a;
            at_a = hits_with(adaptsize, a, sizes);
        }
    }
    if (!isnan(at_a) && !isnan(at_b))
        adaptsize->scale = exp2(at_a > at_b ? a : b);
    memset(adaptsize->counts, 0,
           (size_t)adaptsize->objects * sizeof *adaptsize->counts);
}

static bool knows(const struct margay_adaptsize *adaptsize, uint32_t object)
{
    return adaptsize->counts[object] > 0 || adaptsize->rates[object] > 0;
}

void margay_adaptsize_watch(struct margay_adaptsize *adaptsize, uint32_t object,
                            const struct margay_amounts *sizes)
{
    if (--adaptsize->left == 0) {
        bool enough = (double)adaptsize->known_bytes > 3 * adaptsize->room;
        adaptsize->left =
            enough || adaptsize->interval < WAIT ? adaptsize->interval : WAIT;
        /* Bring the rates up to date. */
        for (uint64_t i = 0; enough && i < adaptsize->objects; i++) {
            double *rate = &adaptsize->rates[i], count = adaptsize->counts[i];
            if (*rate == 0 && count == 0)
                continue;
            *rate = *rate == 0 ? count : DECAY * *rate + (1 - DECAY) * count;
            adaptsize->counts[i] = 0;
            if (*rate < LEAST) {
                *rate = 0;
                adaptsize->known_bytes -= margay_amount(sizes, i);
            }
        }
        if (enough)
            choose(adaptsize, sizes);
    }
    if (!knows(adaptsize, object))
        adaptsize->known_bytes += margay_amount(sizes, object);
    adaptsize->counts[object]++;
}

void margay_adaptsize_resize(struct margay_adaptsize *adaptsize,
                             uint32_t object, uint64_t from, uint64_t to)
{
    if (knows(adaptsize, object))
        adaptsize->known_bytes += to - from;
}

double margay_adaptsize_probability(const struct margay_adaptsize *adaptsize,
                                    uint64_t bytes)
{
    return exp(-(double)bytes / adaptsize->scale);
}
