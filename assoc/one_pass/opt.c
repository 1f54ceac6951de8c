/*
 * opt.c - optimal replacement in all caches of some numbers of sets
 *
 * Algorithm: a hash table has the time of each block's last reference.  From
 *   there to the next one is a job, which a cache does if it keeps the block.
 *   A set of w ways has w - 1 machines for jobs, as one way holds the
 *   referenced block; with bypass it has w.  The most jobs are done if each is
 *   given, when it ends, to the machine that has been free for the shortest
 *   time when it begins.  The moments from which machines are free are in a
 *   list for each set, of which the first w serve w machines.  A job from p to
 *   t is given to the first machine whose moment is p or before: this becomes
 *   t, or without bypass the time of the set's reference before t.  Each later
 *   moment that is p or before and above all of these before it makes way for
 *   the one that made way before, and the last one is dropped.  Without bypass
 *   an immediate repeat needs no machine.  Few sets of many ways have an engine
 *   each instead, which finds the machine in sublinear time
 *   (stackdist/optimal/machines.h has more).
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems J. 5(2), 1966; Mattson et al. 1970, who show that
 *   one list serves all numbers of ways; the derivation is our own.
 * Guarantee: exact, of each reference, and known when it is made.
 * Cost: O(ways) per reference and number of sets, and a look into the hash
 *   table per reference; 8 bytes for each way of each set, and 18 to 37 for
 *   each distinct block.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assoc/one_pass/jobs.h"
#include "assoc/sets.h"
#include "stackdist/stackdist_internal.h"

/* References ahead of a reference whose buckets are prefetched. */
#define FETCH_AHEAD 16

/* References that pass through all numbers of sets together. */
#define PIECE_REFS ((size_t)1 << 14)

/* The values of the hash table have 38 bits. */
#define MOST_TIME ((UINT64_C(1) << 38) - 1)

/* Sets of more ways have engines if they are no more than this. */
#define LISTED_WAYS 128
#define ENGINE_SETS 256

/* The approximate cost of an engine for a set of few blocks. */
#define ENGINE_BYTES ((uint64_t)1 << 17)

/* The references of a piece, sorted by sets. */
struct sorted {
    uint64_t blocks[PIECE_REFS], distances[PIECE_REFS];
    uint8_t kinds[PIECE_REFS];
};

/* All caches of one number of sets. */
struct level {
    uint64_t sets;
    enum margay_set_rule rule;
    uint64_t *hits; /* [kind][distance], a hit in more ways than the distance */
    /* [set]: the time of its last reference, and the moments from which its
       machines are free, 0 = always */
    uint64_t *lists;
    size_t list_bytes;
    /* Or: */
    margay_engine *engines[ENGINE_SETS];
    struct sorted *sorted;
    struct margay_error error; /* MARGAY_OK while there is none */
};

struct margay_opt {
    unsigned most_ways;
    bool bypass;
    struct margay_hash last;
    uint64_t now; /* the time of the reference before */
    uint64_t references[MARGAY_KINDS];
    struct level *levels;
    size_t level_count;
    margay_crew *crew;
    /* The piece that the crew works on; `past` has the times of the last
       references to its blocks, 0 = none. */
    const uint64_t *blocks;
    const uint8_t *kinds;
    size_t count;
    uint64_t past[PIECE_REFS];
};

/* ---------------------------------------------------------------- making -- */

static bool has_engines(uint64_t sets, unsigned most_ways)
{
    return most_ways > LISTED_WAYS && sets <= ENGINE_SETS;
}

/* The time and the machines of a set. */
static size_t list_length(unsigned most_ways, bool bypass)
{
    return (size_t)most_ways + bypass;
}

uint64_t margay_opt_bytes(const struct margay_opt_options *options)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < options->set_count; i++) {
        uint64_t sets = options->sets[i];
        bytes += (uint64_t)MARGAY_KINDS * options->most_ways * sizeof(uint64_t);
        bytes += has_engines(sets, options->most_ways)
                     ? sets * ENGINE_BYTES + sizeof(struct sorted)
                     : sets * sizeof(uint64_t) *
                           list_length(options->most_ways, options->bypass);
    }
    return bytes;
}

static enum margay_status check(const struct margay_opt_options *options,
                                struct margay_error *error)
{
    bool good = options->set_count >= 1 && options->most_ways >= 1;
    for (size_t i = 0; i < options->set_count && good; i++) {
        uint64_t sets = options->sets[i];
        good = sets >= 1 && sets <= MARGAY_MOST_SETS &&
               (options->index == MARGAY_INDEX_MODULO ||
                margay_is_power_of_two(sets));
    }
    return good ? MARGAY_OK
                : margay_fail(error, MARGAY_BAD_ARGUMENT,
                              "optimal caches: expected numbers of sets from 1 "
                              "to %" PRIu64 ", powers of two where the index "
                              "is an exclusive or, and at least 1 way",
                              MARGAY_MOST_SETS);
}

static enum margay_status make_level(const struct margay_opt *opt,
                                     struct level *level,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    level->hits = calloc(opt->most_ways, MARGAY_KINDS * sizeof *level->hits);
    if (level->hits == NULL)
        return margay_fail_memory(error, "the counts of the caches");
    if (!has_engines(level->sets, opt->most_ways)) {
        level->list_bytes = level->sets * sizeof *level->lists *
                            list_length(opt->most_ways, opt->bypass);
        level->lists = margay_map(level->list_bytes);
        return level->lists == NULL ? margay_fail_memory(error, "the caches")
                                    : MARGAY_OK;
    }
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    options.measure = opt->bypass ? MARGAY_OPTIMAL_BYPASS_DISTANCES
                                  : MARGAY_OPTIMAL_DISTANCES;
    options.bound_blocks = opt->most_ways;
    for (uint64_t i = 0; i < level->sets && status == MARGAY_OK; i++)
        status =
            margay_engine_create("exact", &options, &level->engines[i], error);
    level->sorted = malloc(sizeof *level->sorted);
    return status == MARGAY_OK && level->sorted == NULL
               ? margay_fail_memory(error, "the caches")
               : status;
}

enum margay_status margay_opt_create(const struct margay_opt_options *options,
                                     margay_opt **result,
                                     struct margay_error *error)
{
    *result = NULL;
    enum margay_status status = check(options, error);
    if (status != MARGAY_OK)
        return status;
    margay_opt *opt = calloc(1, sizeof *opt);
    if (opt == NULL)
        return margay_fail_memory(error, "the caches");
    opt->most_ways = options->most_ways;
    opt->bypass = options->bypass;
    status = margay_hash_create(&opt->last, 0, error);
    opt->levels = calloc(options->set_count, sizeof *opt->levels);
    if (status == MARGAY_OK && opt->levels == NULL)
        status = margay_fail_memory(error, "the caches");
    while (status == MARGAY_OK && opt->level_count < options->set_count) {
        struct level *level = &opt->levels[opt->level_count];
        level->sets = options->sets[opt->level_count++];
        level->rule = margay_set_rule(options->index, level->sets);
        status = make_level(opt, level, error);
    }
    if (status == MARGAY_OK)
        status = margay_crew_create(options->threads, &opt->crew, error);
    if (status == MARGAY_OK)
        *result = opt;
    else
        margay_opt_free(opt);
    return status;
}

void margay_opt_free(margay_opt *opt)
{
    if (opt == NULL)
        return;
    margay_crew_free(opt->crew);
    margay_hash_destroy(&opt->last);
    for (size_t i = 0; i < opt->level_count; i++) {
        struct level *level = &opt->levels[i];
        for (size_t set = 0; set < ENGINE_SETS; set++)
            margay_engine_free(level->engines[set]);
        margay_unmap(level->lists, level->list_bytes);
        free(level->sorted);
        free(level->hits);
    }
    free(opt->levels);
    free(opt);
}

/* --------------------------------------------------------------- feeding -- */

static void feed_lists(const margay_opt *opt, struct level *level)
{
    const unsigned most_ways = opt->most_ways;
    const bool bypass = opt->bypass;
    const size_t length = list_length(most_ways, bypass);
    uint64_t now = opt->now;
    for (size_t i = 0; i < opt->count; i++) {
        uint64_t set = margay_set_by(level->rule, level->sets, opt->blocks[i]);
        uint64_t *list = level->lists + set * length, past = opt->past[i];
        uint64_t before = list[0];
        unsigned distance = 0;
        list[0] = ++now;
        if (past == 0)
            continue;
        if (bypass)
            distance = margay_give_job(list + 1, most_ways, past, now);
        else if (past != before)
            distance =
                1 + margay_give_job(list + 1, most_ways - 1, past, before);
        unsigned kind = opt->kinds == NULL ? MARGAY_READ : opt->kinds[i];
        if (distance < most_ways)
            level->hits[(size_t)kind * most_ways + distance]++;
    }
}

static void feed_engines(const margay_opt *opt, struct level *level)
{
    struct sorted *sorted = level->sorted;
    size_t ends[ENGINE_SETS + 1] = {0};
    for (size_t i = 0; i < opt->count; i++)
        ends[margay_set_by(level->rule, level->sets, opt->blocks[i]) + 1]++;
    for (size_t set = 0; set < level->sets; set++)
        ends[set + 1] += ends[set];
    /* Now the beginning of each set; in the end its end. */
    for (size_t i = 0; i < opt->count; i++) {
        size_t set = margay_set_by(level->rule, level->sets, opt->blocks[i]);
        sorted->blocks[ends[set]] = opt->blocks[i];
        sorted->kinds[ends[set]++] =
            opt->kinds == NULL ? MARGAY_READ : opt->kinds[i];
    }
    for (size_t set = 0, from = 0; set < level->sets; from = ends[set++]) {
        if (level->error.status == MARGAY_OK)
            level->error.status = margay_engine_feed(
                level->engines[set], sorted->blocks + from, ends[set] - from,
                sorted->distances + from, &level->error);
    }
    for (size_t i = 0; i < opt->count && level->error.status == MARGAY_OK;
         i++) {
        if (sorted->distances[i] < opt->most_ways)
            level->hits[(size_t)sorted->kinds[i] * opt->most_ways +
                        sorted->distances[i]]++;
    }
}

static void feed_level(void *context, size_t i)
{
    const margay_opt *opt = context;
    struct level *level = &opt->levels[i];
    if (level->lists != NULL)
        feed_lists(opt, level);
    else
        feed_engines(opt, level);
}

/* Note the times of the piece's references, and find those of the last ones. */
static enum margay_status find_past(margay_opt *opt, struct margay_error *error)
{
    struct margay_hash *last = &opt->last;
    /* Not a time whose low bits are 0, as such values stand for none. */
    if ((uint32_t)opt->now + (uint64_t)opt->count > UINT32_MAX)
        opt->now = (opt->now | UINT32_MAX) + 1;
    if (opt->now > MOST_TIME - opt->count)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "over 2^38 references are too many for caches that "
                           "are optimal");
    enum margay_status status = margay_hash_reserve(last, opt->count, error);
    for (size_t i = 0; i < opt->count && status == MARGAY_OK; i++) {
        unsigned slot;
        if (i + FETCH_AHEAD < opt->count)
            margay_hash_prefetch(last, opt->blocks[i + FETCH_AHEAD]);
        struct margay_bucket *bucket =
            margay_hash_slot(last, opt->blocks[i], &slot);
        opt->past[i] = margay_bucket_value(bucket, slot);
        last->entries += opt->past[i] == 0;
        bucket->keys[slot] = opt->blocks[i];
        margay_bucket_set_value(bucket, slot, opt->now + i + 1);
        opt->references[opt->kinds == NULL ? MARGAY_READ : opt->kinds[i]]++;
    }
    return status;
}

enum margay_status margay_opt_feed(margay_opt *opt, const uint64_t *blocks,
                                   const uint8_t *kinds, size_t count,
                                   struct margay_error *error)
{
    for (size_t done = 0; done < count; done += opt->count) {
        opt->blocks = blocks + done;
        opt->kinds = kinds == NULL ? NULL : kinds + done;
        opt->count = margay_minimum(count - done, PIECE_REFS);
        enum margay_status status = find_past(opt, error);
        if (status != MARGAY_OK)
            return status;
        margay_crew_run(opt->crew, feed_level, opt, opt->level_count);
        opt->now += opt->count;
        for (size_t i = 0; i < opt->level_count; i++) {
            if (opt->levels[i].error.status != MARGAY_OK)
                return margay_fail_again(error, &opt->levels[i].error);
        }
    }
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- counts -- */

void margay_opt_reset_counts(margay_opt *opt)
{
    memset(opt->references, 0, sizeof opt->references);
    for (size_t i = 0; i < opt->level_count; i++)
        memset(opt->levels[i].hits, 0,
               MARGAY_KINDS * sizeof(uint64_t) * opt->most_ways);
}

uint64_t margay_opt_misses(const margay_opt *opt, size_t set_index,
                           unsigned ways, unsigned kinds)
{
    uint64_t misses = 0;
    for (size_t kind = 0; kind < MARGAY_KINDS; kind++) {
        const uint64_t *hits =
            opt->levels[set_index].hits + kind * opt->most_ways;
        if ((kinds & MARGAY_KIND_BIT(kind)) == 0)
            continue;
        misses += opt->references[kind];
        for (unsigned i = 0; i < ways; i++)
            misses -= hits[i];
    }
    return misses;
}
