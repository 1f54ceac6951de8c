/*
 * machines.h - random machines of caches, and random traces for them
 */
#ifndef MARGAY_TESTS_ASSOC_MACHINES_H
#define MARGAY_TESTS_ASSOC_MACHINES_H

#include <stdio.h>

#include <margay/hierarchy.h>

#include "tests/chance.h"
#include "traces/traces_internal.h"

#define REFS 400

static uint64_t numbers[REFS], sites[REFS];
static uint32_t extents[REFS], threads[REFS];
static uint8_t kinds[REFS];

/* ---------------------------------------------------------- the machines -- */

static const char *const names[] = {"A", "B", "C", "D", "E", "F"};
static const char *const policies[] = {
    "lru",
    "fifo",
    "plru",
    "random",
    "clock",
    "nru",
    "sieve",
    "lfu",
    "srrip",
    "brrip",
    "drrip",
    "ship",
    "s3fifo",
    "2q",
    "arc",
    "lirs",
    "tinylfu",
    "nru:clear=use",
    "nru:clear=full",
    "qlru:hit=H11,miss=MR31,replace=R1,update=U2,umo=off",
    "qlru:hit=H00,miss=M2,replace=R2,update=U0,umo=on",
    "qlru:hit=H21,miss=M1,replace=R0,update=U3,umo=off",
};
#define POLICIES (sizeof policies / sizeof policies[0])

/* Policies whose choice does not depend on which slot is filled first. */
static const char *const orders[] = {"lru", "sieve", "lfu", "tinylfu"};

static inline void make_shape(struct margay_level *level)
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

static inline struct margay_level make_level(size_t index, size_t count)
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

/* Give a last level Belady's optimum. */
static inline void make_optimal(struct margay_level *level)
{
    level->policy = "opt";
    level->inclusion = MARGAY_INCLUSION_NONE;
    level->victim_blocks = 0;
    level->prefetch = MARGAY_PREFETCH_NONE;
    level->no_allocate = false;
}

static inline bool leads_to(const struct margay_level *levels, size_t from,
                            size_t to)
{
    while (from != MARGAY_NO_LEVEL && from != to)
        from = levels[from].next;
    return from == to;
}

/* Give a level, and those above it, to each core or two of them; the others are
   shared. */
static inline void make_coherent(struct margay_level *levels, size_t count)
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
static inline size_t make_machine(struct margay_level *levels)
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
        for (size_t i = 0; i < count; i++) {
            if (levels[i].bytes != 0 && one_in(8) &&
                (levels[i].next == MARGAY_NO_LEVEL ||
                 levels[levels[i].next].bytes == 0))
                make_optimal(&levels[i]);
        }
    } while (margay_machine_check(levels, count, &wrong, &error) != MARGAY_OK);
    return count;
}

static inline void make_trace(void)
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

/* --------------------------------------------------------------- feeding -- */

/* Which references, and how they reach the machine. */
struct feeding {
    bool splits, has_extents;
    uint64_t warmup;
    uint32_t cores; /* 0 = one for each thread */
};

/* The references from one on. */
static inline struct margay_span span_of(const struct feeding *feeding,
                                         size_t from, size_t count)
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

static inline void describe(const struct margay_level *levels, size_t count)
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

#endif
