/*
 * test_hierarchy.c - random machines against machines made of lists and loops
 */
#include "tests/assoc/machines.h"
#include "tests/assoc/naive_machine.h"
#include "tests/rounds.h"
#include "tests/tap.h"

/* ------------------------------------------------------------ comparison -- */

static margay_hierarchy *create(const struct margay_level *levels, size_t count,
                                const struct feeding *feeding, bool splits,
                                uint64_t sends)
{
    const struct margay_hierarchy_options options = {.levels = levels,
                                                     .level_count = count,
                                                     .seed = 5,
                                                     .splits = splits,
                                                     .cores = feeding->cores,
                                                     .notes_sharing = true,
                                                     .sends = sends};
    margay_hierarchy *hierarchy;
    if (margay_hierarchy_create(&options, &hierarchy, NULL) != MARGAY_OK)
        exit(1);
    return hierarchy;
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

/* Feed a machine, and another one with its output unless that is NULL. */
static void feed(margay_hierarchy *hierarchy, margay_hierarchy *rest,
                 const struct feeding *feeding)
{
    for (size_t done = 0; done < REFS;) {
        size_t now = done == 0 && feeding->warmup < REFS
                         ? feeding->warmup
                         : 1 + below(REFS - done);
        const struct margay_span span = span_of(feeding, done, now);
        if (margay_hierarchy_feed(hierarchy, &span, NULL) != MARGAY_OK)
            exit(1);
        if (rest != NULL)
            feed_rest(rest, hierarchy, done);
        done += now;
        if (done == feeding->warmup)
            margay_hierarchy_reset_counts(hierarchy);
        if (done == feeding->warmup && rest != NULL)
            margay_hierarchy_reset_counts(rest);
    }
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

/* ------------------------------------------------- the stream of a level -- */

/* Do the counts of a level and of later ones depend only on their requests?
   Not where they empty or fill levels before them, distinguish writes of cores
   and of levels, or have other feeders. */
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

/* Does a level that is fed with the stream of those before it count something
   else than in its machine?  *compared counts the levels that were. */
static bool stream_differs(const struct margay_level *levels, size_t count,
                           const struct feeding *feeding, uint64_t *compared)
{
    struct margay_level after[MARGAY_MOST_LEVELS];
    bool wrong = false;
    for (size_t index = 0; index < count && !wrong; index++) {
        uint64_t sends = 0;
        size_t after_count = 0;
        if (!stands_alone(levels, count, index))
            continue;
        for (size_t i = 0; i < count; i++)
            sends |= (uint64_t)(levels[i].next == index) << i;
        for (size_t i = index; i != MARGAY_NO_LEVEL; i = levels[i].next) {
            after[after_count] = levels[i];
            if (levels[i].next != MARGAY_NO_LEVEL)
                after[after_count].next = after_count + 1;
            after_count++;
        }
        margay_hierarchy *hierarchy =
            create(levels, count, feeding, feeding->splits, sends);
        margay_hierarchy *rest = create(after, after_count, feeding, true, 0);
        feed(hierarchy, rest, feeding);
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

/* Run a naive machine, once more where a level is optimal: what reaches that
   one then is known, as it is the same with any policy. */
static void run_naive(struct naive_machine *naive, struct naive_machine *before,
                      const struct feeding *feeding, bool optimal)
{
    static struct margay_level others[MARGAY_MOST_LEVELS];
    *before = (struct naive_machine){
        .levels = others, .count = naive->count, .seed = naive->seed};
    for (size_t i = 0; i < naive->count; i++) {
        others[i] = naive->levels[i];
        if (others[i].policy != NULL && strcmp(others[i].policy, "opt") == 0)
            others[i].policy = "fifo";
    }
    if (optimal) {
        feed_naive(before, feeding);
        naive->before = before;
    }
    feed_naive(naive, feeding);
}

/* Does a random machine differ from the naive one on a random trace? */
static bool differs(struct margay_level_counts *totals, uint64_t *streams,
                    uint64_t *optimals)
{
    static struct naive_machine before;
    struct margay_level levels[MARGAY_MOST_LEVELS];
    bool optimal = false;
    size_t count = make_machine(levels);
    struct feeding feeding = {one_in(3), !one_in(4), 1 + below(REFS / 2),
                              one_in(3) ? (uint32_t)(1 + below(3)) : 0};
    bool wrong = false;
    for (size_t i = 0; i < count; i++)
        optimal |=
            levels[i].policy != NULL && strcmp(levels[i].policy, "opt") == 0;
    /* Its evictions are known late, so a warm-up has other counts. */
    if (optimal)
        feeding.warmup = REFS + 1;
    *optimals += optimal;
    struct naive_machine naive = {.levels = levels, .count = count, .seed = 5};
    make_trace();
    margay_hierarchy *hierarchy =
        create(levels, count, &feeding, feeding.splits, 0);
    feed(hierarchy, NULL, &feeding);
    run_naive(&naive, &before, &feeding, optimal);
    for (size_t i = 0; i < count; i++) {
        const struct margay_level_counts got =
            margay_hierarchy_counts(hierarchy, i);
        const struct margay_level_counts expected =
            naive_machine_counts(&naive, i);
        if (memcmp(&got, &expected, sizeof got) != 0) {
            wrong = true;
            printf("# level %s differs\n", levels[i].name);
        }
        naive_add_counts(totals, &got);
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
    naive_machine_free(&before);
    return wrong;
}

int main(void)
{
    uint64_t count = rounds(5000), wrong = 0, streams = 0, optimals = 0;
    /* Fewer do not have all of the cases below. */
    count = count < 150 ? 150 : count;
    struct margay_level_counts totals = {.writebacks = 0};
    seed_chance(18);
    for (uint64_t i = 0; i < count && wrong < 5; i++)
        wrong += differs(&totals, &streams, &optimals);
    CHECK(wrong == 0, "%llu random machines are as lists and loops say",
          (unsigned long long)count);
    CHECK(streams > count / 20,
          "and %llu levels count the same when they are fed with what those "
          "before them send on",
          (unsigned long long)streams);
    CHECK(optimals > count / 20, "and %llu machines have Belady's optimum",
          (unsigned long long)optimals);
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
