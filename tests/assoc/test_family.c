/*
 * test_family.c - machines that are simulated together against one by one
 *
 * A random machine, and variations of it that differ in one field or two, as
 * those of `simulate --vary` do.
 */
#include <margay/family.h>

#include "tests/assoc/machines.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

#define MACHINES 6

/* ---------------------------------------------------------- the machines -- */

/* Give a level another value of one of its fields. */
static void vary(struct margay_level *level)
{
    const struct margay_level other = make_level(below(3), 9);
    switch (below(level->bytes == 0 ? 1 : 17)) {
    case 0:
        level->cycles = (double)below(9);
        break;
    case 1:
        level->policy = other.policy;
        break;
    case 2:
        level->writing = other.writing;
        break;
    case 3:
        level->no_allocate = one_in(2);
        break;
    case 4:
        level->holds = other.holds;
        break;
    case 5:
        level->shared = below(3);
        break;
    case 6:
        level->bytes = level->bytes / level->block_bytes * other.block_bytes;
        level->block_bytes = other.block_bytes;
        break;
    case 7:
        level->inclusion = other.inclusion;
        level->victim_blocks = other.victim_blocks;
        level->prefetch = other.prefetch;
        break;
    case 8:
        level->index = (enum margay_index)one_in(2);
        level->slices = UINT64_C(1) << below(4);
        break;
    default:
        level->ways = other.ways;
        level->bytes = other.bytes / other.block_bytes * level->block_bytes;
        break;
    }
}

/* One whose levels do not depend on those after them. */
static size_t make_plain(struct margay_level *levels)
{
    size_t count;
    do {
        count = make_machine(levels);
        for (size_t i = 0; i < count; i++) {
            levels[i].inclusion = MARGAY_INCLUSION_NONE;
            levels[i].victim_blocks = 0;
            levels[i].prefetch = MARGAY_PREFETCH_NONE;
            levels[i].coherence = MARGAY_COHERENCE_NONE;
        }
    } while (!margay_machine_shares(levels, count));
    return count;
}

static void make_variation(const struct margay_level *from,
                           struct margay_level *to, size_t count)
{
    size_t wrong;
    do {
        memcpy(to, from, count * sizeof *to);
        for (uint64_t left = below(4); left > 0; left--)
            vary(&to[below(count)]);
    } while (margay_machine_check(to, count, &wrong, NULL) != MARGAY_OK);
}

/* ------------------------------------------------------------ comparison -- */

/* Feed either in spans, and end the warm-up after the first. */
static void feed(margay_hierarchy *hierarchy, margay_family *family,
                 const struct feeding *feeding, size_t step)
{
    bool failed = false;
    for (size_t done = 0; done < REFS && !failed;) {
        size_t now = done == 0            ? feeding->warmup
                     : step < REFS - done ? step
                                          : REFS - done;
        const struct margay_span span = span_of(feeding, done, now);
        if (hierarchy != NULL)
            failed |= margay_hierarchy_feed(hierarchy, &span, NULL) != 0;
        else
            failed |= margay_family_feed(family, &span, NULL) != 0;
        if (done == 0 && hierarchy != NULL)
            margay_hierarchy_reset_counts(hierarchy);
        else if (done == 0)
            failed |= margay_family_reset_counts(family, NULL) != 0;
        done += now;
        if (hierarchy == NULL && step > 100)
            failed |= margay_family_settle(family, NULL) != 0;
    }
    if (hierarchy == NULL)
        failed |= margay_family_settle(family, NULL) != 0;
    if (failed)
        exit(1);
}

struct round {
    struct margay_level levels[MACHINES][MARGAY_MOST_LEVELS];
    size_t count, step;
    struct feeding feeding;
};

static bool machine_differs(const struct round *round, size_t machine,
                            const margay_family *family)
{
    const struct margay_hierarchy_options options = {
        .levels = round->levels[machine],
        .level_count = round->count,
        .seed = 7,
        .splits = round->feeding.splits,
        .cores = round->feeding.cores};
    margay_hierarchy *hierarchy;
    bool differs = false;
    if (margay_hierarchy_create(&options, &hierarchy, NULL) != MARGAY_OK)
        exit(1);
    feed(hierarchy, NULL, &round->feeding, round->step);
    for (size_t i = 0; i < round->count; i++) {
        const struct margay_level_counts alone =
            margay_hierarchy_counts(hierarchy, i);
        const struct margay_level_counts shared =
            margay_family_counts(family, machine, i);
        differs |= memcmp(&alone, &shared, sizeof alone) != 0;
    }
    const struct margay_machine_fed fed = margay_hierarchy_fed(hierarchy),
                                    all = margay_family_fed(family);
    differs |=
        fed.cores != all.cores || fed.shares_cores != all.shares_cores ||
        memcmp(fed.references, all.references, sizeof fed.references) != 0;
    if (differs)
        describe(round->levels[machine], round->count);
    margay_hierarchy_free(hierarchy);
    return differs;
}

/* How many machines of a random family share; *differ counts those that are not
   as they are one by one. */
static uint64_t compare(uint64_t *differ)
{
    static struct round round;
    static struct margay_level list[MACHINES * MARGAY_MOST_LEVELS];
    uint64_t sharing = 0;
    margay_family *family;
    round.count = make_plain(round.levels[0]);
    round.feeding = (struct feeding){one_in(3), true, 1 + below(REFS / 2),
                                     one_in(3) ? (uint32_t)(1 + below(3)) : 0};
    round.step = 1 + below(REFS);
    for (size_t i = 0; i < MACHINES; i++) {
        if (i > 0)
            make_variation(round.levels[below(i)], round.levels[i],
                           round.count);
        memcpy(list + i * round.count, round.levels[i],
               round.count * sizeof *list);
    }
    make_trace();
    const struct margay_family_options options = {
        .machine = {.levels = list,
                    .level_count = round.count,
                    .seed = 7,
                    .splits = round.feeding.splits,
                    .cores = round.feeding.cores},
        .machine_count = MACHINES,
        .threads = (unsigned)(1 + below(2))};
    if (margay_family_create(&options, &family, NULL) != MARGAY_OK)
        exit(1);
    feed(NULL, family, &round.feeding, round.step);
    for (size_t i = 0; i < MACHINES; i++) {
        sharing += margay_machine_shares(round.levels[i], round.count);
        *differ += machine_differs(&round, i, family);
    }
    margay_family_free(family);
    return sharing;
}

/* Machines with a level that depends on a later one are left out. */
static void test_what_shares(void)
{
    const struct margay_level plain[2] = {
        {.name = "L1", .holds = 7, .bytes = 64, .block_bytes = 8, .next = 1},
        {.name = "L2",
         .holds = 7,
         .bytes = 640,
         .block_bytes = 8,
         .next = MARGAY_NO_LEVEL}};
    struct margay_level other[2];
    CHECK(margay_machine_shares(plain, 2), "plain levels share");
#define REFUSES(set)                    \
    memcpy(other, plain, sizeof plain); \
    other[1].set;                       \
    CHECK(!margay_machine_shares(other, 2), "not with " #set)
    REFUSES(inclusion = MARGAY_INCLUSIVE);
    REFUSES(inclusion = MARGAY_EXCLUSIVE);
    REFUSES(victim_blocks = 1);
    REFUSES(prefetch = MARGAY_PREFETCH_NEXT_LINE);
    REFUSES(coherence = MARGAY_MESI);
    REFUSES(policy = "ship");
    struct margay_level three[3] = {plain[0], plain[0], plain[1]};
    three[0].next = three[1].next = 2;
    CHECK(!margay_machine_shares(three, 3), "nor where a read comes twice");
    three[0].holds = 1u << MARGAY_FETCH;
    three[1].holds = 3;
    CHECK(margay_machine_shares(three, 3), "but a fetch here and a read there");
}

int main(void)
{
    uint64_t count = rounds(4000), sharing = 0, differ = 0;
    seed_chance(31);
    test_what_shares();
    for (uint64_t i = 0; i < count && differ < 5; i++)
        sharing += compare(&differ);
    CHECK(differ == 0, "%llu machines of %llu families are as one by one",
          (unsigned long long)sharing, (unsigned long long)count);
    CHECK(sharing > 2 * count, "and many share");
    return tap_done();
}
