/*
 * engine.h - engines, inside stackdist/
 *
 * Each `const struct margay_engine_class` is defined in a file of one of the
 * rooms.  engine.c has the table of them, finds the engine that a spec names,
 * makes engines and calls them.
 */
#ifndef MARGAY_STACKDIST_ENGINE_H
#define MARGAY_STACKDIST_ENGINE_H

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* The arguments of create(). */
struct margay_engine_setup {
    struct margay_settings settings;
    struct margay_engine_options options;
};

/* The least questions that are worth a helper. */
#define MARGAY_LEAST_SHARE ((size_t)65536)

/* The first touches of a later part of the trace, in their order, for the
   engine of an earlier part.  A block that the stack at the end of the earlier
   part has is counted at its distance there and taken out of that stack: from
   then on it belongs to the later part. */
struct margay_part_question {
    /* The blocks; afterwards those that the stack does not have, in order. */
    uint64_t *blocks;
    size_t count; /* the number of blocks */
    /* No earlier part can be asked: blocks that the stack does not have are
       counted as infinite, `count` becomes 0, and blocks[] is overwritten. */
    bool last;
    uint64_t asked; /* the blocks asked about before this question */
    /* Threads, and idle engines of the same class and options as helpers, this
       engine first.  Any of them may count distances. */
    margay_crew *crew;
    void *const *helpers;
    unsigned helper_count;
    size_t least_share; /* 0 = MARGAY_LEAST_SHARE */
};

/* Estimates of how many references and blocks will come; 0 = unknown. */
struct margay_expected {
    uint64_t refs, blocks;
};

/* Abilities that imply others: a histogram has the curve at all sizes, and an
   engine that gives distances has a histogram of them. */
#define MARGAY_GIVES_COUNTS \
    (MARGAY_CAN_GIVE_HISTOGRAM | MARGAY_CAN_GIVE_ALL_SIZES)
#define MARGAY_GIVES_DISTANCES (MARGAY_GIVES_COUNTS | MARGAY_CAN_TELL_DISTANCES)

struct margay_engine_class {
    struct margay_engine_info info;
    /* Abilities, apart from those that the functions below imply. */
    unsigned can;
    bool needs_bound; /* there must be a bound */

    /* Refuses combinations of settings, before anything is allocated; NULL =
       all are valid. */
    enum margay_status (*check)(const struct margay_engine_setup *setup,
                                struct margay_error *error);

    /* Fill in a state of `state_bytes` zero bytes.  destroy() releases what a
       state owns, but not its memory, and is called after a failure, too. */
    size_t state_bytes;
    enum margay_status (*create)(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error);
    void (*destroy)(void *state);

    /* The contracts are those of the public functions of the same names. */
    enum margay_status (*feed)(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error);
    void (*reset_counts)(void *state);
    /* *result is zeroed; references and infinite follow from a histogram. */
    enum margay_status (*finish)(void *state, struct margay_result *result,
                                 struct margay_error *error);

    /* The functions from here on are NULL where the engine lacks the
       ability. */

    /* As finish(), but *result is a copy, and the engine goes on. */
    enum margay_status (*peek)(void *state, struct margay_result *result,
                               struct margay_error *error);
    /* The LRU stack in a new array, the oldest block first; with a bound its
       newest blocks only. */
    enum margay_status (*list_stack)(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error);
    /* Add the counts of another engine of the same bound, which that engine may
       have exceeded. */
    enum margay_status (*adopt)(void *state, const margay_histogram *counts,
                                struct margay_error *error);
};

/* Hot loops call class->feed with the state. */
struct margay_engine {
    const struct margay_engine_info *info; /* the row of its spec */
    const struct margay_engine_class *class;
    void *state;
    uint64_t bound_blocks; /* 0 = none */
};

/* The members of a class, defined in a file under these names. */
#define MARGAY_ENGINE_FUNCTIONS(type)                                  \
    .state_bytes = sizeof(type), .create = create, .destroy = destroy, \
    .feed = feed, .reset_counts = reset_counts, .finish = finish

/* The state of an engine, without margay_engine around it.  The caller owns
   *state and releases it with margay_engine_free_state(); on failure there is
   nothing to release. */
enum margay_status margay_engine_make_state(
    const struct margay_engine_class *class,
    const struct margay_engine_setup *setup, void **state,
    struct margay_error *error);
void margay_engine_free_state(const struct margay_engine_class *class,
                              void *state);

/* Row `index` of the table, as margay_engine_at(), NULL beyond. */
const struct margay_engine_class *margay_engine_class_at(size_t index);

/* All of them, in the order of the printed table: the production engine
   first. */
/* clang-format off */
#define MARGAY_ENGINES(X) \
    X(exact) X(naive) X(olken) X(bennett_kruskal) X(holes) X(bounded) \
    X(parda) X(markers) X(scale_tree) X(absolute) X(shen) X(shards) X(hp_rda)
/* clang-format on */
#define MARGAY_DECLARE_ENGINE(name) \
    extern const struct margay_engine_class margay_engine_##name;
MARGAY_ENGINES(MARGAY_DECLARE_ENGINE)

/* For measures other than reuse distances; not in the table, and without an
   info: they are rows of "exact". */
extern const struct margay_engine_class margay_engine_times;
extern const struct margay_engine_class margay_engine_footprint;
extern const struct margay_engine_class margay_engine_optimal;
extern const struct margay_engine_class margay_engine_fading;

/* The exact engine of one part of a trace (exact/answer.c, parts/part.h).  It
   counts the first touches of its part as infinite, which the caller corrects.
   margay_exact_begin() comes before any reference: expect these numbers of
   references and blocks, and note at most `limit` first touches, in order,
   which the engine owns.  After margay_exact_close() no more references come,
   only questions.  The blocks left are those of the stack that no later part
   has asked about: those that list_stack() has now. */
enum margay_status margay_exact_begin(void *state,
                                      const struct margay_expected *expected,
                                      uint64_t limit,
                                      struct margay_error *error);
uint64_t *margay_exact_touches(void *state, size_t *count);
enum margay_status margay_exact_close(void *state, struct margay_error *error);
enum margay_status margay_exact_answer(void *state,
                                       struct margay_part_question *question,
                                       struct margay_error *error);
uint64_t margay_exact_left(const void *state);

/* Feed an engine the `count` of `refs` references that are in a sample.  Where
   counts fade, these are no more than margay_half_life_left(), and those of the
   result are all. */
enum margay_status margay_engine_feed_sample(margay_engine *engine,
                                             const uint64_t *blocks,
                                             size_t count, uint64_t refs,
                                             struct margay_error *error);

/* For tests: create() of margay_engine_optimal with time beginning at `first`,
   1 or more. */
enum margay_status margay_optimal_create_at(
    const struct margay_engine_setup *setup, uint32_t first, void *state,
    struct margay_error *error);

/* The parameters of shards, in their order. */
enum { MARGAY_SHARDS_RATE, MARGAY_SHARDS_ADJUST, MARGAY_SHARDS_BLOCKS };

/* The share of this many blocks that the engine of a spec measures; 1 = all. */
double margay_engine_share(const char *spec, uint64_t distinct_blocks);

/* Find the engine that a spec names and fill in all of its settings.
   MARGAY_BAD_ARGUMENT or MARGAY_NO_MEMORY, as margay_spec_parse(). */
enum margay_status margay_engine_parse(const char *spec,
                                       const struct margay_engine_class **class,
                                       struct margay_settings *settings,
                                       struct margay_error *error);

/* Refuse parameter `key`: the message says why, and has all parameters of the
   engine. */
enum margay_status margay_engine_fail_parameter(
    const struct margay_engine_class *class, const char *key, const char *why,
    struct margay_error *error);

#endif
