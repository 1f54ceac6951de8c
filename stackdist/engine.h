/*
 * engine.h - what an engine is, inside stackdist/
 *
 * engines/NAME.c defines one `const struct margay_engine_class`; engine.c
 * holds the table of them, parses specs, and dispatches.
 */
#ifndef MARGAY_STACKDIST_ENGINE_H
#define MARGAY_STACKDIST_ENGINE_H

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* What a parameter's value is. */
enum margay_parameter_kind {
    MARGAY_CHOICE,   /* one of a few words */
    MARGAY_COUNT,    /* a whole number in a range */
    MARGAY_FRACTION, /* a decimal fraction in a range */
    MARGAY_SIZES,    /* cache sizes in blocks, joined by '+' */
};

/*
 * One parameter of an engine's spec.  `values` is what people read and the
 * parser obeys: the default, '|', and further words ("auto|on|off") or the
 * range's ends ("0.01|0.0001..0.5").  A default that is no number
 * ("none|1..9") stands for 0.
 */
struct margay_engine_parameter {
    const char *key;
    const char *values;
    enum margay_parameter_kind kind;
};

#define MARGAY_ENGINE_MAX_PARAMETERS 8

/* The most sizes that a spec may list. */
#define MARGAY_ENGINE_MAX_SIZES 64

/* What create() is given for parameter i. */
struct margay_engine_setup {
    unsigned choices[MARGAY_ENGINE_MAX_PARAMETERS]; /* index of the word */
    uint64_t counts[MARGAY_ENGINE_MAX_PARAMETERS];  /* MARGAY_COUNT */
    double fractions[MARGAY_ENGINE_MAX_PARAMETERS]; /* MARGAY_FRACTION */
    uint64_t sizes[MARGAY_ENGINE_MAX_SIZES]; /* MARGAY_SIZES: ascending */
    size_t size_count;
    unsigned given; /* bit i: the spec has parameter i */
    struct margay_engine_options options;
};

/*
 * First touches of a later part of the trace, in their order, for the engine
 * of an earlier one.  Each gets the distance that the stack at the end of the
 * earlier part gives it, and leaves that stack, as it is the later part's now.
 */
struct margay_question {
    uint64_t *blocks; /* afterwards those that were not there, in order */
    size_t count;     /* how many */
    bool last; /* nobody else can be asked: these are counted as infinite, and
                  none is left, but blocks[] is spoilt */
    uint64_t asked; /* before, about other blocks */
    /* Who may help: threads, and idle engines of the same class and options,
       this engine the first of them.  Distances are counted in any of them. */
    margay_crew *crew;
    void *const *helpers;
    unsigned helper_count;
    size_t least_share; /* questions that are worth a helper; 0 = as usual */
};

/* What is to come, roughly; 0 where nobody knows. */
struct margay_expected {
    uint64_t refs, blocks;
};

/*
 * What an engine of one part of a trace does (parallel/part.h).  It counts its
 * own first touches as infinite, which is for others to put right.
 */
struct margay_engine_part {
    /* Before any reference: what to expect, and to note first touches, the
       first `limit` of them at most. */
    enum margay_status (*begin)(void *state,
                                const struct margay_expected *expected,
                                uint64_t limit, struct margay_error *error);
    uint64_t *(*touches)(void *state, size_t *count);
    /* No more references will come, only questions. */
    enum margay_status (*close)(void *state, struct margay_error *error);
    enum margay_status (*answer)(void *state, struct margay_question *question,
                                 struct margay_error *error);
    /* Blocks in the stack that nobody has asked about, and these. */
    uint64_t (*left)(const void *state);
    enum margay_status (*list_stack)(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error);
};

struct margay_engine_class {
    struct margay_engine_info info;
    bool needs_bound;   /* a bound is not optional */
    bool takes_repeats; /* a distance of 0 may be counted without it */
    struct margay_engine_parameter parameters[MARGAY_ENGINE_MAX_PARAMETERS];

    /* The contracts are those of the public functions of the same names.
       *state is freed with free_state() whatever happened before, unless
       create() failed. */
    enum margay_status (*create)(const struct margay_engine_setup *setup,
                                 void **state, struct margay_error *error);
    enum margay_status (*feed)(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error);
    void (*reset_counts)(void *state);
    /* *result is zeroed; references and infinite follow from a histogram. */
    enum margay_status (*finish)(void *state, struct margay_result *result,
                                 struct margay_error *error);
    void (*free_state)(void *state);

    /* The rest lets a run be looked at before its end, saved, and continued;
       all NULL where an engine cannot. */

    /* As finish(), but the engine goes on; *result is a copy. */
    enum margay_status (*peek)(void *state, struct margay_result *result,
                               struct margay_error *error);
    /* The LRU stack in a new array, the oldest block first; with a bound no
       more than so many. */
    enum margay_status (*list_stack)(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error);
    /* Count what another engine counted; it may have exceeded the bound, which
       is the same. */
    enum margay_status (*adopt)(void *state, const margay_histogram *counts,
                                struct margay_error *error);

    /* NULL where others have to do it. */
    const struct margay_engine_part *part;
};

/* That, and the engine's state for it. */
const struct margay_engine_part *margay_engine_as_part(margay_engine *engine,
                                                       void **state);

/* Row `index` of the table, as margay_engine_at(), NULL beyond. */
const struct margay_engine_class *margay_engine_class_at(size_t index);

extern const struct margay_engine_class margay_engine_exact;
extern const struct margay_engine_class margay_engine_naive;
extern const struct margay_engine_class margay_engine_olken;
extern const struct margay_engine_class margay_engine_bounded;
extern const struct margay_engine_class margay_engine_bennett_kruskal;
extern const struct margay_engine_class margay_engine_holes;
extern const struct margay_engine_class margay_engine_markers;
extern const struct margay_engine_class margay_engine_scale_tree;
extern const struct margay_engine_class margay_engine_absolute;
extern const struct margay_engine_class margay_engine_shen;
extern const struct margay_engine_class margay_engine_statstack;
extern const struct margay_engine_class margay_engine_aet;
extern const struct margay_engine_class margay_engine_shards;
extern const struct margay_engine_class margay_engine_shards_hybrid;
extern const struct margay_engine_class margay_engine_hp_rda;
extern const struct margay_engine_class margay_engine_parda;
extern const struct margay_engine_class margay_engine_gpu;

/* For other measures than distances; not in the table. */
extern const struct margay_engine_class margay_engine_times;
extern const struct margay_engine_class margay_engine_footprint;

/* Refuse parameter `key` of engine `class`: the message gives the range and
   all parameters of the engine, `why` in the middle. */
enum margay_status margay_engine_fail_parameter(
    const struct margay_engine_class *class, const char *key, const char *value,
    const char *why, struct margay_error *error);

#endif
