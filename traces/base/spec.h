/*
 * spec.h - NAME[:key=value,...], for tables whose rows take parameters
 *
 * A spec names an engine or a replacement policy.  Each of them is a row of a
 * table; the row lists its parameters, the values that they may have, and the
 * defaults.
 */
#ifndef MARGAY_TRACES_BASE_SPEC_H
#define MARGAY_TRACES_BASE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* The values that a parameter takes. */
enum margay_parameter_kind {
    MARGAY_CHOICE,   /* one of a few names */
    MARGAY_COUNT,    /* a whole number in a range */
    MARGAY_FRACTION, /* a decimal fraction in a range */
    MARGAY_SIZES,    /* cache sizes in blocks, joined by '+' */
};

/* One parameter.  `values`, for people and the parser, has the default, '|',
   and the other names ("auto|on|off") or the ends of the range
   ("0.01|0.0001..0.5").  A default that is no number ("none|1..9") means 0. */
struct margay_parameter {
    const char *key; /* NULL after the last */
    const char *values;
    enum margay_parameter_kind kind;
};

/* The most parameters of a row, and the most sizes that a spec may list. */
#define MARGAY_SPEC_PARAMETERS 8
#define MARGAY_SPEC_SIZES      64

/* The values of a row's parameters; index i is parameter i. */
struct margay_settings {
    unsigned choices[MARGAY_SPEC_PARAMETERS]; /* MARGAY_CHOICE: index */
    uint64_t counts[MARGAY_SPEC_PARAMETERS];  /* MARGAY_COUNT */
    double fractions[MARGAY_SPEC_PARAMETERS]; /* MARGAY_FRACTION */
    uint64_t sizes[MARGAY_SPEC_SIZES];        /* MARGAY_SIZES: ascending */
    size_t size_count;
    unsigned given; /* bit i: the spec has parameter i */
};

/* A row, as the parser sees it. */
struct margay_spec_row {
    const char *name;                          /* NULL beyond the table */
    const char *summary;                       /* its parameters, in words */
    const struct margay_parameter *parameters; /* MARGAY_SPEC_PARAMETERS */
};

struct margay_spec_table {
    const char *noun, *list; /* of its rows, for messages; what precedes
                                 their names: "the engines are" */
    struct margay_spec_row (*row)(size_t index);
    bool any_case; /* names are known in capitals, too */
};

/* Find the row that a spec names, and fill in all of its settings, with
   defaults for parameters that the spec does not give.  Fails with
   MARGAY_BAD_ARGUMENT, where the message says what is wrong and which names,
   parameters and values the table has, or MARGAY_NO_MEMORY. */
enum margay_status margay_spec_parse(const struct margay_spec_table *table,
                                     const char *spec, size_t *index,
                                     struct margay_settings *settings,
                                     struct margay_error *error);

/* Refuse the value of a parameter: "NOUN ROW: KEY=VALUE WHY; it takes ...",
   with all parameters of the row at the end. */
enum margay_status margay_spec_refuse(const char *noun,
                                      const struct margay_spec_row *row,
                                      const char *key, const char *value,
                                      const char *why,
                                      struct margay_error *error);

#endif
