/*
 * option_types.h - the types of options.def: text to value
 *
 * Each parser stores into *field, whose type stands beside it.  `name` is the
 * option's name in messages ("--bound").  MARGAY_BAD_ARGUMENT says what was
 * found and what was expected; parsers of lists may fail with MARGAY_NO_MEMORY.
 */
#ifndef MARGAY_SIM_OPTIONS_OPTION_TYPES_H
#define MARGAY_SIM_OPTIONS_OPTION_TYPES_H

#include <stddef.h>

#include <margay/status.h>

#define OPTION_TYPE(type)                                               \
    enum margay_status parse_##type(const char *name, const char *text, \
                                    void *field, struct margay_error *error)

OPTION_TYPE(flag);           /* bool: set; text is NULL */
OPTION_TYPE(text);           /* const char *: the argument itself */
OPTION_TYPE(input);          /* the same: a file to read, */
OPTION_TYPE(output);         /* or to write; files.c checks both */
OPTION_TYPE(count);          /* uint64_t: any */
OPTION_TYPE(refs);           /* uint64_t: references, any number */
OPTION_TYPE(given_refs);     /* struct given_refs: any number */
OPTION_TYPE(some_refs);      /* uint64_t: references, 1 or more */
OPTION_TYPE(some_blocks);    /* uint64_t: 1 or more, as "250K" */
OPTION_TYPE(bad_lines);      /* uint64_t: UINT64_MAX = all */
OPTION_TYPE(positive);       /* uint64_t: 1 or more */
OPTION_TYPE(interval);       /* struct interval: references, or seconds */
OPTION_TYPE(interleave);     /* struct margay_mix_options: N, or time */
OPTION_TYPE(knees);          /* uint64_t: 1 or more; 3 without a text */
OPTION_TYPE(threads);        /* unsigned: 1 or more */
OPTION_TYPE(ratio);          /* the same, or hundredths: "5%" */
OPTION_TYPE(decimal);        /* double: a finite decimal fraction, 0 or more */
OPTION_TYPE(delimiter);      /* char: the separator of columns */
OPTION_TYPE(quote);          /* int: the quotation mark, or MARGAY_NO_QUOTE */
OPTION_TYPE(bytes);          /* uint64_t: bytes, 1 or more, perhaps a suffix */
OPTION_TYPE(block_list);     /* struct block_list */
OPTION_TYPE(one_block);      /* struct block_list: one size at most */
OPTION_TYPE(kinds);          /* unsigned: a set of kinds */
OPTION_TYPE(operations);     /* unsigned: a set of enum margay_op */
OPTION_TYPE(ttl);            /* struct ttl_option: any number of seconds */
OPTION_TYPE(straddle);       /* enum margay_straddle */
OPTION_TYPE(straddle_first); /* enum margay_straddle: _FIRST alone */
OPTION_TYPE(cache_size);     /* struct margay_cache_size: 1 or more */
OPTION_TYPE(thread_traces);  /* bool: separate */
OPTION_TYPE(record_point);   /* struct record_point */
OPTION_TYPE(sizes);          /* struct margay_cache_sizes */
OPTION_TYPE(tiers);          /* the same: a list of two or more */
OPTION_TYPE(bins);           /* struct margay_bins */
OPTION_TYPE(of_distances);   /* bool: set */
OPTION_TYPE(sizes_from);     /* enum margay_sizes_from */
OPTION_TYPE(measure_of);     /* enum margay_measure: distances or times */
OPTION_TYPE(attribution);    /* struct attribution_option */
OPTION_TYPE(touch);          /* enum margay_touch: front or back */
OPTION_TYPE(model);          /* enum margay_measure: distances or footprint */

/* Of caches, in cache_options.c: */
OPTION_TYPE(set_list);      /* struct number_list */
OPTION_TYPE(way_list);      /* struct number_list */
OPTION_TYPE(byte_list);     /* struct number_list */
OPTION_TYPE(policy);        /* struct cache_policy */
OPTION_TYPE(index_rule);    /* enum margay_index */
OPTION_TYPE(by_kind);       /* bool: set */
OPTION_TYPE(write_rule);    /* enum write_rule */
OPTION_TYPE(allocate_rule); /* enum write_rule */
OPTION_TYPE(policy_list);   /* struct policy_list: of known policies */
OPTION_TYPE(spec_list);     /* struct policy_list: any specs */
OPTION_TYPE(sample_rate);   /* double: above 0, at most 1 */

/* Of predictions: */
OPTION_TYPE(predict_method);  /* enum predict_method */
OPTION_TYPE(predict_bins);    /* struct margay_bins; a parameter may be 0 */
OPTION_TYPE(predict_pattern); /* enum margay_pattern */
OPTION_TYPE(input_size);      /* double: finite, above 0 */

/* Of pictures: */
OPTION_TYPE(picture_size); /* struct picture_size */
OPTION_TYPE(picture_font); /* struct picture_font */
OPTION_TYPE(legend);
OPTION_TYPE(paper);      /* enum legend */
OPTION_TYPE(axis_scale); /* struct picture_axis: its scale */
OPTION_TYPE(axis_range); /* struct picture_axis: its ends */

/* Fail with "NAME: 'TEXT' (expected EXPECTED)"; returns MARGAY_BAD_ARGUMENT. */
enum margay_status refuse(const char *name, const char *text,
                          const char *expected, struct margay_error *error);

/* A word that an argument may be, and what it stands for; text NULL ends a
   list. */
struct word {
    const char *text;
    int value;
};

/*
 * The value of `text` in a list of words.  Any other text is refused; the
 * message lists the words and names the one that is spelt like it.
 */
enum margay_status find_word(const char *name, const char *text,
                             const struct word *words, int *value,
                             struct margay_error *error);

/* Room for one item of a list; every valid item is shorter. */
#define ITEM_BYTES 48

/*
 * Copy the item at *cursor, up to a comma or the end, and step over it;
 * *cursor is NULL after the last one.
 */
enum margay_status next_item(const char *name, const char **cursor,
                             char item[ITEM_BYTES], struct margay_error *error);

/* Define the parser of a type whose argument is one of some words. */
#define WORD_TYPE(type, field_type, ...)                             \
    OPTION_TYPE(type)                                                \
    {                                                                \
        static const struct word words[] = {__VA_ARGS__, {NULL, 0}}; \
        int value;                                                   \
        enum margay_status status =                                  \
            find_word(name, text, words, &value, error);             \
        if (status == MARGAY_OK)                                     \
            *(field_type *)field = (field_type)value;                \
        return status;                                               \
    }

#endif
