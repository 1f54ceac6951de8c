/*
 * layout.h - the meaning of the columns of a table
 *
 * A layout is a row of layouts.def or of a file of --layout, or the value of
 * --column.  All name columns in the same language, so a layout needs no code:
 *
 *     id=key,size=key_size+size,op=op,ttl=ttl?
 *
 * A column is named by its number, from 1 on, or as the first row of the table
 * names it; in a layout, a question mark follows a column that a trace, or a
 * row, may lack.  Several columns of a role, joined by +, are one id (hashed),
 * one size (the sum), one device or one request.
 */
#ifndef MARGAY_TRACES_FORMATS_LAYOUT_H
#define MARGAY_TRACES_FORMATS_LAYOUT_H

#include "traces/formats/blocks_format.h"

/* The role of a column. */
enum margay_role {
    MARGAY_ROLE_ID,
    MARGAY_ROLE_SIZE,
    MARGAY_ROLE_OP,
    MARGAY_ROLE_TIME,
    MARGAY_ROLE_TTL,
    MARGAY_ROLE_DEVICE,
    MARGAY_ROLE_COUNT, /* how often the row stands for its reference */
    MARGAY_ROLE_REQUEST,
    MARGAY_ROLE_THREAD,
    MARGAY_ROLE_SITE,
    MARGAY_ROLE_KIND,
    MARGAY_ROLE_STATUS,  /* of HTTP: a response may be no whole object */
    MARGAY_ROLE_ADDRESS, /* only a word: such columns have the role of ids */
    MARGAY_ROLE_HTTP,    /* only a word: an operation and an id in one */
    MARGAY_ROLE_COST,    /* of a miss; in --column alone */
    MARGAY_ROLE_TENANT,  /* not in the language above; the last one */
};
#define MARGAY_ROLES 16

/* The most columns of all roles together. */
#define MARGAY_TAKES 12

/* A delimiter that, like MARGAY_BLANKS, is no character: the first of comma,
   tab and blanks that the first row holds. */
#define MARGAY_ANY_DELIMITER '\3'

#define MARGAY_EPOCH_TICKS        UINT64_MAX
#define MARGAY_EPOCH_MILLISECONDS UINT64_C(100000000000) /* from there on */

/* One of the shapes in which a layout occurs. */
struct margay_variant {
    const char *columns; /* in the language above; NULL = there is no variant */
    /* Of a layout whose columns have numbers, a letter for each column: d
       decimal, n anything else, o a word of an operation, t any text; between
       blanks w any number of words, and e one or none, two of these at most; an
       asterisk at the end for more of any kind.  The first row must have as
       many columns; detection by content checks all rows. */
    const char *shape;
    bool by_name_only; /* not enough to detect the layout by its content */
};
#define MARGAY_VARIANTS 5

/* The columns of the first row that are kept until columns are chosen, and the
   most letters of a shape. */
#define MARGAY_EARLY_FIELDS 32

/* The syntax of a line. */
enum margay_syntax {
    MARGAY_SYNTAX_TABLE,   /* columns: csv.c; the others are named.c */
    MARGAY_SYNTAX_JSON,    /* an object, whose members have paths */
    MARGAY_SYNTAX_LOGFMT,  /* NAME=VALUE */
    MARGAY_SYNTAX_W3C,     /* columns, which a line "#Fields:" names */
    MARGAY_SYNTAX_REGEX,   /* the named groups of a pattern */
    MARGAY_SYNTAX_PICTURE, /* the named fields of a picture */
};

struct margay_layout {
    struct margay_variant variants[MARGAY_VARIANTS];
    enum margay_syntax syntax;
    bool open;      /* the user names the columns, or may */
    char delimiter; /* a character or one of the above; 0 = a comma */
    int quote;      /* as in struct margay_trace_options */
    /* The words of each operation, separated by blanks, in lower case.  One
       that ends in an asterisk stands for all words with that beginning. */
    const char *gets, *sets, *deletes;
    /* Words of lines without a reference. */
    const char *passes;
    const char *pattern; /* of the last two syntaxes; NULL = --pattern */
    /* Of times; 0 = 1.  MARGAY_EPOCH_TICKS: seconds since 1970, and beyond
       10^11 milliseconds, 10^14 microseconds, 10^17 nanoseconds. */
    uint64_t ticks_per_second;
    /* Ids are offsets on devices, and sizes the extents of requests.  Both
       count this many bytes, unless --unit says otherwise; 0 = ids are
       names. */
    uint64_t offset_bytes;
    bool size_in_bytes; /* only ids count so */
    /* The upper bits of a number that hold the device; 0 = 16. */
    unsigned device_bits;
    /* A get whose last column of sizes is 0 missed, and gives no size. */
    bool empty_gets_missed;
    /* By content: the times begin at or above, and never go back. */
    bool ascends;
    uint64_t least_seconds;
};

/* The layout of the format csv, whose columns --column names. */
extern const struct margay_layout margay_layout_any;

/* ------------------------------------------------------------- choices -- */

/* A column as it is named. */
struct margay_named_column {
    uint8_t role;
    bool optional;   /* a row may lack it, or leave it empty */
    bool given;      /* by its number */
    uint64_t number; /* from 1 on; 0 = it is named, and not found yet */
    uint64_t again;  /* the last earlier column of that name; 0 = none */
    const char *name;
    size_t name_bytes;
};

/* The longest name of a column, with its NUL, that shows a role. */
#define MARGAY_KNOWN_BYTES 16

/* The words for roles in --column. */
extern const char *const margay_role_names[MARGAY_ROLES];

/* The role of that name in --column; MARGAY_ROLES: none. */
unsigned margay_role_named(const char *name, size_t bytes);

/* The columns that are read, in the order in which they are named, the columns
   of a role next to each other.  The fields of a row have the same order. */
struct margay_choice {
    struct margay_named_column columns[MARGAY_TAKES];
    unsigned count;
    uint8_t firsts[MARGAY_ROLES], counts[MARGAY_ROLES]; /* by role */
    bool by_name;   /* some column is named */
    bool of_layout; /* a question mark has its meaning */
    bool addresses; /* ids are byte addresses */
    bool http;      /* operation and id are parts of one column */
};

/* Parse the argument of --column or, where `of_layout`, the columns of a
   layout's variant.  The choice keeps pointers to it and to `tenant`, which is
   as in struct margay_trace_options.  A text that does not begin with ROLE= is
   the name or number of the id's column.  Fails with MARGAY_BAD_ARGUMENT. */
enum margay_status margay_choice_parse(const char *text, bool of_layout,
                                       const char *tenant,
                                       struct margay_choice *choice,
                                       struct margay_error *error);

/* Parse the columns of each variant of options->layout, or instead those of
   options->given.column, into `choices`, zeroed. */
enum margay_status margay_choices_parse(
    const struct margay_state_options *options,
    struct margay_choice choices[MARGAY_VARIANTS], struct margay_error *error);

/* A value for --column by a pattern whose fields have the names of roles. */
#define MARGAY_ROLES_BYTES 192
void margay_choice_of_pattern(const char *pattern, bool is_picture,
                              char columns[MARGAY_ROLES_BYTES]);

/* Does the table lack none of the columns but optional ones? */
bool margay_choice_is_found(const struct margay_choice *choice);

/* The columns of the choice that the table has. */
struct margay_choice margay_choice_found(const struct margay_choice *choice);

/* The columns of references that these columns fill. */
unsigned margay_choice_gives(const struct margay_choice *choice);

/* Change the facts of the format into those of a trace of these columns. */
void margay_choice_facts(const struct margay_choice *choice,
                         const struct margay_layout *layout,
                         uint64_t unit_bytes, struct margay_trace_facts *facts);

/* ------------------------------------------------------------- functions -- */

/* Fields of all formats of lines by names; a layout has the rest. */
extern const struct margay_format margay_format_named;

/* Read the only layout of a file, or that of this name, as a format, which the
   caller frees.  Fails with MARGAY_IO, MARGAY_BAD_INPUT, MARGAY_BAD_ARGUMENT
   and MARGAY_NO_MEMORY. */
enum margay_status margay_layout_load(const char *path, const char *name,
                                      struct margay_format **format,
                                      struct margay_error *error);

/* Can lines by names be read with these options? */
enum margay_status margay_named_check(
    const struct margay_state_options *options, struct margay_error *error);

/* The columns that references of a table may have besides numbers. */
#define MARGAY_TABLE_COLUMNS                                             \
    (MARGAY_STORAGE_COLUMNS | (unsigned)MARGAY_COLUMN_KINDS |            \
     (unsigned)MARGAY_COLUMN_EXTENTS | (unsigned)MARGAY_COLUMN_THREADS | \
     (unsigned)MARGAY_COLUMN_SITES)

#endif
