/*
 * options.h - the values of the command line's options and operands
 *
 * options.def lists the options.  A value of zeros is an option that is not
 * given, unless its type defines another one.
 */
#ifndef MARGAY_SIM_OPTIONS_OPTIONS_H
#define MARGAY_SIM_OPTIONS_OPTIONS_H

#include <margay/prediction.h>
#include <margay/questions.h>
#include <margay/run.h>

struct command;

/* ----------------------- values that are more than one number or text -- */

/* Of --sample: the share of the blocks, 0 = all; and the engine that measures
   LRU on it. */
struct sample_option {
    double rate;
    char engine[40];
};

/* Of --ttl and of generate --refs, where every number means something. */
struct given_number {
    uint64_t number;
    bool given;
};

/* Of --every: a number of references, or of seconds; the other is 0. */
struct interval {
    uint64_t refs;
    double seconds;
};

static inline bool interval_is_given(const struct interval *interval)
{
    return interval->refs != 0 || interval->seconds != 0;
}

/* Of --start and --stop: a function, or a number of references; the other is
   NULL, or 0. */
struct record_point {
    const char *function;
    uint64_t refs;
};

/* Of --by: the key of references. */
struct attribution_option {
    bool given;
    enum margay_attribution by;
    const char *map; /* the table of regions; NULL for all others */
};

/* Of --sets, --ways, --bytes and --block: ascending, distinct; none = as
   usual. */
struct number_list {
    size_t count;
    uint64_t numbers[MARGAY_MOST_LISTED];
};

/* Of --policy: a spec, and its row of the library's table. */
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

/* Release the specs; the list is then empty. */
void policy_list_clear(struct policy_list *list);

/* Of --write and --allocate: the rule for writes. */
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

/* An axis of a picture: its scale, and its ends where they are given. */
struct picture_axis {
    const char *scale; /* "linear", "log" */
    bool has_from, has_to;
    double from, to;
};

/* Options of pictures; one that is not given is 0 or NULL.  Words are as the
   scripts know them (plots/terminal.gp). */
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

/* ------------------------------------------------------------ all values -- */

/* Words of bits for the rows of options.def. */
#define OPTION_WORDS 4

/* The values by concern.  Each command reads the groups of the options that it
   takes.  A member that says nothing else is NULL, 0 or false where the option
   is not given. */
struct options {
    const struct command *command;
    uint64_t given[OPTION_WORDS]; /* a bit for each row of the table */
    const char **operands;        /* owned; the strings are argv's */
    const char *const *shown;     /* for messages; NULL = as they are */
    size_t operand_count;
    char *all_names;        /* of the operands, as one name; owned */
    char *const *arguments; /* all words after the command's name */
    bool help, quiet, verbose;
    bool json, csv, text;           /* the form of tables, where it is said */
    const char *output;             /* NULL = standard output */
    const char *to;                 /* of generate, convert, record: a format */
    const char *completion;         /* of help: a shell */
    bool map, gain, causes;         /* of plot, */
    bool traffic;                   /* likewise, */
    bool profile, heatmap;          /* of info */
    struct picture_options picture; /* and so */
    uint64_t seed;                  /* of all random numbers; 1 = not given */

    /* Which references of a trace are read, and how they are decoded. */
    struct margay_trace_options reading;

    /* The execution of a run; see struct margay_request. */
    struct {
        struct number_list blocks; /* powers of two */
        enum margay_straddle straddle;
        unsigned threads; /* not given: the number of cores */
        uint64_t chunk_refs, phase_refs, window_refs;
        uint64_t block_tokens, token_bytes; /* of prompts; 0 = not given */
        struct interval every;
        const char *save, *resume;
        bool join;                        /* all traces are one, by time */
        struct margay_mix_options mixing; /* how these, or --mix, become one */
    } run;

    /* The engine: its spec, measure and bound. */
    struct margay_engine_request engine;

    /* Outputs of curve and histogram. */
    struct {
        struct margay_cache_sizes sizes; /* of predict, too */
        struct margay_bins bins;
        const char *histogram; /* a table to write next to the curve */
        const char *from;      /* a table to read instead of a trace, */
        int of_distances;      /* which is one of distances for certain */
        struct attribution_option by;
        bool writebacks, written;
        const char *prometheus; /* a file for Prometheus next to the curve */
        double at_most;         /* a miss ratio to reach; negative = none */
        double at_most_bytes;   /* a byte miss ratio, likewise */
        uint64_t knees;         /* how many to name */
        struct policy_list policies; /* of curve */
        struct sample_option sample;
        bool objects;  /* they have sizes */
        bool requests; /* blocks ask in lists */
        bool in_view;  /* the table is for a picture, words or a report */
        enum margay_touch touch;
        struct margay_tiers tiers;
        struct margay_layer_groups groups;
        bool fair;               /* of share */
        struct given_number ttl; /* seconds */
    } results;

    struct {
        const char *callgrind; /* a profile to write next to the table */
        const char *program;   /* its file; NULL = the one that was recorded */
        bool data;
    } annotate;

    /* Further outputs of phases. */
    struct {
        const char *curves;
        const char *weights;
    } phases;

    /* The caches of assoc and compare. */
    struct {
        struct number_list sets, ways, bytes;
        enum margay_index index;
        struct cache_policy policy;  /* of filter */
        struct policy_list policies; /* none = lru */
        int by_kind;                 /* misses are counted apart */
        enum write_rule write, allocate;
        uint64_t best;          /* number of caches to name in the end */
        uint64_t most_bytes;    /* capacity of these; 0 = any */
        double tolerance;       /* of compare; negative = any */
        const char *prediction; /* of compare: a table */
    } caches;

    /* The cache of filter. */
    struct {
        uint64_t sets, ways, bytes; /* 0 = not given */
    } filter;

    /* The machines of simulate. */
    struct {
        const char *name;      /* of its table, or its own */
        const char *vary;      /* which fields have several values, or NULL */
        const char *pareto;    /* NULL = no such table */
        const char *sharing;   /* the table of --sharing, or NULL */
        const char *validate;  /* counters to compare with, or NULL */
        const char *misses;    /* caches whose misses are written, or NULL */
        bool mix;              /* each trace is a core, with its addresses */
        uint64_t instructions; /* of the trace; 0 = not given */
        uint64_t cores;        /* 0 = not given */
    } machine;

    struct predict_choices predict;

    /* The engines on trial, by engines. */
    struct {
        const char *trace;       /* of --run */
        struct policy_list only; /* none = all engines */
        bool sweep;              /* up to */
        uint64_t most_blocks;    /* distinct blocks; 0 = not given */
    } trials;

    struct {
        struct given_number refs;
        uint64_t blocks; /* distinct */
        double exponent; /* of zipf */
    } generate;

    struct {
        const char *method;
        int separate_threads; /* a trace each */
        struct record_point start, stop;
        bool sites, data, fetches, cflags, libs;
    } record;
};

/* Read the arguments after the command's name.  Options and operands may be
   mixed; "--" ends the options, and --help ends the reading.  Fails where they
   have no meaning together, too.  Call options_free() in any case. */
enum margay_status options_parse(struct options *options,
                                 const struct command *command,
                                 char *const *arguments,
                                 struct margay_error *error);

void options_free(struct options *options);

/* Give a curve for sentences 64 sizes in each octave, unless --sizes is given
   or policies are simulated at each: a sentence names the smallest size of the
   table that is large enough. */
void options_set_sentence_sizes(struct options *options);

/* A refusal of options that only a command can judge.  Its message is a format
   of printf() that may have one %s, for what was found. */
struct refusal {
    bool applies;
    const char *message, *found;
};

/* MARGAY_BAD_ARGUMENT with the message of the first refusal that applies. */
enum margay_status refuse_first(const struct refusal *refusals, size_t count,
                                struct margay_error *error);
#define REFUSE_FIRST(refusals, error) \
    refuse_first(refusals, sizeof refusals / sizeof *refusals, error)

/* The name of an option of pictures that was given; NULL = none was. */
const char *options_of_picture(const struct options *options);

/* Set the number of threads without --threads, which is the number of cores
   before. */
void options_set_usual_threads(unsigned threads);

/* A word that an argument may be, and its value. */
struct word {
    const char *text; /* NULL ends a list */
    int value;
};

/* One row of the table. */
struct option {
    const char *name;
    char letter;          /* 0 = none */
    const char *argument; /* NULL = takes none */
    enum margay_status (*parse)(const char *name, const char *text, void *field,
                                struct margay_error *error);
    size_t field, field_bytes; /* the offset in struct options, and its size */
    unsigned commands;
    /* All that the argument may be, where `parse` is NULL; else NULL.  A field
       that is a text gets the word, another one its value or, where the
       argument is a list, the bits of all their values. */
    const struct word *values;
    const char *words; /* some values of the argument; NULL = none */
    const char *help;
};

/* Row `index` of the options that the command takes; NULL beyond the last. */
const struct option *option_at(const struct command *command, size_t index);

/* Row `index` of the whole table; NULL beyond the last. */
const struct option *option_in_table(size_t index);

/* --------------------------- the types of options.def (option_types.c) -- */

/* Each parser stores into *field.  `name` is the option's name in messages
   ("--bound").  MARGAY_BAD_ARGUMENT says what was found and what was expected;
   parsers of lists may fail with MARGAY_NO_MEMORY. */
#define OPTION_TYPE(type)                                               \
    enum margay_status parse_##type(const char *name, const char *text, \
                                    void *field, struct margay_error *error)
#define OPTION(name, letter, argument, type, ...) OPTION_TYPE(type);
#define CHOICE                                    OPTION
#define WORDS(...)
#include "sim/options/options.def"
#undef OPTION
#undef CHOICE
#undef WORDS

/* The same for an option with a list of values. */
enum margay_status option_parse_words(const struct option *option,
                                      const char *name, const char *text,
                                      void *field, struct margay_error *error);

#endif
