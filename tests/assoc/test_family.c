/*
 * test_family.c - machines that are simulated together against one by one
 *
 * A random machine, and variations of it that differ in one field or two, as
 * those of `simulate --vary` do.
 */
#include <margay/family.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS     600
#define MACHINES 6

static uint64_t numbers[REFS];
static uint32_t extents[REFS], threads[REFS];
static uint8_t kinds[REFS];

/* ----------------------------------------------------------- the machines --
 */

static const char *const names[] = {"A", "B", "C", "D", "E"};
static const char *const policies[] = {"lru",   "fifo",   "plru", "random",
                                       "srrip", "s3fifo", "ship"};

static void set_shape(struct margay_level *level)
{
    uint64_t ways = one_in(12) ? 65 + below(8) : UINT64_C(1) << below(4);
    uint64_t sets = 1 + below(5);
    if (one_in(3))
        ways = 1 + below(6);
    level->ways = sets == 1 && one_in(2) ? 0 : ways;
    level->bytes = sets * ways * level->block_bytes;
}

static void set_block(struct margay_level *level)
{
    uint64_t blocks = level->bytes / level->block_bytes;
    level->block_bytes = UINT64_C(8) << below(3);
    level->bytes = blocks * level->block_bytes;
}

/* Give a level another value of one of its fields. */
static void vary(struct margay_level *level)
{
    static const unsigned holds[] = {1u << MARGAY_FETCH,
                                     1u << MARGAY_READ | 1u << MARGAY_WRITE,
                                     MARGAY_ALL_KINDS};
    switch (below(level->bytes == 0 ? 1 : 17)) {
    case 0:
        level->cycles = (double)below(9);
        break;
    case 1:
        level->policy = policies[below(7)];
        break;
    case 2:
        level->writing = (enum margay_writing)below(3);
        break;
    case 3:
        level->no_allocate = one_in(2);
        break;
    case 4:
        level->holds = holds[below(3)];
        break;
    case 5:
        level->shared = below(3);
        break;
    case 6:
        set_block(level);
        break;
    case 8:
        level->index = (enum margay_index)one_in(2);
        level->slices = UINT64_C(1) << below(4);
        break;
    case 7:
        level->inclusion = (enum margay_inclusion)below(3);
        level->victim_blocks = one_in(3);
        level->prefetch = one_in(3) ? (unsigned)below(16) : 0;
        level->coherence = (enum margay_coherence)one_in(3);
        break;
    default:
        set_shape(level);
        break;
    }
}

static bool is_machine(const struct margay_level *levels, size_t count)
{
    size_t wrong;
    struct margay_error error;
    return margay_machine_check(levels, count, &wrong, &error) == MARGAY_OK;
}

static size_t make_machine(struct margay_level *levels)
{
    size_t count;
    do {
        count = 1 + below(5);
        for (size_t i = 0; i < count; i++) {
            levels[i] = (struct margay_level){
                .name = names[i],
                .holds = MARGAY_ALL_KINDS,
                .block_bytes = 16,
                .next = i + 1 == count || one_in(8)
                            ? MARGAY_NO_LEVEL
                            : i + 1 + below(count - i - 1),
                .shared = i < 2};
            set_shape(&levels[i]);
            if (one_in(2))
                vary(&levels[i]);
        }
        if (count > 1 && one_in(3))
            levels[0].holds = 1u << MARGAY_FETCH, levels[1].holds = 3;
        if (one_in(3))
            levels[count - 1].bytes = 0;
    } while (!is_machine(levels, count));
    return count;
}

static void make_variation(const struct margay_level *from,
                           struct margay_level *to, size_t count)
{
    do {
        memcpy(to, from, count * sizeof *to);
        for (uint64_t left = below(4); left > 0; left--)
            vary(&to[below(count)]);
    } while (!is_machine(to, count));
}

static void make_trace(void)
{
    uint64_t range = UINT64_C(64) << below(6), at = 0, step = below(20);
    uint64_t cores = one_in(2) ? 1 : 1 + below(4);
    for (size_t i = 0; i < REFS; i++) {
        at = (at + step) % range;
        numbers[i] = one_in(2) ? below(range) : at;
        extents[i] = (uint32_t)(1 + below(12));
        threads[i] = (uint32_t)below(cores);
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
    }
}

/* ------------------------------------------------------------- comparison --
 */

/* Feed either in spans, and end the warm-up after the first. */
static void feed(margay_hierarchy *hierarchy, margay_family *family,
                 uint64_t warmup, uint64_t step)
{
    bool failed = false;
    for (size_t done = 0; done < REFS && !failed;) {
        size_t now = done == 0            ? warmup
                     : step < REFS - done ? step
                                          : REFS - done;
        const struct margay_span span = {.count = now,
                                         .blocks = numbers + done,
                                         .kinds = kinds + done,
                                         .extents = extents + done,
                                         .threads = threads + done};
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
    size_t count;
    bool splits;
    uint32_t cores;
    uint64_t warmup, step;
};

static void describe(const struct margay_level *level,
                     const struct margay_level_counts *alone,
                     const struct margay_level_counts *shared)
{
    printf("# %s of %llu bytes, blocks of %llu, ways %llu, %s, writing %d, "
           "no_allocate %d, shared by %llu\n",
           level->name, (unsigned long long)level->bytes,
           (unsigned long long)level->block_bytes,
           (unsigned long long)level->ways,
           level->policy == NULL ? "lru" : level->policy, level->writing,
           level->no_allocate, (unsigned long long)level->shared);
    for (size_t i = 0; i < sizeof *alone / sizeof(uint64_t); i++)
        printf("# count %zu: alone %llu, shared %llu\n", i,
               (unsigned long long)((const uint64_t *)alone)[i],
               (unsigned long long)((const uint64_t *)shared)[i]);
}

static bool machine_differs(const struct round *round, size_t machine,
                            const margay_family *family)
{
    const struct margay_hierarchy_options options = {
        .levels = round->levels[machine],
        .level_count = round->count,
        .seed = 7,
        .splits = round->splits,
        .cores = round->cores};
    margay_hierarchy *hierarchy;
    bool differs = false;
    if (margay_hierarchy_create(&options, &hierarchy, NULL) != MARGAY_OK)
        exit(1);
    feed(hierarchy, NULL, round->warmup, round->step);
    for (size_t i = 0; i < round->count; i++) {
        const struct margay_level_counts alone =
            margay_hierarchy_counts(hierarchy, i);
        const struct margay_level_counts shared =
            margay_family_counts(family, machine, i);
        differs |= memcmp(&alone, &shared, sizeof alone) != 0;
        if (memcmp(&alone, &shared, sizeof alone) != 0)
            describe(&round->levels[machine][i], &alone, &shared);
    }
    differs |= margay_hierarchy_cores(hierarchy) != margay_family_cores(family);
    differs |= margay_hierarchy_shares_cores(hierarchy) !=
               margay_family_shares_cores(family);
    differs |= memcmp(margay_hierarchy_references(hierarchy),
                      margay_family_references(family),
                      MARGAY_KINDS * sizeof(uint64_t)) != 0;
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
    round.count = make_machine(round.levels[0]);
    round.splits = one_in(3);
    round.cores = one_in(3) ? (uint32_t)(1 + below(3)) : 0;
    round.warmup = 1 + below(REFS / 2);
    round.step = 1 + below(REFS);
    for (size_t i = 0; i < MACHINES; i++) {
        if (i > 0)
            make_variation(round.levels[below(i)], round.levels[i],
                           round.count);
        memcpy(list + i * round.count, round.levels[i],
               round.count * sizeof *list);
    }
    make_trace();
    const struct margay_family_options options = {.levels = list,
                                                  .level_count = round.count,
                                                  .machine_count = MACHINES,
                                                  .seed = 7,
                                                  .splits = round.splits,
                                                  .cores = round.cores,
                                                  .threads =
                                                      (unsigned)(1 + below(2))};
    if (margay_family_create(&options, &family, NULL) != MARGAY_OK)
        exit(1);
    feed(NULL, family, round.warmup, round.step);
    for (size_t i = 0; i < MACHINES; i++) {
        if (!margay_machine_shares(round.levels[i], round.count))
            continue;
        sharing++;
        *differ += machine_differs(&round, i, family);
    }
    margay_family_free(family);
    return sharing;
}

/* What is told something by a level behind it is left out. */
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
