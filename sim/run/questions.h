/*
 * margay/questions.h - the questions: distances, caches, others
 *
 * Each question is made by a function of its own from a request, which it
 * copies; texts in it outlive the question, which belongs to the caller.  The
 * analyses that it begins (<margay/analysis.h>) hold the results, which the
 * functions here read once a pass has finished or, where that is possible, been
 * looked into.  Their return values belong to the analysis.
 *
 * Thread safety: as <margay/analysis.h> says.
 */
#ifndef MARGAY_QUESTIONS_H
#define MARGAY_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/analysis.h>
#include <margay/assoc.h>
#include <margay/family.h>
#include <margay/hierarchy.h>
#include <margay/objects.h>
#include <margay/phases.h>
#include <margay/prefixes.h>
#include <margay/status.h>
#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- An engine ---- */

struct margay_engine_request {
    const char *spec;               /* NULL = "exact" */
    struct margay_cache_size bound; /* 0 = none */
    uint64_t seed;
    enum margay_measure measure;
    unsigned needs;          /* set of enum margay_engine_ability */
    uint64_t half_life_refs; /* of MARGAY_FADING_DISTANCES */
    /* Sizes that will be requested, so that impossible ones fail before the
       trace is read; NULL = none.  They outlive the question. */
    const struct margay_cache_sizes *sizes;
    /* Write-backs of all fully associative caches are found, too; see
       margay_writebacks.  The engine has to be exact. */
    bool writebacks;
    /* The spans have distances already, in a cache that others use, too: the
       series also count the misses there (shared_misses). */
    bool shared;
};
#define MARGAY_ENGINE_REQUEST_DEFAULT                                         \
    {                                                                         \
        NULL, {0, false}, 1, MARGAY_REUSE_DISTANCES, 0, 0, NULL, false, false \
    }

/* The reuse distances of each pass.  The analyses of `next`, which may be NULL,
   are fed the same spans afterwards, with the column of distances where they
   need it; the question owns `next`, and frees it if this fails.  Where those
   have series, they are the ones of the pass, at the sizes of its curve.
   MARGAY_BAD_ARGUMENT: the spec is wrong, or the engine lacks an ability.
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_engine_question(
    const struct margay_engine_request *request, margay_question *next,
    margay_question **question, struct margay_error *error);

/* The result; empty before. */
MARGAY_API const struct margay_result *margay_engine_analysis_result(
    const margay_analysis *analysis);

/* ---- Caches ---- */

/* The most numbers of sets, and of ways, in a request. */
#define MARGAY_MOST_LISTED 256

/* The caches to simulate: each number of sets with each number of ways, of each
   policy. */
struct margay_caches_request {
    /* The lists ascend, have distinct numbers, and at most MARGAY_MOST_LISTED
       of them. */
    const uint64_t *sets; /* up to MARGAY_MOST_SETS */
    size_t set_count;
    /* Instead of sets: capacities in bytes.  Each has a cache with each number
       of ways that comes to a whole number of sets at the block size. */
    const uint64_t *capacity_bytes;
    size_t capacity_count; /* 0 = sets count */
    const unsigned *ways;
    size_t way_count;
    enum margay_index index; /* the mapping of blocks to sets */
    /* Specs, each a different one.  None: "lru". */
    const char *const *policies;
    size_t policy_count;
    bool by_kind;       /* misses are counted by kind of reference */
    bool counts_writes; /* traffic from and to memory is counted */
    bool write_through, no_allocate; /* as of margay_cache_options */
    uint64_t seed;                   /* of the policy's random numbers */
    /* A reference counts half once this many have followed; 0 = all count 1. */
    uint64_t half_life_refs;
};

/* The counts of one cache. */
struct margay_cache_row {
    uint64_t references;           /* 0 where the watch left no time, too */
    uint64_t misses[MARGAY_KINDS]; /* all are reads unless counted by kind */
    /* With counts_writes, and otherwise 0: */
    uint64_t writebacks, blocks_fetched, blocks_written;
};

/* The misses of caches, all in one reading of the trace: LRU caches in one
   pass, all ways of OPT after it, others one by one; so are those LRU caches
   that have more than MARGAY_MOST_WAYS ways, a number of sets that is no power
   of two, or another index than MARGAY_INDEX_MODULO, and all of OPT where some
   are so.  The lists of numbers are copied.  MARGAY_BAD_ARGUMENT where some of
   these caches cannot be; MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_caches_question(
    const struct margay_caches_request *request, margay_question **question,
    struct margay_error *error);

/* The numbers of sets, ascending: those of the request, or of all of its
   capacities at the block size of the pass. */
MARGAY_API const uint64_t *margay_caches_analysis_sets(
    const margay_analysis *analysis, size_t *count);

/* The cache of sets[set], ways[way] and policies[policy], once `pass` has
   finished.  Without references: it has none of the capacities. */
MARGAY_API void margay_caches_analysis_row(const margay_analysis *analysis,
                                           const struct margay_pass *pass,
                                           size_t set, size_t way,
                                           size_t policy,
                                           struct margay_cache_row *row);

struct margay_filter_request {
    /* The cache. */
    struct margay_cache_options cache;
    /* All of its blocks, instead of cache.sets: the number of sets
       follows from the block size and cache.ways, which is 0 for a fully
       associative cache.  0 = cache.sets counts. */
    struct margay_cache_size capacity;
};

/* The output of a cache: the analyses of `next` are fed spans of the requests,
   with kinds, of the cache to the next level; see margay_cache_feed_through().
   So a cache can stand before a cache, or before an engine.  The question owns
   `next`, and frees it if this fails. */
MARGAY_API enum margay_status margay_filter_question(
    const struct margay_filter_request *request, margay_question *next,
    margay_question **question, struct margay_error *error);

/* The counts of the cache. */
MARGAY_API const struct margay_cache_counts *margay_filter_analysis_counts(
    const margay_analysis *analysis);

/* ---- A machine ---- */

struct margay_machine_request {
    /* Without the members of how references are read, and of threads.  Where
       levels send something on, the analyses of `next` are fed that, as numbers
       of the trace, with all columns of the references that cause it. */
    struct margay_family_options machines;
    margay_question *next; /* owned by the question, from the call on */
    /* A reference of the trace, and all that it causes, counts half once this
       many have followed; 0 = all count 1. */
    uint64_t half_life_refs;
};

/* Machines, see <margay/family.h>.  The request has one block size: that of the
   smallest block of a level that is fed with the trace.  MARGAY_BAD_ARGUMENT
   where the levels are no machine, or the cores too many; MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_machine_question(
    const struct margay_machine_request *request, margay_question **question,
    struct margay_error *error);

/* The machines. */
MARGAY_API const margay_family *margay_machine_analysis_family(
    const margay_analysis *analysis);

/* The counts of each level of a machine, then those of the next machine, once
   the trace has ended; and then those of the references of the trace. */
MARGAY_API const struct margay_level_counts *margay_machine_analysis_counts(
    const margay_analysis *analysis);

/* ---- Policies ---- */

struct margay_policies_request {
    /* Specs, each a different one. */
    const char *const *policies;
    size_t policy_count; /* 1 or more */

    /* Distances of exact policies are measured below it; 0 = none.  Where a
       trace exceeds it, no curve goes beyond. */
    struct margay_cache_size bound;

    /* Only this share of the blocks is simulated, in caches that are smaller by
       as much; 0 = all.  From 0.000001 to 1. */
    double sample_rate;

    /* A reference counts half once this many have followed, in a sample or
       not; 0 = all count 1. */
    uint64_t half_life_refs;

    uint64_t seed;         /* of random numbers, and of the sample */
    const char *directory; /* of temporary files */

    /* Count those of caches that allocate on a write; all policies are
       simulated then, and "opt" is refused. */
    bool writebacks;

    /* The sizes of the curves, which all policies share; NULL =
       MARGAY_SIZES_USUAL, which has 2 sizes per octave where a policy is
       simulated, and 16 where none is.  Grids end at L of the trace's LRU
       distances; see margay_histogram_curve().  MARGAY_SIZES_ALL has every size
       at which an exact curve steps, and that of LRU where a policy is
       simulated.  They outlive the question. */
    const struct margay_cache_sizes *sizes;
};

/* The miss curves of fully associative caches of several policies: "lru" and
   "opt" in one pass for all sizes, others by simulating a cache of each size
   once the trace has been read, or at a look.  Each policy has a series, at the
   sizes of the request; those of NULL are, of an exact policy, all.
   MARGAY_BAD_ARGUMENT: a spec is wrong, or its policy is defined for sets only;
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_policies_question(
    const struct margay_policies_request *request, margay_question **question,
    struct margay_error *error);

/* ---- Objects with sizes ---- */

/* Byte distances of objects; see margay_objects.  The analysis sets the
   options' `ages` where the trace says how long objects are valid.  The
   analyses of `next`, which may be NULL, are fed the same spans afterwards,
   with the byte distances where they need distances; the question owns `next`,
   and frees it if this fails.  The objects that the options point to outlive
   the question.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_objects_question(
    const struct margay_objects_options *options, margay_question *next,
    margay_question **question, struct margay_error *error);

/* The engine. */
MARGAY_API const margay_objects *margay_objects_analysis_engine(
    const margay_analysis *analysis);

/* ---- Tiers ---- */

#define MARGAY_MOST_TIER_SIZES 256 /* of all tiers together */
#define MARGAY_MOST_SPLITS     4096

/* Tiers of LRU caches, the first one asked first, such as a device, memory and
   a disk.  A tier may have several sizes, and a split is one of each.
   Exclusive tiers hold no block twice: a block that hits moves to the first
   one, and an evicted one goes to the next.  In others a block that hits comes
   into all before, and one that misses into all: they are written through.  A
   block that an inclusive tier evicts leaves all before it. */
struct margay_tiers {
    size_t count;                   /* 2 or more; 0 = there are none */
    size_t ends[MARGAY_MOST_TIERS]; /* of each one's sizes in the list */
    struct margay_cache_size list[MARGAY_MOST_TIER_SIZES];
    enum margay_inclusion inclusion;
};

/* The splits at a size of blocks, those of the last tier varying fastest: the
   room of each tier and those before it together, [split][tier].
   MARGAY_BAD_ARGUMENT where there are too many, where a tier has a size twice,
   and as margay_cache_size_blocks(); MARGAY_NO_MEMORY.  The caller frees
   *sums. */
MARGAY_API enum margay_status margay_tiers_resolve(
    const struct margay_tiers *tiers, uint64_t block_bytes, uint64_t **sums,
    size_t *splits, struct margay_error *error);

/* ---- Requests ---- */

/* Groups of layers with blocks of their own: a cache of C blocks has room for C
   of each (assoc/policies/prefix_cache.h). */
struct margay_layer_groups {
    size_t count;                        /* 0 = one group, of all tokens */
    uint64_t tokens[MARGAY_MOST_GROUPS]; /* of the window, 2 or more; 0 = all */
};

struct margay_prefixes_request {
    struct margay_engine_request engine; /* of LRU, without policies */
    enum margay_touch touch;
    /* Blocks are valid for a number of seconds once they are stored.  Caches of
       different sizes store them at different times, so that those of LRU are
       simulated, too; "opt" is refused. */
    bool expires;
    uint64_t ttl_seconds;

    /* Specs, each a different one: lru, leaf-lru, slru, lfu, arc or opt.  All
       but lru and opt are simulated, at the sizes of `engine`.  The specs
       outlive the question. */
    const char *const *policies;
    size_t policy_count;   /* 0 = only LRU, without a label */
    const char *directory; /* of temporary files */

    /* Simulate these tiers, and no policies: there is a series for each split,
       whose points are of the first tiers, at the sums of their sizes; those of
       NULL are of LRU.  NULL = none, or exclusive ones of blocks that do not
       expire, whose hits are those of LRU.  They outlive the question. */
    const struct margay_tiers *tiers;

    /* Simulate these groups: each policy has the series of the hits of requests
       and, with a label such as "lru:window=1024", of the hits that each
       different group would allow in the same cache.  leaf-lru and opt are
       refused, and windows where the tokens of a block are not known.  NULL =
       one group; they outlive the question. */
    const struct margay_layer_groups *groups;
};

/* The hits of requests of blocks; see margay_prefixes_create(). */
MARGAY_API enum margay_status margay_prefixes_question(
    const struct margay_prefixes_request *request, margay_question **question,
    struct margay_error *error);

/* ---- Phases ---- */

/* The phases of each pass; see margay_phases.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_phases_question(
    margay_question **question, struct margay_error *error);

MARGAY_API const margay_phases *margay_phases_analysis_of(
    const margay_analysis *analysis);

/* ---- The contents of a trace ---- */

/* A property of a trace: its value, at what, and its share of all; below 0 = it
   has no share. */
struct margay_profile_row {
    const char *property, *at;
    double value, share;
};
typedef void margay_profile_take(void *context,
                                 const struct margay_profile_row *row);

/* How popular blocks are, which sizes and operations references have, and how
   many come in a second, in rows.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_profile_question(
    margay_question **question, struct margay_error *error);
MARGAY_API void margay_profile_visit(margay_analysis *analysis,
                                     margay_profile_take *take, void *context);

/* The references to blocks from `low` to `high`, addresses or ids, among those
   from `from` on, up to `to`. */
struct margay_heatmap_cell {
    uint64_t place, low, high, from, to, references;
};
typedef void margay_heatmap_take(void *context,
                                 const struct margay_heatmap_cell *cell);

/* Which blocks are used when: cells that have references, by place and time.
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_heatmap_question(
    margay_question **question, struct margay_error *error);
MARGAY_API void margay_heatmap_visit(margay_analysis *analysis,
                                     margay_heatmap_take *take, void *context);

/* ---- Policies of objects with sizes ---- */

struct margay_object_policies_request {
    /* Specs, each a different one. */
    const char *const *policies;
    size_t policy_count;   /* 1 or more */
    unsigned counters;     /* a set of COSTS, WRITTEN and TIERS, or 0 */
    uint64_t seed;         /* of random numbers, and of the sample */
    const char *directory; /* of temporary files */
};

/* Objects as above, and the curves of caches of several policies, all at the
   sizes that `options->curve` asks for, of which MARGAY_SIZES_USUAL has 2 for
   each octave where a policy is simulated.  "lru" is the engine's curve unless
   more is counted; others are simulated for each size once the trace has been
   read, of a sample with caches that are smaller by its rate.  Each policy has
   a series. MARGAY_BAD_ARGUMENT: a spec is wrong, or its policy is not defined
   for objects; MARGAY_NO_MEMORY.  The question of objects only is its
   `next`. */
MARGAY_API enum margay_status margay_object_policies_question(
    const struct margay_objects_options *options,
    const struct margay_object_policies_request *request,
    margay_question **question, struct margay_error *error);

/* ---- References told apart ---- */

/* The keys of attribution. */
enum margay_attribution {
    MARGAY_BY_SITE,   /* the address of the code that made them */
    MARGAY_BY_THREAD, /* the thread that did */
    MARGAY_BY_REGION, /* the region of their address, as a caller numbers it */
    MARGAY_BY_TENANT, /* the tenant of a table */
    MARGAY_BY_DATUM,  /* their datum, as a caller numbers it */
    MARGAY_BY_OP,     /* their operation: enum margay_op */
};

/* The number of the region of an address, or of a datum, below 2^24. */
typedef uint32_t margay_region_of(void *context, uint64_t address);

/* The distances of each site, thread, tenant, operation, region or datum, as
   the further question of an engine.  region_of() may be NULL but for the last
   two; it may be called for several passes in turn, but never at the same
   time.  The half-life is the engine's, or 0. */
MARGAY_API enum margay_status margay_attribution_question(
    enum margay_attribution by, margay_region_of *region_of, void *context,
    uint64_t half_life_refs, margay_question **question,
    struct margay_error *error);

/* The histogram of a site, thread, tenant, operation or region, which is only
   to be read; a failure ends the visit. */
typedef enum margay_status margay_attribution_take(
    void *context, uint64_t key, const margay_histogram *histogram,
    struct margay_error *error);

/* Visit what was counted: each site, thread, tenant, operation or region, these
   ascending.  `bound_blocks` is the exceeded bound of the engine, or 0; counts
   have as many bits of fractions as those of its result. */
MARGAY_API enum margay_status margay_attribution_visit(
    const margay_analysis *analysis, uint64_t bound_blocks,
    unsigned fraction_bits, margay_attribution_take *take, void *context,
    struct margay_error *error);

/* A question asked of each thread, tenant, site or operation apart: the series
   are those of all keys that have references, ascending.  The question owns
   `inner`, and frees it if this fails.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_split_question(enum margay_attribution by,
                                                    margay_question *inner,
                                                    margay_question **question,
                                                    struct margay_error *error);

/* The misses of each thread or tenant in a cache of its own, and in the cache
   that all share; each has a series, ascending, at the sizes of the shared
   cache or, of NULL, at those where its own curve steps.  The analysis is that
   of the engine of all, which has to be exact.  MARGAY_BAD_ARGUMENT,
   MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_tenants_question(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_question **question, struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
