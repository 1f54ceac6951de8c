/*
 * naive_cache.h - caches made of lists and loops, to compare with
 *
 * Every set is an array of lines in the order of their ways, and everything is
 * searched for from the front.  Nothing here is shared with assoc/policies but
 * the random numbers.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_CACHE_H
#define MARGAY_TESTS_ASSOC_NAIVE_CACHE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/assoc/naive_objects.h"
#include "traces/base/random.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

struct naive_line {
    uint64_t block, came, used, next_use;
    bool valid, dirty, marked;
    bool was_hit;   /* for SHiP, */
    uint64_t entry; /* and its site's counter */
    int age;        /* of the family of RRIP, and of qlru: 3 = to be evicted */
};

/* A variant of qlru as nanoBench names it: ages after a hit of age 3 and of 2,
   after a miss, and after one in 16; which way is filled, and who else ages. */
struct naive_qlru {
    int hit_3, hit_2, miss, rare_miss, fill, aging;
    bool ages_first; /* before a block comes in, and not after each access */
};

struct naive_cache {
    const char *policy;
    struct margay_cache_options options;
    struct naive_line *lines; /* [set][way] */
    bool is_listed;           /* the policy is made of lists, */
    struct naive *sets;       /* which are these */
    bool is_qlru;
    struct naive_qlru qlru;
    bool was_full; /* the set into which a block came */
    size_t set_count;
    uint64_t site;         /* of the next reference */
    int counters[1 << 14]; /* of sites, less 1 */
    uint64_t fills;        /* of blocks as brrip brings them in */
    int64_t dueling; /* misses of the sets that lead for srrip, less others */
    uint64_t now;
    struct margay_random random;
    struct margay_cache_counts counts;
};

/* The way of `set` whose line is the first by some number. */
enum naive_key { NAIVE_CAME, NAIVE_USED, NAIVE_LATEST };

static inline uint64_t naive_key(const struct naive_line *line,
                                 enum naive_key key)
{
    return key == NAIVE_CAME   ? line->came
           : key == NAIVE_USED ? line->used
                               : ~line->next_use;
}

static inline uint32_t naive_least(const struct naive_line *set, uint32_t ways,
                                   enum naive_key key)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < ways; i++) {
        if (naive_key(&set[i], key) < naive_key(&set[least], key))
            least = i;
    }
    return least;
}

/* Tree PLRU without a tree: of each half, and each half of that, the one goes
   in which no line was used as late as in the other. */
static inline uint32_t naive_colder(const struct naive_line *set, uint32_t from,
                                    uint32_t ways)
{
    while (ways > 1) {
        uint64_t left = 0, right = 0;
        for (uint32_t i = 0; i < ways / 2; i++) {
            const struct naive_line *a = &set[from + i];
            const struct naive_line *b = &set[from + ways / 2 + i];
            left = a->used > left ? a->used : left;
            right = b->used > right ? b->used : right;
        }
        from += right < left ? ways / 2 : 0;
        ways /= 2;
    }
    return from;
}

/* Of several trees, that goes which was not used as late as the others. */
static inline uint32_t naive_coldest(const struct naive_line *set,
                                     uint32_t ways)
{
    uint32_t leaves = ways & -ways, coldest = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t from = 0; from < ways; from += leaves) {
        uint64_t latest = 0;
        for (uint32_t i = from; i < from + leaves; i++)
            latest = set[i].used > latest ? set[i].used : latest;
        coldest = latest < least ? from : coldest;
        least = latest < least ? latest : least;
    }
    return naive_colder(set, coldest, leaves);
}

/* Clock as a queue: who has a second chance goes to its end without it. */
static inline uint32_t naive_first_unmarked(struct naive_cache *cache,
                                            struct naive_line *set)
{
    for (;;) {
        uint32_t oldest = naive_least(set, cache->options.ways, NAIVE_CAME);
        if (!set[oldest].marked)
            return oldest;
        set[oldest].marked = false;
        set[oldest].came = ++cache->now;
    }
}

static inline uint32_t naive_not_recent(struct naive_line *set, uint32_t ways)
{
    for (uint32_t i = 0; i < ways; i++) {
        if (!set[i].marked)
            return i;
    }
    for (uint32_t i = 0; i < ways; i++)
        set[i].marked = false;
    return 0;
}

/* The first line of the highest age, all lines having grown older by what that
   one lacks. */
static inline uint32_t naive_oldest(struct naive_line *set, uint32_t ways)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < ways; i++) {
        if (set[i].age > set[oldest].age)
            oldest = i;
    }
    for (int grow = 3 - set[oldest].age; grow > 0; grow--) {
        for (uint32_t i = 0; i < ways; i++)
            set[i].age++;
    }
    return oldest;
}

/* ------------------------------------------------- qlru, and nru:clear -- */

static inline struct naive_qlru naive_qlru_of(const char *spec)
{
    const char *hit = strstr(spec, "hit=H"), *miss = strstr(spec, "miss=M");
    bool rare = miss[6] == 'R';
    return (struct naive_qlru){
        .hit_3 = hit[5] - '0',
        .hit_2 = hit[6] - '0',
        .miss = miss[6 + rare] - '0',
        .rare_miss = miss[6 + 2 * rare] - '0',
        .fill = strstr(spec, "replace=R")[9] - '0',
        .aging = strstr(spec, "update=U")[8] - '0',
        .ages_first = strstr(spec, "umo=on") != NULL,
    };
}

/* After a use of one line, or of none. */
static inline void naive_grow_older(const struct naive_cache *cache,
                                    struct naive_line *set,
                                    const struct naive_line *used)
{
    int oldest = -1, of_others = -1;
    for (uint32_t i = 0; i < cache->options.ways; i++) {
        oldest = set[i].age > oldest ? set[i].age : oldest;
        if (&set[i] != used && set[i].age > of_others)
            of_others = set[i].age;
    }
    for (uint32_t i = 0; i < cache->options.ways; i++) {
        bool other = &set[i] != used;
        switch (cache->qlru.aging) {
        case 0:
            set[i].age += 3 - oldest;
            break;
        case 1:
            set[i].age += other ? 3 - of_others : 0;
            break;
        case 2:
            set[i].age += oldest < 3;
            break;
        default:
            set[i].age += oldest < 3 && other;
        }
    }
}

static inline uint32_t naive_age_3(const struct naive_line *set, uint32_t ways)
{
    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].age == 3)
            return i;
    }
    return 0;
}

/* The way that is free, or `ways`. */
static inline uint32_t naive_free_way(const struct naive_cache *cache,
                                      const struct naive_line *set)
{
    uint32_t ways = cache->options.ways, found = ways;
    for (uint32_t i = 0; i < ways; i++) {
        if (!set[i].valid && (found == ways || cache->qlru.fill == 2))
            found = i;
    }
    return found;
}

/* Where no line is unmarked then, all others are at once. */
static inline void naive_mark(const struct naive_cache *cache,
                              struct naive_line *set, struct naive_line *line,
                              bool hit)
{
    uint32_t ways = cache->options.ways, marked = 0;
    bool was_full = hit ? naive_free_way(cache, set) == ways : cache->was_full;
    if (was_full || strcmp(cache->policy, "nru:clear=use") == 0)
        line->marked = true;
    for (uint32_t i = 0; i < ways; i++)
        marked += set[i].marked;
    for (uint32_t i = 0; i < ways && marked == ways; i++)
        set[i].marked = &set[i] == line;
}

static inline bool naive_is_bimodal(struct naive_cache *cache, uint64_t index)
{
    uint64_t sets = cache->set_count, leaders = sets < 256 ? sets / 8 : 32;
    if (strcmp(cache->policy, "drrip") != 0)
        return strcmp(cache->policy, "brrip") == 0;
    for (uint64_t i = 0; i < leaders; i++) {
        if (index == i * (sets / leaders)) {
            cache->dueling += cache->dueling < 511;
            return false;
        }
        if (index == (i + 1) * (sets / leaders) - 1) {
            cache->dueling -= cache->dueling > -512;
            return true;
        }
    }
    return cache->dueling > 0;
}

/* The age of a block that comes in. */
static inline int naive_age(struct naive_cache *cache, uint64_t index)
{
    return !naive_is_bimodal(cache, index) || ++cache->fills % 32 == 0 ? 2 : 3;
}

/* The way of the block that leaves a set whose policy is made of lists. */
static inline uint32_t naive_unlisted(struct naive_cache *cache, uint64_t index,
                                      uint64_t block)
{
    const struct naive_line *set = cache->lines + index * cache->options.ways;
    uint64_t victim = naive_set_evict(&cache->sets[index], block);
    uint32_t way = 0;
    while (set[way].block != victim)
        way++;
    return way;
}

static inline uint32_t naive_victim(struct naive_cache *cache, uint64_t index,
                                    uint64_t block)
{
    uint32_t ways = cache->options.ways;
    struct naive_line *set = cache->lines + index * ways;
    if (cache->is_listed)
        return naive_unlisted(cache, index, block);
    if (strstr(cache->policy, "rrip") != NULL)
        return naive_oldest(set, ways);
    if (strcmp(cache->policy, "ship") == 0) {
        uint32_t oldest = naive_oldest(set, ways);
        int *counter = &cache->counters[set[oldest].entry];
        if (!set[oldest].was_hit && *counter + 1 > 0)
            --*counter;
        return oldest;
    }
    if (strcmp(cache->policy, "lru") == 0)
        return naive_least(set, ways, NAIVE_USED);
    if (strcmp(cache->policy, "fifo") == 0)
        return naive_least(set, ways, NAIVE_CAME);
    if (strcmp(cache->policy, "clock") == 0)
        return naive_first_unmarked(cache, set);
    if (strncmp(cache->policy, "nru", 3) == 0)
        return naive_not_recent(set, ways);
    if (cache->is_qlru)
        return naive_age_3(set, ways);
    if (strcmp(cache->policy, "plru") == 0)
        return naive_coldest(set, ways);
    if (strcmp(cache->policy, "random") == 0)
        return (uint32_t)margay_random_below(&cache->random, ways);
    return naive_least(set, ways, NAIVE_LATEST);
}

static inline void naive_create(struct naive_cache *cache,
                                const struct margay_cache_options *options)
{
    size_t sets = options->sets == 0 ? 1 : (size_t)options->sets;
    *cache =
        (struct naive_cache){.policy = options->policy, .options = *options};
    cache->lines = calloc(sets * options->ways, sizeof *cache->lines);
    margay_random_seed(&cache->random, options->seed);
    cache->sets = calloc(sets, sizeof *cache->sets);
    cache->set_count = sets;
    if (cache->lines == NULL || cache->sets == NULL)
        exit(1);
    for (size_t i = 0; i < sets; i++)
        cache->is_listed =
            naive_set_begin(&cache->sets[i], cache->policy, options->ways);
    cache->is_qlru = strncmp(cache->policy, "qlru", 4) == 0;
    if (!cache->is_qlru)
        return;
    cache->qlru = naive_qlru_of(cache->policy);
    for (size_t i = 0; i < sets * options->ways; i++)
        cache->lines[i].age = 3;
}

/* The slice of an address, by the bits that Maurice et al. list in table 3 of
   their paper. */
static inline uint64_t naive_slice(unsigned slices, uint64_t address)
{
    static const char *const bits[] = {
        "6 10 12 14 16 17 18 20 22 24 25 26 27 28 30 32 33 35 36",
        "7 11 13 15 17 19 20 21 22 23 24 26 28 29 31 33 34 35 37",
        "8 12 13 16 19 22 23 26 27 30 31 34 35 36 37"};
    uint64_t slice = 0;
    for (unsigned i = 0; slices >> (i + 1) != 0; i++) {
        char *at = (char *)bits[i];
        while (*at != '\0')
            slice ^= (address >> strtoul(at, &at, 10) & 1) << i;
    }
    return slice;
}

/* The set of a block.  Bit i of the index of an exclusive or says whether an
   odd number of the bits i, i + n, i + 2n and so on of the block are 1. */
static inline uint64_t naive_set(const struct margay_cache_options *options,
                                 uint64_t block)
{
    uint64_t sets = options->sets == 0 ? 1 : options->sets, set = 0;
    unsigned n = 0;
    if (options->slices > 1) {
        struct margay_cache_options of_slice = *options;
        of_slice.slices = 0;
        of_slice.sets = sets / options->slices;
        return of_slice.sets *
                   naive_slice(options->slices, block << options->block_shift) +
               naive_set(&of_slice, block);
    }
    if (options->index == MARGAY_INDEX_MODULO || sets == 1)
        return block % sets;
    while (UINT64_C(1) << n < sets)
        n++;
    for (unsigned i = 0; i < 64; i++)
        set ^= (block >> i & 1) << i % n;
    return set;
}

static inline void naive_free(struct naive_cache *cache)
{
    for (size_t i = 0; i < cache->set_count; i++)
        naive_end(&cache->sets[i]);
    free(cache->sets);
    free(cache->lines);
}

/* The way of a block that comes in: a free one, or whose line is to leave. */
static inline uint32_t naive_way(struct naive_cache *cache, uint64_t index,
                                 uint64_t block)
{
    struct naive_line *set = cache->lines + index * cache->options.ways;
    uint32_t way = naive_free_way(cache, set);
    if (cache->is_qlru && cache->qlru.ages_first)
        naive_grow_older(cache, set, NULL);
    cache->was_full = way == cache->options.ways;
    return cache->was_full ? naive_victim(cache, index, block) : way;
}

/* The way into which a block is to come, `ways` if it is kept out. */
static inline uint32_t naive_place(struct naive_cache *cache, uint64_t index,
                                   uint64_t block, uint64_t next_use)
{
    uint32_t ways = cache->options.ways;
    struct naive_line *set = cache->lines + index * ways;
    uint32_t victim = naive_way(cache, index, block);
    if (!cache->was_full)
        return victim;
    if (strcmp(cache->policy, "opt:bypass=on") == 0 &&
        next_use >= set[victim].next_use)
        return ways;
    cache->counts.writebacks += set[victim].dirty;
    cache->counts.blocks_written += set[victim].dirty;
    return victim;
}

static inline void naive_use(struct naive_cache *cache, struct naive_line *line,
                             uint64_t next_use, bool hit)
{
    struct naive_line *set =
        line - (size_t)(line - cache->lines) % cache->options.ways;
    line->used = ++cache->now;
    if (hit)
        line->age = !cache->is_qlru  ? 0
                    : line->age == 3 ? cache->qlru.hit_3
                    : line->age == 2 ? cache->qlru.hit_2
                                     : 0;
    if (cache->is_qlru && !cache->qlru.ages_first)
        naive_grow_older(cache, set, line);
    line->was_hit = hit || line->was_hit;
    if (hit && cache->counters[line->entry] + 1 < 7)
        cache->counters[line->entry]++;
    line->next_use = next_use;
    if (strncmp(cache->policy, "nru:", 4) == 0)
        naive_mark(cache, set, line, hit);
    else
        line->marked = hit || strcmp(cache->policy, "nru") == 0;
}

static inline struct naive_line *naive_find(struct naive_line *set,
                                            uint32_t ways, uint64_t block)
{
    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].valid && set[i].block == block)
            return &set[i];
    }
    return NULL;
}

/* A block comes into a line of set `index`. */
static inline void naive_enter(struct naive_cache *cache,
                               struct naive_line *line, uint64_t index,
                               uint64_t block)
{
    *line = (struct naive_line){
        .block = block,
        .valid = true,
        .came = ++cache->now,
        .marked = line->marked,
        .age = cache->qlru.miss,
    };
    if (cache->qlru.miss != cache->qlru.rare_miss &&
        margay_random_below(&cache->random, 16) == 0)
        line->age = cache->qlru.rare_miss;
    if (strstr(cache->policy, "rrip") != NULL)
        line->age = naive_age(cache, index);
    line->entry = cache->site * UINT64_C(0x9e3779b97f4a7c15) >> 50;
    if (strcmp(cache->policy, "ship") == 0)
        line->age = cache->counters[line->entry] + 1 == 0 ? 3 : 2;
    if (cache->is_listed)
        naive_set_insert(&cache->sets[index], block);
}

static inline struct naive_line *naive_bring_in(struct naive_cache *cache,
                                                uint64_t block,
                                                uint64_t next_use)
{
    uint32_t ways = cache->options.ways;
    uint64_t index = naive_set(&cache->options, block);
    uint32_t way = naive_place(cache, index, block, next_use);
    if (way == ways)
        return NULL;
    struct naive_line *line = cache->lines + index * ways + way;
    naive_enter(cache, line, index, block);
    return line;
}

static inline void naive_reference(struct naive_cache *cache, uint64_t block,
                                   uint64_t next_use, enum margay_kind kind)
{
    const struct margay_cache_options *options = &cache->options;
    struct margay_cache_counts *counts = &cache->counts;
    uint64_t index = naive_set(options, block);
    struct naive_line *line =
        naive_find(cache->lines + index * options->ways, options->ways, block);
    bool write = kind == MARGAY_WRITE, hit = line != NULL;
    counts->references[kind]++;
    if (hit && cache->is_listed)
        naive_set_hit(&cache->sets[index], block);
    if (!hit) {
        counts->misses[kind]++;
        if (!write || !options->no_allocate)
            line = naive_bring_in(cache, block, next_use);
        if (line != NULL || !write)
            counts->blocks_fetched++;
    }
    if (line != NULL)
        naive_use(cache, line, next_use, hit);
    if (write && line != NULL && !options->write_through)
        line->dirty = true;
    else if (write)
        counts->blocks_written++;
}

#endif
