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

/* The most parameters of a row, and the most sizes that a spec may list. */
#define MARGAY_SPEC_PARAMETERS 8
#define MARGAY_SPEC_SIZES      64

/* The values of a row's parameters; index i is parameter i. */
struct margay_settings {
    unsigned choices[MARGAY_SPEC_PARAMETERS]; /* a word: which */
    uint64_t counts[MARGAY_SPEC_PARAMETERS];  /* a whole number */
    double fractions[MARGAY_SPEC_PARAMETERS];
    uint64_t sizes[MARGAY_SPEC_SIZES]; /* ascending */
    size_t size_count;
    unsigned given; /* bit i: the spec has parameter i */
};

/* A row, as people and the parser see it.  `parameters` has KEY=VALUES of each,
   joined by commas; "" = none.  Values are the default, '|', and
   - the other words: "mode=auto|on|off",
   - or the ends of a range: "size=16|1..64", with a point in one of the three
     where it is of decimal fractions: "e=0.1|0..1".  A default that is no
     number ("size=none|1..64") means 0,
   - or SIZE+SIZE: cache sizes in blocks, joined by '+'. */
struct margay_spec_row {
    const char *name; /* NULL beyond the table */
    const char *parameters;
};

/* More than the names or the parameters of a table take. */
struct margay_spec_text {
    char line[512];
};

/* Parameters without their ranges: "size=16" of "size=16|1..64". */
struct margay_spec_text margay_spec_brief(const char *parameters);

struct margay_spec_table {
    const char *noun, *list; /* of its rows, for messages; what precedes
                                 their names: "the engines are" */
    struct margay_spec_row (*row)(size_t index);
    bool any_case; /* names are known in capitals, too */
    bool brief;    /* messages leave ranges out */
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
