/*
 * test_capacities.c - caches of some capacities
 *
 * Random references, capacities, ways and block sizes: which caches there are,
 * and their misses, are those of caches written as lists.
 */
#include <margay/questions.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS 300

static uint64_t blocks[REFS];

/* LRU, or FIFO, of sets that are lists, the newest first. */
static uint64_t naive_misses(uint64_t sets, unsigned ways, bool fifo)
{
    static uint64_t lists[4096][40];
    static unsigned filled[4096];
    uint64_t misses = 0;
    memset(filled, 0, sizeof filled);
    for (size_t i = 0; i < REFS; i++) {
        uint64_t s = blocks[i] % sets, *list = lists[s];
        unsigned at = 0;
        while (at < filled[s] && list[at] != blocks[i])
            at++;
        bool hit = at < filled[s];
        misses += !hit;
        if (hit && fifo)
            continue;
        if (!hit && filled[s] < ways)
            filled[s]++;
        else if (!hit)
            at--;
        memmove(list + 1, list, at * sizeof *list);
        list[0] = blocks[i];
    }
    return misses;
}

struct choice {
    uint64_t capacities[4], block_bytes;
    unsigned ways[4];
    size_t capacity_count, way_count;
};

static struct choice choose(void)
{
    struct choice choice = {.block_bytes = UINT64_C(16) << below(4),
                            .capacity_count = 1 + below(4),
                            .way_count = 1 + below(4)};
    uint64_t bytes = 0;
    unsigned ways = 0;
    for (size_t i = 0; i < choice.capacity_count; i++)
        choice.capacities[i] = bytes += choice.block_bytes * (1 + below(40));
    for (size_t i = 0; i < choice.way_count; i++)
        choice.ways[i] = ways +=
            i == 0 && !one_in(4) ? 1 : 1 + (unsigned)below(8);
    return choice;
}

/* Has each capacity some of the ways? */
static bool can_be(const struct choice *choice)
{
    for (size_t i = 0; i < choice->capacity_count; i++) {
        uint64_t lines = choice->capacities[i] / choice->block_bytes;
        size_t k = 0;
        while (k < choice->way_count && lines % choice->ways[k] != 0)
            k++;
        if (k == choice->way_count)
            return false;
    }
    return true;
}

/* The caches that are wrong, lacking or too many. */
static unsigned check(const struct choice *choice, margay_analysis *analysis,
                      const struct margay_pass *pass)
{
    unsigned wrong = 0, expected = 0, found = 0;
    size_t count;
    const uint64_t *sets = margay_caches_analysis_sets(analysis, &count);
    for (size_t i = 0; i < choice->capacity_count * choice->way_count; i++)
        expected += choice->capacities[i / choice->way_count] /
                        choice->block_bytes %
                        choice->ways[i % choice->way_count] ==
                    0;
    for (size_t i = 0; i < count * choice->way_count * 2; i++) {
        size_t set = i / 2 / choice->way_count, way = i / 2 % choice->way_count;
        struct margay_cache_row row;
        margay_caches_analysis_row(analysis, pass, set, way, i % 2, &row);
        if (row.references == 0)
            continue;
        found++;
        wrong += row.references != REFS ||
                 row.misses[MARGAY_READ] !=
                     naive_misses(sets[set], choice->ways[way], i % 2 == 1);
    }
    return wrong + (found != 2 * expected);
}

static unsigned run_round(unsigned *refused)
{
    static const char *const policies[] = {"lru", "fifo"};
    const struct choice choice = choose();
    const struct margay_caches_request request = {
        .capacity_bytes = choice.capacities,
        .capacity_count = choice.capacity_count,
        .ways = choice.ways,
        .way_count = choice.way_count,
        .policies = policies,
        .policy_count = 2,
    };
    const struct margay_pass pass = {.trace = "random",
                                     .block_bytes = choice.block_bytes};
    const struct margay_share share = {.threads = 1, .pass_count = 1};
    const struct margay_span span = {.count = REFS, .blocks = blocks};
    uint64_t most = 1 + below(200);
    margay_question *question;
    margay_analysis *analysis;
    unsigned wrong = 1;
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = below(most);
    if (margay_caches_question(&request, &question, NULL) != MARGAY_OK)
        return 1;
    if (margay_question_begin(question, &pass, 1, &share, &analysis, NULL) !=
        MARGAY_OK) {
        wrong = can_be(&choice);
        ++*refused;
    } else if (can_be(&choice)) {
        margay_analysis_feed(analysis, &span, NULL);
        margay_analysis_finish(analysis, NULL);
        wrong = check(&choice, analysis, &pass);
    }
    margay_analysis_free(analysis);
    margay_question_free(question);
    return wrong;
}

int main(void)
{
    unsigned count = (unsigned)rounds(2000), wrong = 0, refused = 0;
    seed_chance(41);
    for (unsigned i = 0; i < count; i++)
        wrong += run_round(&refused);
    CHECK_U64(wrong, 0, "%u grids of capacities are those of lists", count);
    CHECK(refused > 0 && refused < count,
          "%u of them are refused, as a capacity is no whole number of sets",
          refused);
    return tap_done();
}
