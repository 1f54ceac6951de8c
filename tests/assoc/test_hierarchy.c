/*
 * test_hierarchy.c - random machines against machines made of lists and loops
 */
#include "tests/assoc/naive_machine.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

#define REFS 400

static uint64_t numbers[REFS], sites[REFS];
static uint32_t extents[REFS], threads[REFS];
static uint8_t kinds[REFS];

/* ----------------------------------------------------------- the machines --
 */

static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
static const char *const policies[] = {
    "lru",    "fifo", "plru",  "random", "clock",   "nru",
    "sieve",  "lfu",  "srrip", "brrip",  "drrip",   "ship",
    "s3fifo", "2q",   "arc",   "lirs",   "tinylfu",
};
#define POLICIES (sizeof policies / sizeof policies[0])

/* Policies whose choice does not depend on which slot is filled first. */
static const char *const orders[] = {"lru", "sieve", "lfu", "tinylfu"};

static void make_shape(struct margay_level *level)
{
    uint64_t ways = one_in(8) ? 65 + below(8) : UINT64_C(1) << below(4);
    uint64_t sets = 1 + below(5);
    if (one_in(3))
        ways = 1 + below(6);
    level->block_bytes = UINT64_C(8) << below(one_in(2) ? UINT64_C(1) : 3);
    level->ways = sets == 1 && one_in(2) ? 0 : ways;
    if (level->slices > 1)
        sets *= level->slices;
    level->bytes = sets * ways * level->block_bytes;
    level->policy = one_in(2) ? NULL : policies[below(POLICIES)];
    if (ways > 64 && level->policy != NULL)
        level->policy = orders[below(4)];
}

static struct margay_level make_level(size_t index, size_t count)
{
    static const unsigned holds[] = {1u << MARGAY_FETCH,
                                     1u << MARGAY_READ | 1u << MARGAY_WRITE,
                                     MARGAY_ALL_KINDS};
    struct margay_level level = {
        .name = names[index],
        .holds = index < 2 && one_in(2) ? holds[below(3)] : MARGAY_ALL_KINDS,
        .next = MARGAY_NO_LEVEL,
        .writing =
            one_in(3) ? (enum margay_writing)below(3) : MARGAY_WRITE_BACK,
        .no_allocate = one_in(5),
        .inclusion = (enum margay_inclusion)below(3),
        .victim_blocks = one_in(4) ? 1 + below(5) : 0,
        .prefetch = one_in(2) || one_in(4) ? MARGAY_PREFETCH_NONE
                    : one_in(2)            ? 1u << below(4)
                                           : (unsigned)below(16),
        .prefetch_on = one_in(2) ? 0 : 1 + (unsigned)below(7),
        .prefetch_renews = one_in(3),
        .index = (enum margay_index)one_in(10),
        .slices = one_in(6) ? UINT64_C(1) << below(4) : 0,
        .shared = index < 2 ? 1 : below(3),
    };
    make_shape(&level);
    if (index + 1 == count && one_in(4)) {
        level.bytes = 0;
        level.inclusion = MARGAY_INCLUSION_NONE;
        level.shared = 0;
    }
    if (index + 1 < count && !one_in(8))
        level.next = index + 1 + below(count - index - 1);
    return level;
}

static bool leads_to(const struct margay_level *levels, size_t from, size_t to)
{
    while (from != MARGAY_NO_LEVEL && from != to)
        from = levels[from].next;
    return from == to;
}

/* Give a level, and those above it, to each core or two of them; the others are
   shared. */
static void make_coherent(struct margay_level *levels, size_t count)
{
    size_t border = below(count);
    uint64_t shared = 1 + below(2);
    if (one_in(6)) {
        levels[border].bytes *= 128 / levels[border].block_bytes;
        levels[border].block_bytes = 128;
    }
    for (size_t i = 0; i < count; i++) {
        struct margay_level *level = &levels[i];
        level->shared = 0;
        if (!leads_to(levels, i, border))
            continue;
        level->bytes =
            level->bytes / level->block_bytes * levels[border].block_bytes;
        level->block_bytes = levels[border].block_bytes;
        level->shared = shared;
        if (level->writing == MARGAY_WRITE_NONE)
            level->writing = MARGAY_WRITE_BACK;
    }
    levels[border].coherence = MARGAY_MESI;
}

/* A list of levels that is a machine; often all of its blocks are as large. */
static size_t make_machine(struct margay_level *levels)
{
    size_t count, wrong;
    struct margay_error error;
    do {
        count = 1 + below(5);
        bool same = one_in(2);
        for (size_t i = 0; i < count; i++) {
            levels[i] = make_level(i, count);
            if (same) {
                levels[i].bytes = levels[i].bytes / levels[i].block_bytes * 16;
                levels[i].block_bytes = 16;
            }
        }
        if (one_in(2))
            make_coherent(levels, count);
    } while (margay_machine_check(levels, count, &wrong, &error) != MARGAY_OK);
    return count;
}

static void make_trace(void)
{
    uint64_t range = UINT64_C(64) << below(6),
             cores = one_in(2) ? 1 : 1 + below(4);
    uint64_t at[4] = {0}, steps[4];
    for (size_t i = 0; i < 4; i++)
        steps[i] = below(40);
    for (size_t i = 0; i < REFS; i++) {
        size_t site = below(4);
        at[site] = (at[site] + steps[site]) % range;
        numbers[i] = one_in(3) ? below(range) : at[site];
        sites[i] = one_in(20) ? site + 256 : site;
        extents[i] = (uint32_t)(1 + below(12));
        threads[i] = (uint32_t)below(cores);
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
    }
}

/* ------------------------------------------------------------- comparison --
 */

/* Which references, and how they reach the machine. */
struct feeding {
    bool splits, has_extents;
    uint64_t warmup;
    uint32_t cores; /* 0 = one for each thread */
};

/* The references from one on. */
static struct margay_span span_of(const struct feeding *feeding, size_t from,
                                  size_t count)
{
    return (struct margay_span){
        .count = count,
        .blocks = numbers + from,
        .kinds = kinds + from,
        .extents = feeding->has_extents ? extents + from : NULL,
        .threads = threads + from,
        .sites = sites + from,
    };
}

static margay_hierarchy *feed(const struct margay_level *levels, size_t count,
                              const struct feeding *feeding)
{
    const struct margay_hierarchy_options options = {.levels = levels,
                                                     .level_count = count,
                                                     .seed = 5,
                                                     .splits = feeding->splits,
                                                     .cores = feeding->cores,
                                                     .notes_sharing = true};
    const uint64_t warmup = feeding->warmup;
    margay_hierarchy *hierarchy;
    if (margay_hierarchy_create(&options, &hierarchy, NULL) != MARGAY_OK)
        exit(1);
    for (size_t done = 0; done < REFS;) {
        size_t now = done == 0 ? warmup : 1 + below(REFS - done);
        const struct margay_span span = span_of(feeding, done, now);
        if (margay_hierarchy_feed(hierarchy, &span, NULL) != MARGAY_OK)
            exit(1);
        done += now;
        if (done == warmup)
            margay_hierarchy_reset_counts(hierarchy);
    }
    return hierarchy;
}

static void feed_naive(struct naive_machine *machine,
                       const struct feeding *feeding)
{
    for (size_t i = 0; i < REFS; i++) {
        if (i == feeding->warmup)
            naive_machine_reset(machine);
        naive_machine_refer(
            machine, numbers[i], feeding->has_extents ? extents[i] : 0,
            feeding->splits, (enum margay_kind)kinds[i],
            feeding->cores == 0 ? threads[i] : threads[i] % feeding->cores,
            sites[i]);
    }
}

static void describe(const struct margay_level *levels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct margay_level *level = &levels[i];
        printf("# %s: holds %u, %llu bytes, block %llu, ways %llu, next %d, "
               "%s, writing %d, no_allocate %d, inclusion %d, victims %llu, "
               "prefetch %u on %u renews %d, shared %llu, coherence %d, index "
               "%d, slices "
               "%llu\n",
               level->name, level->holds, (unsigned long long)level->bytes,
               (unsigned long long)level->block_bytes,
               (unsigned long long)level->ways, (int)level->next,
               level->policy == NULL ? "lru" : level->policy, level->writing,
               level->no_allocate, level->inclusion,
               (unsigned long long)level->victim_blocks, level->prefetch,
               level->prefetch_on, level->prefetch_renews,
               (unsigned long long)level->shared, level->coherence,
               level->index, (unsigned long long)level->slices);
    }
}

/* The false sharing misses of a block, at all places. */
static uint64_t false_misses(const struct naive_machine *naive,
                             const struct margay_sharing_place *of)
{
    uint64_t misses = 0;
    for (size_t i = 0; i < naive->place_count; i++) {
        const struct margay_sharing_place *place = &naive->places[i];
        if (place->level == of->level && place->block == of->block)
            misses += place->coherence_misses - place->true_sharing_misses;
    }
    return misses;
}

/* Are places in their order? */
static bool ascend(const struct margay_sharing_place *a,
                   const struct margay_sharing_place *b)
{
    const uint64_t keys[][2] = {
        {a->level, b->level},
        {b->block_false_sharing_misses, a->block_false_sharing_misses},
        {a->block, b->block},
        {a->core, b->core},
        {a->offset, b->offset},
        {a->site, b->site},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1];
    }
    return false;
}

/* Do the places where cores contend differ? */
static bool places_differ(const margay_hierarchy *hierarchy,
                          const struct naive_machine *naive)
{
    struct margay_sharing_place *got;
    size_t count;
    if (margay_hierarchy_sharing(hierarchy, &got, &count, NULL) != MARGAY_OK)
        exit(1);
    bool differ = count != naive->place_count;
    for (size_t i = 0; i < count && !differ; i++) {
        size_t same = 0;
        for (size_t k = 0; k < naive->place_count; k++) {
            struct margay_sharing_place expected = naive->places[k];
            expected.block_false_sharing_misses =
                false_misses(naive, &expected);
            same +=
                !ascend(&got[i], &expected) && !ascend(&expected, &got[i]) &&
                got[i].coherence_misses == expected.coherence_misses &&
                got[i].true_sharing_misses == expected.true_sharing_misses &&
                got[i].invalidations == expected.invalidations;
        }
        differ = same != 1 || (i > 0 && !ascend(&got[i - 1], &got[i]));
    }
    free(got);
    return differ;
}

/* -------------------------------------------------- the stream of a level --
 */

/* Is what a level and those after it count a matter of what they are asked
   alone?  Not where they empty or fill levels before them, tell a write of a
   core from one of a level, or are asked by others than its feeders. */
static bool stands_alone(const struct margay_level *levels, size_t count,
                         size_t index)
{
    bool is_fed = false, alone = levels[index].inclusion != MARGAY_EXCLUSIVE &&
                                 levels[index].bytes != 0;
    for (size_t i = 0; i < count; i++) {
        bool after = leads_to(levels, index, i),
             feeds = levels[i].next == index;
        is_fed |= feeds;
        alone &= !after || (levels[i].prefetch == MARGAY_PREFETCH_NONE &&
                            levels[i].inclusion != MARGAY_INCLUSIVE &&
                            levels[i].coherence == MARGAY_COHERENCE_NONE);
        alone &= after || feeds || levels[i].next == MARGAY_NO_LEVEL ||
                 !leads_to(levels, index, levels[i].next);
    }
    return is_fed && alone;
}

/* Feed what a machine's feeders of a level send on into a machine of that level
   and those after it. */
static void feed_rest(margay_hierarchy *rest, const margay_hierarchy *hierarchy,
                      size_t done)
{
    static uint64_t caused_sites[REFS * 64];
    static uint32_t caused_threads[REFS * 64];
    const struct margay_traffic *sent = margay_hierarchy_traffic(hierarchy);
    if (sent->count > REFS * 64)
        exit(1);
    for (size_t i = 0; i < sent->count; i++) {
        caused_sites[i] = sites[done + sent->causes[i]];
        caused_threads[i] = threads[done + sent->causes[i]];
    }
    const struct margay_span span = {
        .count = sent->count,
        .blocks = sent->blocks,
        .kinds = sent->kinds,
        .extents = sent->extents,
        .threads = caused_threads,
        .sites = caused_sites,
    };
    if (margay_hierarchy_feed(rest, &span, NULL) != MARGAY_OK)
        exit(1);
}

/* Does a level that is fed with the stream of those before it count something
   else than in its machine?  *compared counts the levels that were. */
static bool stream_differs(const struct margay_level *levels, size_t count,
                           const struct feeding *feeding, uint64_t *compared)
{
    struct margay_level after[MARGAY_MOST_LEVELS];
    bool wrong = false;
    for (size_t index = 0; index < count && !wrong; index++) {
        struct margay_hierarchy_options whole =
                                            {
                                                .levels = levels,
                                                .level_count = count,
                                                .seed = 5,
                                                .splits = feeding->splits,
                                                .cores = feeding->cores,
                                            },
                                        part = whole;
        margay_hierarchy *hierarchy, *rest;
        if (!stands_alone(levels, count, index))
            continue;
        part.level_count = 0;
        for (size_t i = 0; i < count; i++) {
            if (levels[i].next == index)
                whole.sends |= UINT64_C(1) << i;
        }
        for (size_t i = index; i != MARGAY_NO_LEVEL; i = levels[i].next) {
            size_t at = part.level_count++;
            after[at] = levels[i];
            after[at].next =
                levels[i].next == MARGAY_NO_LEVEL ? MARGAY_NO_LEVEL : at + 1;
        }
        part.levels = after;
        part.splits = true;
        if (margay_hierarchy_create(&whole, &hierarchy, NULL) != MARGAY_OK ||
            margay_hierarchy_create(&part, &rest, NULL) != MARGAY_OK)
            exit(1);
        for (size_t done = 0; done < REFS;) {
            size_t now = done == 0 ? feeding->warmup : 1 + below(REFS - done);
            const struct margay_span span = span_of(feeding, done, now);
            if (margay_hierarchy_feed(hierarchy, &span, NULL) != MARGAY_OK)
                exit(1);
            feed_rest(rest, hierarchy, done);
            done += now;
            if (done == feeding->warmup) {
                margay_hierarchy_reset_counts(hierarchy);
                margay_hierarchy_reset_counts(rest);
            }
        }
        for (size_t i = index, at = 0; i != MARGAY_NO_LEVEL;
             i = levels[i].next) {
            const struct margay_level_counts in =
                margay_hierarchy_counts(hierarchy, i);
            const struct margay_level_counts alone =
                margay_hierarchy_counts(rest, at++);
            wrong |= (memcmp(in.references, alone.references,
                             sizeof in.references) != 0 ||
                      memcmp(in.misses, alone.misses, sizeof in.misses) != 0 ||
                      in.writebacks != alone.writebacks ||
                      in.victim_fills != alone.victim_fills);
        }
        if (wrong)
            printf("# the stream before level %s differs\n",
                   levels[index].name);
        ++*compared;
        margay_hierarchy_free(hierarchy);
        margay_hierarchy_free(rest);
    }
    return wrong;
}

/* Does a random machine differ from the naive one on a random trace? */
static bool differs(struct margay_level_counts *totals, uint64_t *streams)
{
    struct margay_level levels[MARGAY_MOST_LEVELS];
    size_t count = make_machine(levels);
    const struct feeding feeding = {one_in(3), !one_in(4), 1 + below(REFS / 2),
                                    one_in(3) ? (uint32_t)(1 + below(3)) : 0};
    bool wrong = false;
    struct naive_machine naive = {.levels = levels, .count = count, .seed = 5};
    make_trace();
    margay_hierarchy *hierarchy = feed(levels, count, &feeding);
    feed_naive(&naive, &feeding);
    for (size_t i = 0; i < count; i++) {
        const struct margay_level_counts got =
            margay_hierarchy_counts(hierarchy, i);
        const struct margay_level_counts expected =
            naive_machine_counts(&naive, i);
        if (memcmp(&got, &expected, sizeof got) != 0) {
            wrong = true;
            printf("# level %s differs\n", levels[i].name);
        }
        totals->writebacks += got.writebacks;
        totals->useful_prefetches += got.useful_prefetches;
        totals->demand_misses += got.demand_misses;
        totals->writebacks_received += got.writebacks_received;
        totals->victim_fills += got.victim_fills;
        totals->coherence_misses += got.coherence_misses;
        totals->true_sharing_misses += got.true_sharing_misses;
        totals->interventions += got.interventions;
        totals->upgrades += got.upgrades;
    }
    if (places_differ(hierarchy, &naive)) {
        wrong = true;
        printf("# places differ\n");
    }
    wrong |= stream_differs(levels, count, &feeding, streams);
    if (wrong)
        describe(levels, count);
    margay_hierarchy_free(hierarchy);
    naive_machine_free(&naive);
    return wrong;
}

int main(void)
{
    uint64_t count = rounds(5000), wrong = 0, streams = 0;
    /* Fewer do not have all that is asked for below. */
    count = count < 150 ? 150 : count;
    struct margay_level_counts totals = {.writebacks = 0};
    seed_chance(18);
    for (uint64_t i = 0; i < count && wrong < 5; i++)
        wrong += differs(&totals, &streams);
    CHECK(wrong == 0, "%llu random machines are as lists and loops say",
          (unsigned long long)count);
    CHECK(streams > count / 20,
          "and %llu levels count the same when they are fed with what those "
          "before them send on",
          (unsigned long long)streams);
    CHECK(totals.writebacks > count && totals.useful_prefetches > count,
          "and they write back and prefetch");
    CHECK(totals.demand_misses > count && totals.writebacks_received > count &&
              totals.victim_fills > count,
          "and the program's references are told from blocks from above");
    CHECK(totals.true_sharing_misses > count &&
              totals.coherence_misses > totals.true_sharing_misses + count &&
              totals.interventions > count && totals.upgrades > count,
          "and their cores share blocks truly and falsely");
    return tap_done();
}
