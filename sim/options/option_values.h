/*
 * option_values.h - values of options that are more than one number or text
 *
 * A value of zeros is an option that is not given, unless its type says what
 * else stands for that.
 */
#ifndef MARGAY_SIM_OPTIONS_OPTION_VALUES_H
#define MARGAY_SIM_OPTIONS_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/prediction.h>
#include <margay/questions.h>
#include <margay/run.h>

/* Of --block: powers of two, ascending, distinct. */
struct block_list {
    uint64_t bytes[MARGAY_MOST_BLOCK_SIZES];
    size_t count; /* 0 = the block size that the trace suggests */
};

/* Of --ttl: any number of seconds. */
struct ttl_option {
    uint64_t seconds;
    bool given;
};

/* Of generate --refs, where every number means something. */
struct given_refs {
    uint64_t refs;
    bool given;
};

/* Of --every: a number of references, or of seconds; the other is 0. */
struct interval {
    uint64_t refs, seconds;
};

/* Of --start and --stop: a function, or a number of references; the other is
   NULL, or 0. */
struct record_point {
    const char *function;
    uint64_t refs;
};

/* Of --by: what tells references apart. */
struct attribution_option {
    bool given;
    enum margay_attribution by;
    const char *map; /* the table of regions; NULL for all others */
};

/* The word of --op for an operation.  Static storage. */
const char *operation_name(enum margay_op op);

/* Of --sets and --ways: ascending, distinct; none = as usual. */
struct number_list {
    size_t count;
    uint64_t numbers[MARGAY_MOST_LISTED];
};

/* Of --policy: a spec, and what the library knows about the policy. */
struct cache_policy {
    const char *spec;
    const struct margay_policy_info *info;
};

/* Of --policy of curve and assoc, and of --only: specs. */
struct policy_list {
    char **specs; /* owned, each of them */
    size_t count;
    unsigned abilities; /* that a policy of them has, MARGAY_POLICY_... */
};

/* Release what the list owns; it is then empty. */
void policy_list_clear(struct policy_list *list);

/* Of --write and --allocate: what a write does. */
enum write_rule {
    WRITE_UNSAID,
    WRITE_BACK,
    WRITE_THROUGH,
    WRITE_ALLOCATES,
    WRITE_AROUND, /* a write that misses brings no block into the cache */
};

enum predict_method {
    PREDICT_UNSAID, /* the method that suits the bins */
    PREDICT_SINGLE,
    PREDICT_MULTI,
};

/* Of predict. */
struct predict_choices {
    enum predict_method method;
    /* MARGAY_BINS_EXACT: the bins that suit the method; parameter 0: the usual
       one. */
    struct margay_bins bins;
    enum margay_pattern pattern;
    bool plain, curve, with_runs;
    double size; /* 0 = not given */
    uint64_t references;
    bool sample;
    /* Thresholds of --sample, in blocks; 0 = found from the trace. */
    uint64_t qualification_blocks, temporal_blocks, spatial_blocks;
    uint64_t samples; /* the most data samples of a trace */
    uint64_t peaks;   /* the most peaks of a data sample */
    const char *truth, *save_model, *load_model; /* NULL = not given */
};

#define PREDICT_CHOICES_DEFAULT                          \
    {                                                    \
        .references = 1000000, .samples = 16, .peaks = 8 \
    }

/*
 * The library's options for these choices.  margay_model_fit() refuses choices
 * that do not go together.
 */
struct margay_predict_options predict_resolve(
    const struct predict_choices *choices);

/* An axis of a picture: its scale, and its ends where they are given. */
struct picture_axis {
    const char *scale; /* "linear", "log" */
    bool has_from, has_to;
    double from, to;
};

/* How a picture is to look, by plot; what is not given is 0 or NULL.  Words are
   as the scripts know them (plots/terminal.gp). */
struct picture_options {
    const char *title;
    const char *legend, *paper;
    bool labels; /* names stand at the ends of lines */
    bool hit;    /* ratios are those of hits */
    struct picture_axis x, y;
    struct picture_size {
        unsigned width, height; /* pixels of a PNG, 1/160 in. on paper */
    } size;
    struct picture_font {
        char name[64];
        double points;
    } font;
};

#endif
