/*
 * engine.h - what an engine is, inside stackdist/
 *
 * engines/NAME.c defines one `const struct margay_engine_class`; engine.c
 * holds the table of them, parses specs, and dispatches.
 */
#ifndef MARGAY_STACKDIST_ENGINE_H
#define MARGAY_STACKDIST_ENGINE_H

#include <margay/stackdist.h>

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

struct margay_engine_class {
    struct margay_engine_info info;
    bool needs_bound; /* a bound is not optional */
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
};

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
