/*
 * test_measured.c - qlru, plru of several trees and nru against what nanoBench
 * says of the policies that it finds in processors, access by access
 *
 * The set here is the one of nanoBench's description: a list of blocks, of
 * which some places are free, and lists of ages or bits next to it.
 */
#include "assoc/policies/cache.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

#define MOST_WAYS 80

struct set {
    uint64_t ways;
    bool filled[MOST_WAYS];
    uint64_t blocks[MOST_WAYS];
    int numbers[MOST_WAYS]; /* ages, or bits that are 1 at first */
    struct margay_random random;
};

/* What a policy does in a set; returns whether the block was there. */
typedef bool access_rule(struct set *set, uint64_t block);

static uint64_t place_of(const struct set *set, uint64_t block)
{
    uint64_t i = 0;
    while (i < set->ways && !(set->filled[i] && set->blocks[i] == block))
        i++;
    return i;
}

static uint64_t first_free(const struct set *set)
{
    uint64_t i = 0;
    while (i < set->ways && set->filled[i])
        i++;
    return i;
}

static uint64_t first_with(const struct set *set, int number)
{
    uint64_t i = 0;
    while (i < set->ways && set->numbers[i] != number)
        i++;
    return i;
}

static void put(struct set *set, uint64_t place, uint64_t block)
{
    set->filled[place] = true;
    set->blocks[place] = block;
}

/* ------------------------------------------------------------------ qlru -- */

static struct {
    int x, y, miss, rare_miss, replace, update;
    bool umo;
} variant;

/* -1 = no block was used. */
static void update(struct set *set, int64_t used)
{
    int oldest = -1, of_others = -1;
    for (int64_t i = 0; i < (int64_t)set->ways; i++) {
        oldest = set->numbers[i] > oldest ? set->numbers[i] : oldest;
        if (i != used && set->numbers[i] > of_others)
            of_others = set->numbers[i];
    }
    for (int64_t i = 0; i < (int64_t)set->ways; i++) {
        int *age = &set->numbers[i];
        if (variant.update == 0)
            *age += 3 - oldest;
        else if (variant.update == 1 && i != used)
            *age += 3 - of_others;
        else if (variant.update == 2 && oldest < 3)
            *age += 1;
        else if (variant.update == 3 && oldest < 3 && i != used)
            *age += 1;
    }
}

static uint64_t qlru_place(const struct set *set)
{
    uint64_t place = first_free(set);
    if (place < set->ways && variant.replace == 2) {
        place = set->ways - 1;
        while (set->filled[place])
            place--;
    }
    if (place == set->ways)
        place = first_with(set, 3);
    return place == set->ways ? 0 : place;
}

static bool access_qlru(struct set *set, uint64_t block)
{
    uint64_t place = place_of(set, block);
    bool hit = place < set->ways;
    if (hit) {
        int *age = &set->numbers[place];
        *age = *age == 3 ? variant.x : *age == 2 ? variant.y : 0;
    } else {
        if (variant.umo)
            update(set, -1);
        place = qlru_place(set);
        put(set, place, block);
        set->numbers[place] = variant.miss;
        if (variant.miss != variant.rare_miss &&
            margay_random_below(&set->random, 16) == 0)
            set->numbers[place] = variant.rare_miss;
    }
    if (!variant.umo)
        update(set, (int64_t)place);
    return hit;
}

/* Any variant, and its spec. */
static void make_variant(char *spec, size_t bytes)
{
    static const int xy[][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    size_t hit = below(5);
    char miss[32];
    variant.x = xy[hit][0];
    variant.y = xy[hit][1];
    variant.miss = variant.rare_miss = (int)below(4);
    snprintf(miss, sizeof miss, "M%d", variant.miss);
    if (variant.miss > 0 && one_in(3)) {
        variant.rare_miss = (int)below((uint64_t)variant.miss);
        snprintf(miss, sizeof miss, "MR%d%d", variant.miss, variant.rare_miss);
    }
    variant.replace = (int)below(3);
    variant.update = (int)below(4);
    variant.umo = one_in(2);
    snprintf(spec, bytes,
             "qlru:hit=H%d%d,miss=%s,replace=R%d,update=U%d,umo=%s", variant.x,
             variant.y, miss, variant.replace, variant.update,
             variant.umo ? "on" : "off");
}

/* ------------------------------------------------------------------- nru -- */

static bool not_of_part; /* MRU_N: bits of sets that are not full stay */

static bool access_mru(struct set *set, uint64_t block)
{
    uint64_t place = place_of(set, block), free_place = first_free(set);
    bool hit = place < set->ways, full = free_place == set->ways;
    if (!hit) {
        place = full ? first_with(set, 1) : free_place;
        put(set, place == set->ways ? 0 : place, block);
        place = place == set->ways ? 0 : place;
    }
    if (full || !not_of_part)
        set->numbers[place] = 0;
    if (first_with(set, 1) == set->ways) {
        for (uint64_t i = 0; i < set->ways; i++)
            set->numbers[i] = i != place;
    }
    return hit;
}

/* ------------------------------------------------------------------ trees --
 */

/* When the blocks of a tree's part, or of a tree, were used last. */
static int last_of(const struct set *set, uint64_t from, uint64_t count)
{
    int last = 0;
    for (uint64_t i = from; i < from + count; i++)
        last = set->numbers[i] > last ? set->numbers[i] : last;
    return last;
}

/* Of equal parts, the one that was used the longest ago. */
static uint64_t coldest(const struct set *set, uint64_t from, uint64_t parts,
                        uint64_t count)
{
    uint64_t cold = from;
    for (uint64_t i = 1; i < parts; i++) {
        uint64_t at = from + i * count;
        cold = last_of(set, at, count) < last_of(set, cold, count) ? at : cold;
    }
    return cold;
}

static bool access_trees(struct set *set, uint64_t block)
{
    static int now;
    uint64_t place = place_of(set, block), leaves = 1;
    bool hit = place < set->ways;
    while (set->ways % (2 * leaves) == 0)
        leaves *= 2;
    if (!hit)
        place = first_free(set);
    if (place == set->ways) {
        place = coldest(set, 0, set->ways / leaves, leaves);
        for (uint64_t part = leaves / 2; part > 0; part /= 2)
            place = coldest(set, place, 2, part);
    }
    put(set, place, block);
    set->numbers[place] = ++now;
    return hit;
}

/* ------------------------------------------------------------- comparison --
 */

/* Does a cache of one set do what a rule does, for any blocks?  Some are
   flushed on the way, but of sets that have an index. */
static bool differs(const char *spec, access_rule *rule, int first,
                    uint64_t ways)
{
    const struct margay_cache_options options = {
        .ways = (uint32_t)ways, .policy = spec, .seed = 3};
    struct set set = {.ways = ways};
    margay_cache *cache;
    uint64_t range = 1 + below(2 * ways + 2), misses = 0;
    bool differ = false, flushes = ways <= 64 && one_in(2);
    for (uint64_t i = 0; i < ways; i++)
        set.numbers[i] = first;
    margay_random_seed(&set.random, 3);
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    for (size_t i = 0; i < 300 && !differ; i++) {
        uint64_t block = below(range), place = place_of(&set, block);
        if (flushes && one_in(10) && place < ways) {
            set.filled[place] = false;
            margay_cache_take_out(cache, margay_cache_where(cache, block));
            continue;
        }
        misses += !rule(&set, block);
        margay_cache_feed(cache, &block, NULL, 1);
        differ = margay_cache_counts(cache)->misses[MARGAY_READ] != misses;
    }
    margay_cache_free(cache);
    if (differ)
        printf("# %s, %d ways\n", spec, (int)ways);
    return differ;
}

int main(void)
{
    uint64_t count = rounds(3000), wrong = 0;
    char spec[80];
    seed_chance(41);
    for (uint64_t i = 0; i < count && wrong < 5; i++) {
        make_variant(spec, sizeof spec);
        wrong += differs(spec, access_qlru, 3,
                         1 + below(one_in(8) ? MOST_WAYS : 17));
    }
    CHECK_U64(wrong, 0, "%d variants of qlru, access by access", (int)count);
    for (int full = 0; full < 2; full++) {
        not_of_part = full == 1;
        for (uint64_t i = 0; i < count / 4 && wrong < 5; i++)
            wrong += differs(full ? "nru:clear=full" : "nru:clear=use",
                             access_mru, 1, 1 + below(MOST_WAYS));
        CHECK_U64(wrong, 0, "nru: MRU%s, access by access", full ? "_N" : "");
    }
    for (uint64_t i = 0; i < count / 4 && wrong < 5; i++)
        wrong += differs("plru", access_trees, 0, 2 + 2 * below(MOST_WAYS / 2));
    CHECK_U64(wrong, 0, "plru: one tree or several, access by access");
    return tap_done();
}
