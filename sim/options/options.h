/*
 * options.h - the values of the command line's options and operands
 *
 * options.def lists the options.
 */
#ifndef MARGAY_SIM_OPTIONS_OPTIONS_H
#define MARGAY_SIM_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/options/option_values.h"

struct command;

/* Words of bits for the rows of options.def. */
#define OPTION_WORDS 4

/*
 * The values by concern.  Each command reads the groups of the options that it
 * takes.  A member that says nothing else is NULL, 0 or false where the option
 * is not given.
 */
struct options {
    const struct command *command;
    uint64_t given[OPTION_WORDS]; /* see options_given() */
    const char **operands;        /* owned; the strings are argv's */
    const char *const *shown;     /* for messages; NULL = as they are */
    size_t operand_count;
    char *const *arguments; /* all words behind the command's name */
    bool help, quiet, verbose;
    bool json, csv, text;           /* the form of tables, where it is said */
    const char *output;             /* NULL = standard output */
    const char *to;                 /* of generate, convert, record: a format */
    const char *completion;         /* of help: a shell */
    bool map, gain, causes;         /* of plot, */
    bool traffic;                   /* likewise, */
    struct picture_options picture; /* and so */
    uint64_t seed;                  /* of all random numbers; 1 = not given */

    /* Which references of a trace are read, and how they are decoded. */
    struct margay_trace_options reading;

    /* How a run goes over them; see struct margay_request. */
    struct {
        struct block_list blocks;
        enum margay_straddle straddle;
        unsigned threads; /* not given: the number of cores */
        uint64_t chunk_refs, phase_refs, window_refs;
        uint64_t block_tokens, token_bytes; /* of prompts; 0 = not given */
        struct interval every;
        const char *save, *resume;
    } run;

    /* The engine: its spec, measure and bound. */
    struct margay_engine_request engine;

    /* What curve and histogram make of the engine's results. */
    struct {
        struct margay_cache_sizes sizes; /* of predict, too */
        struct margay_bins bins;
        const char *histogram; /* a table to write beside the curve */
        const char *from;      /* a table to read in the place of a trace, */
        bool of_distances;     /* which is one of distances for certain */
        struct attribution_option by;
        bool writebacks;
        const char *prometheus; /* a file for Prometheus beside the curve */
        double at_most;         /* a miss ratio to reach; negative = none */
        double at_most_bytes;   /* a byte miss ratio, likewise */
        uint64_t knees;         /* how many to name */
        struct policy_list policies; /* of curve */
        double sample_rate;          /* of these; 0 = all blocks */
        bool objects;                /* they have sizes */
        bool requests;               /* blocks ask in lists */
        bool in_report;              /* which counts requests, too */
        enum margay_touch touch;
        struct margay_cache_sizes tiers; /* in their order */
        bool fair;                       /* of share */
        struct ttl_option ttl;
    } results;

    struct {
        const char *callgrind; /* a profile to write beside the table */
        const char *program;   /* its file; NULL = the one that was recorded */
        bool data;
    } annotate;

    /* What phases writes beside its table. */
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
        bool by_kind;
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

    /* What simulate simulates. */
    struct {
        const char *name;    /* of its table, or its own */
        const char *vary;    /* which fields have several values, or NULL */
        const char *pareto;  /* NULL = no such table */
        const char *sharing; /* the table of --sharing, or NULL */
        const char *misses;  /* caches whose misses are written, or NULL */
        bool mix;            /* the traces are one, so: */
        struct margay_mix_options mixing; /* its name is the command's */
        uint64_t instructions;            /* of the trace; 0 = not given */
        uint64_t cores;                   /* 0 = not given */
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
        struct given_refs refs;
        uint64_t blocks; /* distinct */
        double exponent; /* of zipf */
    } generate;

    struct {
        const char *method;
        bool separate_threads;
        struct record_point start, stop;
        bool sites, data, fetches, cflags, libs;
    } record;
};

/*
 * Read the arguments after the command's name.  Options and operands may be
 * mixed; "--" ends the options, and --help ends the reading.  Fails where they
 * have no meaning together, too.  Call options_free() in any case.
 */
enum margay_status options_parse(struct options *options,
                                 const struct command *command,
                                 char *const *arguments,
                                 struct margay_error *error);

void options_free(struct options *options);

/* Give a curve that sentences are about 64 sizes in each octave, unless --sizes
   says others or policies are simulated at each: a sentence names the smallest
   size of the table that will do. */
void options_set_sentence_sizes(struct options *options);

/* Was an option of this name on the command line? */
bool options_given(const struct options *options, const char *name);

/* MARGAY_BAD_ARGUMENT for the first row of conflicts.def that the options are
   in. */
enum margay_status conflicts_check(const struct options *options,
                                   struct margay_error *error);

/* Set the number of threads without --threads, which is the number of cores
   before. */
void options_set_usual_threads(unsigned threads);

/* One row of the table. */
struct option {
    const char *name;
    char letter;          /* 0 = none */
    const char *argument; /* NULL = takes none */
    enum margay_status (*parse)(const char *name, const char *text, void *field,
                                struct margay_error *error);
    size_t field; /* offset in struct options */
    unsigned commands;
    const char *words; /* values of the argument; NULL = no words */
    const char *help;
};

/* Row `index` of the options that the command takes; NULL beyond the last. */
const struct option *option_at(const struct command *command, size_t index);

/* Row `index` of the whole table; NULL beyond the last. */
const struct option *option_in_table(size_t index);

#endif
