/*
 * options.h - what the command line says
 *
 * options.def lists the options; this is where their values end up.
 */
#ifndef MARGAY_SIM_OPTIONS_H
#define MARGAY_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cache_options.h"
#include "sim/place_option.h"
#include "sim/predict_options.h"
#include "sim/sizes.h"
#include <margay/stackdist.h>
#include <margay/status.h>
#include <margay/traces.h>

struct command;

/* Powers of two, ascending, distinct; none: as the trace suggests. */
struct block_list {
    uint64_t bytes[64];
    size_t count;
};

/* So many references, or seconds; both 0 = not given. */
struct interval {
    uint64_t refs, seconds;
};

/* Where recording begins or ends: at a function, or after so many references;
   NULL and 0: not given. */
struct record_point {
    const char *function;
    uint64_t refs;
};

struct options {
    const struct command *command;

    const char *format; /* NULL = detect */
    const char *column; /* NULL = not given */
    char delimiter;     /* 0 = not given */
    struct block_list blocks;
    unsigned kinds;
    uint64_t skip_refs, limit_refs, warmup_refs;
    bool split;
    bool ids;
    uint64_t unit_bytes; /* 0 = not given */

    const char *engine;
    enum margay_measure measure;
    struct cache_size bound;
    unsigned threads;
    uint64_t chunk_refs, phase_refs; /* 0 = not given */

    uint64_t window_refs; /* 0 = not given */
    struct interval every;
    const char *save, *resume; /* NULL = not given */

    struct cache_sizes sizes;
    const char *histogram; /* NULL = not given */
    const char *from;      /* NULL = not given */
    bool of_distances;     /* what that holds, whatever it looks like */
    struct margay_bins bins;
    struct place_option place;

    bool writebacks;
    uint32_t set_shifts; /* bit i: 2^i sets */
    uint64_t ways;       /* bit i: i + 1 ways; 0 = not given */
    struct cache_policy policy;
    bool by_kind;
    enum write_rule write, allocate;
    uint64_t best;          /* caches to name; 0 = none */
    uint64_t most_bytes;    /* of these; 0 = any */
    double tolerance;       /* negative = none given */
    const char *prediction; /* NULL = not given */
    bool map;

    struct predict_choices predict;

    const char *trace; /* of --run; NULL = not given */
    const char *only;  /* NULL = all engines */
    bool sweep;

    uint64_t refs;            /* UINT64_MAX = not given */
    uint64_t generate_blocks; /* 0 = not given */
    double exponent;
    uint64_t seed;
    const char *to; /* NULL = not given */

    const char *method;
    bool separate_threads;
    struct record_point start, stop;
    uint64_t max_trace_bytes; /* 0 = not given */
    uint64_t collapse_bytes;  /* 0 = not given */
    bool sites, fetches, cflags, libs;

    const char *completion; /* NULL = not given */

    const char *output; /* NULL = standard output */
    bool quiet, verbose, help;

    const char **operands; /* owned; the strings are argv's */
    size_t operand_count;
};

/*
 * Read the arguments behind the command's name.  Options and operands may be
 * mixed; "--" ends the options.  At --help everything behind it is left
 * unread.  options_free() in any case.
 */
enum margay_status options_parse(struct options *options,
                                 const struct command *command,
                                 char *const *arguments,
                                 struct margay_error *error);

void options_free(struct options *options);

/* How a trace is to be opened, as the common options say; the column's name is
   theirs. */
struct margay_trace_options options_of_trace(const struct options *options);

/* How many threads there are without --threads; otherwise as many as cores. */
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
    const char *words; /* that the argument may be; NULL = it is no choice */
    const char *help;
};

/* Row `index` of those that the command takes, NULL beyond the last. */
const struct option *option_at(const struct command *command, size_t index);

/* Row `index` of the whole table, NULL beyond the last. */
const struct option *option_in_table(size_t index);

#endif
