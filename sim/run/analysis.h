/*
 * margay/analysis.h - questions, and the analyses that they begin
 *
 * A question is asked of traces: the distances of an engine, a grid of caches,
 * a machine.  It does not change.  For each pass, which is a trace at a block
 * size, it begins an analysis, which takes the spans of the pass and has a
 * result at the end.  <margay/questions.h> has the questions of this library; a
 * program may define its own.
 *
 *     begin(pass) -> feed(span) ... -> finish -> a result, free
 *
 * Thread safety: a question may begin analyses on several threads at a time;
 * one thread at a time uses an analysis, and different ones are independent.
 */
#ifndef MARGAY_ANALYSIS_H
#define MARGAY_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>
#include <margay/status.h>
#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most block sizes of one run: as many as there are powers of two. */
#define MARGAY_MOST_BLOCK_SIZES 64

/* --------------------------------------------------------------- passes -- */

/* One trace at one block size. */
struct margay_pass {
    const char *trace; /* as named in the request */
    const struct margay_format_info *format;
    enum margay_numbers numbers;
    bool splits;           /* references touch all blocks they cover */
    size_t index;          /* among the block sizes */
    uint64_t block_bytes;  /* 0 = unknown */
    uint64_t block_tokens; /* of blocks of requests; 0 = unknown */
    unsigned shift;        /* from the numbers of a batch to blocks */
    uint64_t fed_refs;     /* block references so far, with the warm-up */
    uint64_t window;       /* the window of the results, from 0 on */
    double seconds;        /* since the trace was begun */
};

/* Callbacks of an analysis during a long finish().  Any of its threads may call
   stop() at any time, and progress() and leave() one after the other. */
struct margay_watch {
    void *context;
    /* Should the work end with the present results?  Not for a request that has
       ended the reading: all that was read is analysed. */
    bool (*stop)(void *context);
    /* `done` of all references are analysed, each counted once per use. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    /* The work was cut short: `lacking` of all caches have no results. */
    void (*leave)(void *context, size_t lacking, size_t caches);
};

/* The arguments of an analysis. */
struct margay_share {
    unsigned threads;  /* for the analysis */
    size_t pass_count; /* of the trace; they share the memory */
    bool all_blocks;   /* it is fed the unchanged numbers of all passes */
    bool lends;        /* its engine is lent to the executor: it is not fed */
    uint64_t chunk_refs, phase_refs;
    const struct margay_watch *watch; /* outlives the analysis; NULL = none */
};

/* The arguments of an engine, for executors that make several. */
struct margay_engine_recipe {
    const char *spec;
    uint64_t seed;
    uint64_t bound_blocks; /* 0 = none */
};

/* --------------------------------------------------------------- results -- */

/* A number of blocks, or of bytes, of a cache; 0 = not given. */
struct margay_cache_size {
    uint64_t value;
    bool in_bytes; /* `value` counts bytes; otherwise blocks */
};

/* The size in blocks of `block_bytes` (0 = unknown).  `what` names the size in
   messages.  MARGAY_BAD_ARGUMENT where bytes are no multiple of the block, the
   block is unknown, or the size is over 64 bits of bytes. */
MARGAY_API enum margay_status margay_cache_size_blocks(
    const struct margay_cache_size *size, const char *what,
    uint64_t block_bytes, uint64_t *blocks, struct margay_error *error);

/* The sizes of a curve before the size of a block is known; see struct
   margay_sizes. */
struct margay_cache_sizes {
    enum margay_sizes_kind kind;
    uint64_t per_octave;
    struct margay_cache_size *list; /* of MARGAY_SIZES_LIST, in any order */
    size_t count;
};

/* Those sizes in blocks of `block_bytes` (0 = unknown), ascending and distinct;
   of NULL, the usual ones.  Fails as margay_cache_size_blocks() does, and with
   MARGAY_NO_MEMORY.  The caller frees resolved->list_blocks with free(). */
MARGAY_API enum margay_status margay_cache_sizes_resolve(
    const struct margay_cache_sizes *sizes, uint64_t block_bytes,
    struct margay_sizes *resolved, struct margay_error *error);

/* The counts of a series at each size, apart from misses: a set of these. */
enum margay_counter {
    MARGAY_COUNTS_WRITEBACKS = 1,
    MARGAY_COUNTS_SHARED = 2,
    MARGAY_COUNTS_REQUESTS = 4,
    MARGAY_COUNTS_BYTES = 8,
    MARGAY_COUNTS_TOKENS = 16, /* of the requests */
    /* Of policies of objects: */
    MARGAY_COUNTS_COSTS = 32,
    MARGAY_COUNTS_WRITTEN = 64,
    MARGAY_COUNTS_TIERS = 128,
};

/* The counts of a cache. */
struct margay_series_point {
    uint64_t size; /* in blocks, or in bytes where the series is of objects */
    uint64_t misses;
    uint64_t writebacks;
    uint64_t shared_misses; /* in a cache that others use, too */
    uint64_t missed_requests, missed_bytes, missed_tokens;
    /* MARGAY_NO_COUNT if it is no cache. */
    uint64_t missed_cost;
    uint64_t written_bytes; /* into the cache */
    uint64_t memory_hits;   /* of a tier before the cache */
};
#define MARGAY_NO_COUNT UINT64_MAX

/* A labelled series: the counts of caches of ascending sizes. */
struct margay_series {
    /* Labels: the policy, NULL = none; and the key, where there are keys. */
    const char *policy;
    bool has_key;
    uint64_t key;
    unsigned counters;
    bool in_bytes;            /* sizes and distances are of objects */
    uint64_t references;      /* all of them, hit or missed */
    uint64_t requests;        /* with MARGAY_COUNTS_REQUESTS */
    uint64_t request_tokens;  /* with MARGAY_COUNTS_TOKENS */
    uint64_t reference_bytes; /* with MARGAY_COUNTS_BYTES */
    uint64_t reference_cost;  /* with MARGAY_COUNTS_COSTS */
    uint64_t distinct;        /* blocks, or objects */
    /* Of objects, the references whose object had another size before, the
       further misses that small caches may have, and the size of cache below
       which rows are no guide. */
    uint64_t resized, doubtful, unsure_below;
    /* The misses of every cache, and those of requests and bytes. */
    uint64_t infinite, infinite_requests, infinite_bytes;
    uint64_t bound; /* larger caches are unknown; 0 = all are known */
    /* Above 0 where counts fade: those of references, and of bytes, are then in
       2^-bits of them; see margay_round_count(). */
    unsigned fraction_bits, byte_fraction_bits;
    const margay_histogram *histogram; /* of distances; NULL = unknown */
    const struct margay_series_point *points;
    size_t count;
};

/* The result of an engine, as a series without points. */
MARGAY_API struct margay_series margay_result_describe(
    const struct margay_result *result);

/* The result of an engine at these sizes, as a series.  The caller frees
 *points, the points of the series.  Fails as margay_result_curve() does. */
MARGAY_API enum margay_status margay_result_series(
    const struct margay_result *result, const struct margay_sizes *sizes,
    struct margay_series *series, struct margay_series_point **points,
    struct margay_error *error);

/* Takes a series, which stays until this returns.  A failure ends the visit. */
typedef enum margay_status margay_series_take(
    void *context, const struct margay_series *series,
    struct margay_error *error);

/* ------------------------------------------------------------- analyses -- */

typedef struct margay_analysis margay_analysis;

typedef struct margay_question margay_question;

/* The functions of an analysis; some may be NULL.  A failure ends the run. */
struct margay_analysis_class {
    size_t bytes; /* of an analysis, which begins with a margay_analysis */
    /* Begin one of one pass or, with all_blocks or references, of all passes of
       a trace: all but its margay_analysis is 0.  May be NULL. */
    enum margay_status (*begin)(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error);
    enum margay_status (*feed)(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error);
    /* End the warm-up or a window: forget all counts, keep the cached blocks.
       NULL where nothing is counted in a warm-up. */
    enum margay_status (*reset)(margay_analysis *analysis,
                                struct margay_error *error);
    /* No more references come.  May be NULL. */
    enum margay_status (*finish)(margay_analysis *analysis,
                                 struct margay_error *error);
    /* Release the contents of the structure, also after begin() failed; it is
       freed afterwards.  May be NULL. */
    void (*free)(margay_analysis *analysis);

    /* With abilities.looks: compute the results as finish() would, replacing
       those of an earlier look, and go on afterwards.  NULL where nothing is to
       be done. */
    enum margay_status (*look)(margay_analysis *analysis,
                               struct margay_error *error);
    /* With abilities.saves, else NULL. */
    enum margay_status (*save)(margay_analysis *analysis,
                               struct margay_engine_state *state,
                               struct margay_error *error);
    enum margay_status (*load)(margay_analysis *analysis,
                               const struct margay_engine_state *state,
                               struct margay_error *error);

    /* With abilities.curves, else NULL.  The series of a pass, one after the
       other, once it has finished or been looked into; empty before.  Sizes are
       in blocks, or bytes of objects; NULL = every size at which a curve steps,
       or that was simulated. */
    enum margay_status (*series)(margay_analysis *analysis,
                                 const struct margay_sizes *sizes,
                                 margay_series_take *take, void *context,
                                 struct margay_error *error);

    /* With abilities.parts or ranks, else NULL.  The executor analyses the
       pass instead, */
    void (*lend)(margay_analysis *analysis,
                 struct margay_engine_recipe *recipe);
    /* and this takes the result, *result, which the analysis then owns. */
    void (*adopt)(margay_analysis *analysis, struct margay_result *result);
};

/* The beginning of each analysis. */
struct margay_analysis {
    const struct margay_analysis_class *functions;
    const margay_question *question; /* that began it */
    /* The passes of one that is fed all block sizes at once; else its only one.
       They do not move. */
    const struct margay_pass *pass;
    size_t pass_count;
    /* The analysis of question->next, which this one feeds; it begins later.
       NULL = none. */
    margay_analysis *next;
    /* With a half-life, all counts of the last look or in the end; the analysis
       makes the list to begin, and margay_analysis_free() frees it.  They fade
       after a look, and in the end are in 2^-fraction_bits of references; see
       margay_round_count(). */
    uint64_t *counts;
    size_t count_count;
    unsigned fraction_bits;
    struct margay_faded_counts *fading;
};

/* Call the functions of an analysis, if it has them; see above.  Except for
   feed and series, those of `next` come first.  Counts fade here. */
MARGAY_API enum margay_status margay_analysis_feed(
    margay_analysis *analysis, const struct margay_span *span,
    struct margay_error *error);
MARGAY_API enum margay_status margay_analysis_reset(margay_analysis *analysis,
                                                    struct margay_error *error);
MARGAY_API enum margay_status margay_analysis_look(margay_analysis *analysis,
                                                   struct margay_error *error);
MARGAY_API enum margay_status margay_analysis_finish(
    margay_analysis *analysis, struct margay_error *error);
MARGAY_API enum margay_status margay_analysis_series(
    margay_analysis *analysis, const struct margay_sizes *sizes,
    margay_series_take *take, void *context, struct margay_error *error);
/* NULL is fine. */
MARGAY_API void margay_analysis_free(margay_analysis *analysis);

/* ------------------------------------------------------------ questions -- */

/* The needs and abilities of the analyses of a question. */
struct margay_abilities {
    unsigned needs;      /* columns without which a trace is refused */
    unsigned uses;       /* columns that it uses where a trace has them */
    bool times_for_ttls; /* times that it does not need are of use in a trace
                            that has times to live */
    bool data;       /* gets data instead of sites, in a trace that was recorded
                        with data */
    bool all_blocks; /* one analysis may be fed the numbers of a trace once, for
                        all block sizes, where no reference is split; their
                        shifts apply */
    bool references; /* one is fed the unchanged references of a trace, for all
                        block sizes: numbers instead of blocks, not split, with
                        the column of extents if it uses that */
    bool passes;     /* several passes of a trace may be fed at the same time */
    bool traces;     /* the work for a trace does not fill the threads, so that
                        several traces may be analysed at the same time */
    bool parts;      /* can lend its engine for parts of a trace */
    bool ranks;      /* can lend its engine for the ranks of a cluster */
    bool shares;     /* is several machines that may be simulated together */
    bool curves;     /* has series */
    bool looks;      /* has results before the end */
    bool saves;      /* can save and load; others need a state with all that
                        they were fed */
};

struct margay_question {
    const struct margay_analysis_class *functions; /* of its analyses */
    void (*free)(margay_question *question);       /* NULL = as free() does */
    margay_question *next; /* asked of the output of these analyses; owned */
    struct margay_abilities can;
    const char *name; /* in messages: "engine exact"; outlives the question */
    void *context;    /* of its maker */
    /* A reference counts half once this many have followed, in analyses that
       have counts and a look; 0 = all count 1. */
    uint64_t half_life_refs;
};

/* Make a question as `kind` is, whose context is a copy of those bytes or, if
   there are 0 of them, the context itself.  It owns kind->next, which is freed
   if this fails.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_question_create(
    const margay_question *kind, const void *context, size_t bytes,
    margay_question **question, struct margay_error *error);

/* Begin an analysis, and that of question->next.  The caller frees it. */
MARGAY_API enum margay_status margay_question_begin(
    const margay_question *question, const struct margay_pass *passes,
    size_t count, const struct margay_share *share, margay_analysis **analysis,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_question_free(margay_question *question);

#ifdef __cplusplus
}
#endif

#endif
