/*
 * margay/consumers.h - what a run feeds: engines, caches, policies, and others
 *
 * A consumer takes spans of block references; see <margay/run.h>, which feeds
 * it.  Each is made by a function of its own, from a request, belongs to the
 * caller until the run has it, and holds its results afterwards.  A program may
 * define consumers of its own (struct margay_consumer).
 *
 * Thread safety: one thread at a time uses a consumer; different ones are
 * independent.
 */
#ifndef MARGAY_CONSUMERS_H
#define MARGAY_CONSUMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The most block sizes of one run: as many as there are powers of two. */
#define MARGAY_MOST_BLOCK_SIZES 64

/* A number of blocks, or of bytes, of a cache; 0 = not given. */
struct margay_cache_size {
    uint64_t value;
    bool in_bytes; /* `value` counts bytes; otherwise blocks */
};

/*
 * The size in blocks of `block_bytes` (0 = unknown).  `what` names the size in
 * messages.  MARGAY_BAD_ARGUMENT where bytes are no multiple of the block, the
 * block is unknown, or the size is over 64 bits of bytes.
 */
MARGAY_API enum margay_status margay_cache_size_blocks(
    const struct margay_cache_size *size, const char *what,
    uint64_t block_bytes, uint64_t *blocks, struct margay_error *error);

/* --------------------------------------------------------------- passes -- */

/* One trace at one block size. */
struct margay_pass {
    const char *trace; /* as named in the request */
    const struct margay_format_info *format;
    enum margay_numbers numbers;
    bool splits;          /* references touch all blocks they cover */
    size_t index;         /* among the block sizes */
    uint64_t block_bytes; /* 0 = unknown */
    unsigned shift;       /* from the numbers of a batch to blocks */
    uint64_t fed_refs;    /* block references so far, with the warm-up */
    uint64_t window;      /* which window the results are of, from 0 on */
    double seconds;       /* since the trace was begun */
};

/* ------------------------------------------------------------ consumers -- */

typedef struct margay_consumer margay_consumer;

/* What a consumer needs and can do.  Declared when it is made. */
struct margay_abilities {
    unsigned needs;  /* columns without which a trace is refused */
    unsigned uses;   /* columns that it looks at where a trace has them */
    bool data;       /* gets, in the place of sites, what references are to, in
                        a trace that was recorded with data */
    bool repeats;    /* takes span.repeats in the place of the references */
    bool all_blocks; /* may be fed the numbers of a trace once, for all block
                        sizes, where no reference is split */
    bool references; /* is fed the references of a trace as they stand, once for
                        all block sizes: numbers in the place of blocks, not
                        split, with the columns of extents and counts if it
                        uses these */
    bool passes;     /* several passes of a trace may be fed at the same time */
    bool traces;     /* its work for a trace does not fill the threads, so that
                        several traces may be analysed at the same time */
    bool parts;      /* can lend its engine for parts of a trace */
    bool ranks;      /* can lend its engine for the ranks of a cluster */
    bool shares;     /* is several machines that may be simulated together */
    bool looks;      /* has results before the end */
    bool saves;      /* can save and load */
};

/*
 * What a consumer asks and tells while it works on in finish(), if that may
 * take long.  Any of its threads may call stop() at any time, and progress()
 * and leave() one after the other.
 */
struct margay_watch {
    void *context;
    /* Is the work to end with the results that there are?  Not for a request
       that has ended the reading: what was read is worked through. */
    bool (*stop)(void *context);
    /* `done` references of all that the work takes, each counted as often as
       it is worked through. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    /* It ended so: `lacking` of all caches have no results. */
    void (*leave)(void *context, size_t lacking, size_t caches);
};

/* What a consumer gets from the plan when it begins. */
struct margay_share {
    unsigned threads; /* for each pass */
    bool all_blocks;  /* it is fed numbers, of pass 0 alone; shifts apply */
    bool lends;       /* its engines are lent to the executor: it is not fed */
    bool shares;      /* it simulates machines together where they may be */
    uint64_t chunk_refs, phase_refs;
    const struct margay_watch *watch; /* outlives the consumer; NULL = none */
};

/* What an engine is made from, for executors that make it several times. */
struct margay_engine_recipe {
    const char *spec;
    uint64_t seed;
    uint64_t bound_blocks; /* 0 = none */
};

/*
 * The functions of a consumer.  What may be NULL says so.  A failure ends the
 * run.  `pass` is one of the passes given to begin(), which stay where they
 * are until the consumer is freed.
 */
struct margay_consumer_class {
    /* Before anything is fed: all passes of the trace.  May be NULL. */
    enum margay_status (*begin)(margay_consumer *consumer,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                struct margay_error *error);
    enum margay_status (*feed)(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               const struct margay_span *span,
                               struct margay_error *error);
    /* The warm-up is over: forget all counts, keep what is cached.  NULL where
       nothing is counted in a warm-up. */
    enum margay_status (*reset)(margay_consumer *consumer,
                                const struct margay_pass *pass,
                                struct margay_error *error);
    /* No more references come to this pass.  May be NULL. */
    enum margay_status (*finish)(margay_consumer *consumer,
                                 const struct margay_pass *pass,
                                 struct margay_error *error);
    void (*free)(margay_consumer *consumer);

    /* With abilities.looks, else NULL: have results as finish() would, and go
       on afterwards. */
    enum margay_status (*look)(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               struct margay_error *error);
    /* The results of a look or of a window are no longer needed; `counts`:
       forget the counts, too. */
    void (*forget)(margay_consumer *consumer, const struct margay_pass *pass,
                   bool counts);
    /* With abilities.saves, else NULL. */
    enum margay_status (*save)(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               struct margay_engine_state *state,
                               struct margay_error *error);
    enum margay_status (*load)(margay_consumer *consumer,
                               const struct margay_pass *pass,
                               const struct margay_engine_state *state,
                               struct margay_error *error);

    /* With abilities.parts or ranks, else NULL.  The executor analyses the
       pass in the consumer's place, */
    void (*lend)(margay_consumer *consumer, const struct margay_pass *pass,
                 struct margay_engine_recipe *recipe);
    /* and this is what came out.  *result is the consumer's from then on. */
    void (*adopt)(margay_consumer *consumer, const struct margay_pass *pass,
                  struct margay_result *result);
};

/* What each consumer begins with; programs may define consumers of their
   own. */
struct margay_consumer {
    const struct margay_consumer_class *functions;
    struct margay_abilities can;
    const char *name; /* in messages: "engine exact"; outlives the consumer */
};

/* NULL is fine. */
MARGAY_API void margay_consumer_free(margay_consumer *consumer);

/* ---- An engine ---- */

struct margay_engine_request {
    const char *spec;               /* NULL = "exact"; outlives the consumer */
    struct margay_cache_size bound; /* 0 = none */
    uint64_t seed;
    enum margay_measure measure;
    unsigned needs;          /* set of enum margay_engine_ability */
    uint64_t half_life_refs; /* of MARGAY_FADING_DISTANCES */
};
#define MARGAY_ENGINE_REQUEST_DEFAULT                     \
    {                                                     \
        NULL, {0, false}, 1, MARGAY_REUSE_DISTANCES, 0, 0 \
    }

/*
 * A consumer that measures reuse distances with one engine for each pass.
 * `next`, which may be NULL, is fed the same spans afterwards, with the column
 * of distances where it needs it; the engine's consumer owns it, and frees it
 * if this fails.  MARGAY_BAD_ARGUMENT: the spec is wrong, or the engine lacks
 * what is needed.  MARGAY_NO_MEMORY.  The caller owns *consumer.
 */
MARGAY_API enum margay_status margay_engine_consumer(
    const struct margay_engine_request *request, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error);

/* What came out of a pass that has ended, or been looked into; the consumer
   owns it.  It is empty before. */
MARGAY_API const struct margay_result *margay_engine_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* What its engines can do. */
MARGAY_API const struct margay_engine_abilities *
margay_engine_consumer_abilities(const margay_consumer *consumer);

/* The consumer behind an engine; NULL = none. */
MARGAY_API margay_consumer *margay_engine_consumer_next(
    const margay_consumer *consumer);

/* ---- Caches ---- */

/* The most numbers of sets, and of ways, in a request. */
#define MARGAY_MOST_LISTED 256

/* Which caches are simulated: each number of sets with each number of ways,
   of each policy. */
struct margay_caches_request {
    /* The lists ascend, have distinct numbers, and at most MARGAY_MOST_LISTED
       of them. */
    const uint64_t *sets; /* up to MARGAY_MOST_SETS */
    size_t set_count;
    const unsigned *ways;
    size_t way_count;
    enum margay_index index; /* the set that a block is in */
    /* Specs, each a different one; they outlive the consumer.  None: "lru". */
    const char *const *policies;
    size_t policy_count;
    bool by_kind;       /* misses are told apart by kind of reference */
    bool counts_writes; /* what comes from memory and goes there is counted */
    bool write_through, no_allocate; /* as of margay_cache_options */
    uint64_t seed;                   /* of the policy's random numbers */
};

/* What has been counted of one cache. */
struct margay_cache_row {
    uint64_t references;           /* 0 where the watch left no time, too */
    uint64_t misses[MARGAY_KINDS]; /* all are reads unless told apart */
    /* With counts_writes, and otherwise 0: */
    uint64_t writebacks, blocks_fetched, blocks_written;
};

/*
 * A consumer that simulates caches, all in one reading of the trace: LRU caches
 * in one pass, all ways of OPT after it, others one by one; so are those LRU
 * caches that have more than MARGAY_MOST_WAYS ways, a number of sets that is no
 * power of two, or another index than MARGAY_INDEX_MODULO, and all of OPT where
 * some are so.  The lists of numbers are copied.
 * MARGAY_BAD_ARGUMENT where some of these caches cannot be; MARGAY_NO_MEMORY.
 * The caller owns *consumer.
 */
MARGAY_API enum margay_status margay_caches_consumer(
    const struct margay_caches_request *request, margay_consumer **consumer,
    struct margay_error *error);

/* The cache of sets[set], ways[way] and policies[policy], once `pass` has
   finished. */
MARGAY_API void margay_caches_consumer_row(const margay_consumer *consumer,
                                           const struct margay_pass *pass,
                                           size_t set, size_t way,
                                           size_t policy,
                                           struct margay_cache_row *row);

struct margay_filter_request {
    /* The cache.  The policy's spec outlives the consumer. */
    struct margay_cache_options cache;
    /* All of its blocks, in the place of cache.sets: the number of sets
       follows from the block size and cache.ways, which is 0 for a fully
       associative cache.  0 = cache.sets counts. */
    struct margay_cache_size capacity;
};

/*
 * A consumer that is one cache for each pass, and feeds `next` what the cache
 * asks of what is behind it: spans of blocks with kinds; see
 * margay_cache_feed_through().  So a cache can stand before a cache, or before
 * an engine.  This consumer owns `next`, and frees it if this fails.
 */
MARGAY_API enum margay_status margay_filter_consumer(
    const struct margay_filter_request *request, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error);

/* What has been counted in a pass; belongs to the consumer. */
MARGAY_API const struct margay_cache_counts *margay_filter_consumer_counts(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* The consumer behind the cache. */
MARGAY_API margay_consumer *margay_filter_consumer_next(
    const margay_consumer *consumer);

/* ---- A machine ---- */

struct margay_machine_request {
    /* The levels of each machine, one machine after the other, of as many
       levels each.  They and their texts outlive the consumer. */
    const struct margay_level *levels;
    size_t level_count, machine_count;
    uint64_t seed;      /* of the policies' random numbers */
    uint64_t cores;     /* as in struct margay_hierarchy_options, */
    bool notes_sharing; /* and so */
};

/*
 * A consumer that is machines of caches that feed caches, see
 * <margay/hierarchy.h>.  Two or more machines of which margay_machine_shares()
 * are simulated together, as a margay_family, unless the plan says otherwise;
 * all others are fed side by side.  The request has one block size: that of the
 * smallest block of a level that is fed with the trace.  MARGAY_BAD_ARGUMENT
 * where the levels are no machine, or the cores too many; MARGAY_NO_MEMORY. The
 * caller owns *consumer.
 */
MARGAY_API enum margay_status margay_machine_consumer(
    const struct margay_machine_request *request, margay_consumer **consumer,
    struct margay_error *error);

/* What the level of a machine has counted, once the trace has ended. */
MARGAY_API struct margay_level_counts margay_machine_consumer_counts(
    const margay_consumer *consumer, size_t machine, size_t level);

/* Where cores contended for blocks in a machine, if the request asked to note
   that; as margay_hierarchy_sharing() says. */
MARGAY_API enum margay_status margay_machine_consumer_sharing(
    const margay_consumer *consumer, size_t machine,
    struct margay_sharing_place **places, size_t *count,
    struct margay_error *error);

/* The references of each enum margay_kind that each machine was fed with, and
   the cores that have made any, as margay_hierarchy_references() and
   margay_hierarchy_cores() say. */
MARGAY_API const uint64_t *margay_machine_consumer_references(
    const margay_consumer *consumer);
MARGAY_API size_t
margay_machine_consumer_cores(const margay_consumer *consumer);

/* As margay_hierarchy_shares_cores(). */
MARGAY_API bool margay_machine_consumer_shares_cores(
    const margay_consumer *consumer);

/* ---- Policies ---- */

struct margay_policies_request {
    /* Specs, each a different one; they outlive the consumer. */
    const char *const *policies;
    size_t policy_count; /* 1 or more */

    /* Distances of exact policies are measured below it; 0 = none.  Where a
       trace exceeds it, no curve goes beyond. */
    struct margay_cache_size bound;

    /* Only this share of the blocks is simulated, in caches that are smaller by
       as much; 0 = all.  From 0.000001 to 1. */
    double sample_rate;

    uint64_t seed;         /* of random numbers, and of the sample */
    const char *directory; /* of temporary files; outlives the consumer */
};

/*
 * A consumer that finds the miss curves of fully associative caches of several
 * policies: "lru" and "opt" in one pass for all sizes, others by simulating a
 * cache of each size once the trace has been read.  MARGAY_BAD_ARGUMENT: a spec
 * is wrong, or its policy is defined for sets only; MARGAY_NO_MEMORY.  The
 * caller owns *consumer.
 */
MARGAY_API enum margay_status margay_policies_consumer(
    const struct margay_policies_request *request, margay_consumer **consumer,
    struct margay_error *error);

/*
 * Say which sizes the curves of a pass have, which all its policies share, in
 * the host's `begun`; MARGAY_SIZES_USUAL, which are the sizes otherwise, has 2
 * sizes per octave where a policy is simulated, and 16 where none is.  Grids
 * end at L of the trace's LRU distances; see margay_histogram_curve().
 * MARGAY_SIZES_ALL has every size at which an exact curve steps, and that of
 * LRU where a policy is simulated.  A list is copied.  MARGAY_NO_MEMORY.
 */
MARGAY_API enum margay_status margay_policies_consumer_set_sizes(
    margay_consumer *consumer, const struct margay_pass *pass,
    const struct margay_sizes *sizes, struct margay_error *error);

/* The curve of a policy, by its index in the request, in a pass that has
   finished; the consumer owns it.  Returns the number of its points. */
MARGAY_API size_t margay_policies_consumer_curve(
    const margay_consumer *consumer, const struct margay_pass *pass,
    size_t policy, const struct margay_point **points);

/* The references, first uses and distinct blocks of a pass that has finished.
   Of its histogram only the exceeded bound means something.  The consumer owns
   it. */
MARGAY_API const struct margay_result *margay_policies_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* ---- Objects with sizes ---- */

/*
 * A consumer that measures byte distances of objects; see margay_objects.  The
 * options' `ages` is set by the consumer where the trace says how long objects
 * are valid.  `next`, which may be NULL, is fed the same spans afterwards, with
 * the byte distances where it needs distances; this consumer owns it, and frees
 * it if this fails.  MARGAY_NO_MEMORY.  The caller owns *consumer.
 */
MARGAY_API enum margay_status margay_objects_consumer(
    const struct margay_objects_options *options, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error);

/* Its engine, once the trace has finished; the consumer owns it. */
MARGAY_API const margay_objects *margay_objects_consumer_engine(
    const margay_consumer *consumer);

/* The consumer behind it; NULL = none. */
MARGAY_API margay_consumer *margay_objects_consumer_next(
    const margay_consumer *consumer);

/* A consumer of requests of blocks, by engines as requested; see
   margay_prefixes_create().  The caller owns *consumer. */
MARGAY_API enum margay_status margay_prefixes_consumer(
    const struct margay_engine_request *engine, enum margay_touch touch,
    margay_consumer **consumer, struct margay_error *error);

/* What came out of a pass that has finished; the consumer owns it. */
MARGAY_API const struct margay_prefixes_result *margay_prefixes_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* ---- Phases ---- */

/* A consumer that finds the phases of each pass; see margay_phases.
   MARGAY_NO_MEMORY.  The caller owns *consumer. */
MARGAY_API enum margay_status margay_phases_consumer(
    margay_consumer **consumer, struct margay_error *error);

/* Those of a pass that has finished; the consumer owns them. */
MARGAY_API const margay_phases *margay_phases_consumer_of(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* ---- Policies of objects with sizes ---- */

struct margay_object_policies_request {
    /* Specs, each a different one; they outlive the consumer. */
    const char *const *policies;
    size_t policy_count;   /* 1 or more */
    uint64_t seed;         /* of random numbers, and of the sample */
    const char *directory; /* of temporary files; outlives the consumer */
};

/*
 * A consumer of objects, as above, that finds the curves of caches of several
 * policies, too, all at the sizes that `options->curve` asks for, of which
 * MARGAY_SIZES_USUAL has 2 for each octave where a policy is simulated.  "lru"
 * is the engine's curve; others are simulated for each size once the trace has
 * been read, of a sample with caches that are smaller by its rate.
 * MARGAY_BAD_ARGUMENT: a spec is wrong, or its policy is not defined for
 * objects; MARGAY_NO_MEMORY.  The caller owns *consumer.
 */
MARGAY_API enum margay_status margay_object_policies_consumer(
    const struct margay_objects_options *options,
    const struct margay_object_policies_request *request,
    margay_consumer **consumer, struct margay_error *error);

/* The curve of a policy, by its index in the request, once the trace has
   finished; the consumer owns it.  Returns the number of its points. */
MARGAY_API size_t margay_object_policies_consumer_curve(
    const margay_consumer *consumer, size_t policy,
    const struct margay_objects_point **points);

/* ---- Behind an engine ---- */

/*
 * A consumer of distances that finds the write-backs of all fully associative
 * caches; see margay_writebacks.  It needs the kinds of references, too.
 */
MARGAY_API enum margay_status margay_writebacks_consumer(
    margay_consumer **consumer, struct margay_error *error);

/* What was found in a pass that has finished; the consumer owns it. */
MARGAY_API const margay_writebacks *margay_writebacks_consumer_of(
    const margay_consumer *consumer, const struct margay_pass *pass);

/* What references are attributed to. */
enum margay_attribution {
    MARGAY_BY_SITE,   /* the address of the code that made them */
    MARGAY_BY_THREAD, /* the thread that did */
    MARGAY_BY_REGION, /* the region of their address, as a caller numbers it */
    MARGAY_BY_TENANT, /* the tenant of a table */
    MARGAY_BY_DATUM,  /* what they are to, as a caller numbers that */
    MARGAY_BY_OP,     /* what they do to their object: enum margay_op */
};

/* The number of the region of an address, or of a datum, below 2^24. */
typedef uint32_t margay_region_of(void *context, uint64_t address);

/*
 * A consumer of distances that counts them apart for each site, thread, tenant,
 * operation, region or datum.  region_of() may be NULL for the others; it may
 * be called for several passes in turn, but never at the same time.
 */
MARGAY_API enum margay_status margay_attribution_consumer(
    enum margay_attribution by, margay_region_of *region_of, void *context,
    margay_consumer **consumer, struct margay_error *error);

/* The histogram of a site, thread, tenant, operation or region, which is only
   to be read; a failure ends the visit. */
typedef enum margay_status margay_attribution_take(
    void *context, uint64_t key, const margay_histogram *histogram,
    struct margay_error *error);

/*
 * Visit what was counted in a pass that has finished: each site, thread,
 * tenant, operation or region, these ascending.  `bound_blocks` is what the
 * engine says of an exceeded bound.
 */
MARGAY_API enum margay_status margay_attribution_visit(
    const margay_consumer *consumer, const struct margay_pass *pass,
    uint64_t bound_blocks, margay_attribution_take *take, void *context,
    struct margay_error *error);

/*
 * A consumer of distances that tells what each thread or tenant misses in the
 * cache that all share, and what it would miss in one of its own.  `engine` is
 * the request of the engine before it, which has to be exact; one like it runs
 * for each thread or tenant.  MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY.  The
 * caller owns *consumer.
 */
MARGAY_API enum margay_status margay_tenants_consumer(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_consumer **consumer, struct margay_error *error);

/* The distances of a thread's or tenant's references in the stack of all, and
   its result alone; both are only to be read.  A failure ends the visit. */
typedef enum margay_status margay_tenants_take(
    void *context, uint64_t key, const margay_histogram *shared,
    const struct margay_result *alone, struct margay_error *error);

/* Visit each thread or tenant of a pass that has finished, ascending; as
   margay_attribution_visit(). */
MARGAY_API enum margay_status margay_tenants_visit(
    const margay_consumer *consumer, const struct margay_pass *pass,
    uint64_t bound_blocks, margay_tenants_take *take, void *context,
    struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
