/*
 * test_stretches.c - machines of the optimum in small stretches
 *
 * They are compared with machines in an array; and the invariants of machines.h
 * are checked, because an error may show much later, if ever.
 */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/small_stretches.h"
#include "tests/tap.h"

#define REFS   6000
#define BLOCKS 600

/* ----------------------------------------------------------- invariants -- */

/* Is place i where it should be, and above the least number that it covers? */
static bool place_is_sound(const struct margay_stretch *stretch, uint32_t i)
{
    uint32_t from = i == 0 ? stretch->first : stretch->places[i - 1] + 1u;
    uint32_t least = MARGAY_NO_NUMBER, end = stretch->places[i];
    for (uint32_t n = from; n < end; n++)
        least = stretch->numbers[n] < least ? stretch->numbers[n] : least;
    return from <= end && stretch->covers[i] == least &&
           stretch->edge[i] < least &&
           (i == 0 || stretch->edge[i - 1] < stretch->edge[i]) &&
           (least == MARGAY_NO_NUMBER || stretch->covering);
}

static bool end_is_sound(const struct margay_stretch *stretch)
{
    uint32_t count = stretch->edge_count;
    for (uint32_t i = 0; i < MARGAY_STRETCH_GROUP; i++) {
        if (stretch->edge[count + i] != MARGAY_NO_NUMBER ||
            stretch->covers[count + i] != MARGAY_NO_NUMBER)
            return false;
    }
    return count > 0 && stretch->places[count - 1] + 1u == stretch->end &&
           stretch->end <= MARGAY_STRETCH_MACHINES &&
           (count > MARGAY_STRETCH_LONG ||
            stretch->edge == stretch->edge_space);
}

static bool are_sound(const struct margay_machines *machines)
{
    for (uint32_t k = 0; k < machines->stretch_count; k++) {
        const struct margay_stretch *stretch = machines->stretches[k];
        if (machines->firsts[k] != stretch->moments[stretch->first] ||
            machines->counts[k] != stretch->end - stretch->first ||
            machines->leasts[k] != stretch->edge[0] || !end_is_sound(stretch))
            return false;
        for (uint32_t i = 0; i < stretch->edge_count; i++) {
            if (!place_is_sound(stretch, i))
                return false;
        }
    }
    return true;
}

/* ----------------------------------------------------------- comparison -- */

/* All times become later. */
static void put_off(struct margay_machines *machines, uint32_t by)
{
    static uint32_t moments[REFS], numbers[REFS];
    uint32_t count = machines->count;
    small_machines_list(machines, moments, numbers);
    for (uint32_t i = 0; i < count; i++)
        moments[i] += by;
    if (small_machines_set(machines, moments, numbers, count, NULL) !=
        MARGAY_OK)
        abort();
}

/* Give jobs together. */
static bool give_together(struct margay_machines *machines, uint64_t most,
                          struct margay_job *jobs, const uint32_t *wanted,
                          size_t count)
{
    if (small_machines_give_batch(machines, jobs, count, NULL) != MARGAY_OK)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].machine != (wanted[i] > most ? 0 : wanted[i]))
            return false;
    }
    return are_sound(machines);
}

/* Give the jobs of a trace to at most `most` machines, one by one, and at times
   some together.  Now and then all times so far become later. */
static bool agree(const uint64_t *trace, uint64_t most)
{
    static struct margay_job jobs[REFS];
    static uint32_t together[REFS];
    size_t kept = 0, keep = 0;
    static struct array array;
    static uint32_t last[BLOCKS];
    struct margay_machines machines;
    const uint32_t by = 100;
    uint32_t now = 0;
    bool same = true;
    create_small(&machines, most);
    array.count = 0;
    memset(last, 0, sizeof last);
    for (size_t at = 0; at < REFS && same; at++) {
        struct margay_job job = {.from = last[trace[at]], .moment = ++now};
        last[trace[at]] = now;
        if (job.from != 0) {
            uint32_t wanted = give_in_array(&array, job.from, now);
            if (keep > 0) {
                jobs[kept] = job;
                together[kept++] = wanted;
            } else {
                same = give_to_small(&machines, job) ==
                           (wanted > most ? 0 : wanted) &&
                       are_sound(&machines);
            }
        }
        if (keep > 0 && (--keep == 0 || at + 1 == REFS)) {
            same = give_together(&machines, most, jobs, together, kept);
            keep = kept = 0;
        } else if (one_in(400)) {
            keep = 1 + (size_t)below(1 + below(REFS / 2));
        }
        if (keep > 0)
            continue;
        if (!one_in(500))
            continue;
        put_off(&machines, by);
        for (size_t i = 0; i < array.count; i++)
            array.moments[i] += by;
        for (size_t i = 0; i < BLOCKS; i++)
            last[i] += last[i] == 0 ? 0 : by;
        now += by;
    }
    small_machines_destroy(&machines);
    return same;
}

static bool try_pattern(enum pattern pattern)
{
    static uint64_t trace[LONG_REFS];
    uint64_t blocks = 1 + below(BLOCKS);
    uint64_t most = one_in(2) ? UINT64_MAX : 1 + below(blocks);
    make_long(pattern, trace, blocks);
    return agree(trace, most);
}

int main(void)
{
    seed_chance(1);
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        uint64_t tries = rounds(40), same = 0;
        for (uint64_t i = 0; i < tries; i++)
            same += try_pattern((enum pattern)pattern);
        CHECK_U64(same, tries, "machines in an array, %s traces",
                  pattern_names[pattern]);
    }
    return tap_done();
}
