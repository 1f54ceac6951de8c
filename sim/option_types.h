/*
 * option_types.h - the types of options.def: text to value
 *
 * Each parser stores into *field, whose type stands beside it.  `name` is the
 * option as messages call it ("--bound").  MARGAY_BAD_ARGUMENT says what was
 * found and what was expected; MARGAY_NO_MEMORY where a list is made.
 */
#ifndef MARGAY_SIM_OPTION_TYPES_H
#define MARGAY_SIM_OPTION_TYPES_H

#include <margay/status.h>

#define OPTION_TYPE(type)                                               \
    enum margay_status parse_##type(const char *name, const char *text, \
                                    void *field, struct margay_error *error)

OPTION_TYPE(flag);          /* bool: set; text is NULL */
OPTION_TYPE(text);          /* const char *: the argument itself */
OPTION_TYPE(count);         /* uint64_t: any */
OPTION_TYPE(positive);      /* uint64_t: 1 or more */
OPTION_TYPE(interval);      /* struct interval: references, or seconds */
OPTION_TYPE(threads);       /* unsigned: 1 or more */
OPTION_TYPE(decimal);       /* double: a finite decimal fraction, 0 or more */
OPTION_TYPE(delimiter);     /* char: what separates columns */
OPTION_TYPE(bytes);         /* uint64_t: bytes, 1 or more, perhaps a suffix */
OPTION_TYPE(block_list);    /* struct block_list */
OPTION_TYPE(kinds);         /* unsigned: a set of kinds */
OPTION_TYPE(straddle);      /* bool: split */
OPTION_TYPE(cache_size);    /* struct cache_size */
OPTION_TYPE(thread_traces); /* bool: separate */
OPTION_TYPE(record_point);  /* struct record_point */
OPTION_TYPE(sizes);         /* struct cache_sizes */
OPTION_TYPE(bins);          /* struct margay_bins */
OPTION_TYPE(of_distances);  /* bool: it is said that they are */
OPTION_TYPE(measure_of);    /* enum margay_measure: distances or times */
OPTION_TYPE(by_place);      /* struct place_option */
OPTION_TYPE(model);         /* enum margay_measure: distances or footprint */

/* Of caches, in cache_options.c: */
OPTION_TYPE(set_list);      /* uint32_t: bit i is 2^i sets */
OPTION_TYPE(way_list);      /* uint64_t: bit i is i + 1 ways */
OPTION_TYPE(policy);        /* struct cache_policy */
OPTION_TYPE(by_kind);       /* bool: set */
OPTION_TYPE(write_rule);    /* enum write_rule */
OPTION_TYPE(allocate_rule); /* enum write_rule */

/* Of predictions, in predict_options.c: */
OPTION_TYPE(predict_method);  /* enum predict_method */
OPTION_TYPE(predict_bins);    /* struct margay_bins; a parameter may be 0 */
OPTION_TYPE(predict_pattern); /* enum margay_pattern */
OPTION_TYPE(input_size);      /* double: finite, above 0 */

#endif
